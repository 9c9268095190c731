"""Step 0002: runs of any flow. A run has a flow, a subject and a headline; what was a snapshot is inputs of a kind; runs leave memories.

Every run that there was is a decision: its subject is its market, its headline the action it came to.
"""

from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Index, MetaData, String, Table, Text

if TYPE_CHECKING:
    from alembic.operations import Operations

_RENAMED = (("symbol", "subject", 200), ("snapshot_hash", "inputs_hash", 64), ("final_action", "headline", 200))


def upgrade(connection: Connection, operations: "Operations") -> None:
    """Rename columns in their place: to make `runs` anew would take the events with it that belong to its rows."""
    operations.rename_table("snapshots", "inputs")
    operations.add_column("inputs", Column("kind", String(24), nullable=False, server_default="market"))
    operations.add_column("runs", Column("flow", String(24), nullable=False, server_default="decision"))
    for before, after, length in _RENAMED:
        operations.execute(f"ALTER TABLE runs RENAME COLUMN {before} TO {after}")
        if connection.dialect.name != "sqlite":  # which knows no lengths
            operations.alter_column("runs", after, type_=String(length))
    operations.create_index("runs_by_subject", "runs", ["flow", "subject"])
    METADATA.create_all(connection)


METADATA = MetaData()

Table(
    "memories",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("name", String(80), primary_key=True),
    Column("flow", String(24), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("written_at", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Index("memories_by_subject", "flow", "subject", "name", "written_at"),
)
