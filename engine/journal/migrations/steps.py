"""Brings a journal of any earlier version to the tables of this one, step by step, in one transaction.

A new journal is made as it is today. An older one says in `alembic_version` which step it has come to (none: it is from before there were
steps) and takes those behind it. The steps are Alembic's operations, held in code: there is no folder of scripts and no ini file. Alembic
comes in only when there is something to do.

Failure contract: SQLAlchemyError of the database; StoreError for a journal of a later version, which is left as it is.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select

from engine.domain.errors import StoreError
from engine.journal.migrations import step_0001, step_0002, step_0003, step_0004, step_0005
from engine.journal.tables import METADATA

if TYPE_CHECKING:
    from alembic.operations import Operations

Step = Callable[[Connection, "Operations"], None]
STEPS: Final[tuple[tuple[str, Step], ...]] = (
    ("0001", step_0001.upgrade),
    ("0002", step_0002.upgrade),
    ("0003", step_0003.upgrade),
    ("0004", step_0004.upgrade),
    ("0005", step_0005.upgrade),
)
"""In order, each with the number that a journal notes when it has taken it. A number is never used again, a step never changed."""

_VERSIONS: Final = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))


def bring_up_to_date(connection: Connection) -> None:
    """Make or migrate the tables: all of it, or nothing where it is interrupted. The caller holds a transaction; of several processes at
    once the first does it, and the others wait for it."""
    if _left_to_do(connection) == ():
        METADATA.create_all(connection)  # a table that was lost is made anew, and missed by `verify`
        return
    if connection.dialect.name == "sqlite":  # whose driver opens no transaction for a change of tables by itself
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    missing = _left_to_do(connection)  # once more: another process may have been quicker
    if missing is None:
        METADATA.create_all(connection)
        _VERSIONS.create(connection, checkfirst=True)
        _note(connection, STEPS[-1][0])
    elif missing:
        _VERSIONS.create(connection, checkfirst=True)
        operations = _operations(connection)
        for number, step in missing:
            step(connection, operations)
            _note(connection, number)


def _left_to_do(connection: Connection) -> tuple[tuple[str, Step], ...] | None:
    """Return the steps that a journal has not taken yet, None for one that has no tables. Raises StoreError for one of a later version."""
    names = set(inspect(connection).get_table_names())
    if "runs" not in names:
        return None
    reached = connection.execute(select(_VERSIONS.c.version_num)).scalar_one_or_none() if _VERSIONS.name in names else None
    if reached is None:
        return STEPS
    numbers = [number for number, _ in STEPS]
    if reached not in numbers:
        raise StoreError(f"this journal was written by a later version of the program (step {reached[:12]}): open it with that one")
    return STEPS[numbers.index(reached) + 1 :]


def _note(connection: Connection, number: str) -> None:
    connection.execute(_VERSIONS.delete())
    connection.execute(_VERSIONS.insert().values(version_num=number))


def _operations(connection: Connection) -> "Operations":
    from alembic.operations import Operations  # noqa: PLC0415 - see above
    from alembic.runtime.migration import MigrationContext  # noqa: PLC0415 - see above

    return Operations(MigrationContext.configure(connection, opts={"render_as_batch": True}))
