"""Twelve companies, two indices and a fund made of arithmetic: a pure function of (seed, symbol, date), open from 2016 to now.

Given a seed and a clock. The same question has the same answer on every day and in every process, for every session that is past; what is
not past is refused. Sessions, holidays and lots are those of the real exchanges; prices, filings, news and macro figures are invented
and agree with each other: price over earnings per share is the ratio that is reported, an index is the value of its members.
"""

import asyncio
import difflib
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.share_events import Dividend
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import BadInput, ClockOutOfRange, UnknownSymbol
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_of, in_shares_of
from engine.equity.listings import listing_of
from engine.equity.protocol import IntradayReading, Layer, PriceReading
from engine.equity.recorded_folder import INTRADAY_PATTERN
from engine.equity.sessions import SessionCalendar, calendar_of, refuse_future
from engine.equity.simulation.companies import BASKETS, COMPANIES, SYMBOLS
from engine.equity.simulation.filings import CompanyReports
from engine.equity.simulation.macro import macro_of
from engine.equity.simulation.news import news_of
from engine.equity.simulation.prices import BasketPath, CompanyPath, paths_of

START = date(2016, 1, 4)
CONSTITUENT_SESSIONS = 64
_SOURCE = "simulated"
_EPOCH = date(1970, 1, 1)


_AMERICAN = ((2, 20), (5, 9), (8, 9), (11, 8))
_CHINESE = ((6, 20),)


def dividends_of(reports: CompanyReports, calendar: SessionCalendar, first: date, last: date) -> tuple[Dividend, ...]:
    """Return the dividends with an ex-date from `first` to `last`, oldest first, each in the shares of its ex-date."""
    company = reports.company
    if company.payout == 0:
        return ()
    times = _AMERICAN if "." not in company.symbol else _CHINESE
    found = []
    for year in range(first.year, last.year + 1):
        for month, day in times:
            number = year * 4 + (month - 1) // 3 - (1 if len(times) == 4 else 2)  # the quarter, or the year, before
            due = date(year, month, day)
            sessions = calendar.between(due, due + timedelta(days=14))
            if not sessions or not first <= sessions[0] <= last:
                continue
            earned = reports.filing(number, "quarterly" if len(times) == 4 else "annual", sessions[0]).values["eps"]
            amount = round(earned * company.payout, 3)
            if amount > 0:
                found.append(Dividend(ex_date=sessions[0], amount=amount))
    return tuple(found)


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
            hint = Reason("hint_did_you_mean", near=near[0]) if near else ""
            raise UnknownSymbol(Reason("is_not_simulated", symbol=listing.symbol, symbols=", ".join(SYMBOLS), hint=hint))
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

    async def intraday(self, listing: Listing, moment: TradingMoment) -> IntradayReading:
        """Raise BadInput: a simulated session has an open, a high, a low and a close, and nothing between them."""
        raise BadInput(
            Reason(
                "simulated_companies_have_no_prices_within_session",
                known_at=f"{moment.known_at:%Y-%m-%d %H:%M}",
                intraday_pattern=INTRADAY_PATTERN,
            )
        )

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        path = self._companies.get(listing.symbol)
        if path is None:
            return Layer(missing=Reason("index_or_fund_files_no_reports"))
        return Layer(await asyncio.to_thread(lambda: tuple(self._reports(path).known(moment))), _SOURCE)

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        """Return what was written about the company; about an index: about its members."""
        return Layer(await asyncio.to_thread(self._news, listing, moment), _SOURCE)

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        basket = self._baskets.get(listing.symbol)
        if basket is None:
            return Layer(missing=Reason("company_has_no_constituents"))
        return Layer(await asyncio.to_thread(self._constituents, listing, basket, moment), _SOURCE)

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        return Layer(await asyncio.to_thread(lambda: tuple(macro_of(self._seed, listing.market, moment))), _SOURCE)

    async def sector(self, listing: Listing) -> Layer[str]:
        company = COMPANIES.get(listing.symbol)
        return Layer(missing=Reason("index_or_fund_has_no_sector")) if company is None else Layer((company.sector,), _SOURCE)

    async def close(self) -> None:
        """Nothing is open."""

    def _prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        refuse_future(moment, self._now())
        if moment.last_session < START:
            raise ClockOutOfRange(Reason("is_simulated_from_on", symbol=listing.symbol, start=START, trade_date=moment.trade_date))
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
