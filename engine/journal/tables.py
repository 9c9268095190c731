"""The journal's tables. Times are ISO 8601 UTC text, payloads JSON text (snapshots compressed): readable with any tool."""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, Text

METADATA = MetaData()

RUNS = Table(
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

EVENTS = Table(
    "events",
    METADATA,
    Column("run_id", String(40), ForeignKey("runs.run_id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("kind", String(24), nullable=False),
    Column("node", String(48)),
    Column("data", Text, nullable=False),
)

SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("payload", LargeBinary, nullable=False),
)
