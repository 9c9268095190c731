"""When a document may be known: by the day it was published, or, where no one says, by when it was fetched. Pure.

Sources write whole dates, months, years, instants, or nothing. A date that is not exact is known for certain only when all it may mean is
over; what had been fetched by then was known in any case.
"""

import calendar
import re
from datetime import UTC, date, datetime, time, timedelta

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ].*)?\Z")


def published_between(published: str | None) -> tuple[datetime, datetime] | None:
    """Return the first instant a document may have been published and the instant by which it had been, both aware UTC; equal where the
    source gives a time of day. None where nothing is said, or nothing that can be read."""
    found = _DATE.match(published.strip()) if published else None
    if found is None:
        return None
    year, month, day = (int(each) if each else None for each in found.groups())
    try:
        if day is not None and (instant := _instant(published or "")) is not None:
            return instant, instant
        first = date(year or 0, month or 1, day or 1)
        last = first if day else date(first.year, month or 12, calendar.monthrange(first.year, month or 12)[1])
        return _start(first), _start(last) + timedelta(days=1)
    except (ValueError, OverflowError):
        return None


def published_day(published: str | None) -> date | None:
    """Return the last day a document may be of, None where that is not known."""
    span = published_between(published)
    return (span[1] - timedelta(microseconds=1)).date() if span is not None and span[0] != span[1] else span[0].date() if span else None


def is_dated_after(published: str | None, fetched_at: datetime, at: datetime) -> bool:
    """Return whether a document is, or may be, of later than `at`. One that had been fetched by then is only where it says so for certain.
    Aware times. False for one without a date."""
    span = published_between(published)
    return span is not None and (span[0] if fetched_at <= at else span[1]) > at


def is_known(published: str | None, fetched_at: datetime, at: datetime) -> bool:
    """Return whether a document was certainly known at an instant: dated by then, or undated and fetched by then. Aware times."""
    if published_between(published) is None:
        return fetched_at <= at
    return not is_dated_after(published, fetched_at, at)


def _instant(text: str) -> datetime | None:
    """Return the instant of `2024-03-05T10:00:00Z`; without a zone it is UTC's. None for a date without a time."""
    if len(text.strip()) <= len("2024-03-05"):
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).astimezone(UTC)


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
