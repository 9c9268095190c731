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
from engine.journal.migrations import step_0001, step_0002
from engine.journal.tables import METADATA

if TYPE_CHECKING:
    from alembic.operations import Operations

Step = Callable[[Connection, "Operations"], None]
STEPS: Final[tuple[tuple[str, Step], ...]] = (("0001", step_0001.upgrade), ("0002", step_0002.upgrade))
"""In order, each with the number that a journal notes when it has taken it. A number is never used again, a step never changed."""

_VERSIONS: Final = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))


def bring_up_to_date(connection: Connection) -> None:
    """Make or migrate the tables. The caller holds a transaction, and sees to it that one process at a time does this."""
    names = set(inspect(connection).get_table_names())
    if "runs" not in names:
        METADATA.create_all(connection)
        _VERSIONS.create(connection, checkfirst=True)
        _note(connection, STEPS[-1][0])
        return
    reached = connection.execute(select(_VERSIONS.c.version_num)).scalar_one_or_none() if _VERSIONS.name in names else None
    numbers = [number for number, _ in STEPS]
    if reached is not None and reached not in numbers:
        raise StoreError(f"this journal was written by a later version of the program (step {reached[:12]}): open it with that one")
    missing = STEPS[numbers.index(reached) + 1 :] if reached is not None else STEPS
    if not missing:
        METADATA.create_all(connection)  # a table that was lost is made anew, and missed by `verify`
        return
    _VERSIONS.create(connection, checkfirst=True)
    operations = _operations(connection)
    for number, step in missing:
        step(connection, operations)
        _note(connection, number)


def _note(connection: Connection, number: str) -> None:
    connection.execute(_VERSIONS.delete())
    connection.execute(_VERSIONS.insert().values(version_num=number))


def _operations(connection: Connection) -> "Operations":
    from alembic.operations import Operations  # noqa: PLC0415 - see above
    from alembic.runtime.migration import MigrationContext  # noqa: PLC0415

    return Operations(MigrationContext.configure(connection, opts={"render_as_batch": True}))
