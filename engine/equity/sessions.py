"""Sessions, holidays and half days of stock exchanges: when a date's session opens and closes, and which ones are beside it.

Given the name of a calendar in exchange_calendars, gives sessions out of it, never the rows of a file. The library and pandas come in with
the first question. Dates without a session are refused by naming the sessions before and after. A calendar ends with next year, or where
the library does not know the holidays yet (Shanghai's are announced every December): behind that no session is guessed.
"""

import threading
import warnings
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from engine.domain.clock import utc_now
from engine.domain.equity.listing import Listing
from engine.domain.equity.trading_session import SessionMoment, TradingMoment, TradingSession
from engine.domain.errors import BadInput, ClockOutOfRange

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FIRST_SESSION = date(1992, 1, 2)
_EPOCH = date(1970, 1, 1)
_building = threading.Lock()  # what warnings are shown is one setting of the whole process


@dataclass(frozen=True, eq=False)
class SessionCalendar:
    """All sessions of one exchange. days: int64[n], days since 1970-01-01, rising. opens, closes: int64[n], UTC seconds. half: bool[n]."""

    name: str
    days: "NDArray[np.int64]"
    opens: "NDArray[np.int64]"
    closes: "NDArray[np.int64]"
    half: "NDArray[np.bool_]"

    def session(self, day: date) -> TradingSession:
        """Return the session of a date. Raises BadInput for a date without one, naming the sessions beside it."""
        index = self._at_or_after(day)
        if index < len(self.days) and int(self.days[index]) == _number(day):
            return self._session(index)
        self._must_reach(day)
        before, after = _day(self.days[index - 1]), _day(self.days[index])
        raise BadInput(f"{day} has no session at {self.name}: the sessions beside it are {before} and {after}")

    def has_session(self, day: date) -> bool:
        """Return whether the exchange opens on that date, as far as its calendar reaches."""
        index = self._at_or_after(day)
        return index < len(self.days) and int(self.days[index]) == _number(day)

    def before(self, day: date) -> TradingSession:
        """Return the last session before a date. Raises BadInput outside the calendar."""
        self._must_reach(day)
        return self._session(self._at_or_after(day) - 1)

    def after(self, day: date) -> TradingSession:
        """Return the first session after a date. Raises BadInput where the calendar ends before it."""
        self._must_reach(day)
        index = self._at_or_after(day + timedelta(days=1))
        if index >= len(self.days):
            raise BadInput(f"the session after {day} at {self.name} is not known: its calendar ends {_day(self.days[-1])}")
        return self._session(index)

    def next_open(self, day: date) -> datetime:
        """Return when the first session after a date opens; after the calendar's last one the end of that day, UTC: none opens before."""
        is_last = day >= _day(self.days[-1])
        return datetime.combine(day + timedelta(days=1), time(), UTC) if is_last else self.after(day).open

    def between(self, first: date, last: date) -> tuple[date, ...]:
        """Return the dates of the sessions from `first` to `last`, both included."""
        return tuple(map(_day, self.days[self._at_or_after(first) : self._at_or_after(last + timedelta(days=1))].tolist()))

    def last_closed(self, instant: datetime) -> TradingSession:
        """Return the last session that was over at an aware instant. Raises BadInput before the first one, and ClockOutOfRange behind the
        last day of the calendar: there may have been one since."""
        if (day := instant.astimezone(UTC).date()) > _day(self.days[-1]):
            raise ClockOutOfRange(self._is_later(day))
        index = int(self.closes.searchsorted(int(instant.timestamp()), side="right")) - 1
        if index < 0:
            raise BadInput(f"no session at {self.name} is known before {instant.astimezone(UTC):%Y-%m-%d}")
        return self._session(index)

    def moment(self, day: date, trading_session: SessionMoment, until: datetime | None = None) -> TradingMoment:
        """Return the clock of a decision. until: aware; nothing published after it is known either.

        Raises BadInput for a date without a session, and for a time before the close where the close is asked for.
        """
        session = self.session(day)
        if trading_session == "post_close":
            if until is not None and until < session.close:
                raise BadInput(
                    f"{until.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC is before the close of {day} ({session.close:%H:%M} UTC): "
                    "ask for pre_open, or for a later time"
                )
            return TradingMoment(trade_date=day, trading_session=trading_session, known_at=session.close, last_session=day)
        known_at = session.open if until is None else min(session.open, until)
        return TradingMoment(trade_date=day, trading_session=trading_session, known_at=known_at, last_session=self.before(day).date)

    def _session(self, index: int) -> TradingSession:
        return TradingSession(
            date=_day(self.days[index]),
            open=datetime.fromtimestamp(int(self.opens[index]), UTC),
            close=datetime.fromtimestamp(int(self.closes[index]), UTC),
            is_half_day=bool(self.half[index]),
        )

    def _at_or_after(self, day: date) -> int:
        return int(self.days.searchsorted(_number(day)))

    def _must_reach(self, day: date) -> None:
        first, last = _day(self.days[0]), _day(self.days[-1])
        if not first < day <= last:
            known = f"the sessions of {self.name} are known from {first} to {last}: {day} is outside"
            raise BadInput(self._is_later(day) if day > last else known)

    def _is_later(self, day: date) -> str:
        return f"the sessions of {self.name} are known to {_day(self.days[-1])}, and {day} is later: update exchange_calendars"


def calendar_of(name: str) -> SessionCalendar:
    """Return the calendar of an exchange (`XNYS`, `XSHG`, `XHKG`). The first call of a process takes up to a second."""
    return _calendar(name, utc_now().year + 1)


@lru_cache(16)
def _calendar(name: str, last_year: int) -> SessionCalendar:
    with _building, warnings.catch_warnings():
        from pandas.errors import Pandas4Warning  # noqa: PLC0415 - pandas is heavy

        warnings.simplefilter("ignore", Pandas4Warning)  # exchange_calendars 4.13 uses what pandas 4 will not have
        import exchange_calendars  # noqa: PLC0415 - heavy, see above

        first = FIRST_SESSION.isoformat()
        try:
            calendar = exchange_calendars.get_calendar(name, start=first, end=f"{last_year}-12-31")
        except ValueError:  # it does not know so much: as far as it goes
            calendar = exchange_calendars.get_calendar(name, start=first)
        days = calendar.sessions.values.astype("datetime64[D]").astype("int64")
        opens, closes = (column.values.astype("datetime64[s]").astype("int64") for column in (calendar.opens, calendar.closes))
        half = calendar.sessions.isin(calendar.early_closes)
    return SessionCalendar(name, days, opens, closes, half)


def read_timestamp(text: str, listing: Listing, day: date) -> datetime:
    """Return `2024-03-05 15:59:30` in the exchange's time zone (or with a zone of its own) as an aware UTC time.

    Raises BadInput for what is no time, and for a time of another date than `day`.
    """
    try:
        stated, zone = datetime.fromisoformat(text.strip()), ZoneInfo(listing.time_zone)
        local = stated.replace(tzinfo=zone) if stated.tzinfo is None else stated.astimezone(zone)
    except (ValueError, OverflowError):
        raise BadInput(f"timestamp {text[:40]!r} is not readable: write it as {day} 15:59:30") from None
    if local.date() != day:
        raise BadInput(f"timestamp {text[:40]!r} is not on the trade date {day} in {listing.time_zone}")
    return local.astimezone(UTC)


def _number(day: date) -> int:
    return (day - _EPOCH).days


def _day(number: int) -> date:
    return _EPOCH + timedelta(days=int(number))
