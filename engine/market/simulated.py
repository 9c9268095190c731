"""A perpetual market made of arithmetic: a pure function of (seed, symbol, time), open from 2017 to now.

Given a seed and a clock. The same question has the same answer on every day and in every process, for every instant that is past; what is
not past is refused. The forming candle moves second by second and ends as the closed one. Spot markets follow the same price, without
funding and open interest. Where the clock points to is the caller's business.
"""

import asyncio
import difflib
from collections.abc import Callable
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.domain.errors import ClockOutOfRange, MarketError, NoSuchTimeframe, UnknownSymbol
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instants import instant_ms, refuse_future, utc_text
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import MINUTE_MS, Timeframe
from engine.domain.text.reason import Reason
from engine.market.assumed_terms import assumed_terms
from engine.market.protocol import CandleReading, HistoryReading, SeriesName
from engine.market.simulated_coins import COINS, MARKETS, QUOTES
from engine.market.simulated_mood import history, surroundings_at
from engine.market.simulated_path import DAY_MS, LOTS, MINUTES, CoinPath, TickBars, joined

START_MS = 1_483_228_800_000  # 2017-01-01 00:00 UTC
TIMEFRAMES = tuple(map(Timeframe.parse, ("1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w")))
_HOUR_MS = 60 * MINUTE_MS
_SPOT_SHARE = 0.4  # of the perpetual market's volume


class SimulatedFeed:
    """The simulated feed. seed: any integer; another seed is another history. now: the present instant, aware."""

    name: Literal["simulated"] = "simulated"
    venue = "simulated"

    def __init__(self, seed: int, now: Callable[[], datetime]) -> None:
        self._now = now
        self._paths = {coin.base: CoinPath(seed, coin) for coin in COINS.values()}

    async def markets(self) -> tuple[Market, ...]:
        """Return the perpetual markets; their spot twins can be asked for too."""
        return MARKETS

    async def market(self, symbol: str) -> Market:
        """Return a perpetual or spot market of a known coin. Raises UnknownSymbol."""
        market = Market.parse(symbol)
        coin = COINS.get(market.base)
        if coin is None or market.quote not in QUOTES or market.settle not in (None, market.quote):
            names = [each.symbol for each in MARKETS]
            near = difflib.get_close_matches(market.symbol, names, n=1)
            hint = Reason("hint_did_you_mean", near=near[0]) if near else ""
            raise UnknownSymbol(Reason("is_not_simulated_choose_or_one", symbol=market.symbol, names=", ".join(names), hint=hint))
        return market.model_copy(update={"price_step": 1 / coin.ticks})

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        """Return the timeframes, shortest first; they are the same for every market. Raises UnknownSymbol."""
        await self.market(market.symbol)
        return TIMEFRAMES

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        """Return the present instant."""
        return self._now()

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        """Return candles as the protocol has it. Raises ClockOutOfRange before the first closed candle of 2017 and after now."""
        await self.market(market.symbol)
        at_ms = self._past(at)
        if not any(timeframe.ms == known.ms and timeframe.floor(0) == known.floor(0) for known in TIMEFRAMES):
            raise NoSuchTimeframe(Reason("has_no_candles", id=market.symbol, timeframe=timeframe, str=", ".join(map(str, TIMEFRAMES))))
        first = timeframe.floor(START_MS - 1) + timeframe.ms  # the first open from START_MS on
        if at_ms < first + timeframe.ms:
            raise ClockOutOfRange(
                Reason("is_simulated_from", symbol=market.symbol, first=utc_text(first), at_ms=utc_text(at_ms), timeframe=timeframe)
            )
        return await asyncio.to_thread(self._read, market, timeframe, at_ms, min(bars, (at_ms - first) // timeframe.ms))

    async def terms(self, market: Market) -> MarketTerms:
        """Return terms assumed from the price around which the coin moves: the same on every day."""
        return assumed_terms(await self.market(market.symbol), COINS[market.base].price)

    async def surroundings(self, market: Market, at: datetime) -> Surroundings:
        """Return funding and open interest of a perpetual market, and fear and greed of the coin, at `at`. All None before 2017."""
        await self.market(market.symbol)
        at_ms = self._past(at)
        if at_ms < START_MS:
            return Surroundings()
        return await asyncio.to_thread(surroundings_at, self._paths[market.base], market.kind, at_ms)

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        """Return funding by settlement or open interest by the hour. Raises a MarketError for a spot market and before 2017."""
        await self.market(market.symbol)
        at_ms = self._past(at)
        if market.kind == "spot" or at_ms < START_MS + DAY_MS:
            raise MarketError(Reason("has_no_history_of_its_at", symbol=market.symbol, value=what.replace("_", " "), at_ms=utc_text(at_ms)))
        return await asyncio.to_thread(history, self._paths[market.base], what, START_MS + DAY_MS, at_ms, points)

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    def _past(self, at: datetime) -> int:
        at_ms = instant_ms(at)
        refuse_future(at_ms, instant_ms(self._now()))
        return at_ms

    def _read(self, market: Market, timeframe: Timeframe, at_ms: int, bars: int) -> CandleReading:
        path = self._paths[market.base]
        opened = timeframe.floor(at_ms)
        start = opened - bars * timeframe.ms
        unit = _HOUR_MS if timeframe.ms % _HOUR_MS == 0 else MINUTE_MS
        closed = _bars(path, start, opened, unit).merged(timeframe.ms // unit)
        opens = np.arange(start, opened, timeframe.ms, dtype=np.int64)
        candles = Candles(timeframe, opens, *_floats(market, closed))
        return CandleReading(candles, _forming(path, market, opened, at_ms))


def _bars(path: CoinPath, start: int, stop: int, unit: int) -> TickBars:
    """Return bars of one minute or one hour that open in [start, stop); both are whole units."""
    make, per_day = (path.hours, 24) if unit == _HOUR_MS else (path.minutes, MINUTES)
    day = start // DAY_MS
    whole = joined([make(each) for each in range(day, max(day, (stop - 1) // DAY_MS) + 1)])
    first = start // unit - day * per_day
    return whole.cut(first, first + (stop - start) // unit)


def _forming(path: CoinPath, market: Market, opened: int, at_ms: int) -> Candle:
    """Return the open candle as far as it has come: whole hours, whole minutes, and the seconds of the last minute."""
    hour, minute = max(opened, at_ms // _HOUR_MS * _HOUR_MS), at_ms // MINUTE_MS
    pieces = [path.within_minute(minute, at_ms % MINUTE_MS // 1000)]
    if minute * MINUTE_MS > hour:
        pieces.insert(0, _bars(path, hour, minute * MINUTE_MS, MINUTE_MS))
    if hour > opened:
        pieces.insert(0, _bars(path, opened, hour, _HOUR_MS))
    both = joined(pieces)
    values = _floats(market, both.merged(len(both.columns[0])))
    return Candle(opened, *(float(value[0]) for value in values))


def _floats(market: Market, bars: TickBars) -> list[NDArray[np.float64]]:
    """Return prices in quote units and volume in base units."""
    *prices, lots = bars.columns
    share = LOTS if market.kind == "perp" else LOTS / _SPOT_SHARE
    return [price / COINS[market.base].ticks for price in prices] + [lots / share]
