"""The one clock: everything that asks what time it is asks here, so that a process can be run at any instant.

Durations and deadlines inside a process are measured with `time.monotonic`, which no clock that is put back can disturb.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason

Clock = Callable[[], datetime]
"""Gives the instant of now as an aware UTC time."""


def _system_clock() -> datetime:
    return datetime.now(UTC)


_CLOCKS: Final[list[Clock]] = [_system_clock]  # the last one is asked


def utc_now() -> datetime:
    """Return the instant of now, aware UTC."""
    return _CLOCKS[-1]()


@contextmanager
def use_clock(clock: Clock) -> Iterator[None]:
    """Put another clock in place of the system's for a block: for every thread of the process, and for objects made before the block."""
    _CLOCKS.append(clock)
    try:
        yield
    finally:
        _CLOCKS.pop()


def parse_instant(text: str) -> datetime:
    """Return an aware UTC instant written in ISO 8601; without a zone it means UTC. Raises BadInput."""
    try:
        instant = datetime.fromisoformat(text.strip().upper())
        return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # the year 1 or 9999 may lie outside the calendar in UTC
        raise BadInput(Reason("time_cannot_be_read", text=f"{text[:40]!r}")) from None
