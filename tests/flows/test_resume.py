"""Runs that outlive their process: killed and continued, stopped and continued, held by one process at a time."""

import json
import os
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from engine.domain.clock import use_clock, utc_now
from engine.domain.errors import TribunalError
from engine.domain.events import Event
from engine.domain.text.reason import printed
from engine.runs.leasing import POLL_S
from tests.clocks import Clock
from tests.flows.answers import MakeEngine, cast, role_of, state_of
from tests.processes import Completed, Process, run_engine, run_python, start_engine
from tests.servers.llm import HANG, LLMServer

ROLES = ("indicator", "trend", "sentiment", "pattern", "bull", "bear", "judge", "executor")
TIMES = ("_at", "_ms", "timestamp", "_id")


DIES = """
import os, signal, sys

from sqlalchemy import Engine, event

left = int(sys.argv[1])


@event.listens_for(Engine, "before_cursor_execute")
def wrote(connection, cursor, statement, *given):
    connection.info["wrote"] = connection.info.get("wrote") or statement.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE"))


@event.listens_for(Engine, "commit")
def die(connection):
    global left
    left -= begun and bool(connection.info.pop("wrote", False))
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)


def told(text):
    global begun
    begun |= text.startswith(("run ", "replay "))
    return tell(text)


begun, tell, sys.stderr.write = False, sys.stderr.write, told
from engine.cli.main import main
given = left
code = main(sys.argv[2:])
print(f"commits {given - left}", file=sys.stderr)
sys.exit(code)
"""
"""`python -m engine` that dies before a commit of something written by any of its connections, whichever database that is, counted from the
line that says its run has begun. One that lives to its end says how many there were."""
COMMITS = range(0, 50, 2)
"""Before which of them a run is killed. Tokens are committed as they gather, so that no two runs have equally many."""


class Shell:
    """The shell in a process of its own, on the test's home and the loopback model."""

    def __init__(self, home: Path, server: LLMServer) -> None:
        settings = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.base_url, "TRIBUNAL_MODEL": "m", "TRIBUNAL_HOME": str(home)}
        self.environment = {**os.environ, **settings}

    def begin(self, *arguments: str) -> Process:
        return start_engine(*arguments, environment=self.environment)

    def run(self, *arguments: str, file_size: int | None = None) -> Completed:
        """file_size: bytes, when the disk takes no longer file than this."""
        return run_engine(*arguments, environment=self.environment, file_size=file_size)


def begun(shell: Shell, candles: Path, *options: str) -> tuple[Process, str]:
    """A decision in a process of its own, once it has begun, and its run's id."""
    process = shell.begin("decide", "BTC/USDT:USDT", "--data", str(candles), *options)
    assert process.stderr is not None
    return process, process.stderr.readline().split()[1]


def wait_until_asked(server: LLMServer, role: str) -> None:
    server.wait_for(lambda: any(role_of(request.body) == role for request in server.requests))


def freeze(process: Process, home: Path, database: str | None) -> None:
    """Stop a process where it stands, but not in the middle of a write: the lock it held there would be held for ever."""
    while True:
        process.send_signal(signal.SIGSTOP)
        if not (_writes(home / "tribunal.db") if database is None else _is_busy(database)):
            return
        process.send_signal(signal.SIGCONT)
        time.sleep(0.03)


def _writes(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(file, timeout=0.2, isolation_level=None)) as journal:
            journal.execute("BEGIN IMMEDIATE")
            journal.execute("ROLLBACK")
            return False
    except sqlite3.OperationalError:
        return True


def _is_busy(address: str) -> bool:
    """Whether any session of a database but this one is in a transaction."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
    with psycopg.connect(address, autocommit=True) as connection:
        found = connection.execute(asked).fetchone()
        return found is not None and bool(found[0])


def without_times(value: Any, *others: str) -> Any:
    """A state without what may differ between two equal decisions. others: endings of more keys to leave out."""
    if isinstance(value, dict):
        return {key: without_times(item, *others) for key, item in value.items() if not key.endswith((*TIMES, *others))}
    return [without_times(item, *others) for item in value] if isinstance(value, list) else value


def check_told_once(events: list[Event], state: dict[str, Any]) -> None:
    """Numbers without gaps; every role's counted attempt is exactly its text; one end."""
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    ends = {event.node: event for event in events if event.kind == "node.finished"}
    texts = {key: report["text"] for key, report in state["reports"].items()} | {"executor": state["executor_text"]}
    texts |= {
        side: state[field]["text"] for side, field in (("bull", "bull_argument"), ("bear", "bear_argument"), ("judge", "judge_verdict"))
    }
    for role in ROLES:
        counted = ends[role].data.to_json()["attempt"]
        tokens = [
            event for event in events if event.kind == "node.tokens" and event.node == role and event.data.to_json()["attempt"] == counted
        ]
        assert "".join(str(event.data.to_json()["text"]) for event in tokens) == texts[role], role
    for once in ("run.started", "run.finished"):
        assert [event.kind for event in events].count(once) == 1, "one snapshot, one end"


@pytest.fixture(scope="module")
def undisturbed(candles: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The state of the same decision, when nothing happens to it."""
    from engine.api import Engine
    from engine.settings import Settings

    with LLMServer(cast()) as server:
        model: dict[str, Any] = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m"}
        with closing(Engine(Settings(_env_file=None, home=tmp_path_factory.mktemp("calm"), data_dir=candles, **model))) as engine:
            return state_of(engine, engine.start(engine.decisions.request("BTC/USDT:USDT")))


def committed(told: str) -> int:
    """How many commits a run that lived to its end had, by what `DIES` said."""
    (line,) = [line for line in told.splitlines() if line.startswith("commits ")]
    return int(line.split()[1])


@pytest.mark.full
def test_a_run_has_about_as_many_commits_as_it_is_killed_at(candles: Path, tmp_path: Path) -> None:
    """So that the kills below reach from its first words to its end: with many commits more or less, this says so. Answers come at once:
    the slower words come, the more commits they take."""
    with LLMServer(cast()) as server:
        shell = Shell(tmp_path / "home", server)
        unharmed = run_python("-c", DIES, "1000", "decide", "BTC/USDT:USDT", "--data", str(candles), environment=shell.environment)
    assert unharmed.returncode == 0, unharmed.stderr
    assert COMMITS.stop * 0.6 <= committed(unharmed.stderr) <= COMMITS.stop


@pytest.mark.parametrize("commit", [pytest.param(n, marks=() if n % 20 == 0 else pytest.mark.full) for n in COMMITS])
def test_a_run_that_is_killed_goes_on_from_its_last_finished_node(
    make_engine: MakeEngine, candles: Path, tmp_path: Path, undisturbed: dict[str, Any], commit: int
) -> None:
    """A kill leaves what the last commit left, whenever it comes: one before every other commit stands for all moments. The last ones come
    after the end. The fast tier has every fourth of these kills."""
    check_killed(make_engine, candles, tmp_path, undisturbed, commit)


def check_killed(make_engine: MakeEngine, candles: Path, tmp_path: Path, undisturbed: dict[str, Any], commit: int) -> None:
    """Kill a run before a commit, continue it, and hold it against an undisturbed one."""
    with LLMServer(cast(), first_token_s=0.03, tokens_per_s=600) as server:
        shell = Shell(tmp_path / "home", server)
        killed = run_python("-c", DIES, str(commit), "decide", "BTC/USDT:USDT", "--data", str(candles), environment=shell.environment)
        run_id = killed.stderr.split()[1]
        assert killed.returncode == -9 or committed(killed.stderr) <= commit, killed.stderr
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        done = {event.node for event in engine.events(run_id) if event.kind == "node.finished"}
        ended = engine.record(run_id).status == "finished"
        assert ended or engine.record(run_id).status == "interrupted"
        server.first_token_s, server.tokens_per_s = 0.0, 0
        server.requests.clear()
        engine.resume(run_id)
        state = state_of(engine, run_id)
        asked = Counter(role_of(request.body) for request in server.requests)
        check_told_once(engine.events(run_id), state)
        assert set(asked) == (set() if ended else set(ROLES) - done), "nobody who had answered is asked again"
        assert set(asked.values()) <= {1}
        assert without_times(state, "attempt") == without_times(undisturbed, "attempt")
        assert engine.events(run_id)[-1].kind == "run.finished"
        with engine._container.journal._talking("read") as journal:
            assert journal.exec_driver_sql("SELECT count(*) FROM checkpoints").scalar() == 0, "a run that has ended leaves no checkpoints"


@pytest.mark.usefixtures("each_database")
def test_stop_cuts_the_calls_and_the_run_can_go_on(make_engine: MakeEngine, candles: Path, tmp_path: Path) -> None:
    with LLMServer(cast(bull=HANG)) as server:
        shell = Shell(tmp_path / "home", server)
        running, run_id = begun(shell, candles)
        wait_until_asked(server, "bull")
        hanging = next(request for request in server.requests if role_of(request.body) == "bull")
        held = shell.run("resume", run_id)
        assert (held.returncode, held.stdout) == (1, "")
        assert "another process" in held.stderr
        engine = make_engine()
        engine.stop(run_id)  # asked of another process
        assert hanging.left.wait(30)
        assert POLL_S < 1.0, "that process looks for it within the second in which calls are to be cut"
        _, told = running.communicate(timeout=60)
        assert running.returncode == 1
        assert "stopped by a person" in told
        assert engine.record(run_id).status == "stopped"
        assert engine.events(run_id)[-1].kind == "run.stopped"
        with pytest.raises(TribunalError, match="already been stopped"):
            engine.stop(run_id)
        server.answer = cast()
        server.requests.clear()
        state = json.loads(shell.run("resume", run_id, "--json").stdout)
        assert {role_of(request.body) for request in server.requests} == {"bull", "bear", "judge", "executor"}
        check_told_once(make_engine().events(run_id), state)


@pytest.mark.full
def test_a_silent_owner_loses_its_run_and_cannot_write_it_any_more(
    make_engine: MakeEngine, candles: Path, tmp_path: Path, each_database: str | None
) -> None:
    """It is continued long before it would renew its lease: that the run is another's shows when it cannot be written."""
    clock = Clock(utc_now())
    with use_clock(clock), LLMServer(cast(), first_token_s=3.0) as server:
        settings = {"data_dir": candles, "openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m", "lease_s": 600.0}
        shell = Shell(tmp_path / "home", server)
        shell.environment["TRIBUNAL_LEASE_S"] = "600"
        engine = make_engine(**settings)
        frozen, run_id = begun(shell, candles, "--json")
        freeze(frozen, tmp_path / "home", each_database)
        server.first_token_s = 0.0
        try:
            assert engine.take_over() == [], "its lease still runs"
            clock.move(timedelta(seconds=600))
            assert engine.take_over() == [run_id]
            state = engine.wait(run_id, 60).result
        finally:
            frozen.send_signal(signal.SIGCONT)
        said, _ = frozen.communicate(timeout=60)
        assert state is not None
        assert json.loads(said) == printed(state), "what the other made of it, not what it would have made itself"
        check_told_once(make_engine().events(run_id), state)
        assert engine.record(run_id).result == state


@pytest.mark.usefixtures("each_database")
def test_the_next_process_takes_over_what_a_dead_one_left(make_engine: MakeEngine, candles: Path, tmp_path: Path) -> None:
    with LLMServer(cast(bear=HANG)) as server:
        shell = Shell(tmp_path / "home", server)
        killed, run_id = begun(shell, candles)
        wait_until_asked(server, "bear")
        killed.kill()
        killed.communicate()
        server.answer = cast()
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test")
        other = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test")
        taken = [engine.take_over(), other.take_over()]
        assert sorted(taken) == [[], [run_id]], "one of two"
        state = (engine if taken[0] else other).wait(run_id, 30).result
        assert state is not None
        check_told_once(make_engine().events(run_id), state)


@pytest.mark.full
def test_copies_are_decided_at_once_and_one_that_fails_takes_no_other_with_it(candles: Path, tmp_path: Path) -> None:
    with LLMServer(cast(), first_token_s=5.0) as server:
        shell = Shell(tmp_path / "home", server)
        deciding = shell.begin("decide", "BTC/USDT:USDT", "--data", str(candles), "--copies", "6", "--json")
        server.wait_for(lambda: server.peak > 8)  # more than the calls of two decisions are open at once
        server.first_token_s = 0.0
        said, told = deciding.communicate(timeout=60)
        assert deciding.returncode == 0, told
        states = [json.loads(line) for line in said.splitlines()]
    ids = {line.split()[1] for line in told.splitlines() if line.startswith("run ")}
    assert len(ids) == len(states) == 6
    assert {state["run_id"] for state in states} == ids
    assert shell.run("decide", "BTC/USDT:USDT", "--copies", "0").returncode == 2
