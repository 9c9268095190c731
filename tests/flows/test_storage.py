"""Runs and their journal: read by another process, one that cannot begin or breaks; and a journal that is locked, full or read-only:
a clear line, nothing lost that was said to be saved, and the run goes on when it can."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from engine.domain.errors import BadInput, StoreError, TribunalError
from engine.journal import database
from tests.flows.answers import SOUND, MakeEngine, cast, role_of
from tests.flows.test_resume import Shell, check_told_once, without_times
from tests.servers.llm import HANG, Body, LLMServer

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


def test_a_fault_of_the_program_ends_the_run_and_says_so(
    make_engine: MakeEngine, candles: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("in the feed")

    engine = make_engine(data_dir=candles)
    monkeypatch.setattr("engine.bootstrap.providers.ProviderFactory.feed", broken)
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
    with pytest.raises(TribunalError, match=r"fault of the program.*ZeroDivisionError: in the feed"):
        engine.wait(run_id, 10)
    assert engine.events(run_id)[-1].data.to_json()["status"] == "failed"
    record = engine.run(run_id)
    assert record is not None
    assert record.status == "failed"
    assert "Traceback" in caplog.text


def test_a_run_that_cannot_begin_says_why_and_is_kept(make_engine: MakeEngine, candles: Path) -> None:
    engine = make_engine(data_dir=candles)
    run_id = engine.start(engine.decisions.request("DOGE/USDT:USDT"))
    with pytest.raises(Exception, match="DOGE/USDT:USDT"):
        engine.wait(run_id, 10)
    record = engine.run(run_id)
    assert record is not None
    assert (record.status, record.result) == ("failed", None)
    assert "DOGE/USDT:USDT" in str(record.error)
    assert engine.events(run_id)[-1].data.to_json()["status"] == "failed"


def test_an_unknown_run_is_said_to_be_unknown(make_engine: MakeEngine) -> None:
    engine = make_engine()
    assert engine.events("../../etc/passwd") == []
    assert engine.run("' OR 1=1 --") is None
    with pytest.raises(BadInput, match="not known"):
        engine.wait("no-such-run")


@pytest.mark.full
def test_ending_the_engine_cuts_the_calls_in_flight(make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast(indicator=HANG)) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        engine.start(engine.decisions.request("BTC/USDT:USDT"))
        server.wait_for(lambda: len(server.requests) == 4 and sum(request.left.is_set() for request in server.requests) == 3)  # one hangs
        engine.close()
        assert all(request.left.wait(30) for request in server.requests)
    assert server.closed_early == 1
