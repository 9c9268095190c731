"""Twelve companies, two indices and a fund made of arithmetic: a pure function of (seed, symbol, date), open from 2016 to now.

Given a seed and a clock. The same question has the same answer on every day and in every process, for every session that is past; what is
not past is refused. Sessions, holidays and lots are those of the real exchanges; prices, filings, news and macro figures are invented
and agree with each other: price over earnings per share is the ratio that is reported, an index is the value of its members.
"""

import asyncio
import difflib
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.share_events import Dividend
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import ClockOutOfRange, UnknownSymbol
from engine.equity.adjustment import day_of, in_shares_of
from engine.equity.listings import listing_of
from engine.equity.protocol import Layer, PriceReading
from engine.equity.sessions import SessionCalendar, calendar_of
from engine.equity.simulation.companies import BASKETS, COMPANIES, SYMBOLS
from engine.equity.simulation.dividends import dividends_of
from engine.equity.simulation.filings import CompanyReports
from engine.equity.simulation.macro import macro_of
from engine.equity.simulation.news import news_of
from engine.equity.simulation.prices import BasketPath, CompanyPath, paths_of

START = date(2016, 1, 4)
CONSTITUENT_SESSIONS = 64
_SOURCE = "simulated"
_EPOCH = date(1970, 1, 1)


class SimulatedEquities:
    """The simulated source. seed: any integer; another seed is another history. now: the present instant, aware."""

    name: Literal["simulated"] = "simulated"

    def __init__(self, seed: int, now: Callable[[], datetime]) -> None:
        self._seed = seed
        self._now = now
        self._companies, self._baskets = paths_of(seed)
        self._kept_reports: dict[str, CompanyReports] = {}

    async def listings(self) -> tuple[Listing, ...]:
        """Return all companies, then the indices and the fund."""
        return tuple(_listing(symbol) for symbol in SYMBOLS)

    async def listing(self, symbol: str) -> Listing:
        """Return a listing. Raises UnknownSymbol."""
        listing = listing_of(symbol)
        if listing.symbol not in SYMBOLS:
            near = difflib.get_close_matches(listing.symbol, SYMBOLS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UnknownSymbol(f"{listing.symbol} is not simulated: choose {', '.join(SYMBOLS)}{hint}")
        return _listing(listing.symbol)

    async def latest(self, listing: Listing) -> TradingMoment:
        """Return the close of the last session that is over now."""
        return await asyncio.to_thread(self._latest, listing)

    def _latest(self, listing: Listing) -> TradingMoment:
        calendar = calendar_of(listing.calendar)
        return calendar.moment(calendar.last_closed(self._now()).date, "post_close")

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        """See the protocol. Raises ClockOutOfRange before 2016 and after now."""
        return await asyncio.to_thread(self._prices, listing, moment, bars)

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        """See the protocol."""
        path = self._companies.get(listing.symbol)
        if path is None:
            return Layer(missing="an index or fund files no reports")
        return Layer(await asyncio.to_thread(lambda: tuple(self._reports(path).known(moment))), _SOURCE)

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        """Return what was written about the company; about an index: about its members."""
        return Layer(await asyncio.to_thread(self._news, listing, moment), _SOURCE)

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        """See the protocol."""
        basket = self._baskets.get(listing.symbol)
        if basket is None:
            return Layer(missing="a company has no constituents")
        return Layer(await asyncio.to_thread(self._constituents, listing, basket, moment), _SOURCE)

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        """See the protocol."""
        return Layer(await asyncio.to_thread(lambda: tuple(macro_of(self._seed, listing.market, moment))), _SOURCE)

    async def sector(self, listing: Listing) -> Layer[str]:
        """See the protocol."""
        company = COMPANIES.get(listing.symbol)
        return Layer(missing="an index or fund has no sector") if company is None else Layer((company.sector,), _SOURCE)

    async def close(self) -> None:
        """Nothing is open."""

    def _prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        if moment.known_at > self._now():
            raise ClockOutOfRange(
                f"{moment.trade_date} {moment.trading_session} is in the future: it is {self._now().astimezone(UTC):%Y-%m-%d %H:%M} UTC"
            )
        if moment.last_session < START:
            raise ClockOutOfRange(f"{listing.symbol} is simulated from {START} on: choose a later date than {moment.trade_date}")
        calendar = calendar_of(listing.calendar)
        days = _last_days(calendar, moment, bars)
        path = self._companies.get(listing.symbol)
        if path is None:
            return PriceReading(candles=self._baskets[listing.symbol].raw(days), source=_SOURCE)
        candles = path.raw(days)
        first = day_of(candles.opened_at[0])
        splits = tuple(split for split in path.company.splits if first <= split.date <= moment.trade_date)
        dividends = dividends_of(self._reports(path), calendar, first, moment.trade_date)
        return PriceReading(
            candles=candles,
            splits=splits,
            dividends=dividends,
            stated_previous_close=_stated(listing, candles.close, moment, dividends),
            source=_SOURCE,
        )

    def _reports(self, path: CompanyPath) -> CompanyReports:
        listing = _listing(path.company.symbol)
        if path.company.symbol not in self._kept_reports:
            self._kept_reports[path.company.symbol] = CompanyReports(self._seed, path, calendar_of(listing.calendar))
        return self._kept_reports[path.company.symbol]

    def _news(self, listing: Listing, moment: TradingMoment) -> tuple[NewsItem, ...]:
        members = self._baskets[listing.symbol].members if listing.symbol in self._baskets else [self._companies[listing.symbol]]
        calendar = calendar_of(listing.calendar)
        return tuple(item for path in members for item in news_of(self._seed, path, self._reports(path), calendar, moment))

    def _constituents(self, listing: Listing, basket: BasketPath, moment: TradingMoment) -> tuple[Constituent, ...]:
        days = _last_days(calendar_of(listing.calendar), moment, CONSTITUENT_SESSIONS)
        weights = basket.weights_pct(int(days[-1]))
        dates = tuple(day_of(int(day) * 86_400_000) for day in days)
        found = []
        for path in basket.members:
            candles = in_shares_of(path.raw(days), path.company.splits, moment.trade_date)
            company = path.company
            found.append(
                Constituent(
                    symbol=company.symbol,
                    name=company.name,
                    sector=company.sector,
                    weight_pct=weights[company.symbol],
                    dates=dates,
                    closes=tuple(candles.close.tolist()),
                )
            )
        return tuple(found)


def _listing(symbol: str) -> Listing:
    company, basket = COMPANIES.get(symbol), BASKETS.get(symbol)
    return listing_of(symbol, company.name if company is not None else basket.name if basket is not None else None)


def _last_days(calendar: SessionCalendar, moment: TradingMoment, count: int) -> NDArray[np.int64]:
    """Return the last sessions up to the moment, from the beginning of the simulation on."""
    stop = int(calendar.days.searchsorted((moment.last_session - _EPOCH).days, side="right"))
    start = int(calendar.days.searchsorted((START - _EPOCH).days))
    return calendar.days[max(start, stop - count) : stop]


def _stated(listing: Listing, closes: NDArray[np.float64], moment: TradingMoment, dividends: tuple[Dividend, ...]) -> float | None:
    """Return the close before the last one as a Chinese exchange states it: less the dividend on an ex-dividend day."""
    if listing.market != "CN" or len(closes) < 2:
        return None
    paid = sum(dividend.amount for dividend in dividends if dividend.ex_date == moment.last_session)
    return round(float(closes[-2]) - paid, 2)
