"""The Retry-After header: seconds, or a date."""

import math
from email.utils import parsedate_to_datetime

from engine.domain.clock import utc_now


def seconds_of(header: str) -> float:
    """Return how long to wait, in seconds from now; 0 for a header that is missing, says nothing, or lies in the past."""
    text = header.strip()
    if not text:
        return 0.0
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - utc_now().timestamp()
        except (ValueError, OverflowError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0
