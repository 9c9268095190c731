"""One journal copied into another, possibly empty one, of either database: all of it or nothing, and read back row by row.

Nothing changes in the source. The copy is committed once every row was read back equal, its audit chain holds, and nothing was written to
the source in the meantime.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, String, Table, collate, func, insert, select

from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason
from engine.journal.chain import Chain
from engine.journal.leases import ACTIVE
from engine.journal.tables import AUDIT_HEAD, METADATA, RUNS
from engine.journal.verification import faults

_AT_ONCE = 500
Counts = dict[str, int]
"""Rows by the name of their table."""


def begin_snapshot(connection: Connection) -> None:
    """Make everything that a new transaction reads come from one instant."""
    sqlite = connection.dialect.name == "sqlite"  # whose driver begins none for reading
    connection.exec_driver_sql("BEGIN" if sqlite else "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def count_rows(connection: Connection) -> Counts:
    """Return how many rows each table has."""
    return {table.name: connection.execute(select(func.count()).select_from(table)).scalar_one() for table in METADATA.sorted_tables}


def copy_rows(source: Connection, target: Connection, chain: Chain, now: datetime) -> Counts:
    """Copy every row into a journal that has none, in the caller's transactions; return how many there were.

    Args:
        source: Its snapshot has begun.
        chain: The target's.
        now: Runs whose lease ends later are still being worked on.

    Raises:
        StoreError: the source has a run in flight; the target is not empty; a row did not come back as it was, or the copied chain does
            not hold. The caller rolls back.
        SQLAlchemyError: the target refused a row.
    """
    _require_rest(source, now)
    if any(count for name, count in count_rows(target).items() if name != AUDIT_HEAD.name) or chain.end(target)[0]:
        raise StoreError(Reason("journal_to_copy_to_is_not_empty"))
    target.execute(AUDIT_HEAD.delete())
    counts = {table.name: _copy(source, target, table) for table in METADATA.sorted_tables}
    for found in faults(target, chain):
        raise StoreError(Reason("copied_journal_does_not_hold", fault=found))
    return counts


def _require_rest(source: Connection, now: datetime) -> None:
    working = select(RUNS.c.run_id, RUNS.c.owner).where(RUNS.c.status.in_(ACTIVE), RUNS.c.lease_until > now.isoformat())
    if (found := source.execute(working).first()) is not None:
        raise StoreError(Reason("journal_to_copy_is_in_use", run_id=found.run_id, owner=found.owner))


def _copy(source: Connection, target: Connection, table: Table) -> int:
    for rows in _read(source, table).partitions(_AT_ONCE):
        target.execute(insert(table), [dict(row) for row in rows])
    count = 0
    for before, after in zip_longest(_rows(source, table), _rows(target, table)):
        if before != after:
            named = " ".join(str(before[column.name]) for column in table.primary_key) if before is not None else "-"
            raise StoreError(Reason("copied_row_differs", table=table.name, row=named))
        count += 1
    return count


def _rows(connection: Connection, table: Table) -> Iterator[Any]:
    for rows in _read(connection, table).partitions(_AT_ONCE):
        yield from map(dict, rows)


def _read(connection: Connection, table: Table) -> Any:
    """Return the rows in one order on every database: text by its bytes."""
    bytewise = connection.dialect.name == "postgresql"
    order = [collate(column, "C") if bytewise and isinstance(column.type, String) else column for column in table.primary_key]
    return connection.execute(select(table).order_by(*order), execution_options={"yield_per": _AT_ONCE}).mappings()
