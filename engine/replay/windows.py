"""A replay cut into windows that know nothing of each other: each begins with an empty account, so that several workers may play them.

How many windows there are is part of what was asked, and never how many workers play them: the report is the same.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise


def windows_of(
    instants: Sequence[datetime], ends_at: datetime, n: int, until: Callable[[datetime], datetime]
) -> list[tuple[datetime, datetime]]:
    """Return where each window begins and ends, in order: about equally many instants each, no more windows than instants. until: the last
    instant before that of another window, to which its account is followed."""
    count = min(n, len(instants))
    firsts = [instants[place * len(instants) // count] for place in range(count)]
    return [(first, until(after)) for first, after in pairwise(firsts)] + [(firsts[-1], ends_at)]
