"""The journal's tables. Times are ISO 8601 UTC text, payloads JSON text (inputs compressed): readable with any tool.

A change here needs a step in `migrations.py`.
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
    Column("clock", String(40)),
    Column("prompts_hash", String(72)),
    Index("runs_by_time", "created_at"),
    Index("runs_by_subject", "flow", "subject"),
    Index("runs_by_clock", "flow", "subject", "clock"),
    Index(
        "runs_by_prompts",
        *("prompts_hash", "created_at", "flow", "model", "is_valid", "confidence", "claims", "false_claims", "parent", "run_id"),
    ),
)

CASES = Table(
    "cases",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("added_at", String(40), nullable=False),
)
"""Runs whose decisions are made again with another model or other prompts. They are not pruned."""

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

CHECKPOINTS = Table(
    "checkpoints",
    METADATA,
    Column("thread_id", String(40), primary_key=True),
    Column("checkpoint_ns", String(200), primary_key=True),
    Column("checkpoint_id", String(64), primary_key=True),
    Column("parent_checkpoint_id", String(64)),
    Column("type", String(24), nullable=False),
    Column("checkpoint", LargeBinary, nullable=False),
    Column("metadata", Text, nullable=False),
)

WRITES = Table(
    "writes",
    METADATA,
    Column("thread_id", String(40), primary_key=True),
    Column("checkpoint_ns", String(200), primary_key=True),
    Column("checkpoint_id", String(64), primary_key=True),
    Column("task_id", String(64), primary_key=True),
    Column("idx", Integer, primary_key=True, autoincrement=False),
    Column("task_path", Text, nullable=False, server_default=""),
    Column("channel", String(200), nullable=False),
    Column("type", String(24), nullable=False),
    Column("value", LargeBinary, nullable=False),
)
"""Checkpoints of runs in flight, with the names that LangGraph's own savers give their tables and columns. A thread is a run."""

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

OUTCOMES = Table(
    "outcomes",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("created_at", String(40), nullable=False),
    Column("flow", String(24), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("model", String(80)),
    Column("timeframe", String(8)),
    Column("action", String(24)),
    Column("confidence", Float),
    Column("is_original", Integer, nullable=False),
    Column("is_final", Integer, nullable=False, server_default="0"),
    Column("is_entry", Integer, nullable=False, server_default="0"),
    Column("decided_at", String(40)),
    Column("as_of", String(40)),
    Column("ended_at", String(40)),
    Column("followed", String(8)),
    Column("exit_reason", String(12)),
    Column("pnl_pct", Float),
    Column("r", Float),
    Column("machine_pnl_pct", Float),
    Column("machine_r", Float),
    Column("answer", String(12)),
    Column("planned", Text),
    Column("body", Text),
    Column("known_at", String(40)),
    Column("features", Text),
    Column("feed", String(12)),
    Column("language", String(8)),
    Column("plants_lies", Integer, nullable=False, server_default="0"),
    Column("is_edited", Integer, nullable=False, server_default="0"),
    Index("outcomes_by_time", "created_at"),
    Index("outcomes_by_feed", "feed", "created_at"),
    Index("outcomes_unfinished", "is_final", "run_id"),
    Index("outcomes_decided", "flow", "timeframe", "decided_at"),
    Index("outcomes_chosen", "subject", "flow", "model", "feed"),
    Index(
        "outcomes_figures",
        "is_final",
        "is_entry",
        "is_original",
        "feed",
        "confidence",
        "flow",
        "model",
        "answer",
        "followed",
        "ended_at",
        "pnl_pct",
        "r",
        "machine_pnl_pct",
        "machine_r",
        "is_edited",
    ),
)
"""A row a finished decision, but for those of demos, written with the end of its run; the figures come when its market has moved on.
known_at: the market's instant from which all of a final outcome is known. features: of an entry, what later decisions find it by. feed: the
kind of its prices. plants_lies: false values were planted in it. is_edited: a person changed the plan that was ordered.
`outcomes_figures` holds all that sums over decisions are made of, so that none of them reads the rows."""

CLAIM_SUMS = Table(
    "claim_sums",
    METADATA,
    Column("day", String(10), primary_key=True),
    Column("week", String(8), primary_key=True),
    Column("role", String(48), primary_key=True),
    Column("model", String(80), primary_key=True),
    Column("language", String(8), primary_key=True),
    Column("indicator", String(64), primary_key=True),
    Column("feed", String(12), primary_key=True),
    Column("claims", Integer, nullable=False),
    Column("false_claims", Integer, nullable=False),
)
"""Checked claims of runs, added up when each ends; those of demos, of repeated answers and of runs with planted lies are left out. day: of
the market, week: of the run. feed: the kind of its prices, "" for a run about no market."""

LESSONS = Table(
    "lessons",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("flow", String(24), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("known_at", String(40), nullable=False),
    Column("kind", String(12), nullable=False),
    Column("about", String(80), nullable=False),
    Column("body", Text, nullable=False),
    Index("lessons_by_time", "known_at"),
)
"""What each entry that is over taught. known_at: as of its outcome."""

REPETITIONS = Table(
    "repetitions",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("series", Integer, primary_key=True, autoincrement=False),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("k", Integer, nullable=False),
    Column("start", String(12), nullable=False),
    Column("begun_at", String(40), nullable=False),
    Column("ended_at", String(40)),
    Column("answer", Text),
    Column("tokens", Integer),
    Column("cost", Float),
)
"""A row each time that the roles of a decision are asked again."""

REPEATED_EVENTS = Table(
    "repeated_events",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("series", Integer, primary_key=True, autoincrement=False),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    Column("kind", String(24), nullable=False),
    Column("node", String(48)),
    Column("data", Text, nullable=False),
)
"""What was said in repetitions."""

COMPARISONS = Table(
    "comparisons",
    METADATA,
    Column("run_id", String(40), primary_key=True),
    Column("kind", String(12), primary_key=True),
    Column("at", String(40), nullable=False),
    Column("body", Text, nullable=False),
)
"""Decisions that were asked for in another way: without corrections, with corrections that change nothing, by one voice alone."""

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
