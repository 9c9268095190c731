"""The real exchanges through libraries that ask public websites: akshare for mainland China, yfinance for the rest.

Both libraries are optional: a missing one is named, with what to install (yfinance replaces akshare). Every call runs in a thread with
a deadline (`foreign_call`). A price that cannot be had is an error; news, filings and the sector that cannot be had are missing, by reason.
Only what the websites date is read, so that a past moment never sees today's figures.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, TypeVar

from engine.domain.calls.foreign_call import foreign_call
from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import BadMarketData, MarketError, MarketUnreachable
from engine.domain.market.candles import Candles
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_ms
from engine.equity.known import known_filings, known_news
from engine.equity.listings import listing_of
from engine.equity.protocol import IntradayReading, Layer, PriceReading
from engine.equity.sessions import calendar_of, refuse_future
from engine.equity.websites.akshare import AkshareLibrary
from engine.equity.websites.table import LiveLibrary
from engine.equity.websites.yahoo import YahooLibrary

DEADLINE_S = 30.0
Loader = Callable[[], Any]
Item = TypeVar("Item")


class LiveEquities:
    """The live source. now: the present instant, aware. yahoo, akshare: give the libraries; ImportError = not installed."""

    name: Literal["live"] = "live"

    def __init__(
        self, now: Callable[[], datetime], deadline_s: float = DEADLINE_S, *, yahoo: Loader | None = None, akshare: Loader | None = None
    ) -> None:
        self._now = now
        self._deadline_s = deadline_s
        self._yahoo = yahoo or _yfinance
        self._akshare = akshare or _akshare

    async def listings(self) -> tuple[Listing, ...]:
        """Return nothing: what can be asked for has no end."""
        return ()

    async def listing(self, symbol: str) -> Listing:
        """Return a listing by the form of its symbol; whether it exists is known with its prices."""
        return listing_of(symbol)

    async def latest(self, listing: Listing) -> TradingMoment:
        """Return the close of the last session that is over now."""
        calendar = await asyncio.to_thread(calendar_of, listing.calendar)
        return calendar.moment(calendar.last_closed(self._now()).date, "post_close")

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        """See the protocol. Raises MarketUnreachable where no library is installed or none answers."""
        refuse_future(moment, self._now())
        first = moment.last_session - timedelta(days=bars * 365 // 240 + 10)
        history, library = await self._ask(listing, "prices", lambda library: library.history(listing, first, self._today()))
        candles = history.candles.slice(0, int(history.candles.opened_at.searchsorted(day_ms(moment.last_session), side="right"))).tail(
            bars
        )
        if len(candles) == 0 or int(candles.opened_at[-1]) != day_ms(moment.last_session):
            raise BadMarketData(Reason("has_no_row_of_for", library=library, symbol=listing.symbol, last_session=moment.last_session))
        dropped = sum(first <= day <= moment.last_session for day in history.dropped)
        notes = (Reason("left_number_out_of_rows", library=library, dropped=dropped),) if dropped else ()
        return PriceReading(
            candles=candles,
            splits=tuple(split for split in history.splits if first <= split.date <= moment.trade_date),
            dividends=tuple(each for each in history.dividends if first <= each.ex_date <= moment.trade_date),
            source=library,
            notes=notes,
        )

    async def intraday(self, listing: Listing, moment: TradingMoment) -> IntradayReading:
        """See the protocol. Yahoo has bars of all markets; they are late by up to a quarter of an hour."""

        def work() -> Candles:
            try:
                library = YahooLibrary(self._yahoo(), self._deadline_s)
            except ImportError:
                raise MarketUnreachable(Reason("prices_within_session_need_yfinance")) from None
            return library.intraday(listing, moment.trade_date, self._today())

        bars = await foreign_call(f"reading bars of {listing.symbol}", work, self._deadline_s, MarketUnreachable)
        return IntradayReading(bars, f"yfinance {bars.timeframe}")

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        layer = await self._layer(listing, "filings", lambda library: library.filings(listing))
        return Layer(known_filings(layer.items, moment), layer.source, layer.missing)

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        """See the protocol. The websites give the newest only: a moment long past has none."""
        layer = await self._layer(listing, "news", lambda library: library.news(listing))
        return Layer(known_news(layer.items, moment), layer.source, layer.missing)

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        """Return nothing: one question a company would take minutes."""
        return Layer(
            missing=Reason("company_has_no_constituents") if listing.kind == "stock" else Reason("live_source_does_not_read_constituents")
        )

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        """Return nothing: the websites do not say when a figure was published."""
        return Layer(missing=Reason("live_source_does_not_read_macro_figures"))

    async def sector(self, listing: Listing) -> Layer[str]:

        def read(library: LiveLibrary) -> Sequence[str]:
            sector = library.sector(listing)
            return () if sector is None else (sector,)

        return await self._layer(listing, "the sector", read)

    async def close(self) -> None:
        """Nothing is open."""

    async def _layer(self, listing: Listing, what: str, read: Callable[[LiveLibrary], Sequence[Item]]) -> Layer[Item]:
        try:
            items, source = await self._ask(listing, what, read)
        except MarketError as error:
            return Layer(missing=str(error))
        return Layer(items, source)

    async def _ask(self, listing: Listing, what: str, read: Callable[[LiveLibrary], Item]) -> tuple[Item, str]:
        """Return what the library of this market answers, and its name."""

        def work() -> tuple[Item, str]:
            library = self._library(listing)
            return read(library), library.name

        return await foreign_call(f"reading {what} of {listing.symbol}", work, self._deadline_s, MarketUnreachable)

    def _library(self, listing: Listing) -> LiveLibrary:
        """Return akshare for mainland listings where it is installed, else yfinance. Raises MarketUnreachable where neither is."""
        absent = []
        if listing.market == "CN":
            try:
                return AkshareLibrary(self._akshare(), self._deadline_s)
            except ImportError:
                absent.append("akshare")
        try:
            return YahooLibrary(self._yahoo(), self._deadline_s)
        except ImportError:
            absent.append("yfinance")
        raise MarketUnreachable(Reason("live_prices_of_need", symbol=listing.symbol, absent=" or ".join(absent), absent2=absent[0]))

    def _today(self) -> date:
        return self._now().astimezone(UTC).date()


def _yfinance() -> Any:
    import yfinance  # noqa: PLC0415 - optional and heavy

    return yfinance


def _akshare() -> Any:
    import akshare  # noqa: PLC0415 - optional and heavy

    return akshare
