"""A feed and a source of companies behind a lens: every reading is passed through, so that a lens overrides what it changes.

Whether the feed behind it can read more than it must is found out at the call: without it the reading is as that of a feed that cannot.
"""

from datetime import datetime

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import MarketError
from engine.domain.market.instants import utc_text
from engine.domain.market.instrument import FeedName, Market, Surroundings
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.equity.protocol import EquitySource, IntradayReading, Layer, PriceReading
from engine.market.protocol import CandleReading, Feed, HistoryReader, HistoryReading, SeriesName, SurroundingsReader, SurroundingsReading


class SeenFeed:
    """A market feed as it is."""

    def __init__(self, inner: Feed) -> None:
        self._inner = inner

    @property
    def name(self) -> FeedName:
        """Which kind of feed this is."""
        return self._inner.name

    @property
    def venue(self) -> str:
        """The exchange behind it."""
        return self._inner.venue

    async def markets(self) -> tuple[Market, ...]:
        return await self._inner.markets()

    async def market(self, symbol: str) -> Market:
        return await self._inner.market(symbol)

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        return await self._inner.timeframes(market)

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        return await self._inner.clock(market, timeframe, htf)

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        return await self._inner.candles(market, timeframe, at, bars)

    async def terms(self, market: Market) -> MarketTerms:
        return await self._inner.terms(market)

    async def surroundings(self, market: Market, at: datetime) -> Surroundings:
        return (await self.read_surroundings(market, at)).surroundings

    async def read_surroundings(self, market: Market, at: datetime) -> SurroundingsReading:
        if isinstance(self._inner, SurroundingsReader):
            return await self._inner.read_surroundings(market, at)
        return SurroundingsReading(await self._inner.surroundings(market, at))

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        if isinstance(self._inner, HistoryReader):
            return await self._inner.history(market, what, at, points)
        at_ms = utc_text(int(at.timestamp() * 1000))
        raise MarketError(Reason("has_no_history_of_its_at", symbol=market.symbol, value=what.replace("_", " "), at_ms=at_ms))

    async def close(self) -> None:
        await self._inner.close()


class SeenEquities:
    """A source of companies as it is."""

    def __init__(self, inner: EquitySource) -> None:
        self._inner = inner

    @property
    def name(self) -> FeedName:
        """Which kind of source this is."""
        return self._inner.name

    async def listings(self) -> tuple[Listing, ...]:
        return await self._inner.listings()

    async def listing(self, symbol: str) -> Listing:
        return await self._inner.listing(symbol)

    async def latest(self, listing: Listing) -> TradingMoment:
        return await self._inner.latest(listing)

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        return await self._inner.prices(listing, moment, bars)

    async def intraday(self, listing: Listing, moment: TradingMoment) -> IntradayReading:
        return await self._inner.intraday(listing, moment)

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        return await self._inner.filings(listing, moment)

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        return await self._inner.news(listing, moment)

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        return await self._inner.constituents(listing, moment)

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        return await self._inner.macro(listing, moment)

    async def sector(self, listing: Listing) -> Layer[str]:
        return await self._inner.sector(listing)

    async def close(self) -> None:
        await self._inner.close()
