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
from engine.domain.text.reason import Reason
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
        return Reason("row_and_line_of_file", name=self.path.name, row=index + 1, line=self.lines[index])

    def refuse(self, index: int, fault: str) -> NoReturn:
        """Report a fault of row `index` (from 0). Raises BadMarketData, always."""
        raise BadMarketData(Reason("about", who=self.row_label(index), what=fault))

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
            self.refuse(index, Reason("cell_cannot_be_a_number", name=name, cell=repr(cell[:SHOWN])))
        if not math.isfinite(value):
            self.refuse(index, Reason("cell_is_no_number", name=name, cell=cell[:SHOWN]))
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
            self.refuse(values.index(None), Reason("column_is_empty", name=name))
        return np.array(values, dtype=np.float64)

    def day(self, index: int, name: str) -> date | None:
        """Return a cell (`2024-03-08` or `20240308`) as a date, None where it is empty. Raises BadMarketData."""
        cell = self.cell(index, name)
        if not cell:
            return None
        try:
            return date.fromisoformat(cell[:10] if cell[10:11] in {"T", " "} else cell)
        except ValueError:
            self.refuse(index, Reason("cell_is_no_date", name=name, cell=repr(cell[:SHOWN])))


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
                    Reason(
                        "row_line_fields_instead_of",
                        name=path.name,
                        lines=len(lines) + 1,
                        line_num=reader.line_num,
                        row=len(row),
                        heading=len(heading),
                        row2=f"{','.join(row)[:SHOWN]!r}",
                    )
                )
            lines.append(reader.line_num)
            for cells, position in zip(columns, positions, strict=True):
                cells.append(row[position].strip())
    except csv.Error as error:
        raise BadMarketData(Reason("line_is_not_line_of_table", name=path.name, line_num=reader.line_num, error=error)) from error
    return TextTable(path, dict(zip(wanted, columns, strict=True)), lines)
