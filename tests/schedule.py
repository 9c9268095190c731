"""Who of the workers runs which tests: files as a whole, slow tests one by one, what takes longest first, browsers at the end; which of
them are tried twice; and which browser tests the fast tier has.

Groups by marker (`xdist_group`, `--dist loadgroup`) have no effect with the pinned pytest: it ignores the suffix that xdist gives to the
names of tests. Here the group of a test is told by its path.
"""

from collections.abc import Sequence

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
"""Two groups, begun last, when nothing else is left: a browser and its server need a processor for the seconds that they wait for."""

BROWSER_SECOND = ("tests/browser/approvals/", "tests/browser/test_layout.py")
"""The files of the second of the two groups; they take about as long as all others."""

JOURNEYS = {
    "decision": "tests/browser/test_desk.py::test_the_first_minute_without_any_settings",
    "equities": "tests/browser/test_equities.py::test_the_first_minute_and_calls_that_appear_while_analysts_work",
    "research": "tests/browser/test_research.py::test_ask_watch_read_and_attach",
}
"""Desk -> the one journey of a browser through it that the fast tier has; every other browser test is of the full tier."""

AGAINST_THE_CLOCK = {
    "tests/browser/approvals/test_live_price.py::test_the_price_moves_under_a_drag_and_grows_old_without_a_server": (
        "holds a line with the mouse until the price that is told every second has moved"
    ),
    "tests/engine/grounding/test_hostile.py::test_one_endless_sentence_takes_time_in_proportion_to_its_length": (
        "compares two times of a processor, which it shares with others"
    ),
    "tests/flows/test_faults.py::test_a_role_that_never_answers": "leaves every other role 3 s for its answer",
    "tests/browser/test_equities.py::test_on_a_phone_nothing_moves_in_a_run": (
        "samples where things are while a browser that others slow down falls behind the page"
    ),
}
"""Test -> why a busy machine can fail it: it holds something to seconds of a clock. These may be tried twice, at most five in all, and no
other; the summary names each that was (`-rR`), and `--max-suite-reruns` bounds how many may be, so that what fails often is red."""

SLOW = (
    "tests/contracts/test_flow.py",
    "tests/engine/approvals/test_orders_together.py",
    "tests/engine/search/test_client.py",
    "tests/engine/search/test_own_tools.py",
    "tests/flows/",
    "tests/security/",
)
"""Files whose tests take seconds each: they are begun first and handed out one by one, so that no worker has one left at the end."""

TOGETHER = ("tests/security/test_server.py",)
"""One server for all tests of a file."""


class Schedule(LoadScopeScheduling):
    """Hands out groups as `group_of` names them, in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """What runs on one worker, by the name of one of its tests: half of the browser tests, a file, or that test alone."""
    if nodeid.startswith(BROWSER):
        return "second half of the browsers" if nodeid.startswith(BROWSER_SECOND) else BROWSER
    file = nodeid.partition("::")[0]
    return nodeid if file.startswith(SLOW) and file not in TOGETHER else file


def is_full(nodeid: str) -> bool:
    """Whether a test is of the full tier by where it is; others are by their mark."""
    return nodeid.startswith(BROWSER) and nodeid not in JOURNEYS.values()


def may_be_tried_twice(nodeid: str) -> bool:
    """Whether a test, with whatever parameters, is one of those against the clock."""
    return nodeid.partition("[")[0] in AGAINST_THE_CLOCK


def longest_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests in the order in which they are begun."""

    def rank(item: pytest.Item) -> int:
        if item.nodeid.startswith(BROWSER):
            return len(SLOW) + 1
        return next((place for place, start in enumerate(SLOW) if item.nodeid.startswith(start)), len(SLOW))

    return sorted(items, key=rank)
