"""Step 0001: from the versions before there were steps to the tables of the last of them, which stand here as they were.

Tables and columns had come one by one; every column that came later may be empty.
"""

from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Float, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, Text, inspect

if TYPE_CHECKING:
    from alembic.operations import Operations


def upgrade(connection: Connection, operations: "Operations") -> None:
    """Make the tables and add the columns that are not there."""
    METADATA.create_all(connection)
    found = inspect(connection)
    for table in METADATA.sorted_tables:
        known = {column["name"] for column in found.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                operations.add_column(table.name, Column(column.name, column.type, nullable=True))


METADATA = MetaData()

Table(
    "runs",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("created_at", String(40), nullable=False),
    Column("finished_at", String(40)),
    Column("status", String(12), nullable=False),
    Column("owner", String(120)),
    Column("lease_until", String(40)),
    Column("stop_asked", Integer),
    Column("parent", String(40)),
    Column("model", String(80)),
    Column("symbol", String(48), nullable=False),
    Column("request", Text, nullable=False),
    Column("snapshot_hash", String(64)),
    Column("final_action", String(24)),
    Column("is_valid", Integer),
    Column("duration_ms", Float),
    Column("tokens", Integer),
    Column("cost", Float),
    Column("result", Text),
    Column("error", Text),
    Index("runs_by_time", "created_at"),
)

Table(
    "events",
    METADATA,
    Column("run_id", String(40), ForeignKey("runs.run_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("kind", String(24), nullable=False),
    Column("node", String(48)),
    Column("data", Text, nullable=False),
)

Table(
    "snapshots",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("payload", LargeBinary, nullable=False),
)

Table(
    "proposals",
    METADATA,
    Column("id", String(48), primary_key=True),
    Column("run_id", String(40), nullable=False, unique=True),
    Column("account", String(200), nullable=False),
    Column("symbol", String(48), nullable=False),
    Column("state", String(12), nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("expires_at", String(40), nullable=False),
    Column("worked_by", String(120)),
    Column("body", Text, nullable=False),
    Index("proposals_by_time", "created_at"),
    Index("proposals_by_market", "account", "symbol"),
)

Table(
    "orders",
    METADATA,
    Column("client_id", String(36), primary_key=True),
    Column("account", String(200), nullable=False),
    Column("subject", String(48), nullable=False),
    Column("written_at", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Column("report", Text),
    Index("orders_by_subject", "subject"),
)

Table(
    "account_slots",
    METADATA,
    Column("account", String(200), primary_key=True),
    Column("proposal_id", String(48), nullable=False),
    Column("owner", String(120), nullable=False),
    Column("token", String(32), nullable=False),
    Column("taken_at", String(40), nullable=False),
)

Table(
    "paper_ledger",
    METADATA,
    Column("account", String(200), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)

Table(
    "equities",
    METADATA,
    Column("account", String(200), primary_key=True),
    Column("at", String(40), primary_key=True),
    Column("equity", Float, nullable=False),
)

Table(
    "audit",
    METADATA,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("who", String(120), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("why", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("before", String(64), nullable=False),
    Column("seal", String(64), nullable=False),
    Index("audit_by_subject", "subject"),
    Index("audit_by_kind", "kind"),
)

Table(
    "audit_head",
    METADATA,
    Column("name", String(8), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("seal", String(64), nullable=False),
    Column("signature", String(64), nullable=False),
)
