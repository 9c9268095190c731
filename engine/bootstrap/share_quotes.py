"""A source of listed companies in the shape that brokers and approvals need; and one door for the markets and the shares of an account.

A session's morning (its split, its dividend) is at its open, its prices are known at its close. So an account at an open has
the last close as its price, in shares of that day and without the dividend that went; never anything of the session that begins.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

from engine.domain.equity.listing import Listing
from engine.domain.equity.trading_session import TradingMoment, TradingSession
from engine.domain.errors import BadInput, ClockOutOfRange
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_ms, day_of
from engine.equity.protocol import EquitySource, PriceReading
from engine.equity.sessions import SessionCalendar, calendar_of
from engine.trading.protocol import MarketPath, Quotes, ShareQuotes, ShareSession
from engine.trading.share_terms import share_terms

_MOST_SESSIONS: Final = 3000
_DIGITS: Final = Decimal("0.000001")


@dataclass(frozen=True)
class _Clock:
    """The clock of a listing. at: the instant. moment: the session's open or close that it is at or behind."""

    listing: Listing
    calendar: SessionCalendar
    moment: TradingMoment
    at: datetime


class CompanyQuotes:
    """Implements `ShareQuotes` over any source of companies. source: gives it, each time it is read: who made it decides how long it is
    kept. orders_wait: see `MarketPath`."""

    def __init__(self, source: Callable[[], EquitySource], *, orders_wait: bool = False) -> None:
        self._source, self._orders_wait = source, orders_wait

    async def terms(self, symbol: str) -> MarketTerms:
        """See the protocol. Raises BadInput for an index."""
        return share_terms(await self._source().listing(symbol))

    async def clock(self, symbol: str, moment: TradingMoment) -> datetime:
        session = (await self._calendar(symbol)).session(moment.trade_date)
        return session.open if moment.trading_session == "pre_open" else session.close

    async def answer_until(self, symbol: str, moment: TradingMoment) -> datetime:
        calendar = await self._calendar(symbol)
        if moment.trading_session == "pre_open":
            return calendar.session(moment.trade_date).close
        return calendar.next_open(moment.trade_date)

    async def funding(self, symbol: str, since_ms: int, until_ms: int) -> Sequence[tuple[int, float]]:
        """Return nothing: shares have no funding."""
        return ()

    async def path(self, symbol: str, since_ms: int | None, at: datetime | None) -> MarketPath:
        """See the protocol. Raises ClockOutOfRange when the source does not reach back to `since_ms`."""
        clock = await self._clock(symbol, at)
        first = _date_of(since_ms) if since_ms is not None else clock.moment.last_session
        bars = len(clock.calendar.between(first, clock.moment.trade_date)) + 2
        if bars > _MOST_SESSIONS:
            raise ClockOutOfRange(
                Reason("sessions_have_passed_since_account_was_read", symbol=symbol, bars=bars, most_sessions=_MOST_SESSIONS)
            )
        reading = await self._source().prices(clock.listing, clock.moment, bars)
        made = await asyncio.to_thread(_sessions, clock, reading, since_ms)
        closes = {day_of(int(ms)): exact(float(close)) for ms, close in zip(reading.candles.opened_at, reading.candles.close, strict=True)}
        price = closes[clock.moment.last_session]
        day = clock.moment.trade_date
        if clock.moment.trading_session == "pre_open":
            price = _in_shares_of(price, reading, clock.moment.last_session, day)
            previous: Decimal | None = price
        else:
            previous = _previous_close(reading, day)
        return MarketPath(None, None, price, clock.at, made, day, previous, self._orders_wait)

    async def _calendar(self, symbol: str) -> SessionCalendar:
        listing = await self._source().listing(symbol)
        return await asyncio.to_thread(calendar_of, listing.calendar)

    async def _clock(self, symbol: str, at: datetime | None) -> _Clock:
        listing = await self._source().listing(symbol)
        calendar = await asyncio.to_thread(calendar_of, listing.calendar)
        if at is None:
            moment = await self._source().latest(listing)
            return _Clock(listing, calendar, moment, calendar.session(moment.trade_date).close)
        closed = calendar.last_closed(at)
        if at >= calendar.next_open(closed.date):
            return _Clock(listing, calendar, calendar.moment(calendar.after(closed.date).date, "pre_open"), at)
        return _Clock(listing, calendar, calendar.moment(closed.date, "post_close"), at)


class AccountQuotes:
    """Implements `Quotes` over both of an account: markets named BASE/QUOTE, and listed companies. Each side is made at its first use."""

    def __init__(self, markets: Callable[[], Quotes], shares: Callable[[], ShareQuotes]) -> None:
        self._markets, self._shares = markets, shares
        self._made: dict[bool, Quotes] = {}

    async def terms(self, symbol: str) -> MarketTerms:
        return await self._of(symbol).terms(symbol)

    async def path(self, symbol: str, since_ms: int | None, at: datetime | None) -> MarketPath:
        return await self._of(symbol).path(symbol, since_ms, at)

    async def funding(self, symbol: str, since_ms: int, until_ms: int) -> Sequence[tuple[int, float]]:
        return await self._of(symbol).funding(symbol, since_ms, until_ms)

    def _of(self, symbol: str) -> Quotes:
        is_market = "/" in symbol
        if is_market not in self._made:
            self._made[is_market] = self._markets() if is_market else self._shares()
        return self._made[is_market]


def _sessions(clock: _Clock, reading: PriceReading, since_ms: int | None) -> tuple[ShareSession, ...]:
    """Return the sessions whose morning or close lies after `since_ms` and not after the clock, oldest first."""
    if since_ms is None:
        return ()
    candles = {day_of(int(ms)): index for index, ms in enumerate(reading.candles.opened_at)}
    if candles and day_ms(min(candles)) > since_ms:
        raise ClockOutOfRange(Reason("no_prices_reach_back_to_what_happened", symbol=clock.listing.symbol, since_ms=_date_of(since_ms)))
    made = []
    for day in sorted({*candles, *_mornings(clock, reading)}):
        session = clock.calendar.session(day)
        if session.open > clock.at or _ms(session.close) <= since_ms:
            continue
        made.append(_session(session, clock, reading, candles.get(day)))
    return tuple(made)


def _session(session: TradingSession, clock: _Clock, reading: PriceReading, index: int | None) -> ShareSession:
    ratio, dividend = Decimal(1), Decimal(0)
    for split in reading.splits:
        if _falls_on(clock, split.date) == session.date:
            ratio *= exact(split.ratio)
    for each in reading.dividends:
        if _falls_on(clock, each.ex_date) == session.date:
            dividend += exact(each.amount)
    over = session.close <= clock.at
    return ShareSession(
        day=session.date,
        opens=session.open,
        closes=session.close,
        candle=reading.candles[index] if index is not None and over else None,
        ratio=ratio if ratio != 1 else None,
        dividend=dividend,
        previous_close=_previous_close(reading, session.date),
    )


def _mornings(clock: _Clock, reading: PriceReading) -> set[date]:
    """Return the dates whose sessions begin with a split or a dividend."""
    found = {_falls_on(clock, day) for day in (*(each.date for each in reading.splits), *(each.ex_date for each in reading.dividends))}
    return {day for day in found if day is not None}


def _falls_on(clock: _Clock, day: date) -> date | None:
    """Return the session an event belongs to: its date's, or the next one; None where the calendar does not reach."""
    try:
        return day if clock.calendar.has_session(day) else clock.calendar.after(day).date
    except BadInput:
        return None


def _previous_close(reading: PriceReading, day: date) -> Decimal | None:
    """Return what a session's price limits count from: the close before it, in shares of that day and without what went as a dividend. What
    the exchange states is known of the last session only, and an account must come to the same in steps and at once."""
    days = [day_of(int(ms)) for ms in reading.candles.opened_at]
    before = [index for index, each in enumerate(days) if each < day]
    if not before:
        return None
    return _in_shares_of(exact(float(reading.candles.close[before[-1]])), reading, days[before[-1]], day)


def _in_shares_of(price: Decimal, reading: PriceReading, then: date, day: date) -> Decimal:
    """Return a close of one date in shares of a later one, without the dividends in between."""
    for split in reading.splits:
        if then < split.date <= day:
            price /= exact(split.ratio)
    price -= sum((exact(each.amount) for each in reading.dividends if then < each.ex_date <= day), Decimal(0))
    return price.quantize(_DIGITS).normalize() + 0


def _date_of(ms: int) -> date:
    return datetime.fromtimestamp(ms / 1000, UTC).date()


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
