"""The lens of a replay: nothing after its clock, and the prices of its world in place of the market's own.

A fair reader never asks for an instant behind the clock; one that does is refused, as an exchange would refuse it. The
present of every source is the clock, or the end of a recording that ended before.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime

from engine.domain.equity.listing import Listing
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import ClockOutOfRange, NoSuchTimeframe
from engine.domain.market.candles import Candles
from engine.domain.market.instants import instant_ms, refuse_future, utc_text
from engine.domain.market.instrument import Market
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_ms
from engine.equity.protocol import EquitySource, PriceReading
from engine.equity.sessions import calendar_of
from engine.market.protocol import CandleReading, Feed, HistoryReading, SeriesName, SurroundingsReading
from engine.market.window import aggregate
from engine.replay.lens import Lens
from engine.replay.seen_feed import SeenEquities, SeenFeed


class PastLens(Lens):
    """clock: gives the instant behind which nothing is shown. world: candles of one subject in place of the source's, None = its own."""

    orders_wait = True

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.clock = clock
        self.world: tuple[str, Candles] | None = None

    def feed(self, feed: Feed) -> Feed:
        return _PastFeed(feed, self)

    def equities(self, source: EquitySource) -> EquitySource:
        return _PastEquities(source, self)

    def world_of(self, symbol: str) -> Candles | None:
        """Return the world's candles of a market or a company; None where it is shown as it is."""
        return self.world[1] if self.world is not None and self.world[0] == symbol else None

    def require_past(self, at: datetime) -> None:
        """Require that an instant is not behind the clock. Raises ClockOutOfRange."""
        refuse_future(instant_ms(at), instant_ms(self.clock()))


class _PastFeed(SeenFeed):
    def __init__(self, inner: Feed, lens: PastLens) -> None:
        super().__init__(inner)
        self._lens = lens

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        known, world = await super().timeframes(market), self._lens.world_of(market.symbol)
        return known if world is None else tuple(each for each in known if world.timeframe.divides(each))

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        return min(self._lens.clock(), await super().clock(market, timeframe, htf))

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        self._lens.require_past(at)
        world = self._lens.world_of(market.symbol)
        if world is None:
            return await super().candles(market, timeframe, at, bars)
        return await asyncio.to_thread(_of_world, market, world, timeframe, instant_ms(at), bars)

    async def read_surroundings(self, market: Market, at: datetime) -> SurroundingsReading:
        self._lens.require_past(at)
        return await super().read_surroundings(market, at)

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        self._lens.require_past(at)
        return await super().history(market, what, at, points)


def _of_world(market: Market, world: Candles, timeframe: Timeframe, at_ms: int, bars: int) -> CandleReading:
    if not world.timeframe.divides(timeframe):
        raise NoSuchTimeframe(Reason("has_no_candles", id=market.symbol, timeframe=timeframe, str=str(world.timeframe)))
    known = int((world.opened_at + world.timeframe.ms).searchsorted(at_ms, side="right"))
    reach = (bars + 1) * (timeframe.ms // world.timeframe.ms)
    closed = aggregate(world.slice(max(0, known - reach), known), timeframe).tail(bars)
    if len(closed) == 0 or int(closed.opened_at[-1]) != timeframe.last_closed_open(at_ms):
        first = utc_text(int(world.opened_at[0]) + timeframe.ms)
        raise ClockOutOfRange(Reason("is_simulated_from", symbol=market.symbol, first=first, at_ms=utc_text(at_ms), timeframe=timeframe))
    return CandleReading(closed, None)


class _PastEquities(SeenEquities):
    def __init__(self, inner: EquitySource, lens: PastLens) -> None:
        super().__init__(inner)
        self._lens = lens

    async def latest(self, listing: Listing) -> TradingMoment:
        found = await super().latest(listing)
        if found.known_at <= self._lens.clock():
            return found
        calendar = await asyncio.to_thread(calendar_of, listing.calendar)
        return calendar.moment(calendar.last_closed(self._lens.clock()).date, "post_close")

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        self._lens.require_past(moment.known_at)
        world = self._lens.world_of(listing.symbol)
        if world is None:
            return await super().prices(listing, moment, bars)
        known = int(world.opened_at.searchsorted(day_ms(moment.last_session), side="right"))
        return PriceReading(world.slice(max(0, known - bars), known), source=self._inner.name)
