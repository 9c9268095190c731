"""What a source of company data is to the rest of the engine: a listing, read as it was known at one moment.

Failures: `listing` and `prices` raise a MarketError or BadInput of `engine.domain.errors` with a one-line message, because nothing can be
decided without a price. Every other reading is a `Layer`: a source that has nothing, or could not be reached, returns it empty with the
reason. A broken file raises BadMarketData with file and row everywhere: it has to be repaired. Nothing returned was known later than
`moment.known_at`, and no reason or note mentions anything later or names a path.
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
    """One kind of data. source: where it comes from. missing: why it is empty; None if it is not."""

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


@dataclass(frozen=True, eq=False)
class IntradayReading:
    """Bars within a session, as they were traded: oldest first, in shares of the trade date. source: who gave them."""

    candles: Candles
    source: str = ""


class EquitySource(Protocol):
    """A source of listed companies."""

    @property
    def name(self) -> FeedName:
        """Which kind of source this is."""
        ...

    async def listings(self) -> tuple[Listing, ...]:
        """Return the listings that this source can read, in a stable order; empty if it can read any."""
        ...

    async def listing(self, symbol: str) -> Listing:
        """Return a listing.

        Raises:
            BadInput: The symbol is malformed.
            UnknownSymbol: The source does not have it.
        """
        ...

    async def latest(self, listing: Listing) -> TradingMoment:
        """Return the newest session close that can be read. Raises MarketError if no close can be read."""
        ...

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        """Return daily candles up to the last session.

        Args:
            bars: Number of candles at most.

        Raises:
            ClockOutOfRange: The source does not reach the moment.
            BadMarketData: The row of the last session is missing.
            MarketError: The prices could not be read for another reason.
        """
        ...

    async def intraday(self, listing: Listing, moment: TradingMoment) -> IntradayReading:
        """Return the bars of the trade date's session, as far as the source has them. Called only if `moment.within`.

        Raises:
            BadInput: The source has none; the message says what is needed.
            BadMarketData: A file is broken.
            MarketError: See `prices`.
        """
        ...

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        """Return what was filed by then, in any order. Per-share values are in shares of the trade date, as far as the source knows."""
        ...

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        """Return news published by then about the company and about the market as a whole, in any order."""
        ...

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        """Return companies of an index or fund with closes up to the last session; empty for a share."""
        ...

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        """Return macro figures of its market that were published by then."""
        ...

    async def sector(self, listing: Listing) -> Layer[str]:
        """Return the sector of a company, one item at most."""
        ...

    async def close(self) -> None:
        """Release connections. May be called more than once."""
        ...
