"""Tests reach their worker as `tests/schedule.py` says, and it names nothing that is gone."""

import pytest

from tests.conftest import ROOT
from tests.schedule import BROWSER, SLOW, TOGETHER, group_of


@pytest.mark.parametrize("path", [BROWSER, *SLOW, *TOGETHER])
def test_what_it_names_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_browser_tests_share_a_worker_slow_ones_stand_alone_and_others_stay_with_their_file() -> None:
    assert group_of("tests/browser/test_desk.py::test_a[x::y]") == group_of("tests/browser/approvals/test_b.py::test_b") == BROWSER
    assert group_of("tests/flows/test_resume.py::test_killed[4]") == "tests/flows/test_resume.py::test_killed[4]"
    assert group_of(f"{TOGETHER[0]}::test_a") == group_of(f"{TOGETHER[0]}::test_b") == TOGETHER[0]
    assert group_of("tests/pages/test_ink.py::test_a") == group_of("tests/pages/test_ink.py::test_b[1]")
