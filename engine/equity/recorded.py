"""A folder of recorded companies as a source: what was known of them at any session the files cover.

Given a folder as `recorded_folder.py` reads it. A symbol's prices come from its own raw file, else from a long file; of several the first
by name that has the row of the session that is asked for. Splits and dividends come from the file of factors, dividends also from the
previous closes that an exchange stated. A price that jumps as a split would, without one in the factors, is BadMarketData: every indicator
after it would be wrong. Files are read in a thread and kept until they change. Sessions come from the calendar, never from rows.
"""

import asyncio
import difflib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
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
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_of, unexplained_jump
from engine.equity.factor_file import read_factor_file, share_events
from engine.equity.fundamentals_file import read_fundamentals_file
from engine.equity.known import bars_between, end_of_day, known_filings, known_news
from engine.equity.listings import canonical_symbol, listing_of
from engine.equity.price_files import DailyPrices, read_long_file, read_raw_file
from engine.equity.protocol import IntradayReading, Layer, PriceReading
from engine.equity.recorded_folder import INTRADAY_PATTERN, EquityFolder, list_companies
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
from engine.files.recorded_files import read_candle_file
from engine.files.text_table import TextTable, read_text_table

MARKET = ""
"""The key of what is about no company."""


def read_news_file(path: Path) -> Mapping[str, tuple[NewsItem, ...]]:
    """Return symbol -> its items in the order of the file. Raises BadMarketData."""
    table = read_text_table(path, ("published", "symbol", "source", "title", "url"), ("text",))
    found: dict[str, list[NewsItem]] = {}
    for index in range(len(table)):
        symbol = canonical_symbol(table.cell(index, "symbol"))
        item = NewsItem(
            published=_published(table, index),
            symbol=symbol or None,
            source=table.cell(index, "source"),
            title=table.cell(index, "title"),
            url=table.cell(index, "url"),
            text=table.cell(index, "text"),
        )
        found.setdefault(symbol or MARKET, []).append(item)
    return {symbol: tuple(items) for symbol, items in found.items()}


def _published(table: TextTable, index: int) -> datetime:
    cell = table.cell(index, "published")
    try:
        if len(cell) <= 10:
            return end_of_day(date.fromisoformat(cell))
        stated = datetime.fromisoformat(cell)
        return (stated if stated.tzinfo is not None else stated.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        table.refuse(index, Reason("published_is_no_time", cell=repr(cell[:40])))


class RecordedEquities:
    """The source of a folder. Two sources of the same files give the same readings."""

    name: Literal["recorded"] = "recorded"

    def __init__(self, folder: Path, files: KeptFiles | None = None) -> None:
        """files: what its files are read through."""
        self._folder = folder
        self._kept = files or KeptFiles()

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
        return await asyncio.to_thread(self._prices, listing, moment, bars)

    async def intraday(self, listing: Listing, moment: TradingMoment) -> IntradayReading:
        """Return the bars of the finest file that has some of the session until then."""
        return await asyncio.to_thread(self._intraday, listing, moment)

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        """See the protocol. Per-share values are as the file has them."""
        read = partial(self._by_symbol, lambda folder: folder.fundamentals, read_fundamentals_file, (listing.symbol,))
        found = known_filings(await asyncio.to_thread(read), moment)
        return Layer(found, "recorded", None if found else "the recordings hold no filing that was known by then")

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        read = partial(self._by_symbol, lambda folder: folder.news, read_news_file, (listing.symbol, MARKET))
        found = known_news(await asyncio.to_thread(read), moment)
        return Layer(found, "recorded", None if found else "the recordings hold no news of the 30 days before")

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        """Return the companies of its market that are recorded in long files on the last session; none for a share.

        A recording does not say whether they are the index's own, nor their weights.
        """
        if listing.kind == "stock":
            return Layer(missing=Reason("company_has_no_constituents"))
        found = await asyncio.to_thread(self._constituents, listing, moment)
        return Layer(found, "companies recorded beside it", None if found else "the recordings hold no companies of its market on that day")

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        """Return nothing: a recording has no macro figures."""
        return Layer(missing=Reason("recordings_hold_no_macro_figures"))

    async def sector(self, listing: Listing) -> Layer[str]:
        """Return nothing: a recording does not say it."""
        return Layer(missing=Reason("recordings_do_not_say_its_sector"))

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
        hint = Reason("hint_did_you_mean", near=near[0]) if near else ""
        shown = ", ".join(symbols[:30]) + (" ..." if len(symbols) > 30 else "")
        raise UnknownSymbol(Reason("company_is_not_recorded_in", symbol=listing.symbol, folder=self._folder, shown=shown, hint=hint))

    def _latest(self, listing: Listing) -> TradingMoment:
        newest = max((recording.days[1] for recording in self._recordings(self._listed(), listing.symbol)), default=None)
        if newest is None:
            raise UnknownSymbol(Reason("is_not_recorded_in", symbol=listing.symbol, folder=self._folder))
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

    def _intraday(self, listing: Listing, moment: TradingMoment) -> IntradayReading:
        opened = calendar_of(listing.calendar).session(moment.trade_date).open
        for file in self._listed().intraday:
            if file.symbol != listing.symbol:
                continue
            bars = self._kept.keep(file.path, partial(read_candle_file, file.path, file.timeframe)).candles
            found = bars_between(bars, opened, moment.known_at)
            if len(found):
                return IntradayReading(found, f"{file.source} {file.timeframe}")
        raise BadInput(
            Reason(
                "recordings_have_no_bar_of_from_open",
                symbol=listing.symbol,
                trade_date=moment.trade_date,
                known_at=f"{moment.known_at:%H:%M:%S}",
                intraday_pattern=INTRADAY_PATTERN,
            )
        )

    def _recording(self, listing: Listing, moment: TradingMoment) -> RecordedPrices:
        """Return the first file with the row of the last session."""
        spans = []
        for recording in self._recordings(self._listed(), listing.symbol):
            if recording.has(moment.last_session):
                return recording
            spans.append((recording.prices.path.name, *recording.days))
        shown = ", ".join(f"{name} from {first} to {last}" for name, first, last in spans)
        fault = Reason("has_no_row_for", symbol=listing.symbol, last_session=moment.last_session, shown=shown)
        inside = any(first <= moment.last_session <= last for _, first, last in spans)
        if inside or moment.trading_session == "post_close":
            raise BadMarketData(Reason("choose_date_whose_close_is_there", fault=fault))
        raise ClockOutOfRange(Reason("choose_later_or_earlier_date", fault=fault))

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
