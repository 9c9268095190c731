"""Clocks of tests: one that starts at an instant, runs on, and goes where the test moves it; and a whole test begun at an instant."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from engine.domain.clock import use_clock

_SHARED: list["Clock"] = []


class Clock:
    """Aware UTC. at: where it starts; it is deaf to the system's date."""

    def __init__(self, at: datetime) -> None:
        self._origin = at.astimezone(UTC) - timedelta(seconds=time.monotonic())

    def __call__(self) -> datetime:
        return self._origin + timedelta(seconds=time.monotonic())

    def move(self, by: timedelta) -> None:
        """Put it forward, or back."""
        self._origin += by


@contextmanager
def begun_at(at: datetime) -> Iterator[None]:
    """Put a clock that starts at an instant in place of the system's for a block, in this process and in those that it forks."""
    clock = Clock(at)
    _SHARED.append(clock)
    try:
        with use_clock(clock):
            yield
    finally:
        _SHARED.pop()


def time_for_a_child() -> str | None:
    """What a process that is forked now has its clock begin at, ISO 8601; None = it has the system's."""
    return _SHARED[-1]().isoformat() if _SHARED else None
