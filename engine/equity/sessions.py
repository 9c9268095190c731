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
from engine.domain.text.reason import Reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FIRST_SESSION = date(1992, 1, 2)
_EPOCH = date(1970, 1, 1)
_building = threading.Lock()  # what warnings are shown is one setting of the whole process


def refuse_future(moment: TradingMoment, now: datetime) -> None:
    """Raise ClockOutOfRange for a moment that is still to come."""
    if moment.known_at > now:
        utc = f"{now.astimezone(UTC):%Y-%m-%d %H:%M}"
        raise ClockOutOfRange(
            Reason("is_in_future_it_is_utc", trade_date=moment.trade_date, trading_session=moment.trading_session, utc=utc)
        )


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
        raise BadInput(Reason("has_no_session_at_sessions_beside", day=day, name=self.name, before=before, after=after))

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
            raise BadInput(Reason("session_after_at_is_not_known", day=day, name=self.name, days=_day(self.days[-1])))
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
            raise BadInput(Reason("no_session_at_is_known_before", name=self.name, utc=f"{instant.astimezone(UTC):%Y-%m-%d}"))
        return self._session(index)

    def moment(self, day: date, trading_session: SessionMoment, until: datetime | None = None) -> TradingMoment:
        """Return the clock of a decision. until: aware; nothing published after it is known either. One within a session that was asked for
        before its open is the clock itself.

        Raises BadInput for a date without a session, for a time before the open where the close is asked for, and for one after the close
        where the open is.
        """
        session = self.session(day)
        if trading_session == "post_close":
            if until is not None and until < session.close:
                raise BadInput(
                    Reason(
                        "utc_is_before_close_of", utc=f"{until.astimezone(UTC):%Y-%m-%d %H:%M:%S}", day=day, close=f"{session.close:%H:%M}"
                    )
                )
            return TradingMoment(trade_date=day, trading_session=trading_session, known_at=session.close, last_session=day)
        if until is not None and until >= session.close:
            raise BadInput(
                Reason("utc_is_after_close_of", utc=f"{until.astimezone(UTC):%Y-%m-%d %H:%M:%S}", day=day, close=f"{session.close:%H:%M}")
            )
        known_at, last = until or session.open, self.before(day).date
        within = known_at > session.open
        return TradingMoment(trade_date=day, trading_session=trading_session, known_at=known_at, last_session=last, within=within)

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
            known = Reason("sessions_of_are_known_from_to", name=self.name, first=first, last=last, day=day)
            raise BadInput(self._is_later(day) if day > last else known)

    def _is_later(self, day: date) -> str:
        return Reason("sessions_of_are_known_to", name=self.name, days=_day(self.days[-1]), day=day)


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
    local = local_time(text, listing, day)
    if local.date() != day:
        raise BadInput(Reason("timestamp_is_not_on_trade_date_in", text=f"{text[:40]!r}", day=day, time_zone=listing.time_zone))
    return local.astimezone(UTC)


def local_time(text: str, listing: Listing, day: date | None = None) -> datetime:
    """Return `2024-03-05 15:59:30`, in the exchange's time zone unless it names one, as an aware time of that zone.

    day: the date of the example in the message (default: today). Raises BadInput for an unreadable time.
    """
    try:
        stated, zone = datetime.fromisoformat(text.strip()), ZoneInfo(listing.time_zone)
        return stated.replace(tzinfo=zone) if stated.tzinfo is None else stated.astimezone(zone)
    except (ValueError, OverflowError):
        example = day or utc_now().date()
        raise BadInput(Reason("timestamp_is_not_readable", text=f"{text[:40]!r}", day=example)) from None


def session_at(text: str, listing: Listing, day: date) -> SessionMoment:
    """Return which end of a date's session counts at a timestamp: `pre_open` until it has closed. Raises BadInput as `read_timestamp`, and
    for a date without a session."""
    closed = read_timestamp(text, listing, day) >= calendar_of(listing.calendar).session(day).close
    return "post_close" if closed else "pre_open"


def _number(day: date) -> int:
    return (day - _EPOCH).days


def _day(number: int) -> date:
    return _EPOCH + timedelta(days=int(number))
