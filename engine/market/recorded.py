"""A folder of recorded candles as a feed: the market as it was known at any instant the files cover.

Given a folder as `recordings.py` reads it. A timeframe comes from its own file, or is built from the longest shorter one that divides it;
a file covers every instant up to one candle beyond its end (the candle that is open then is nowhere yet), one that does not cover the
instant is not used, and one that gives too few candles for the facts gives way to one that has more.
Candles before a gap are never used together with those after it: the reading begins after the last gap and says so. There is no forming
candle: a recording does not know what was inside one. Files are read in a thread and kept until they change.
"""

import asyncio
import difflib
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Literal

from engine.domain.errors import BadMarketData, ClockOutOfRange, MarketError, NoSuchTimeframe, UnknownSymbol
from engine.domain.market.instants import from_ms, instant_ms, utc_text
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.files.kept_files import KeptFiles
from engine.files.recorded_files import CandleFile, Series, read_candle_file, read_series_file
from engine.market.assumed_terms import assumed_terms
from engine.market.protocol import CandleReading, HistoryReading, SeriesName, SurroundingsReading
from engine.market.recordings import Folder, RecordedMarket, list_recordings
from engine.market.window import Window, span_of, window_at

ENOUGH = 250  # candles that the facts need; a file with fewer gives way to one with more
_USUAL = tuple(Timeframe.parse(name) for name in ("1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w"))
_DAY_MS = 86_400_000
_AGE_MS = {"funding_rate": _DAY_MS, "open_interest": _DAY_MS, "value": 3 * _DAY_MS}  # older is no longer known; fear and greed misses days


class RecordedFeed:
    """The feed of a folder. Two feeds of the same files give the same candles."""

    name: Literal["recorded"] = "recorded"

    def __init__(self, folder: Path, files: KeptFiles | None = None) -> None:
        """files: what its files are read through."""
        self._folder = folder
        self._kept = files or KeptFiles()

    @property
    def venue(self) -> str:
        """The venue whose files are read; several are joined by `+`. Raises BadInput for a folder without markets."""
        return "+".join(sorted({recording.venue for recording in self._listing().recordings.values()}))

    async def markets(self) -> tuple[Market, ...]:
        """Return markets with candles in the folder, by name. No file is opened. Raises BadInput for a folder without any."""
        return tuple(recording.market for recording in (await asyncio.to_thread(self._listing)).recordings.values())

    async def market(self, symbol: str) -> Market:
        """Return the market of a symbol; its price step is not known. Raises UnknownSymbol."""
        return (await asyncio.to_thread(self._recording, Market.parse(symbol))).market

    async def timeframes(self, market: Market) -> tuple[Timeframe, ...]:
        """Return recorded timeframes and the usual ones that can be built from them, shortest first. Raises UnknownSymbol."""
        recording = await asyncio.to_thread(self._recording, market)
        return _timeframes(recording)

    async def clock(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> datetime:
        """Return the end of the market in these timeframes: of the file `timeframe` comes from first, if the higher one is known there
        too."""
        return from_ms(await asyncio.to_thread(self._end, market, timeframe, htf))

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        """Return candles as the protocol has it; one that is open at `at` is not known. Raises BadMarketData for a broken file or a gap."""
        return await asyncio.to_thread(self._read, market, timeframe, instant_ms(at), bars)

    async def terms(self, market: Market) -> MarketTerms:
        """Return terms assumed from the first price of the recording: what came later changes nothing."""
        return await asyncio.to_thread(self._terms, market)

    async def surroundings(self, market: Market, at: datetime) -> Surroundings:
        """Return last settled funding, open interest and sentiment at `at`; None for what the folder lacks or is too old."""
        return (await self.read_surroundings(market, at)).surroundings

    async def read_surroundings(self, market: Market, at: datetime) -> SurroundingsReading:
        """Return the surroundings, with a note for each file that has nothing recent enough."""
        return await asyncio.to_thread(self._surroundings, market, instant_ms(at))

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        """Return the rows of the recording up to `at`. Raises a MarketError where the folder has none."""
        return await asyncio.to_thread(self._history, market, what, instant_ms(at), points)

    async def close(self) -> None:
        """Forget what was read."""
        self._kept.clear()

    def _listing(self) -> Folder:
        return list_recordings(self._folder)

    def _recording(self, market: Market) -> RecordedMarket:
        folder = self._listing()
        recording = folder.recordings.get(market.symbol)
        if recording is not None:
            return recording
        near = difflib.get_close_matches(market.symbol, folder.recordings, n=1)
        hint = Reason("hint_did_you_mean", near=near[0]) if near else ""
        strange = Reason("hint_unreadable_files", names=", ".join(folder.unreadable[:3])) if folder.unreadable else ""
        raise UnknownSymbol(
            Reason(
                "is_not_recorded_in_it_has",
                symbol=market.symbol,
                folder=self._folder,
                recordings=", ".join(folder.recordings),
                hint=hint,
                strange=strange,
            )
        )

    def _files(self, recording: RecordedMarket, timeframe: Timeframe) -> Iterator[CandleFile]:
        """Yield files that can give the timeframe, best first: its own, then the longest shorter one. Each is read only when reached."""
        for source in sorted(recording.candles, reverse=True):
            if source.divides(timeframe):
                yield self._kept.keep(recording.candles[source], partial(read_candle_file, recording.candles[source], source))

    def _read(self, market: Market, timeframe: Timeframe, at_ms: int, bars: int) -> CandleReading:
        recording = self._recording(market)
        _must_divide(recording, timeframe)
        windows: list[Window] = []
        spans: list[tuple[int, int]] = []
        for file in self._files(recording, timeframe):
            spans.append(span_of(file, timeframe))
            window = window_at(file, timeframe, at_ms, bars)
            if window is not None:
                windows.append(window)
                if window.fault is None and len(window.closed) >= min(bars, ENOUGH):
                    break
        if not windows:
            raise ClockOutOfRange(_outside(market, timeframe, spans, at_ms))
        best = max(windows, key=lambda window: (window.fault is None, min(len(window.closed), ENOUGH)))  # the first of equals
        if best.fault is not None:
            raise BadMarketData(Reason("choose_time_outside_gap", fault=best.fault))
        return CandleReading(best.closed, None, (*best.notes, *_why(best, windows[0], timeframe), *_passed_over(recording)))

    def _end(self, market: Market, timeframe: Timeframe, htf: Timeframe | None) -> int:
        recording = self._recording(market)
        asked = [timeframe] if htf is None else [timeframe, htf]
        for each in asked:
            _must_divide(recording, each)
        ends = (file.candles.closed_at for each in asked for file in self._files(recording, each))
        for end in ends:
            if all(self._known(recording, each, end) for each in asked):
                return end
        names = " and ".join(str(each) for each in asked)
        raise ClockOutOfRange(Reason("files_have_no_instant_at_which_candles", symbol=market.symbol, names=names))

    def _terms(self, market: Market) -> MarketTerms:
        recording = self._recording(market)
        longest = max(recording.candles)
        file = next(self._files(recording, longest))
        return assumed_terms(recording.market, float(file.candles.close[0]))

    def _known(self, recording: RecordedMarket, timeframe: Timeframe, at_ms: int) -> bool:
        windows = (window_at(file, timeframe, at_ms, 1) for file in self._files(recording, timeframe))
        return any(window is not None and window.fault is None for window in windows)

    def _history(self, market: Market, what: SeriesName, at_ms: int, points: int) -> HistoryReading:
        recording = self._recording(market)
        path = recording.funding if what == "funding_rate" else recording.open_interest
        low, high = (-1.0, 1.0) if what == "funding_rate" else (0.0, inf)
        rows = self._kept.keep(path, partial(read_series_file, path, what, low, high)).until(at_ms, points) if path is not None else ()
        if path is None or not rows:
            raise MarketError(Reason("has_no_recorded_up_to", symbol=market.symbol, value=what.replace("_", " "), at_ms=utc_text(at_ms)))
        steps = sorted(later[0] - earlier[0] for earlier, later in pairwise(rows))
        return HistoryReading(rows, steps[len(steps) // 2] if steps else _DAY_MS, path.name)

    def _surroundings(self, market: Market, at_ms: int) -> SurroundingsReading:
        recording, mood = self._recording(market), self._listing().fear_greed
        notes: list[str] = []

        def last(path: Path | None, column: str, low: float, high: float, ms: int) -> float | None:
            if path is None:
                return None
            series: Series = self._kept.keep(path, partial(read_series_file, path, column, low, high))
            value, known_at = series.last(ms, _AGE_MS[column]), series.last_known_at(ms)
            if value is None:
                newest = "nothing" if known_at is None else Reason("nothing_newer_than", known_at=utc_text(known_at))
                notes.append(Reason("has_for_is_not_known", name=path.name, newest=newest, ms=utc_text(ms), column=column))
            return value

        found = Surroundings(
            funding_rate=last(recording.funding, "funding_rate", -1.0, 1.0, at_ms),
            open_interest=last(recording.open_interest, "open_interest", 0.0, inf, at_ms),
            open_interest_24h_ago=last(recording.open_interest, "open_interest", 0.0, inf, at_ms - _DAY_MS),
            fear_greed=last(mood, "value", 0.0, 100.0, at_ms),
        )
        return SurroundingsReading(found, tuple(notes))


def _timeframes(recording: RecordedMarket) -> tuple[Timeframe, ...]:
    built = (timeframe for timeframe in _USUAL if any(source.divides(timeframe) for source in recording.candles))
    return tuple(sorted({*recording.candles, *built}))


def _must_divide(recording: RecordedMarket, timeframe: Timeframe) -> None:
    if not any(source.divides(timeframe) for source in recording.candles):
        known = ", ".join(str(each) for each in _timeframes(recording))
        raise NoSuchTimeframe(Reason("has_no_candles_and_none_to_build", symbol=recording.market.symbol, timeframe=timeframe, known=known))


def _why(best: Window, first: Window, timeframe: Timeframe) -> tuple[str, ...]:
    """Return why a file that covers the instant was left for another."""
    if best is first:
        return ()
    why = first.fault or f"{first.file.path.name} gives only {len(first.closed)} {timeframe} candles here"
    return (f"{why}; {best.file.path.name} is used instead",)


def _passed_over(recording: RecordedMarket) -> tuple[str, ...]:
    if not recording.passed_over:
        return ()
    return (f"{recording.market.symbol} is read from {recording.venue}; not read: {', '.join(recording.passed_over)}",)


def _outside(market: Market, timeframe: Timeframe, spans: list[tuple[int, int]], at_ms: int) -> str:
    shown = ", ".join(f"{utc_text(first)} to {utc_text(last)}" for first, last in spans if first <= last)
    if not shown:
        return Reason("is_not_known_at_files_hold_no", symbol=market.symbol, at_ms=utc_text(at_ms), timeframe=timeframe)
    return Reason("is_not_known_at", symbol=market.symbol, at_ms=utc_text(at_ms), timeframe=timeframe, shown=shown)
