"""One file of values in time: funding, open interest, fear and greed.

A value counts from its own timestamp on, until the next one or until it is too old; never before. Too old is unknown, not zero.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.market.table_file import read_table


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

    def last_told_at(self, at_ms: int) -> int | None:
        """Return when the last value up to `at_ms` was told, however old; None before the first."""
        index = self._index(at_ms)
        return int(self.known_at[index]) if index >= 0 else None

    def _index(self, at_ms: int) -> int:
        return int(np.searchsorted(self.known_at, at_ms, side="right")) - 1


def read_series_file(path: Path, column: str, low: float = -np.inf, high: float = np.inf) -> Series:
    """Read `timestamp` and `column`; values lie in [low, high]. Raises BadMarketData with file and row."""
    table = read_table(path, ("timestamp", column))
    times, values = table.columns["timestamp"], table.columns[column]
    late = np.r_[False, np.diff(times) <= 0]
    if late.any():
        table.refuse(int(np.argmax(late)), "its time is not after the row before")
    outside = (values < low) | (values > high)
    if outside.any():
        index = int(np.argmax(outside))
        table.refuse(index, f"{column} {values[index]:.12g} is not between {low:g} and {high:g}")
    return Series(times.astype(np.int64), values.copy())
