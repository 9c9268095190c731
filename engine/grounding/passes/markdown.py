"""Markdown tables, unrolled into plain statements.

A table whose header names the indicators (`| Timeframe | RSI | ADX |`) or the timeframes (`| Indicator | 15m | 1h |`) says in its header
what its cells mean. Given the composed items, gives items in which every such cell comes after its own indicator and timeframe, as if
it had been written out; a table with one statement a row (`| RSI | 57.9 |`) reads as it is and is left alone.
"""

from dataclasses import dataclass, replace

from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c

Row = list[list[Item]]
_PAST_AND_NOW = 2
_IGNORED = frozenset({c.NOW, c.FILL, c.WEAK, c.LINK, c.OPEN, c.CLOSE})


def unroll_markdown_tables(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Write out tables whose header says what their cells mean: each cell behind its own name and timeframe."""
    if not any(item.cat == c.PIPE for item in items):
        return items
    out: list[Item] = []
    header: _Header | None = None
    for line, end in _lines(items):
        if sum(item.cat == c.PIPE for item in line) < 2:
            header = None
            out += line + end
            continue
        row = _cells(line)
        if header is None:
            header = _header(row)
            out += [] if header is not None else line
            out += end
            continue
        written = _write_out(header, row)
        out += (written if written is not None else line) + end
    return out


def _lines(items: list[Item]) -> list[tuple[list[Item], list[Item]]]:
    """Return the lines, each as its items and its line end."""
    lines: list[tuple[list[Item], list[Item]]] = []
    start = 0
    for index, item in enumerate(items):
        if item.cat == c.STRONG and item.val == "\n":
            lines.append((items[start:index], [item]))
            start = index + 1
    lines.append((items[start:], []))
    return lines


def _cells(line: list[Item]) -> Row:
    row: Row = [[]]
    for item in line:
        if item.cat == c.PIPE:
            row.append([])
        else:
            row[-1].append(item)
    return row[1 if line[0].cat == c.PIPE else 0 :]


def _only(cell: list[Item], cat: str) -> Item | None:
    """Return the cell's item of this category, when the cell holds nothing else that matters."""
    found = [item for item in cell if item.cat == cat]
    return found[0] if len(found) == 1 and not any(item.cat not in {cat, c.UNKNOWN, *_IGNORED} for item in cell) else None


@dataclass(frozen=True)
class _Header:
    """What the columns mean. past: those that tell of an earlier time. framed: whether any names a timeframe."""

    cells: Row
    past: frozenset[int]
    framed: bool
    named: bool


def _header(row: Row) -> _Header | None:
    """Return the row as a header; None when its columns are neither indicators nor timeframes nor times."""
    if any(item.cat in {c.NUM, c.RANGE, c.STATE} for cell in row for item in cell):
        return None
    row = [row[0], *(_without_bare_signal(cell, row) for cell in row[1:])] if row else row
    named = any(_only(cell, c.IND) is not None for cell in row[1:])
    framed = any(_only(cell, c.FRAME) is not None for cell in row)
    past = frozenset(column for column, cell in enumerate(row) if any(item.cat == c.HISTORY for item in cell))
    columns = any(_only(cell, c.FRAME) is not None for cell in row[1:])
    return _Header(row, past, framed, named) if named or columns or (past and len(row) > _PAST_AND_NOW) else None


def _without_bare_signal(cell: list[Item], row: Row) -> list[Item]:
    """Return a column's head without `Signal`, where no other column is of the MACD: there it means what to do."""
    alone = [item for item in cell if item.cat == c.IND and item.end - item.start <= len("signal") and _kind(item) == "signal"]
    of_macd = any(_kind(item) in {"macd", "histogram"} for other in row for item in other)
    return cell if of_macd or not alone else [replace(item, cat=c.UNKNOWN, val="signal") if item in alone else item for item in cell]


def _kind(item: Item) -> str:
    return item.val.indicator.kind if isinstance(item.val, NamedIndicator) else ""


def _write_out(header: _Header, row: Row) -> list[Item] | None:
    """Return one row as sentences; None when it is no data row."""
    if not any(item.cat in {c.NUM, c.RANGE, c.STATE} for cell in row[1:] for item in cell):
        return [] if all(item.cat in {c.FILL, c.WEAK, c.LINK} for cell in row for item in cell) else None
    if not header.named and not header.framed:  # `| Metric | Prev bar | Now |`: what is past says nothing about now
        return [item for column, cell in enumerate(row) if column not in header.past for item in cell]
    lead_name, lead_frame = (_only(row[0], c.IND), _only(row[0], c.FRAME)) if row else (None, None)
    framed = [item.cat for item in row[0] if item.cat != c.FILL] == [c.FRAME, c.IND] if row else False  # `| 1h support | 119,719 |`
    if (lead_name is not None or framed) and not header.framed:
        return None
    out: list[Item] = []
    for column, cell in enumerate(row[1:], start=1):
        head = header.cells[column] if column < len(header.cells) else []
        name = lead_name or _only(head, c.IND)
        frame = _only(head, c.FRAME) or lead_frame
        if not cell or name is None:
            continue
        first = cell[0]
        stop = replace(first, cat=c.STRONG, val="cell", start=cell[-1].end - 1, end=cell[-1].end)
        named = replace(name, start=first.start, end=first.start + 1, gap=True)
        out += ([replace(frame, start=first.start, end=first.start + 1)] if frame is not None else []) + [named, *cell, stop]
    return out
