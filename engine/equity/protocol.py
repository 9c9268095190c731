"""What a source of company data is to the rest of the engine: a listing that can be read as it was known at one moment.

Failure contract. `listing` and `prices` raise a MarketError or BadInput of `engine.domain.errors` with a message of one line: without a
price nothing can be decided. Every other reading is a `Layer`: a source that has nothing returns it empty with the reason and does not
raise, and neither does one that could not be reached. What raises there too is a file that is broken (BadMarketData with file and row): it
must be mended, not passed over. Nothing that any method returns was known later than `moment.known_at`, and no reason or note speaks of
anything later or names a path.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.share_events import Dividend, Split
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.market.candles import Candles
from engine.domain.market.instrument import FeedName

Item_co = TypeVar("Item_co", covariant=True)


@dataclass(frozen=True)
class Layer(Generic[Item_co]):
    """One layer of what is known. source: who gave it. missing: why it is empty; None when it is not."""

    items: Sequence[Item_co] = ()
    source: str = ""
    missing: str | None = None


@dataclass(frozen=True, eq=False)
class PriceReading:
    """Daily prices as they were traded, and what happened to the shares.

    candles: daily, oldest first, raw: each in shares of its own day; the last one is of `moment.last_session`. splits, dividends: in effect
    by `moment.trade_date`, oldest first. stated_previous_close: what the exchange stated as the close before the last candle, in shares of
    that candle's day; None where the source does not know it. source: who gave the prices. notes: what was left out.
    """

    candles: Candles
    splits: tuple[Split, ...] = ()
    dividends: tuple[Dividend, ...] = ()
    stated_previous_close: float | None = None
    source: str = ""
    notes: tuple[str, ...] = ()


class EquitySource(Protocol):
    """A source of listed companies."""

    @property
    def name(self) -> FeedName:
        """Which kind of source this is."""
        ...

    async def listings(self) -> tuple[Listing, ...]:
        """Return what this source can read, in a stable order; empty where that has no end."""
        ...

    async def listing(self, symbol: str) -> Listing:
        """Return a listing. Raises BadInput for a symbol that is none, UnknownSymbol for one the source does not have."""
        ...

    async def latest(self, listing: Listing) -> TradingMoment:
        """Return the newest moment after a close that can be read. Raises a MarketError where there is none."""
        ...

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        """Return up to `bars` candles that end with the last session.

        Raises ClockOutOfRange for a moment the source does not reach, BadMarketData where the row of the last session is missing, and what
        else keeps a price from being known.
        """
        ...

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        """Return what was filed by then, in any order; per-share values in shares of the trade date as far as the source knows."""
        ...

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        """Return what was published by then about it and about the market as a whole, in any order."""
        ...

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        """Return companies of an index or fund with closes up to the last session; empty for a share."""
        ...

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        """Return macro figures of its market that were published by then."""
        ...

    async def sector(self, listing: Listing) -> Layer[str]:
        """Return the one sector of a company."""
        ...

    async def close(self) -> None:
        """Release connections. May be called more than once."""
        ...
