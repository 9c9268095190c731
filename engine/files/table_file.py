"""Numbers in a file, as columns: `.csv`, `.csv.gz` and `.parquet`, with the place of every fault.

Given a path and column names, gives float columns of equal length. Never repairs: a cell that is not a finite number, a row of the wrong
width or an unreadable archive is BadMarketData with file and row. More columns than the asked ones are allowed and not read.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa  # it ships no types
import pyarrow.parquet as pq
from numpy.typing import NDArray

from engine.domain.errors import BadMarketData
from engine.domain.text.reason import Reason

SUFFIXES = (".csv", ".csv.gz", ".parquet")
SHOWN = 40  # characters of a bad cell in a message


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one file, or of some of its rows. columns: name -> float64[n], finite. rows: where each is in the file, None = all."""

    path: Path
    columns: dict[str, NDArray[np.float64]]
    rows: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def row_label(self, index: int) -> str:
        """Return the name of row `index` (from 0) in messages."""
        return row_label(self.path, index if self.rows is None else int(self.rows[index]))

    def refuse(self, index: int, fault: str) -> NoReturn:
        """Report a fault of row `index` (from 0). Raises BadMarketData, always."""
        raise BadMarketData(Reason("about", who=self.row_label(index), what=fault))


def row_label(path: Path, index: int) -> str:
    """Return `FILE row 3 (line 4)`: data rows count from 1, lines with the heading; a Parquet file has no lines."""
    if path.suffix == ".parquet":
        return Reason("row_of_file", name=path.name, row=index + 1)
    return Reason("row_and_line_of_file", name=path.name, row=index + 1, line=index + 2)


def read_table(path: Path, names: Sequence[str]) -> Table:
    """Return the columns `names` of the file, at least one row. Raises BadMarketData."""
    table = _read_parquet(path, names) if path.suffix == ".parquet" else _read_csv(path, names)
    if len(table) == 0:
        raise BadMarketData(Reason("is_empty_it_has_no_rows", name=path.name))
    finite = np.logical_and.reduce([np.isfinite(table.columns[name]) for name in names])
    if not finite.all():
        index = int(np.argmin(finite))
        name = next(name for name in names if not np.isfinite(table.columns[name][index]))
        table.refuse(index, Reason("cell_is_no_number", name=name, cell=table.columns[name][index]))
    return table


def _read_csv(path: Path, names: Sequence[str]) -> Table:
    lines = read_text(path).splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise BadMarketData(Reason("is_empty_it_has_no_heading", name=path.name))
    heading = [name.strip() for name in _cells(path, lines[0], "heading")]
    wanted = column_positions(path, heading, names)
    body = lines[1:]
    values = _quick(body, wanted, len(heading))
    if values is None:
        values = _careful(path, body, wanted, heading)
    return Table(path, {name: values[:, column] for column, name in enumerate(names)})


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, unpacked where it ends in `.gz`. Raises BadMarketData."""
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadMarketData(Reason("is_not_text_file_in_utf_8", name=path.name, start=error.start)) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadMarketData(Reason("is_not_whole_gzip_file", name=path.name, error=error)) from error
    except OSError as error:
        raise BadMarketData(Reason("cannot_be_read", name=path.name, strerror=error.strerror or error)) from error


def column_positions(path: Path, heading: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return where the columns stand. Raises BadMarketData for one that is missing or occurs twice."""
    missing = [name for name in names if name not in heading]
    if missing:
        shown = ", ".join(heading)[:120]
        raise BadMarketData(Reason("has_no_column", name=path.name, missing=", ".join(missing), shown=f"{shown!r}"))
    twice = [name for name in names if heading.count(name) > 1]
    if twice:
        raise BadMarketData(Reason("has_more_than_one_column", name=path.name, twice=", ".join(twice)))
    return [heading.index(name) for name in names]


def _quick(body: Sequence[str], wanted: Sequence[int], width: int) -> NDArray[np.float64] | None:
    """Return the table at C speed, or None when anything in it needs a closer look."""
    if not body:
        return np.empty((0, len(wanted)))
    if {line.count(",") for line in body} != {width - 1}:
        return None
    try:
        return np.loadtxt(body, delimiter=",", comments=None, usecols=wanted, ndmin=2)
    except ValueError:
        return None


def _careful(path: Path, body: Sequence[str], wanted: Sequence[int], heading: Sequence[str]) -> NDArray[np.float64]:
    values = np.empty((len(body), len(wanted)))
    for index, line in enumerate(body):
        row = _cells(path, line, f"row {index + 1}")
        if len(row) != len(heading):
            raise BadMarketData(
                Reason("fields_instead_of", path=row_label(path, index), row=len(row), heading=len(heading), line=f"{line[:SHOWN]!r}")
            )
        for column, position in enumerate(wanted):
            try:
                values[index, column] = plain_float(row[position])
            except ValueError as error:
                cell = row[position].strip()
                fault = Reason("is_not_number", cell=f"{cell[:SHOWN]!r}") if cell else Reason("cell_is_empty")
                what = Reason("column_fault", name=heading[position], fault=fault)
                raise BadMarketData(Reason("about", who=row_label(path, index), what=what)) from error
    return values


def _cells(path: Path, line: str, where: str) -> list[str]:
    """Return the cells of one line. Raises BadMarketData for what is no line of a table, such as one of megabytes."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error as error:
        raise BadMarketData(Reason("is_not_line_of_table", name=path.name, where=where, error=error)) from error


def plain_float(cell: str) -> float:
    """Return a cell as a number. Raises ValueError also for what only Python takes for one: `10_000`, digits of other scripts."""
    if "_" in cell or not cell.isascii():
        raise ValueError
    return float(cell)


def _read_parquet(path: Path, names: Sequence[str]) -> Table:
    try:
        source = pq.ParquetFile(io.BytesIO(path.read_bytes()))
        column_positions(path, source.schema_arrow.names, names)
        table = source.read(columns=list(names))
        return Table(path, {name: _numbers(path, name, table.column(name)) for name in names})
    except OSError as error:
        raise BadMarketData(Reason("cannot_be_read", name=path.name, strerror=error.strerror or error)) from error
    except pa.ArrowInvalid as error:
        raise BadMarketData(Reason("is_not_whole_parquet_file", name=path.name, error=str(error).splitlines()[0][:120])) from error


def _numbers(path: Path, name: str, column: "pa.ChunkedArray") -> NDArray[np.float64]:
    """Return a Parquet column as float64; instants become UTC milliseconds, nulls become NaN."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("ms", tz=column.type.tz), safe=False).cast(pa.int64())
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise BadMarketData(Reason("column_holds_not_numbers", name=path.name, name2=name, kind=kind))
    cast = column.cast(pa.float64(), safe=False)
    return np.asarray(cast.to_numpy(), dtype=np.float64)
