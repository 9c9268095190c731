"""A live venue through ccxt: any exchange id that gives candles.

Given an exchange id, perhaps an address to talk to instead of the venue's own, and a clock. Reads page after page until the asked number
of candles is there, checks every answer (`exchange_answers`), and keeps the forming candle apart; that one is known only when the asked
instant is the present. Network trouble is retried (`engine/venue/wire.py`), each reading within one deadline. Only public data is asked
for: no key is used.
"""

import asyncio
import difflib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Literal

import ccxt.async_support as ccxt
import numpy as np

from engine.domain.clock import utc_now
from engine.domain.errors import BadInput, BadMarketData, ClockOutOfRange, MarketUnreachable, NoSuchTimeframe, UnknownSymbol
from engine.domain.market.candles import COLUMNS, Candle, Candles
from engine.domain.market.instants import instant_ms, refuse_future, utc_text
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.market.exchange_answers import listed_terms, read_rows
from engine.market.exchange_surroundings import read_history, read_surroundings
from engine.market.protocol import CandleReading, HistoryReading, SeriesName, SurroundingsReading
from engine.venue.wire import Wire

_PAGE = 1000  # candles asked for at once; venues give fewer if they like
_PRESENT_MS = 15_000  # an instant this close to now is the present: what the venue tells now was true then


class ExchangeFeed:
    """The live feed. One owner: all calls come from one event loop.

    exchange_id: a ccxt id. url: replaces scheme and host of every REST address. deadline_s: total time of one reading, retries included.
    timeout_s: of one request. backoff_s: wait before the first retry. Raises BadInput for an id or address that cannot work.
    """

    name: Literal["live"] = "live"

    def __init__(
        self,
        exchange_id: str = "binanceusdm",
        url: str | None = None,
        now: Callable[[], datetime] = utc_now,
        *,
        deadline_s: float = 30.0,
        timeout_s: float = 10.0,
        backoff_s: float = 0.5,
    ) -> None:
        self._id, self._url, self._now = exchange_id, url, now
        self._deadline_s, self._timeout_s, self._backoff_s = deadline_s, timeout_s, backoff_s
        self._wire: Wire | None = self._open()
        self._loading = asyncio.Lock()

    @property
    def venue(self) -> str:
        """The ccxt id."""
        return self._id

    async def markets(self) -> tuple[Market, ...]:
        """Return spot and perpetual markets open for trading, by symbol."""
        async with self._in_time("its markets"):
            entries = await self._entries()
            kept = (entries[symbol] for symbol in sorted(entries) if entries[symbol].get("active") is not False)
            return tuple(market for entry in kept if (market := self._read_market(entry)) is not None)

    async def market(self, symbol: str) -> Market:
        """Return the market as the venue lists it, with its price step. Raises UnknownSymbol with the nearest names."""
        wanted = Market.parse(symbol).symbol
        async with self._in_time("its markets"):
            entries = await self._entries()
        market = self._read_market(entries[wanted]) if wanted in entries else None
        if market is None:
            near = ", ".join(_nearest(wanted, entries))
            if near:
                raise UnknownSymbol(Reason("has_no_market_near", id=self._id, wanted=wanted, near=near))
            raise UnknownSymbol(Reason("has_no_market", id=self._id, wanted=wanted))
        return market

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        """Return the timeframes that the venue names, shortest first; months and seconds are left out."""
        return tuple(sorted(_readable(self._opened().client.timeframes or {})))

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        """Return the present instant."""
        return self._now()

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        """Return candles as the protocol has it. Candles before a gap are left out, with a note."""
        at_ms = instant_ms(at)
        refuse_future(at_ms, instant_ms(self._now()))
        known = await self.timeframes(market)
        if not any(str(each) == str(timeframe) for each in known):
            raise NoSuchTimeframe(
                Reason("has_no_candles", id=self._id, timeframe=timeframe, str=", ".join(map(str, known)) or "another venue")
            )
        await self.market(market.symbol)
        async with self._in_time(f"{timeframe} candles of {market.symbol}"):
            candles = await self._pages(market, timeframe, at_ms, bars)
        present = instant_ms(self._now()) - at_ms <= _PRESENT_MS
        return _reading(candles, f"{self._id} {market.symbol}", at_ms, bars, present)

    async def terms(self, market: Market) -> MarketTerms:
        """Return the terms as the venue lists them; fees it does not list are assumed. Raises BadMarketData without its steps."""
        await self.market(market.symbol)
        return listed_terms((await self._entries())[market.symbol], market)

    async def surroundings(self, market: Market, at: datetime) -> Surroundings:
        """Return funding and open interest where the venue gives them; fear and greed is None, since no venue has it."""
        return (await self.read_surroundings(market, at)).surroundings

    async def read_surroundings(self, market: Market, at: datetime) -> SurroundingsReading:
        """Return the surroundings, with a note for each fact that the venue has and did not give."""
        at_ms, now_ms = instant_ms(at), instant_ms(self._now())
        refuse_future(at_ms, now_ms)
        await self.market(market.symbol)
        present = now_ms - at_ms <= _PRESENT_MS
        return await read_surroundings(self._opened(), market, at_ms, present=present, deadline_s=self._deadline_s / 2)

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        """Return what the venue keeps of past funding or open interest. Raises a MarketError where it keeps none."""
        at_ms = instant_ms(at)
        refuse_future(at_ms, instant_ms(self._now()))
        await self.market(market.symbol)
        async with self._in_time(f"past {what.replace('_', ' ')} of {market.symbol}"):
            return await read_history(self._opened(), market, what, at_ms, points)

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.close()

    def _open(self) -> Wire:
        return Wire(self._id, self._url, self._timeout_s, self._backoff_s)

    def _opened(self) -> Wire:
        if self._wire is None:
            self._wire = self._open()
        return self._wire

    async def _entries(self) -> dict[str, Any]:
        """Return the venue's own table of markets by symbol, loaded once."""
        wire = self._opened()
        async with self._loading:  # ccxt lets one caller's cancellation end the loading of all
            if not wire.client.markets:
                await wire.ask("its markets", lambda: wire.client.load_markets(True))  # True: an empty answer is not kept
        entries: dict[str, Any] = wire.client.markets
        if not entries:
            raise BadMarketData(Reason("lists_no_market", id=self._id))
        return entries

    def _read_market(self, entry: dict[str, Any]) -> Market | None:
        """Return None for what is neither spot nor perpetual, or has a name that is not ours."""
        if not (entry.get("spot") or entry.get("swap")):
            return None
        try:
            market = Market.parse(entry["symbol"])
        except BadInput:
            return None
        step = (entry.get("precision") or {}).get("price")
        if step is not None and self._opened().client.precisionMode != ccxt.TICK_SIZE:
            step = 10.0 ** -int(step)
        return market.model_copy(update={"price_step": float(step) if step else None})

    async def _pages(self, market: Market, timeframe: Timeframe, at_ms: int, bars: int) -> Candles:
        """Return all candles from `bars` before `at` to the one open at `at`, as far as the venue gives them; perhaps with gaps."""
        last = timeframe.floor(at_ms)
        since = last - bars * timeframe.ms
        pages: list[Candles] = []
        while since <= last:
            page = await self._page(market, timeframe, since, min(_PAGE, (last - since) // timeframe.ms + 1))
            if len(page) == 0 and not pages:  # some venues answer nothing for a time before the listing: take the newest they have
                page = await self._page(market, timeframe, None, _PAGE)
            if len(page) == 0:
                break
            pages.append(page)
            since = page.closed_at
        if not pages:
            raise ClockOutOfRange(
                Reason("no_candles_are_known_around", id=self._id, symbol=market.symbol, timeframe=timeframe, at_ms=utc_text(at_ms))
            )
        return Candles(
            timeframe,
            np.concatenate([page.opened_at for page in pages]),
            *(np.concatenate([getattr(page, name) for page in pages]) for name in COLUMNS),
        )

    async def _page(self, market: Market, timeframe: Timeframe, since: int | None, limit: int) -> Candles:
        """Return one answer of the venue, checked; candles before `since` are left out."""
        wire, source = self._opened(), f"{timeframe} candles of {market.symbol}"
        rows = await wire.ask(source, lambda: wire.client.fetch_ohlcv(market.symbol, str(timeframe), since, limit))
        page = read_rows(rows, timeframe, f"{self._id} {source}")
        return page if since is None else page.since(since)

    @asynccontextmanager
    async def _in_time(self, what: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._deadline_s):
                yield
        except TimeoutError as error:
            raise MarketUnreachable(Reason("did_not_give_within_s", id=self._id, what=what, deadline_s=f"{self._deadline_s:g}")) from error


def _reading(candles: Candles, source: str, at_ms: int, bars: int, present: bool) -> CandleReading:
    """Return the closed candles after the last gap, and the forming one apart."""
    timeframe = candles.timeframe
    due = timeframe.last_closed_open(at_ms)
    closed = candles.slice(0, int(candles.opened_at.searchsorted(due, side="right")))
    if len(closed) == 0:
        raise ClockOutOfRange(
            Reason(
                "candles_are_known_from_on_not_at",
                source=source,
                timeframe=timeframe,
                opened_at=utc_text(int(candles.opened_at[0])),
                at_ms=utc_text(at_ms),
            )
        )
    if int(closed.opened_at[-1]) != due:
        newest = utc_text(int(closed.opened_at[-1]))
        raise BadMarketData(Reason("candle_of_is_missing_newest", source=source, timeframe=timeframe, due=utc_text(due), newest=newest))
    gaps = np.flatnonzero(np.diff(closed.opened_at) != timeframe.ms) + 1
    notes = []
    if len(gaps):
        before, after = (utc_text(int(closed.opened_at[gaps[-1] + step])) for step in (-1, 0))
        notes.append(Reason("candles_are_missing_between_and_only", source=source, timeframe=timeframe, before=before, after=after))
        closed = closed.slice(int(gaps[-1]))
    closed = closed.tail(bars)
    if len(closed) < bars and not notes:
        notes.append(
            Reason(
                "candles_are_known_at_were_asked_for",
                source=source,
                closed=len(closed),
                timeframe=timeframe,
                at_ms=utc_text(at_ms),
                bars=bars,
            )
        )
    return CandleReading(closed, _forming(candles, due + timeframe.ms) if present else None, tuple(notes))


def _forming(candles: Candles, opened_at: int) -> Candle | None:
    index = int(candles.opened_at.searchsorted(opened_at))
    return candles[index] if index < len(candles) and int(candles.opened_at[index]) == opened_at else None


def _readable(names: dict[str, Any]) -> list[Timeframe]:
    found = []
    for name in names:
        try:
            found.append(Timeframe.parse(name))
        except BadInput:  # 1M and 1s: not lengths we read
            continue
    return found


def _nearest(symbol: str, entries: dict[str, Any]) -> list[str]:
    """Return up to three symbols: other contracts of the same pair first, then similar names."""
    pair = symbol.split(":", maxsplit=1)[0]
    twins = [name for name in (pair, f"{pair}:{pair.split('/')[1]}") if name in entries]
    return list(dict.fromkeys([*twins, *difflib.get_close_matches(symbol, entries, n=3)]))[:3]
