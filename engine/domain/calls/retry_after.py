"""How long an HTTP server asks to wait before the next request."""

from email.utils import parsedate_to_datetime
from math import isfinite

from engine.domain.clock import utc_now


def seconds_to_wait(header: str) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, a number or a date, at least 0; None where it cannot be read."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - utc_now().timestamp()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if isfinite(seconds) else None
