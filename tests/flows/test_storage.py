"""A journal that is locked, full or read-only: a clear line, nothing lost that was said to be saved, and the run goes on when it can."""

import os
import socket
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from engine.domain.errors import StoreError
from engine.journal import database
from tests.flows.answers import SOUND, cast, role_of
from tests.flows.test_resume import MakeEngine, Shell, check_told_once, without_times
from tests.servers.llm import Body, LLMServer

BEGINS_KB = 40
"""With so much room a run begins, and fails later."""


@pytest.mark.full
@pytest.mark.parametrize("kilobytes", [8, 40, 100, 140, 180, 220])
def test_a_disk_that_takes_no_more(make_engine: MakeEngine, tmp_path: Path, candles: Path, kilobytes: int) -> None:
    with LLMServer(cast()) as server:
        settings = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m", "data_dir": candles}
        calm = make_engine(**settings)
        first = calm.wait(calm.start(calm.decisions.request("BTC/USDT:USDT")), 60)
        assert first.result is not None
        calm.close()
        shell = Shell(tmp_path / "home", server)
        full = shell.run("decide", "BTC/USDT:USDT", "--data", str(candles), "--json", file_size=kilobytes * 1024)
        assert full.returncode == 1, f"a run writes more than {kilobytes} kB to one file: {full.stderr}"
        assert full.stdout == ""
        told = full.stderr.strip().splitlines()
        assert [line for line in told if "journal" in line] == told[-1:], told
        assert all(line.startswith(("run ", "  ")) for line in told[:-1]), told
        assert "Traceback" not in full.stderr
        after = make_engine(**settings)
        assert after.record(first.run_id) == first, "what was finished is untouched"
        cut_short = [run for run in after.runs(50) if run.run_id != first.run_id]
        assert len(cut_short) == (kilobytes >= BEGINS_KB), "at the smallest size even its name could not be written"
        for run in cut_short:
            assert run.status == "interrupted"
            after.resume(run.run_id)
            again = after.wait(run.run_id, 60)
            assert without_times(again.result) == without_times(first.result)


def held(asked: threading.Event, go: threading.Event) -> Callable[[Body], str]:
    """A bull that says when it has been asked, and answers when it may."""

    def bull(_: Body) -> str:
        asked.set()
        go.wait(60)
        return SOUND["bull"]

    return bull


@pytest.mark.full
def test_a_lock_that_lasts_interrupts_the_run_and_loses_nothing(
    make_engine: MakeEngine, candles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_MS", 1_000)  # the run's own threads wait for one another, too
    locked, asked = threading.Event(), threading.Event()

    with LLMServer(cast(bull=held(asked, locked))) as server:
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback")
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", data_dir=str(candles)))
        assert asked.wait(30)
        journal = next(tmp_path.rglob("tribunal.db"))
        with closing(sqlite3.connect(journal, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            locked.set()
            with pytest.raises(StoreError, match=rf"locked.*resume {run_id}"):
                engine.wait(run_id, 30)
            assert engine.events(run_id), "reading goes on"
            ((count,),) = other.execute("SELECT count(*) FROM events WHERE run_id = ?", (run_id,))
            other.execute("ROLLBACK")
        saved = engine.events(run_id)[:count]  # what the process still held in memory was not saved
        assert saved
        before = len(server.requests)
        engine.resume(run_id)
        record = engine.wait(run_id, 30)
        assert record.result is not None
        assert record.result["is_valid"]
        log = engine.events(run_id)
        assert log[: len(saved)] == saved, "what was saved stands as it stood"
        check_told_once(log, record.result)
        roles = [role_of(request.body) for request in server.requests[before:]]
        assert not {"indicator", "trend", "sentiment", "pattern"} & set(roles), "finished nodes are not asked again"


@pytest.mark.full
def test_a_run_that_another_has_taken_over_meanwhile_is_left_to_it(make_engine: MakeEngine, candles: Path, tmp_path: Path) -> None:
    other = f"{socket.gethostname()}:{os.getppid()}:"  # a process that lives
    taken, asked = threading.Event(), threading.Event()

    with LLMServer(cast(bull=held(asked, taken))) as server:
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback", lease_s=300)
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", data_dir=str(candles)))
        assert asked.wait(30)
        with closing(sqlite3.connect(next(tmp_path.rglob("tribunal.db")))) as journal, journal:
            journal.execute("UPDATE runs SET owner = ?", (other,))
            journal.execute("INSERT INTO events SELECT run_id, max(seq) + 1, at, 'run.resumed', NULL, '{}' FROM events")
        taken.set()
        with pytest.raises(StoreError):
            engine.wait(run_id, 30)
        assert engine.take_over() == []
        with closing(sqlite3.connect(next(tmp_path.rglob("tribunal.db")))) as journal:
            assert journal.execute("SELECT owner FROM runs").fetchall() == [(other,)]


@pytest.mark.full
def test_a_journal_that_may_only_be_read_is_said_so(tmp_path: Path, make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast()) as server:
        shell = Shell(tmp_path / "home", server)
        shell.run("decide", "BTC/USDT:USDT", "--data", str(candles), "--json")
        shell.environment["TRIBUNAL_DATABASE_URL"] = f"sqlite:///file:{tmp_path}/home/tribunal.db?mode=ro&uri=true"
        refused = shell.run("decide", "BTC/USDT:USDT", "--data", str(candles), "--json")
    assert refused.returncode == 1
    assert refused.stdout == ""
    (line,) = refused.stderr.strip().splitlines()
    assert "readonly" in line or "read-only" in line
