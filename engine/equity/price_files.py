"""Daily prices of companies in files: one file a symbol, or one file for many.

Given a path, gives raw candles, each in shares of its own day, and what else the file says of a day. Checked row by row as candles of a
market are (`engine/files`): the first row that cannot be true is BadMarketData with file and row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.candles import COLUMNS, Candles
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.equity.listings import canonical_symbol
from engine.files.recorded_files import checked_candles, read_candle_file
from engine.files.table_file import Table, row_label
from engine.files.text_table import TextTable, read_text_table

DAY = Timeframe.parse("1d")


@dataclass(frozen=True, eq=False)
class DailyPrices:
    """Raw daily candles of one symbol. stated: float64[n], the close before each as the exchange states it, NaN where it is not there; None
    for a file without that column. rows: where each is in the file."""

    path: Path
    candles: Candles
    stated: NDArray[np.float64] | None
    rows: NDArray[np.intp]

    def row_label(self, index: int) -> str:
        """Return where a candle was read: file, row, line."""
        return row_label(self.path, int(self.rows[index]))


def read_raw_file(path: Path) -> DailyPrices:
    """Read the file of one symbol. Raises BadMarketData."""
    candles = read_candle_file(path, DAY).candles
    return DailyPrices(path, candles, None, np.arange(len(candles)))


def read_long_file(path: Path) -> Mapping[str, DailyPrices]:
    """Read a file of many symbols: symbol -> its prices. Raises BadMarketData for the first symbol that cannot be right."""
    table = read_text_table(path, ("symbol", "timestamp", *COLUMNS), ("previous_close",))
    columns = {name: table.numbers(name) for name in ("timestamp", *COLUMNS)}
    stated = _stated(table) if table.has("previous_close") else None
    symbols = np.array([canonical_symbol(cell) for cell in table.columns["symbol"]], dtype=np.str_)
    found = {}
    for symbol in sorted(set(symbols.tolist())):
        rows = np.flatnonzero(symbols == symbol)
        part = Table(path, {name: column[rows] for name, column in columns.items()}, rows)
        found[symbol] = DailyPrices(path, checked_candles(part, DAY), None if stated is None else stated[rows], rows)
    return found


def _stated(table: TextTable) -> NDArray[np.float64]:
    """Return the stated previous closes, NaN where a cell is empty."""
    values = [table.number(index, "previous_close") for index in range(len(table))]
    for index, value in enumerate(values):
        if value is not None and value <= 0:
            table.refuse(index, Reason("previous_close_is_not_above_zero", cell=f"{value:.12g}"))
    return np.array([np.nan if value is None else value for value in values])
