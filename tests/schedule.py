"""Who of the workers runs which tests: files as a whole, slow tests one by one, what takes longest first, browsers at the end; and which
of them are tried twice.

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

AGAINST_THE_CLOCK = (
    BROWSER,
    "tests/engine/grounding/test_hostile.py::test_one_endless_sentence_takes_time_in_proportion_to_its_length",
    "tests/engine/trading/test_exchange_broker.py::test_an_order_that_cannot_be_asked_for_is_not_called_missing",
    "tests/flows/test_faults.py::test_a_role_that_never_answers",
    "tests/flows/test_shell.py::test_help_answers_at_once",
)
"""Tests that hold something to seconds of a clock, which a busy machine can lose. One that fails is run once more, and the summary names
it; `--max-suite-reruns` bounds how many may be, so that what fails often is red."""

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


def longest_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests in the order in which they are begun."""

    def rank(item: pytest.Item) -> int:
        if item.nodeid.startswith(BROWSER):
            return len(SLOW) + 1
        return next((place for place, start in enumerate(SLOW) if item.nodeid.startswith(start)), len(SLOW))

    return sorted(items, key=rank)
