"""The files of a recording, checked row by row: candles, and values in time (funding, open interest, fear and greed).

Given a path and what its name promises. Never repairs or drops a row: the first row that cannot be true is BadMarketData with file and row.
A gap between candles is no fault of a row; who uses the candles must not reach across it. A value counts from its own timestamp on, until
the next one or until it is too old, never before; too old is unknown, not zero.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.candles import COLUMNS, Candles
from engine.domain.market.instants import utc_text
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.files.table_file import Table, read_table, row_label

_EARLIEST_MS = 315_532_800_000  # 1980: seconds mistaken for milliseconds lie in 1970
_HIGHEST_PRICE, _MOST_VOLUME = 1e15, 1e30  # arithmetic on what is larger has no end
_LATEST_MS = 4_102_444_800_000  # 2100: microseconds lie far beyond


@dataclass(frozen=True, eq=False)
class CandleFile:
    """The candles of one file. gaps: positions of the candles that do not follow right after the one before, ascending."""

    path: Path
    candles: Candles
    gaps: NDArray[np.intp]

    def gap(self, index: int) -> str:
        """Return the gap before candle `index`, in words: file, row, times, how many candles are missing."""
        before, after = int(self.candles.opened_at[index - 1]), int(self.candles.opened_at[index])
        missing = (after - before) // self.candles.timeframe.ms - 1
        ends = {"row": row_label(self.path, index), "before": utc_text(before), "after": utc_text(after)}
        return Reason("candle_is_missing", **ends) if missing == 1 else Reason("candles_are_missing", n=missing, **ends)


def read_candle_file(path: Path, timeframe: Timeframe) -> CandleFile:
    """Read and check the file. Raises BadMarketData."""
    candles = checked_candles(read_table(path, ("timestamp", *COLUMNS)), timeframe)
    return CandleFile(path, candles, np.flatnonzero(np.diff(candles.opened_at) > timeframe.ms) + 1)


def checked_candles(table: Table, timeframe: Timeframe) -> Candles:
    """Return rows with `timestamp` and the columns of candles. Raises BadMarketData for the first one that cannot be true."""
    _check_times(table, timeframe)
    _check_prices(table)
    opened_at = table.columns["timestamp"].astype(np.int64)
    return Candles(timeframe, opened_at, *(np.ascontiguousarray(table.columns[name]) for name in COLUMNS))


def _check_times(table: Table, timeframe: Timeframe) -> None:
    times = table.columns["timestamp"]
    strange = (times < _EARLIEST_MS) | (times > _LATEST_MS) | (times != np.floor(times))
    if strange.any():
        index = int(np.argmax(strange))
        table.refuse(index, Reason("timestamp_is_no_time", stamp=f"{times[index]:.15g}"))
    stamps = times.astype(np.int64)
    late = np.diff(stamps) <= 0
    askew = (stamps - timeframe.floor(0)) % timeframe.ms != 0
    faulty = askew.copy()
    faulty[1:] |= late
    if not faulty.any():
        return
    index = int(np.argmax(faulty))
    stamp = int(stamps[index])
    if askew[index]:
        table.refuse(index, Reason("candle_opens_elsewhere", at=utc_text(stamp), timeframe=timeframe))
    if stamp == stamps[index - 1]:
        table.refuse(index, Reason("row_is_repeated", at=utc_text(stamp)))
    table.refuse(index, Reason("rows_are_not_in_order", at=utc_text(stamp), before=utc_text(int(stamps[index - 1]))))


def _check_prices(table: Table) -> None:
    opened, high, low, close, volume = (table.columns[name] for name in COLUMNS)
    rules = (
        (np.minimum.reduce([opened, high, low, close]) <= 0, Reason("price_is_not_above_zero")),
        (high < low, Reason("high_is_below_low")),
        (high < np.maximum(opened, close), Reason("high_is_below_open_or_close")),
        (low > np.minimum(opened, close), Reason("low_is_above_open_or_close")),
        (volume < 0, Reason("volume_is_negative")),
        ((high > _HIGHEST_PRICE) | (volume > _MOST_VOLUME), Reason("number_is_beyond_any_market")),
    )
    faults = [(int(np.argmax(broken)), text) for broken, text in rules if broken.any()]
    if faults:
        index, text = min(faults, key=lambda fault: fault[0])
        values = ", ".join(f"{name} {table.columns[name][index]:.12g}" for name in COLUMNS)
        table.refuse(index, Reason("with_remark", what=text, remark=values))


@dataclass(frozen=True, eq=False)
class Series:
    """Values in the order of time. known_at: int64[n], UTC milliseconds, strictly rising. value: float64[n], finite."""

    known_at: NDArray[np.int64]
    value: NDArray[np.float64]

    def last(self, at_ms: int, max_age_ms: int) -> float | None:
        """Return the last value known at `at_ms` and not older than `max_age_ms`, else None."""
        index = self._index(at_ms)
        if index < 0 or at_ms - int(self.known_at[index]) > max_age_ms:
            return None
        return float(self.value[index])

    def last_known_at(self, at_ms: int) -> int | None:
        """Return the UTC milliseconds of the last value up to `at_ms`, however old; None before the first."""
        index = self._index(at_ms)
        return int(self.known_at[index]) if index >= 0 else None

    def until(self, at_ms: int, count: int) -> tuple[tuple[int, float], ...]:
        """Return the last `count` rows known at `at_ms`, oldest first: (UTC milliseconds, value)."""
        stop = self._index(at_ms) + 1
        rows = slice(max(0, stop - count), stop)
        return tuple(zip(self.known_at[rows].tolist(), self.value[rows].tolist(), strict=True))

    def _index(self, at_ms: int) -> int:
        return int(np.searchsorted(self.known_at, at_ms, side="right")) - 1


def read_series_file(path: Path, column: str, low: float = -np.inf, high: float = np.inf) -> Series:
    """Read `timestamp` and `column`; values lie in [low, high]. Raises BadMarketData with file and row."""
    table = read_table(path, ("timestamp", column))
    times, values = table.columns["timestamp"], table.columns[column]
    late = np.r_[False, np.diff(times) <= 0]
    if late.any():
        table.refuse(int(np.argmax(late)), Reason("time_is_not_after_row_before"))
    outside = (values < low) | (values > high)
    if outside.any():
        index = int(np.argmax(outside))
        table.refuse(index, Reason("cell_is_out_of_bounds", name=column, cell=f"{values[index]:.12g}", low=f"{low:g}", high=f"{high:g}"))
    return Series(times.astype(np.int64), values.copy())
