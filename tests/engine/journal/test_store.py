"""The journal: what is written comes back equal, and trouble with the database is one clear line."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.errors import StoreError
from engine.domain.events import Event
from engine.domain.run import DecideRequest, Origin, RunRecord
from engine.journal.store import Journal, open_journal
from tests.engine.facts.markets import random_candles, snapshot

NOW = datetime(2026, 5, 17, 9, tzinfo=UTC)


@pytest.fixture
def journal(tmp_path: Path, each_database: str | None) -> Journal:
    return open_journal(tmp_path / "home", each_database)


def record(run_id: str = "r-1") -> RunRecord:
    return RunRecord(run_id=run_id, created_at=NOW, status="starting", request=DecideRequest(symbol="BTC/USDT:USDT", feed="simulated"))


def events(run_id: str, count: int) -> list[Event]:
    return [Event(seq=n, run_id=run_id, at=NOW, kind="node.tokens", node="bull", data={"text": "价格 ✓"}) for n in range(1, count + 1)]


def test_runs_events_and_snapshots_come_back(journal: Journal, tmp_path: Path, each_database: str | None) -> None:
    read = snapshot(random_candles(1, 300))
    journal.add_run(record(), "here:1", NOW)
    journal.append(events("r-1", 5))
    journal.add_inputs("r-1", read)
    journal.add_run(record("r-2"), "here:1", NOW)
    journal.add_inputs("r-2", read)  # the same content is kept once
    result = {"snapshot_hash": read.hash, "final_action": "signal_wait", "is_valid": True, "total_duration_ms": 1.5}
    result |= {"total_token_usage": {"total": 7}}
    ended = record().model_copy(update={"status": "finished", "finished_at": NOW, "result": result})
    journal.end_run(ended)
    journal.close()

    again = open_journal(tmp_path / "home", each_database)
    assert again.run("r-1") == ended
    assert again.events("r-1", after=3) == events("r-1", 5)[3:]
    kept = again.snapshot("r-1")
    assert kept is not None
    assert kept.hash == read.hash
    assert [run.run_id for run in again.runs()] == ["r-2", "r-1"] or [run.run_id for run in again.runs()] == ["r-1", "r-2"]
    assert again.run("nobody") is None
    again.close()


def test_inputs_that_come_after_the_end_of_a_run_do_not_open_it_again(journal: Journal) -> None:
    """As of a process that was suspended while another one ended its run."""
    journal.add_run(record(), "here:1", NOW)
    ended = record().model_copy(update={"status": "failed", "finished_at": NOW})
    journal.end_run(ended)
    journal.add_inputs("r-1", snapshot(random_candles(1, 300)))
    assert journal.run("r-1") == ended
    journal.close()


def test_a_file_that_is_no_database_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "tribunal.db").write_bytes(b"not a database, whatever its name says" * 100)
    with pytest.raises(StoreError, match=r"tribunal\.db"):
        open_journal(tmp_path, None)


def test_a_database_locked_by_another_is_waited_for(tmp_path: Path) -> None:
    import threading

    journal = open_journal(tmp_path / "home", None)
    other = sqlite3.connect(tmp_path / "home" / "tribunal.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    unlocks = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    unlocks.start()
    journal.add_run(record(), "here:1", NOW)
    assert journal.run("r-1") is not None
    unlocks.join()  # it may still be on its way back from the commit
    other.close()
    journal.close()


def test_pruning_forgets_old_runs_and_what_only_they_needed(journal: Journal) -> None:
    kept, gone = snapshot(random_candles(1, 300)), snapshot(random_candles(2, 300))
    result = {"final_action": "signal_wait", "is_valid": True, "total_duration_ms": 1.5, "total_token_usage": {"total": 1}}
    for name, days, read in (("old", 40, gone), ("parent", 40, kept), ("young", 1, kept)):
        made = record(name)
        if name == "young":
            made = made.model_copy(update={"request": made.request.model_copy(update={"origin": Origin(run_id="parent")})})
        journal.add_run(made, "here:1", NOW)
        journal.append(events(name, 3))
        journal.add_inputs(name, read)
        ended = {"status": "finished", "finished_at": NOW - timedelta(days=days), "result": {**result, "snapshot_hash": read.hash}}
        journal.end_run(made.model_copy(update=ended))
    journal.add_run(record("going on"), "here:1", NOW)
    assert journal.prune(NOW - timedelta(days=30)) == 1
    assert {run.run_id for run in journal.runs()} == {"parent", "young", "going on"}, "a run that another was made from stays"
    assert journal.events("old") == []
    assert journal.snapshot("young") is not None
    with journal._talking("read") as database:
        assert database.exec_driver_sql("SELECT hash FROM inputs").scalars().all() == [kept.hash]
    assert journal.prune(NOW - timedelta(days=30)) == 0
    journal.close()
