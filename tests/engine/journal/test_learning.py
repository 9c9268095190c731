"""What the journal gives a decision of earlier ones: never anything from after its clock, whatever is written there; and the step that adds
it to a journal of before."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.journal.outcome_store import OutcomeStore
from engine.journal.store import Journal, open_journal
from tests.engine.outcomes.test_honesty import MONDAY, fill, finish
from tests.flows.past import Past, plant

Row = tuple[float, float, float | None, float | None]
"""Hours from the clock: decided, ended, the machine's plan ended, the lesson known."""
CLOCK = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOURS = st.integers(-10_000, 10_000).filter(bool).map(lambda minutes: minutes / 60)
ZONES = st.integers(-11, 13).map(lambda hours: timezone(timedelta(hours=hours)))


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    made = open_journal(tmp_path_factory.mktemp("learning") / "home", None)
    yield made
    made.close()


def empty(journal: Journal) -> None:
    assert journal.sqlite_file is not None
    with closing(sqlite3.connect(journal.sqlite_file)) as database, database:
        database.execute("DELETE FROM outcomes")
        database.execute("DELETE FROM lessons")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(HOURS, HOURS, st.none() | HOURS, st.none() | HOURS), min_size=1, max_size=8), zone=ZONES)
def test_nothing_from_after_the_clock_is_given(journal: Journal, rows: list[Row], zone: timezone) -> None:
    empty(journal)

    def at(hours: float | None) -> datetime | None:
        return CLOCK + timedelta(hours=hours) if hours is not None else None

    known = set()
    for number, (decided, ended, machine, learnt) in enumerate(rows):
        moments = [at(each) for each in (decided, ended, machine, learnt)]
        assert moments[0] is not None
        assert moments[1] is not None
        lesson = "POISON" if moments[3] is not None else ""
        assert journal.sqlite_file is not None
        plant(
            journal.sqlite_file,
            Past(f"r-{number}", moments[0], moments[1], moments[2], features={"rsi_14": 50.0}, lesson=lesson, lesson_at=moments[3]),
        )
        if decided < 0 and ended < 0 and (machine is None or machine < 0):
            known.add(f"r-{number}")
    clock = CLOCK.astimezone(zone)  # the same instant, as whoever asks may write it
    found = journal.lessons.past_cases("decision", "recorded", "15m", clock, 100)
    assert {each.run_id for each in found} == known
    for each in found:
        assert each.decided_at < CLOCK
        assert each.known_at <= CLOCK
        assert each.lesson is None or each.lesson.known_at <= CLOCK
    counted = OutcomeStore(journal._talking).cases(
        "decision", "loopback", "recorded", until=clock
    )  # a store remembers sums over what is never deleted
    assert sum(each.n for each in counted) == sum(ended < 0 and (machine is None or machine < 0) for _, ended, machine, _ in rows)


def schema(home: Path) -> dict[str, object]:
    """Every table with its columns, whatever their order, and every index with its own."""
    with closing(sqlite3.connect(home / "tribunal.db")) as database:
        named = database.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
        about = {"table": "table_info", "index": "index_info"}
        found = {name: database.execute(f"PRAGMA {about[kind]}({name})").fetchall() for kind, name in named}
    tables = {name for kind, name in named if kind == "table"}
    return {name: {row[1:] for row in rows} if name in tables else [row[2] for row in rows] for name, rows in found.items()}


CLAIMS = [
    {"source": "bull", "key": "1h.rsi_14", "verdict": "false"}, {"source": "bull", "key": "rsi_14", "verdict": "true"},
    {"source": "trend", "key": "ema_20", "verdict": "moved", "said_verdict": "true"},
    {"source": "judge", "key": "close", "verdict": "unverifiable"},
]  # fmt: skip
RESULT = {
    "grounding_result": {"claims": CLAIMS}, "executor_claims": [{"source": "executor", "key": "close", "verdict": "true"}],
    "reports": {"trend": {"usage": {"model": "small"}}}, "bull_argument": {"usage": {"model": "large"}},
    "executor_usage": {"model": "large"}, "backtest_timestamp": "2026-02-20T08:00:00+00:00",
}  # fmt: skip


def test_a_journal_of_before_gets_its_tables_outcomes_and_sums(tmp_path: Path) -> None:
    made = open_journal(tmp_path / "home", None)
    fill(made)
    finish(made, "r-lied", MONDAY, lies=0.2, language="zh", feed="live")
    made.close()
    home = tmp_path / "home"
    made_anew = schema(home)
    with closing(sqlite3.connect(home / "tribunal.db")) as database, database:
        for table in ("outcomes", "claim_sums", "lessons", "repetitions", "repeated_events", "comparisons", "cases"):
            database.execute(f"DROP TABLE {table}")
        for index in ("clock", "prompts"):
            database.execute(f"DROP INDEX runs_by_{index}")
        for column in ("clock", "prompts_hash"):
            database.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        database.execute("UPDATE alembic_version SET version_num = '0005'")
        database.execute("UPDATE runs SET result = ?, headline = 'enter_long' WHERE run_id != 'r-2'", (json.dumps(RESULT),))
        database.execute("UPDATE runs SET result = NULL WHERE run_id = 'r-2'")
    again = open_journal(home, None)
    assert again.claim_sums.counts() == again.claim_sums.counts("simulated") == {
        "role": {"bull": (2, 1), "trend": (1, 0), "executor": (1, 0)},
        "model": {"large": (3, 1), "small": (1, 0)},
        "indicator": {"rsi_14": (2, 1), "ema_20": (1, 0), "close": (1, 0)},
        "language": {"en": (4, 1)},
        "week": {"2026-W10": (4, 1)},
    }, "of r-1 alone: planted lies are not counted"  # fmt: skip
    again.close()
    assert schema(home) == made_anew
    with closing(sqlite3.connect(home / "tribunal.db")) as database:
        assert database.execute("SELECT DISTINCT day, feed FROM claim_sums").fetchall() == [("2026-02-20", "simulated")]
        columns = "run_id, action, is_original, is_final, feed, language, plants_lies"
        left = database.execute(f"SELECT {columns} FROM outcomes ORDER BY run_id").fetchall()
    assert left == [
        ("r-1", "enter_long", 1, 0, "simulated", "en", 0), ("r-2", "signal_wait", 1, 0, "simulated", "zh", 0),
        ("r-lied", "enter_long", 1, 0, "live", "zh", 1),
    ]  # fmt: skip
