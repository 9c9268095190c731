"""Journals of earlier versions: opened, brought up to date once however many want to, and everything in them still of use.

`earlier/` holds dumps of journals that those versions wrote: `first` (no leases, no proposals), `checkpoints` (runs can be continued),
`proposals` (everything but flows), which also holds a run that was killed in the first round of a debate of two.
"""

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, inspect

from engine.domain.errors import StoreError
from engine.journal.migrations import steps
from engine.journal.migrations.steps import STEPS
from engine.journal.store import open_journal
from engine.journal.tables import METADATA
from tests.processes import Process

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]
FOLDER = Path(__file__).parent / "earlier"
NAMES = sorted(path.name.removesuffix(".sql.gz") for path in FOLDER.glob("*.sql.gz"))
OPEN = "import sys; from pathlib import Path; from engine.journal.store import open_journal; open_journal(Path(sys.argv[1]), None).close()"


def restore(name: str, home: Path) -> Path:
    """Write a journal of an earlier version into a home; gives the home."""
    home.mkdir(parents=True)
    with closing(sqlite3.connect(home / "tribunal.db")) as database:
        database.executescript(gzip.decompress((FOLDER / f"{name}.sql.gz").read_bytes()).decode())
        database.execute("PRAGMA journal_mode=WAL")
    return home


def columns(file: Path) -> dict[str, set[str]]:
    """Table -> its columns, of everything that is the journal's."""
    engine = create_engine(f"sqlite:///{file}")
    found = inspect(engine)
    read = {table: {column["name"] for column in found.get_columns(table)} for table in METADATA.tables}
    engine.dispose()
    return read


@pytest.mark.parametrize("name", NAMES)
def test_it_gets_the_tables_of_today_and_keeps_its_runs(name: str, tmp_path: Path) -> None:
    home = restore(name, tmp_path / "home")
    with closing(open_journal(home, None)) as journal:
        runs = journal.runs()
        assert runs
        for run in runs:
            assert (run.flow, run.subject) == ("decision", "BTC/USDT:USDT")
            record, snapshot = journal.run(run.run_id), journal.snapshot(run.run_id)
            assert record is not None
            assert snapshot is not None
            assert journal.events(run.run_id)
            if record.result is not None:
                assert run.headline == record.result["final_action"]
                assert snapshot.hash == record.result["snapshot_hash"]
                assert run.confidence == record.result["final_confidence"]
                assert (run.claims, run.false_claims) == (record.result["total_claims"], record.result["false_claims"])
            assert run.timeframe == record.request.candles
        finished = journal.newest_of("BTC/USDT:USDT", 10, flow="decision")
        assert [each.run_id for each in finished] == [run.run_id for run in runs if run.status == "finished"]
        assert journal.newest_of("BTC/USDT:USDT", 10, flow="another") == []
    open_journal(tmp_path / "new", None).close()
    assert columns(home / "tribunal.db") == columns(tmp_path / "new" / "tribunal.db")
    with closing(sqlite3.connect(home / "tribunal.db")) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [(STEPS[-1][0],)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


def test_eight_processes_that_open_it_at_once_migrate_it_once(tmp_path: Path) -> None:
    home = restore("proposals", tmp_path / "home")
    starts = [Process("-c", OPEN, str(home)) for _ in range(8)]
    told = [process.communicate(timeout=60)[1] for process in starts]
    assert [process.returncode for process in starts] == [0] * 8, told
    with closing(open_journal(home, None)) as journal:
        assert len(journal.runs()) == 2


def test_a_migration_that_breaks_off_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = restore("proposals", tmp_path / "home")

    def broken(connection: object, operations: object) -> None:
        STEPS[-1][1](connection, operations)  # type: ignore[arg-type]
        raise StoreError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr(steps, "STEPS", (*STEPS[:-1], ("0002", broken)))
        with pytest.raises(StoreError, match="the power went"):
            open_journal(home, None)
    with closing(sqlite3.connect(home / "tribunal.db")) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "snapshots" in tables
    assert not tables & {"inputs", "memories", "alembic_version"}
    with closing(open_journal(home, None)) as journal:
        assert len(journal.runs()) == 2


def test_a_journal_of_a_later_version_is_left_as_it_is(tmp_path: Path) -> None:
    home = tmp_path / "home"
    open_journal(home, None).close()
    with closing(sqlite3.connect(home / "tribunal.db")) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="later version"):
        open_journal(home, None)


@pytest.mark.parametrize("name", NAMES)
def test_its_runs_are_played_again_forked_and_verified(name: str, make_engine: MakeEngine, tmp_path: Path) -> None:
    from engine.api import verify_bundle

    engine = make_engine(home=restore(name, tmp_path / "home"))
    (run,) = [run for run in engine.runs() if run.status == "finished"]
    old = engine.record(run.run_id).result
    assert old is not None
    again = engine.wait(engine.replay(run.run_id), 60).result
    assert again is not None
    for field in ("final_action", "reports", "bull_argument", "bear_argument", "judge_verdict", "executor_text"):
        assert _words(again[field]) == _words(old[field]), field
    forked = engine.wait(engine.fork(run.run_id, "judge"), 60).result
    assert forked is not None
    assert _words(forked["bear_argument"]) == _words(old["bear_argument"])
    if name == "proposals":  # the state of older ones has fewer fields
        assert verify_bundle(engine.bundle(run.run_id)) == []


def _words(value: object) -> object:
    """What was said, without what it cost."""
    if isinstance(value, dict):
        return {key: _words(item) for key, item in value.items() if key not in {"usage", "attempt"}}
    return value


def test_a_run_that_an_earlier_version_left_goes_on_without_asking_twice(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.llm.scripted import ScriptedModel

    asked: list[str] = []
    stream = ScriptedModel.stream
    monkeypatch.setattr(ScriptedModel, "stream", lambda self, call: asked.append(call.where) or stream(self, call))
    engine = make_engine(home=restore("proposals", tmp_path / "home"))
    (left,) = [run for run in engine.runs() if run.status == "interrupted"]
    engine.resume(left.run_id)
    state = engine.wait(left.run_id, 60).result
    assert state is not None
    assert asked == ["bear", "bull", "bear", "judge", "executor"], "the rest of two rounds, and what comes behind"
    assert state["bull_argument"]["round"] == 2
    told = "".join(
        str(event.data.to_json()["text"]) for event in engine.events(left.run_id) if (event.kind, event.node) == ("node.tokens", "bull")
    )
    assert told == state["bull_argument"]["text"]
