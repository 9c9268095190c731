"""Instants as the feeds need them: aware datetimes in, UTC milliseconds inside, minutes in messages.

Never reads a clock: what "now" is comes from the caller.
"""

from datetime import UTC, datetime, timedelta

from engine.domain.errors import BadInput, ClockOutOfRange
from engine.domain.holding import utc_ms
from engine.domain.text.reason import Reason

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant_ms(at: datetime) -> int:
    """Return UTC milliseconds of `at`. Raises BadInput for a time without a zone: it could mean any of 24 instants."""
    try:
        return utc_ms(at)
    except ValueError as error:
        raise BadInput(Reason("time_has_no_zone", at=at.isoformat(), at2=at.isoformat(timespec="seconds"))) from error


def from_ms(ms: int) -> datetime:
    """Return the aware UTC datetime of `ms`, exactly."""
    return _EPOCH + timedelta(milliseconds=ms)


def utc_text(ms: int) -> str:
    """Return UTC milliseconds as a person reads them, `2026-05-17 08:00 UTC`, with seconds only where there are any."""
    return from_ms(ms).strftime("%Y-%m-%d %H:%M UTC" if ms % 60_000 == 0 else "%Y-%m-%d %H:%M:%S UTC")


def refuse_future(at_ms: int, now_ms: int) -> None:
    """Refuse an instant that has not happened yet. Both in UTC milliseconds. Raises ClockOutOfRange."""
    if at_ms > now_ms:
        raise ClockOutOfRange(Reason("is_in_future", at_ms=utc_text(at_ms), now_ms=utc_text(now_ms)))
