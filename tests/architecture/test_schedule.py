"""Tests reach their worker as `tests/schedule.py` says, and it names nothing that is gone."""

import pytest

from tests.conftest import ROOT
from tests.schedule import (
    AGAINST_THE_CLOCK,
    BROWSER,
    BROWSER_SECOND,
    JOURNEYS,
    SLOW,
    TOGETHER,
    group_of,
    is_full,
    may_be_tried_twice,
)


@pytest.mark.parametrize("path", [*BROWSER_SECOND, *SLOW, *TOGETHER, *AGAINST_THE_CLOCK, *JOURNEYS.values()])
def test_what_it_names_exists(path: str) -> None:
    file, _, name = path.partition("::")
    assert (ROOT / file).exists()
    assert f"def {name}" in ((ROOT / file).read_text(encoding="utf-8") if name else "def ")


def test_browser_tests_share_two_workers_slow_ones_stand_alone_and_others_stay_with_their_file() -> None:
    assert group_of("tests/browser/test_desk.py::test_a[x::y]") == group_of("tests/browser/test_chart.py::test_b") == BROWSER
    assert group_of("tests/browser/approvals/test_b.py::test_b") == group_of("tests/browser/test_layout.py::test_b") != BROWSER
    assert group_of("tests/flows/test_resume.py::test_killed[4]") == "tests/flows/test_resume.py::test_killed[4]"
    assert group_of(f"{TOGETHER[0]}::test_a") == group_of(f"{TOGETHER[0]}::test_b") == TOGETHER[0]
    assert group_of("tests/pages/test_ink.py::test_a") == group_of("tests/pages/test_ink.py::test_b[1]")


def test_at_most_five_tests_may_be_tried_twice_and_each_says_why() -> None:
    assert len(AGAINST_THE_CLOCK) <= 5
    for test, why in AGAINST_THE_CLOCK.items():
        assert "::" in test, "one test, not a file of them"
        assert why
        assert may_be_tried_twice(test)
        assert may_be_tried_twice(f"{test}[a]")
        assert not may_be_tried_twice(f"{test}_too")


def test_of_the_browser_tests_the_fast_tier_has_one_journey_per_desk() -> None:
    assert not any(is_full(test) for test in JOURNEYS.values())
    assert is_full("tests/browser/test_desk.py::test_in_chinese")
    assert not is_full("tests/pages/test_ink.py::test_a")
