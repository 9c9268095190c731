"""Tests reach their worker as `tests/schedule.py` says, and it names nothing that is gone."""

import pytest

from tests.conftest import ROOT
from tests.schedule import AGAINST_THE_CLOCK, BROWSER, BROWSER_SECOND, SLOW, TOGETHER, group_of


@pytest.mark.parametrize("path", [*BROWSER_SECOND, *SLOW, *TOGETHER, *AGAINST_THE_CLOCK])
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
