"""Which worker runs which tests: browser journeys first, slow files test by test, others as a whole.

Groups by marker (`xdist_group`, `--dist loadgroup`) have no effect with the pinned pytest: it ignores the suffix that xdist adds to the
names of tests. Here the group of a test follows from its path.
"""

from collections.abc import Sequence

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
JOURNEYS = "tests/browser/test_journeys.py"
"""The browser tests of the gate; every other one is of the full tier."""

BROWSER_SECOND = ("tests/browser/approvals/", "tests/browser/test_layout.py")
"""The files of the second of the full tier's two browser groups; they take about as long as all others."""

SLOW = (
    "tests/contracts/test_flow.py",
    "tests/engine/approvals/test_orders_together.py",
    "tests/engine/search/test_client.py",
    "tests/engine/search/test_own_tools.py",
    "tests/flows/",
    "tests/security/",
)
"""Files whose tests take seconds each: they are begun early and handed out one by one, so that no worker has one left at the end."""

TOGETHER = ("tests/security/test_server.py",)
"""One server for all tests of a file."""


class Schedule(LoadScopeScheduling):
    """Hands out groups as `group_of` names them, in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """Return what runs on one worker, by the name of one of its tests: a group of browser tests, a file, or that test alone."""
    file = nodeid.partition("::")[0]
    if file.startswith(BROWSER) and file != JOURNEYS:
        return "second half of the browsers" if file.startswith(BROWSER_SECOND) else BROWSER
    return nodeid if file.startswith(SLOW) and file not in TOGETHER else file


def is_full(nodeid: str) -> bool:
    """Whether a test is of the full tier by its path; others are by their mark."""
    return nodeid.startswith(BROWSER) and not nodeid.startswith(JOURNEYS)


def longest_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests in the order in which they are begun."""
    starts = (JOURNEYS, *SLOW)

    def rank(item: pytest.Item) -> int:
        return next((place for place, start in enumerate(starts) if item.nodeid.startswith(start)), len(starts))

    return sorted(items, key=lambda item: (rank(item), item.nodeid.startswith(BROWSER)))
