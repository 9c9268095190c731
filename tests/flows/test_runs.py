"""Runs and their log: the same in memory, in the journal and in another process; and runs side by side."""

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.domain.errors import BadInput, StoreError, TribunalError
from tests.flows.answers import cast
from tests.flows.test_storage import held
from tests.servers.llm import HANG, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]


def test_a_run_is_read_by_others_as_it_was_told(make_engine: MakeEngine, candles: Path) -> None:
    engine = make_engine(data_dir=candles)
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
    seen = []
    while not seen or seen[-1].kind != "run.finished":
        seen += engine.events(run_id, len(seen))
    record = engine.wait(run_id, 10)
    other = make_engine()
    assert other.events(run_id) == seen
    assert other.run(run_id) == record
    assert other.decisions.chart(run_id) is not None
    assert other.runs()[0].run_id == run_id


@pytest.mark.full
def test_events_are_waited_for_in_the_process_of_the_run_and_in_another(make_engine: MakeEngine, candles: Path) -> None:
    engine, other = make_engine(data_dir=candles, pace=5), make_engine()
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
    for each in (engine, other):
        seen = list[int]()
        while (told := each.wait_events(run_id, len(seen), 30.0)) and told[-1].kind != "run.finished":
            seen += [event.seq for event in told]
        assert told, "every event came within the time"
        assert seen == list(range(1, told[0].seq))
    engine.wait(run_id, 10)
    began = time.monotonic()
    assert engine.wait_events(run_id, 100_000, 0.2) == []
    assert time.monotonic() - began >= 0.2


@pytest.mark.full
def test_many_runs_side_by_side_keep_to_themselves(make_engine: MakeEngine, candles: Path) -> None:
    engine = make_engine(data_dir=candles)
    runs = [engine.start(engine.decisions.request("BTC/USDT:USDT", seed=seed)) for seed in range(8)]
    for seed, run_id in enumerate(runs):
        state = engine.wait(run_id, 60).result
        assert state is not None
        assert state["llm_config"]["seed"] == seed
        assert {event.run_id for event in engine.events(run_id)} == {run_id}


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
        engine.wait("nobody")


@pytest.mark.full
def test_ending_the_engine_cuts_the_calls_in_flight(make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast(indicator=HANG)) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        engine.start(engine.decisions.request("BTC/USDT:USDT"))
        while len(server.requests) < 4 or sum(request.left.is_set() for request in server.requests) < 3:
            time.sleep(0.01)  # until three have been answered, and only the one that hangs is in flight
        engine.close()
        assert all(request.left.wait(30) for request in server.requests)
    assert server.closed_early == 1


@pytest.mark.full
def test_a_journal_that_breaks_mid_run_fails_the_run_loudly(make_engine: MakeEngine, candles: Path, tmp_path: Path) -> None:
    asked, broken = threading.Event(), threading.Event()
    with LLMServer(cast(bull=held(asked, broken))) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        assert asked.wait(30)
        with closing(sqlite3.connect(tmp_path / "home" / "tribunal.db", isolation_level=None)) as database:
            database.execute("DROP TABLE events")
        broken.set()
        with pytest.raises(StoreError, match="cannot write events"):
            engine.wait(run_id, 30)
