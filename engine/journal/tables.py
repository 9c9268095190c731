"""The journal's tables. Times are ISO 8601 UTC text, payloads JSON text (inputs compressed): readable with any tool.

A change here needs a step in `migrations.py`, which brings journals of earlier versions to it.
"""

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
    Column("flow", String(24), nullable=False, server_default="decision"),
    Column("subject", String(200), nullable=False),
    Column("request", Text, nullable=False),
    Column("inputs_hash", String(64)),
    Column("headline", String(200)),
    Column("is_valid", Integer),
    Column("duration_ms", Float),
    Column("tokens", Integer),
    Column("cost", Float),
    Column("timeframe", String(8)),
    Column("confidence", Float),
    Column("claims", Integer),
    Column("false_claims", Integer),
    Column("result", Text),
    Column("error", Text),
    Index("runs_by_time", "created_at"),
    Index("runs_by_subject", "flow", "subject"),
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

INPUTS = Table(
    "inputs",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("kind", String(24), nullable=False, server_default="market"),
    Column("payload", LargeBinary, nullable=False),
)

MEMORIES = Table(
    "memories",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("name", String(80), primary_key=True),
    Column("flow", String(24), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("written_at", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Column("dated", String(40), nullable=False, server_default=""),
    Index("memories_by_subject", "flow", "subject", "name", "written_at"),
    Index("memories_by_date", "flow", "subject", "name", "dated", "written_at"),
)

PROPOSALS = Table(
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
    Column("log", Text),
    Index("proposals_by_time", "created_at"),
    Index("proposals_by_market", "account", "symbol"),
)

ORDERS = Table(
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

ACCOUNT_SLOTS = Table(
    "account_slots",
    METADATA,
    Column("account", String(200), primary_key=True),
    Column("proposal_id", String(48), nullable=False),
    Column("owner", String(120), nullable=False),
    Column("token", String(32), nullable=False),
    Column("taken_at", String(40), nullable=False),
)

LEDGER = Table(
    "paper_ledger",
    METADATA,
    Column("account", String(200), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)

EQUITIES = Table(
    "equities",
    METADATA,
    Column("account", String(200), primary_key=True),
    Column("at", String(40), primary_key=True),
    Column("equity", Float, nullable=False),
)

AUDIT = Table(
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

AUDIT_HEAD = Table(
    "audit_head",
    METADATA,
    Column("name", String(8), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("seal", String(64), nullable=False),
    Column("signature", String(64), nullable=False),
)
