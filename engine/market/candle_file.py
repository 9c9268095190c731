"""One file of candles, checked row by row.

Given a path and the timeframe its name promises, gives the candles and where they have gaps. Never repairs or drops a row: the first row
that cannot be true is BadMarketData with file and row. A gap is no fault of a row; who uses the candles must not reach across it.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.candles import COLUMNS, Candles
from engine.domain.market.timeframe import Timeframe
from engine.market.instants import say
from engine.market.table_file import Table, place, read_table

_EARLIEST_MS = 315_532_800_000  # 1980: seconds mistaken for milliseconds lie in 1970
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
        lacks = "1 candle is missing" if missing == 1 else f"{missing} candles are missing"
        return f"{place(self.path, index)}: {lacks} between {say(before)} and {say(after)}"


def read_candle_file(path: Path, timeframe: Timeframe) -> CandleFile:
    """Read and check the file. Raises BadMarketData."""
    table = read_table(path, ("timestamp", *COLUMNS))
    _check_times(table, timeframe)
    _check_prices(table)
    opened_at = table.columns["timestamp"].astype(np.int64)
    candles = Candles(timeframe, opened_at, *(np.ascontiguousarray(table.columns[name]) for name in COLUMNS))
    return CandleFile(path, candles, np.flatnonzero(np.diff(opened_at) > timeframe.ms) + 1)


def _check_times(table: Table, timeframe: Timeframe) -> None:
    times = table.columns["timestamp"]
    strange = (times < _EARLIEST_MS) | (times > _LATEST_MS) | (times != np.floor(times))
    if strange.any():
        index = int(np.argmax(strange))
        table.refuse(index, f"timestamp {times[index]:.15g} is no time in UTC milliseconds between 1980 and 2100")
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
        table.refuse(index, f"{say(stamp)} is not where a {timeframe} candle opens")
    if stamp == stamps[index - 1]:
        table.refuse(index, f"{say(stamp)} stands twice")
    table.refuse(index, f"{say(stamp)} comes after {say(int(stamps[index - 1]))}: rows must be in the order of time")


def _check_prices(table: Table) -> None:
    opened, high, low, close, volume = (table.columns[name] for name in COLUMNS)
    rules = (
        (np.minimum.reduce([opened, high, low, close]) <= 0, "a price is not above zero"),
        (high < low, "high is below low"),
        (high < np.maximum(opened, close), "high is below open or close"),
        (low > np.minimum(opened, close), "low is above open or close"),
        (volume < 0, "volume is negative"),
    )
    faults = [(int(np.argmax(broken)), text) for broken, text in rules if broken.any()]
    if faults:
        index, text = min(faults, key=lambda fault: fault[0])
        values = ", ".join(f"{name} {table.columns[name][index]:.12g}" for name in COLUMNS)
        table.refuse(index, f"{text} ({values})")
