"""What a feed is to the rest of the engine: a market, read as it was known at one instant.

Failures: every method raises a MarketError of `engine.domain.errors` (UnknownSymbol, NoSuchTimeframe, ClockOutOfRange, BadMarketData,
MarketRefused, MarketUnreachable) with a one-line message, and never returns a candle that was not closed at `at`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import FeedName, Market, Surroundings
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import Timeframe


@dataclass(frozen=True, eq=False)
class CandleReading:
    """Closed candles up to an instant; the open one apart, None if the feed does not know it. notes: what was left out."""

    closed: Candles
    forming: Candle | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SurroundingsReading:
    """What is known beside the candles. notes: which facts are missing although the source has them, and why, one line each."""

    surroundings: Surroundings
    notes: tuple[str, ...] = ()


SeriesName = Literal["funding_rate", "open_interest"]


@dataclass(frozen=True)
class HistoryReading:
    """Values beside the candles, in time. points: (UTC milliseconds from which it was known, value), oldest first, none after the asked
    instant; units as in `Surroundings`. step_ms: usual distance of two points. source: who gave them."""

    points: tuple[tuple[int, float], ...]
    step_ms: int
    source: str


class Feed(Protocol):
    """A source of markets."""

    @property
    def name(self) -> FeedName:
        """Which kind of feed this is."""
        ...

    @property
    def venue(self) -> str:
        """The exchange behind it (`binance`, `binanceusdm`), or `simulated`."""
        ...

    async def markets(self) -> tuple[Market, ...]:
        """Return the markets that this feed can read, in a stable order."""
        ...

    async def market(self, symbol: str) -> Market:
        """Return the market of a unified symbol, with its price step where known. Raises UnknownSymbol."""
        ...

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        """Return the timeframes available for a market, shortest first, including those built from shorter ones."""
        ...

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        """Return the present: wall-clock time, or the end of a recorded market in these timeframes.

        Args:
            htf: The higher timeframe; None for a single timeframe.

        Returns:
            An aware UTC instant.
        """
        ...

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        """Return closed candles up to an instant.

        Args:
            at: Aware UTC instant.
            bars: Number of candles at most; fewer are returned if the market is younger.

        Raises:
            ClockOutOfRange: The feed does not cover `at`.
        """
        ...

    async def terms(self, market: Market) -> MarketTerms:
        """Return how the market is traded. What the source does not report is assumed, and marked as assumed."""
        ...

    async def surroundings(self, market: Market, at: datetime) -> Surroundings:
        """Return funding, open interest and sentiment as known at `at` (aware UTC). What the feed does not know is None."""
        ...

    async def close(self) -> None:
        """Release connections. May be called more than once."""
        ...


@runtime_checkable
class SurroundingsReader(Protocol):
    """A feed whose facts beside the candles can fail separately, with a reason for each."""

    async def read_surroundings(self, market: Market, at: datetime) -> SurroundingsReading:
        """Return the values of `Feed.surroundings`, with a note for each missing one. Raises the same errors."""
        ...


@runtime_checkable
class HistoryReader(Protocol):
    """A feed that keeps the history of the facts beside the candles."""

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        """Return the last values up to an instant.

        Args:
            at: Aware UTC instant.
            points: Number of values at most.

        Raises:
            MarketError: The feed has no history of them.
        """
        ...
