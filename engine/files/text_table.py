"""Words and numbers in a file: `.csv` and `.csv.gz` with quoted cells, empty cells and columns that may be missing.

Given a path, the columns that must be there and those that may, gives cells as text in the order of the file, with the place of every row;
`number` and `day` read one column further. Never repairs: a row of the wrong width, a cell that is no number where one is asked for, or
an unreadable archive is BadMarketData with file and row.
"""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.domain.errors import BadMarketData
from engine.files.table_file import SHOWN, column_positions, plain_float, read_text

_DIGITS = frozenset("0123456789.-")


@dataclass(frozen=True, eq=False)
class TextTable:
    """columns: name -> its cells, stripped. lines: the line of the file at which each row ends."""

    path: Path
    columns: dict[str, list[str]]
    lines: list[int]

    def __len__(self) -> int:
        return len(self.lines)

    def has(self, name: str) -> bool:
        """Return whether the file has this column."""
        return name in self.columns

    def row_label(self, index: int) -> str:
        """Return `FILE row 3 (line 4)`: data rows count from 1, lines with the heading."""
        return f"{self.path.name} row {index + 1} (line {self.lines[index]})"

    def refuse(self, index: int, fault: str) -> NoReturn:
        """Report a fault of row `index` (from 0). Raises BadMarketData, always."""
        raise BadMarketData(f"{self.row_label(index)}: {fault}")

    def cell(self, index: int, name: str) -> str:
        """Return a cell, "" where the file has no such column."""
        column = self.columns.get(name)
        return column[index] if column is not None else ""

    def number(self, index: int, name: str) -> float | None:
        """Return a cell as a finite number, None where it is empty. Raises BadMarketData."""
        cell = self.cell(index, name)
        if not cell:
            return None
        try:
            value = plain_float(cell)
        except ValueError:
            self.refuse(index, f"{name} {cell[:SHOWN]!r} is not a number")
        if not math.isfinite(value):
            self.refuse(index, f"{name} is {cell[:SHOWN]}, not a number")
        return value

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a whole column as float64[n], finite. Raises BadMarketData for the first cell that is empty or no number."""
        cells = self.columns[name]
        if all(_DIGITS.issuperset(cell) for cell in cells):
            try:
                return np.array(cells, dtype=np.str_).astype(np.float64)
            except ValueError:
                pass  # found below, with its row
        values = [self.number(index, name) for index in range(len(cells))]
        if None in values:
            self.refuse(values.index(None), f"{name} is empty")
        return np.array(values, dtype=np.float64)

    def day(self, index: int, name: str) -> date | None:
        """Return a cell (`2024-03-08` or `20240308`) as a date, None where it is empty. Raises BadMarketData."""
        cell = self.cell(index, name)
        if not cell:
            return None
        try:
            return date.fromisoformat(cell[:10] if cell[10:11] in {"T", " "} else cell)
        except ValueError:
            self.refuse(index, f"{name} {cell[:SHOWN]!r} is not a date: write it as 2024-03-08")


def read_text_table(path: Path, must: Sequence[str], may: Sequence[str] | None = ()) -> TextTable:
    """Return the columns `must` and, where there are any, `may` (None = all others). A file without rows is an empty table.

    Raises BadMarketData.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        heading = [name.strip() for name in next(reader, [])]
        wanted = [*must, *((name for name in heading if name not in must) if may is None else (name for name in may if name in heading))]
        positions = column_positions(path, heading, wanted)
        columns: list[list[str]] = [[] for _ in wanted]
        lines: list[int] = []
        for row in reader:
            if not row:
                continue
            if len(row) != len(heading):
                raise BadMarketData(
                    f"{path.name} row {len(lines) + 1} (line {reader.line_num}): {len(row)} fields instead of {len(heading)}: "
                    f"{','.join(row)[:SHOWN]!r}"
                )
            lines.append(reader.line_num)
            for cells, position in zip(columns, positions, strict=True):
                cells.append(row[position].strip())
    except csv.Error as error:
        raise BadMarketData(f"{path.name} line {reader.line_num} is not a line of a table: {error}") from error
    return TextTable(path, dict(zip(wanted, columns, strict=True)), lines)
