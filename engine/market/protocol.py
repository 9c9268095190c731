"""What a feed is to the rest of the engine: a market that can be read as it was known at one instant.

Failure contract: every method raises a MarketError of `engine.domain.errors` (UnknownSymbol, NoSuchTimeframe, ClockOutOfRange,
BadMarketData, MarketRefused, MarketUnreachable) with a message of one line, and never returns a candle that was not closed at `at`.
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
    """Closed candles up to an instant, and the open one kept apart (None where the feed cannot know it). notes: what was left out."""

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
        """Return markets this feed can read, in a stable order."""
        ...

    async def market(self, symbol: str) -> Market:
        """Return the market of a unified symbol, with its price step where known. Raises UnknownSymbol."""
        ...

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        """Return timeframes it can give for this market, shortest first, built ones included."""
        ...

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        """Return the instant that counts as "now": wall-clock time, or the end of a recorded market in these timeframes."""
        ...

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        """Return up to `bars` closed candles that end at `at`; fewer when the market is younger.

        Raises ClockOutOfRange when `at` is not covered.
        """
        ...

    async def terms(self, market: Market) -> MarketTerms:
        """Return how the market is traded; where the source does not say, this program's assumptions, called so."""
        ...

    async def surroundings(self, market: Market, at: datetime) -> Surroundings:
        """Return funding, open interest and sentiment as known at `at`; what the feed does not know is None."""
        ...

    async def close(self) -> None:
        """Release connections. May be called more than once."""
        ...


@runtime_checkable
class SurroundingsReader(Protocol):
    """A feed whose facts beside the candles can fail one by one, and which says why one is missing."""

    async def read_surroundings(self, market: Market, at: datetime) -> SurroundingsReading:
        """Return the same values as `Feed.surroundings`, with a note for each that is missing. Raises like it."""
        ...


@runtime_checkable
class HistoryReader(Protocol):
    """A feed that has what lies beside the candles as series, not only at one instant."""

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        """Return up to `points` values that end at `at`; fewer where there are fewer. Raises a MarketError where the feed has none."""
        ...
