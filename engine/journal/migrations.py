"""The schema of a journal: the tables are made once, and numbered steps change those of a journal that was made before.

`BASELINE` is the oldest schema that is read. A journal notes the number of its schema in the table `alembic_version`. To change the tables,
change `tables.py` and add a step here: a number that was never used and a function that alters the tables of the number before it. All
steps that a journal lacks are taken in one transaction.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text

from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason
from engine.journal.tables import METADATA

Step = Callable[[Connection], None]
BASELINE: Final = "0005"


_AFTER_0005: Final = (
    "CREATE TABLE outcomes (run_id VARCHAR(40) NOT NULL PRIMARY KEY, created_at VARCHAR(40) NOT NULL, flow VARCHAR(24) NOT NULL, "
    "subject VARCHAR(200) NOT NULL, model VARCHAR(80), timeframe VARCHAR(8), action VARCHAR(24), confidence FLOAT, "
    "is_original INTEGER NOT NULL, is_final INTEGER DEFAULT '0' NOT NULL, is_entry INTEGER DEFAULT '0' NOT NULL, "
    "decided_at VARCHAR(40), as_of VARCHAR(40), ended_at VARCHAR(40), followed VARCHAR(8), exit_reason VARCHAR(12), pnl_pct FLOAT, "
    "r FLOAT, machine_pnl_pct FLOAT, machine_r FLOAT, answer VARCHAR(12), planned TEXT, body TEXT, known_at VARCHAR(40), features TEXT, "
    "feed VARCHAR(12), language VARCHAR(8), plants_lies INTEGER DEFAULT '0' NOT NULL, is_edited INTEGER DEFAULT '0' NOT NULL)",
    "CREATE INDEX outcomes_by_time ON outcomes (created_at)",
    "CREATE INDEX outcomes_by_feed ON outcomes (feed, created_at)",
    "CREATE INDEX outcomes_unfinished ON outcomes (is_final, run_id)",
    "CREATE INDEX outcomes_decided ON outcomes (flow, timeframe, decided_at)",
    "CREATE INDEX outcomes_chosen ON outcomes (subject, flow, model, feed)",
    "CREATE INDEX outcomes_figures ON outcomes (is_final, is_entry, is_original, feed, confidence, flow, model, answer, followed, "
    "ended_at, pnl_pct, r, machine_pnl_pct, machine_r, is_edited)",
    "CREATE TABLE claim_sums (day VARCHAR(10) NOT NULL, week VARCHAR(8) NOT NULL, role VARCHAR(48) NOT NULL, "
    "model VARCHAR(80) NOT NULL, language VARCHAR(8) NOT NULL, indicator VARCHAR(64) NOT NULL, feed VARCHAR(12) NOT NULL, "
    "claims INTEGER NOT NULL, false_claims INTEGER NOT NULL, PRIMARY KEY (day, week, role, model, language, indicator, feed))",
    "CREATE TABLE lessons (run_id VARCHAR(40) NOT NULL PRIMARY KEY, flow VARCHAR(24) NOT NULL, subject VARCHAR(200) NOT NULL, "
    "known_at VARCHAR(40) NOT NULL, kind VARCHAR(12) NOT NULL, about VARCHAR(80) NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX lessons_by_time ON lessons (known_at)",
    "CREATE TABLE repetitions (run_id VARCHAR(40) NOT NULL, series INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL, "
    "start VARCHAR(12) NOT NULL, begun_at VARCHAR(40) NOT NULL, ended_at VARCHAR(40), answer TEXT, tokens INTEGER, cost FLOAT, "
    "PRIMARY KEY (run_id, series, n))",
    "CREATE TABLE repeated_events (run_id VARCHAR(40) NOT NULL, series INTEGER NOT NULL, n INTEGER NOT NULL, seq INTEGER NOT NULL, "
    "at VARCHAR(40) NOT NULL, kind VARCHAR(24) NOT NULL, node VARCHAR(48), data TEXT NOT NULL, PRIMARY KEY (run_id, series, n, seq))",
    "CREATE TABLE comparisons (run_id VARCHAR(40) NOT NULL, kind VARCHAR(12) NOT NULL, at VARCHAR(40) NOT NULL, body TEXT NOT NULL, "
    "PRIMARY KEY (run_id, kind))",
    "CREATE TABLE cases (run_id VARCHAR(40) NOT NULL PRIMARY KEY, added_at VARCHAR(40) NOT NULL)",
    "ALTER TABLE runs ADD COLUMN clock VARCHAR(40)",
    "ALTER TABLE runs ADD COLUMN prompts_hash VARCHAR(72)",
    "CREATE INDEX runs_by_clock ON runs (flow, subject, clock)",
    "CREATE INDEX runs_by_prompts ON runs (prompts_hash, created_at, flow, model, is_valid, confidence, claims, false_claims, parent, "
    "run_id)",
    "INSERT INTO outcomes (run_id, created_at, flow, subject, model, timeframe, action, confidence, is_original, feed, "
    "language, plants_lies) SELECT run_id, created_at, flow, subject, model, timeframe, "
    "CASE WHEN headline LIKE 'hold:%%' THEN 'hold' ELSE headline END, confidence, "
    "CASE WHEN request LIKE '%%\"origin\":{%%' AND request NOT LIKE '%%\"fresh\":true%%' THEN 0 ELSE 1 END, "
    "CASE WHEN request LIKE '%%\"feed\":\"live\"%%' THEN 'live' WHEN request LIKE '%%\"feed\":\"recorded\"%%' THEN 'recorded' "
    "ELSE 'simulated' END, "
    "CASE WHEN request LIKE '%%\"language\":\"zh\"%%' THEN 'zh' ELSE 'en' END, "
    "CASE WHEN request LIKE '%%\"chaos\":{%%' OR (request LIKE '%%\"lies\":%%' AND request NOT LIKE '%%\"lies\":0.0,%%') THEN 1 ELSE 0 END "
    "FROM runs WHERE status = 'finished' AND flow IN ('decision', 'fusion')",
)


def _add_outcomes(connection: Connection) -> None:
    """Add outcomes with a row for every decision, lessons, repetitions, comparisons, cases, and sums of what decisions have stated."""
    for statement in _AFTER_0005:
        connection.exec_driver_sql(statement)
    sums, false = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    query = text("SELECT created_at, request, result FROM runs WHERE status = 'finished' AND flow = 'decision' AND result IS NOT NULL")
    for row in connection.execute(query, execution_options={"yield_per": 100}):
        for key, is_false in _stated(row.created_at, json.loads(row.request), json.loads(row.result)):
            sums[key] += 1
            false[key] += is_false
    names = ("day", "week", "role", "model", "language", "indicator", "feed")
    rows = [{**dict(zip(names, key, strict=True)), "claims": n, "false_claims": false[key]} for key, n in sums.items()]
    if rows:
        into = "INSERT INTO claim_sums (day, week, role, model, language, indicator, feed, claims, false_claims) "
        values = "VALUES (:day, :week, :role, :model, :language, :indicator, :feed, :claims, :false_claims)"
        connection.execute(text(into + values), rows)


def _stated(created_at: str, request: dict[str, Any], result: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield day, week, role, model, language, indicator and feed of each claim of a decision that could be checked, and whether it was
    false; nothing of a decision that repeats the answers of another, or in which lies are planted."""
    origin = request.get("origin")
    if (origin is not None and not origin.get("fresh")) or request.get("chaos") or request.get("lies"):
        return
    year, week, _ = datetime.fromisoformat(created_at).astimezone(UTC).isocalendar()
    day = str(result.get("backtest_timestamp") or created_at)[:10]
    checked = [result.get("grounding_result"), result.get("position_grounding_result"), {"claims": result.get("executor_claims") or ()}]
    for claim in (claim for each in checked if each for claim in each["claims"]):
        node, verdict = str(claim["source"]), claim.get("said_verdict") or claim["verdict"]
        role = node.removeprefix("position_")
        if verdict not in {"true", "false"}:
            continue
        sides = {"bull": "argument", "bear": "argument", "judge": "verdict"}
        spoke = (result.get("reports") or {}).get(node) or result.get(f"{node}_{sides.get(role, '')}") or {}
        usage = result.get("executor_usage") if role == "executor" else spoke.get("usage")
        model = str((usage or {}).get("model") or request.get("model"))
        about = (day, f"{year}-W{week:02d}", role[:48], model[:80], str(request.get("language", "en")))
        yield (*about, str(claim["key"]).rpartition(".")[2][:64], str(request["feed"])), verdict == "false"


STEPS: Final[tuple[tuple[str, Step], ...]] = (("0013", _add_outcomes),)
"""In order, each with the number that a journal notes when it has taken it. A step that was released is never changed."""

_VERSIONS: Final = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))


def bring_up_to_date(connection: Connection, where: str) -> None:
    """Make the tables of a new journal, or take the steps that an existing one lacks; nothing is changed if that is interrupted.

    The caller holds a transaction. Of several processes the first one does the work and the others wait for it.

    Args:
        connection: in a transaction.
        where: the address of the journal, for the message of a refusal.

    Raises:
        StoreError: the journal has the schema of an earlier or a later version of the program; it is not changed.
        SQLAlchemyError: the database cannot be read or written.
    """
    if _missing_steps(connection, where) == ():
        METADATA.create_all(connection)  # a table that was lost is made anew, and missed by `verify`
        return
    if connection.dialect.name == "sqlite":  # whose driver opens no transaction for a change of tables by itself
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    missing = _missing_steps(connection, where)  # once more: another process may have been quicker
    if missing is None:
        METADATA.create_all(connection)
        _VERSIONS.create(connection, checkfirst=True)
        _note(connection, _known_numbers()[-1])
        return
    for number, step in missing:
        step(connection)
        _note(connection, number)


def _missing_steps(connection: Connection, where: str) -> tuple[tuple[str, Step], ...] | None:
    """Return the steps that a journal lacks; None if it has no tables yet. Raises StoreError for a schema that is not known here."""
    names = set(inspect(connection).get_table_names())
    if "runs" not in names:
        return None
    reached = connection.execute(select(_VERSIONS.c.version_num)).scalar_one_or_none() if _VERSIONS.name in names else None
    if reached is None or reached < BASELINE:
        raise StoreError(Reason("journal_at_was_written_by_earlier_version", where=where))
    numbers = _known_numbers()
    if reached not in numbers:
        raise StoreError(Reason("journal_at_was_written_by_later_version", where=where, reached=reached[:12]))
    return STEPS[numbers.index(reached) :]


def _known_numbers() -> list[str]:
    return [BASELINE, *(number for number, _ in STEPS)]


def _note(connection: Connection, number: str) -> None:
    connection.execute(_VERSIONS.delete())
    connection.execute(_VERSIONS.insert().values(version_num=number))
