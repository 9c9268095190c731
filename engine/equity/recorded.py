"""A folder of recorded companies as a source: what was known of them at any session the files cover.

Given a folder as `recorded_folder.py` reads it. A symbol's prices come from its own raw file, else from a long file; of several the first
by name that has the row of the session that is asked for. Splits and dividends come from the file of factors, dividends also from the
previous closes that an exchange stated. A price that jumps as a split would, without one in the factors, is BadMarketData: every indicator
after it would be wrong. Files are read in a thread and kept until they change. Sessions come from the calendar, never from rows.
"""

import asyncio
import difflib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.share_events import Dividend, Split
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import BadInput, BadMarketData, ClockOutOfRange, UnknownSymbol
from engine.equity.adjustment import day_of, unexplained_jump
from engine.equity.factor_file import read_factor_file, share_events
from engine.equity.fundamentals_file import read_fundamentals_file
from engine.equity.known import known_filings, known_news
from engine.equity.listings import listing_of
from engine.equity.news_file import MARKET, read_news_file
from engine.equity.price_files import DailyPrices, read_long_file, read_raw_file
from engine.equity.protocol import Layer, PriceReading
from engine.equity.recorded_folder import EquityFolder, list_companies
from engine.equity.recorded_prices import (
    RecordedPrices,
    absent_sessions,
    constituent_of,
    odd_values,
    refuse_jump,
    refuse_strange_days,
    stated_events,
)
from engine.equity.sessions import SessionCalendar, calendar_of
from engine.files.kept_files import KeptFiles


class RecordedEquities:
    """The source of a folder. Two sources of the same files give the same readings."""

    name: Literal["recorded"] = "recorded"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept = KeptFiles()

    async def listings(self) -> tuple[Listing, ...]:
        """Return the listings with prices in the folder, by symbol. Symbols of no known form are left out."""
        return await asyncio.to_thread(self._listings)

    async def listing(self, symbol: str) -> Listing:
        """Return a listing; its name is its symbol. Raises UnknownSymbol when no file has prices of it."""
        return await asyncio.to_thread(self._listing, symbol)

    async def latest(self, listing: Listing) -> TradingMoment:
        """Return the close of the last row, of all files. Raises BadInput for a row on a date without a session."""
        return await asyncio.to_thread(self._latest, listing)

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        """See the protocol."""
        return await asyncio.to_thread(self._prices, listing, moment, bars)

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        """See the protocol. Per-share values are as the file has them."""
        read = partial(self._by_symbol, lambda folder: folder.fundamentals, read_fundamentals_file, (listing.symbol,))
        found = known_filings(await asyncio.to_thread(read), moment)
        return Layer(found, "recorded", None if found else "the recordings hold no filing that was known by then")

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        """See the protocol."""
        read = partial(self._by_symbol, lambda folder: folder.news, read_news_file, (listing.symbol, MARKET))
        found = known_news(await asyncio.to_thread(read), moment)
        return Layer(found, "recorded", None if found else "the recordings hold no news of the 30 days before")

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        """Return the companies of its market that are recorded in long files on the last session; none for a share.

        A recording does not say whether they are the index's own, nor their weights.
        """
        if listing.kind == "stock":
            return Layer(missing="a company has no constituents")
        found = await asyncio.to_thread(self._constituents, listing, moment)
        return Layer(found, "companies recorded beside it", None if found else "the recordings hold no companies of its market on that day")

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        """Return nothing: a recording has no macro figures."""
        return Layer(missing="the recordings hold no macro figures")

    async def sector(self, listing: Listing) -> Layer[str]:
        """Return nothing: a recording does not say it."""
        return Layer(missing="the recordings do not say its sector")

    async def close(self) -> None:
        """Forget what was read."""
        self._kept.clear()

    def _listed(self) -> EquityFolder:
        return list_companies(self._folder)

    def _recordings(self, folder: EquityFolder, symbol: str) -> Iterator[RecordedPrices]:
        """Yield the files with prices of a symbol, best first. Each is read only when it is reached."""
        for raw in folder.raw:
            if raw.symbol == symbol:
                yield RecordedPrices(raw.source, self._kept.keep(raw.path, partial(read_raw_file, raw.path)), raw.factors)
        for long in folder.long:
            prices = self._long(long.path).get(symbol)
            if prices is not None:
                yield RecordedPrices(long.source, prices, None)

    def _long(self, path: Path) -> Mapping[str, DailyPrices]:
        return self._kept.keep(path, partial(read_long_file, path))

    def _symbols(self, folder: EquityFolder) -> list[str]:
        return sorted({raw.symbol for raw in folder.raw} | {symbol for long in folder.long for symbol in self._long(long.path)})

    def _listings(self) -> tuple[Listing, ...]:
        found = []
        for symbol in self._symbols(self._listed()):
            try:
                found.append(listing_of(symbol))
            except BadInput:
                continue
        return tuple(found)

    def _listing(self, symbol: str) -> Listing:
        listing = listing_of(symbol)
        folder = self._listed()
        if any(raw.symbol == listing.symbol for raw in folder.raw):
            return listing
        symbols = self._symbols(folder)
        if listing.symbol in symbols:
            return listing
        near = difflib.get_close_matches(listing.symbol, symbols, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        shown = ", ".join(symbols[:30]) + (" ..." if len(symbols) > 30 else "")
        raise UnknownSymbol(f"{listing.symbol} is not recorded in {self._folder}: it has {shown}{hint}")

    def _latest(self, listing: Listing) -> TradingMoment:
        newest = max((recording.days[1] for recording in self._recordings(self._listed(), listing.symbol)), default=None)
        if newest is None:
            raise UnknownSymbol(f"{listing.symbol} is not recorded in {self._folder}")
        return calendar_of(listing.calendar).moment(newest, "post_close")

    def _prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        recording = self._recording(listing, moment)
        calendar = calendar_of(listing.calendar)
        stop = recording.count_to(moment.last_session)
        start = max(0, stop - bars)
        candles = recording.prices.candles.slice(start, stop)
        refuse_strange_days(recording, start, stop, calendar)
        splits, dividends = self._share_events(recording, start, stop, moment, calendar)
        jump = unexplained_jump(candles, splits)
        if jump is not None:
            refuse_jump(recording, start + jump[0], jump[1])
        stated = None if recording.prices.stated is None else float(recording.prices.stated[stop - 1])
        return PriceReading(
            candles=candles,
            splits=splits,
            dividends=dividends,
            stated_previous_close=None if stated is None or np.isnan(stated) else stated,
            source=recording.source,
            notes=(*absent_sessions(candles, calendar), *odd_values(candles, splits, dividends)),
        )

    def _recording(self, listing: Listing, moment: TradingMoment) -> RecordedPrices:
        """Return the first file with the row of the last session."""
        spans = []
        for recording in self._recordings(self._listed(), listing.symbol):
            if recording.has(moment.last_session):
                return recording
            spans.append((recording.prices.path.name, *recording.days))
        shown = ", ".join(f"{name} from {first} to {last}" for name, first, last in spans)
        fault = f"{listing.symbol} has no row for {moment.last_session}: it is recorded in {shown}"
        inside = any(first <= moment.last_session <= last for _, first, last in spans)
        if inside or moment.trading_session == "post_close":
            raise BadMarketData(f"{fault}; choose a date whose close is there")
        raise ClockOutOfRange(f"{fault}; choose a later or an earlier date")

    def _share_events(
        self, recording: RecordedPrices, start: int, stop: int, moment: TradingMoment, calendar: SessionCalendar
    ) -> tuple[tuple[Split, ...], tuple[Dividend, ...]]:
        """Return what happened to the shares from the first candle to the trade date."""
        opened = recording.prices.candles.opened_at
        if recording.factors is not None:
            factors = self._kept.keep(recording.factors, partial(read_factor_file, recording.factors))
            return share_events(factors, day_of(opened[start]), moment.trade_date, lambda day: calendar.after(day).date)
        if recording.prices.stated is None:
            return (), ()
        return stated_events(recording.prices, start, stop)

    def _constituents(self, listing: Listing, moment: TradingMoment) -> tuple[Constituent, ...]:
        found: dict[str, Constituent] = {}
        for long in self._listed().long:
            for symbol, prices in self._long(long.path).items():
                recording = RecordedPrices(long.source, prices, None)
                if symbol not in found and _is_company_of(listing.market, symbol) and recording.has(moment.last_session):
                    found[symbol] = constituent_of(symbol, recording, moment)
        return tuple(found.values())

    def _by_symbol(
        self,
        files: Callable[[EquityFolder], tuple[Path, ...]],
        read: Callable[[Path], Mapping[str, tuple[Any, ...]]],
        symbols: tuple[str, ...],
    ) -> list[Any]:
        """Return what all files of a kind say of the symbols."""
        tables = [self._kept.keep(path, partial(read, path)) for path in files(self._listed())]
        return [item for table in tables for symbol in symbols for item in table.get(symbol, ())]


def _is_company_of(market: str, symbol: str) -> bool:
    try:
        listing = listing_of(symbol)
    except BadInput:
        return False
    return listing.market == market and listing.kind == "stock"
