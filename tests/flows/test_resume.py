"""Runs that outlive their process: killed and continued, stopped and continued, held by one process at a time."""

import json
import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import TribunalError
from engine.domain.events import Event
from engine.domain.inputs import Inputs
from engine.journal.store import Journal
from tests.flows.answers import cast, role_of
from tests.processes import Completed, Process, run_engine, run_python, start_engine
from tests.servers.llm import HANG, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]
ROLES = ("indicator", "trend", "sentiment", "pattern", "bull", "bear", "judge", "executor")
TIMES = ("_at", "_ms", "timestamp", "_id")


DIES = """
import os, signal, sqlite3, sys

connect, left = sqlite3.connect, int(sys.argv[1])


def watched(*given, **more):
    connection = connect(*given, **more)
    connection.set_trace_callback(die)
    return connection


def die(statement):
    global left
    left -= begun and statement == "COMMIT"
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)


def told(text):
    global begun
    begun |= text.startswith("run ")
    return tell(text)


begun, tell, sys.stderr.write = False, sys.stderr.write, told
sqlite3.connect = sqlite3.dbapi2.connect = watched
from engine.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
"""`python -m engine` that dies before a commit of any of its connections, counted from the line that says its run has begun."""


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
    while not any(role_of(request.body) == role for request in server.requests):
        time.sleep(0.02)


def freeze(process: Process, database: Path) -> None:
    """Stop a process where it stands, but not in the middle of a write: the lock it held there would be held for ever."""
    while True:
        process.send_signal(signal.SIGSTOP)
        try:
            with closing(sqlite3.connect(database, timeout=0.2, isolation_level=None)) as journal:
                journal.execute("BEGIN IMMEDIATE")
                journal.execute("ROLLBACK")
                return
        except sqlite3.OperationalError:
            process.send_signal(signal.SIGCONT)
            time.sleep(0.03)


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
            state = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT")), 60).result
    assert state is not None
    return state


@pytest.mark.parametrize("commit", range(0, 50, 2))
def test_a_run_that_is_killed_goes_on_from_its_last_finished_node(
    make_engine: MakeEngine, candles: Path, tmp_path: Path, undisturbed: dict[str, Any], commit: int
) -> None:
    """A kill leaves what the last commit left, whenever it comes: one before every other commit stands for all moments. The last ones come
    after the end."""
    with LLMServer(cast(), first_token_s=0.03, tokens_per_s=600) as server:
        shell = Shell(tmp_path / "home", server)
        killed = run_python("-c", DIES, str(commit), "decide", "BTC/USDT:USDT", "--data", str(candles), environment=shell.environment)
        run_id = killed.stderr.split()[1]
        assert killed.returncode in {-9, 0}, killed.stderr
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        done = {event.node for event in engine.events(run_id) if event.kind == "node.finished"}
        ended = engine.record(run_id).status == "finished"
        assert ended or engine.record(run_id).status == "interrupted"
        server.first_token_s, server.tokens_per_s = 0.0, 0
        server.requests.clear()
        engine.resume(run_id)
        state = engine.wait(run_id, 60).result
        assert state is not None
        asked = Counter(role_of(request.body) for request in server.requests)
        check_told_once(engine.events(run_id), state)
        assert set(asked) == (set() if ended else set(ROLES) - done), "nobody who had answered is asked again"
        assert set(asked.values()) <= {1}
        assert without_times(state, "attempt") == without_times(undisturbed, "attempt")
        assert engine.events(run_id)[-1].kind == "run.finished"
        with closing(sqlite3.connect(tmp_path / "home" / "tribunal.db")) as database:
            assert database.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,), "a run that has ended leaves no checkpoints"


def test_stop_cuts_the_calls_and_the_run_can_go_on(make_engine: MakeEngine, candles: Path, tmp_path: Path) -> None:
    with LLMServer(cast(bull=HANG)) as server:
        shell = Shell(tmp_path / "home", server)
        running, run_id = begun(shell, candles)
        wait_until_asked(server, "bull")
        hanging = next(request for request in server.requests if role_of(request.body) == "bull")
        held = shell.run("resume", run_id)
        assert (held.returncode, held.stdout) == (1, "")
        assert "another process" in held.stderr
        began = time.monotonic()
        engine = make_engine()
        engine.stop(run_id)  # asked of another process
        assert hanging.left.wait(3)
        assert time.monotonic() - began < 1.0
        _, told = running.communicate(timeout=10)
        assert running.returncode == 1
        assert "stopped by a person" in told
        assert engine.record(run_id).status == "stopped"
        assert engine.events(run_id)[-1].kind == "run.stopped"
        with pytest.raises(TribunalError, match="stopped already"):
            engine.stop(run_id)
        server.answer = cast()
        server.requests.clear()
        state = json.loads(shell.run("resume", run_id, "--json").stdout)
        assert {role_of(request.body) for request in server.requests} == {"bull", "bear", "judge", "executor"}
        check_told_once(make_engine().events(run_id), state)


def test_a_run_stopped_in_its_own_process_is_continued_there(make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast(judge=HANG)) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        wait_until_asked(server, "judge")
        engine.stop(run_id)
        with pytest.raises(TribunalError, match="stopped by a person"):
            engine.wait(run_id, 10)
        server.answer = cast()
        engine.resume(run_id)
        state = engine.wait(run_id, 30).result
        assert state is not None
        check_told_once(engine.events(run_id), state)
        assert make_engine().events(run_id) == engine.events(run_id)


def test_a_run_stopped_while_its_inputs_are_written_stays_stopped(
    make_engine: MakeEngine, candles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that writes them also says that the run is running."""
    engine, keep = make_engine(), Journal.add_inputs
    is_writing, may_write, was_written = threading.Event(), threading.Event(), threading.Event()

    def slow(journal: Journal, run_id: str, inputs: Inputs) -> None:
        is_writing.set()
        may_write.wait(10)
        keep(journal, run_id, inputs)
        was_written.set()

    monkeypatch.setattr(Journal, "add_inputs", slow)
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", data_dir=str(candles)))
    assert is_writing.wait(10)
    engine.stop(run_id)
    threading.Timer(0.3, may_write.set).start()  # by then a stop that does not wait for the thread has been written
    with pytest.raises(TribunalError, match="stopped by a person"):
        engine.wait(run_id, 30)
    assert was_written.wait(10)
    assert engine.record(run_id).status == "stopped"
    engine.resume(run_id)
    assert engine.wait(run_id, 60).status == "finished"


def test_of_two_that_open_at_once_the_one_that_had_answered_is_not_asked_again(make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast(bear=HANG)) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", openings="together", depth=2))
        while not any(event.kind == "node.finished" and event.node == "bull" for event in engine.events(run_id)):
            time.sleep(0.02)
        engine.stop(run_id)
        with pytest.raises(TribunalError, match="stopped by a person"):
            engine.wait(run_id, 10)
        server.answer = cast()
        server.requests.clear()
        engine.resume(run_id)
        state = engine.wait(run_id, 30).result
        assert state is not None
        assert [role_of(request.body) for request in server.requests] == ["bear", "bull", "bear", "judge", "executor"]
        check_told_once(engine.events(run_id), state)


def test_a_silent_owner_loses_its_run_and_cannot_write_it_any_more(make_engine: MakeEngine, candles: Path, tmp_path: Path) -> None:
    with LLMServer(cast(), first_token_s=0.4) as server:
        settings = {"data_dir": candles, "openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m", "lease_s": 6.0}
        shell = Shell(tmp_path / "home", server)
        shell.environment["TRIBUNAL_LEASE_S"] = "6"
        engine = make_engine(**settings)
        frozen, run_id = begun(shell, candles, "--json")
        freeze(frozen, tmp_path / "home" / "tribunal.db")
        try:
            assert engine.take_over() == [], "its lease still runs"
            until = time.monotonic() + 20
            while (taken := engine.take_over()) == [] and time.monotonic() < until:
                time.sleep(0.05)
            assert taken == [run_id]
            state = engine.wait(run_id, 30).result
        finally:
            frozen.send_signal(signal.SIGCONT)
        printed, _ = frozen.communicate(timeout=30)
        assert state is not None
        assert json.loads(printed) == state, "what the other made of it, not what it would have made itself"
        check_told_once(make_engine().events(run_id), state)
        assert engine.record(run_id).result == state


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


def test_copies_are_decided_at_once_and_one_that_fails_takes_no_other_with_it(candles: Path, tmp_path: Path) -> None:
    with LLMServer(cast(), first_token_s=0.3) as server:
        shell = Shell(tmp_path / "home", server)
        done = shell.run("decide", "BTC/USDT:USDT", "--data", str(candles), "--copies", "6", "--json", "--events", str(tmp_path / "events"))
        assert done.returncode == 0, done.stderr
        states = [json.loads(line) for line in done.stdout.splitlines()]
        assert server.peak > 8, "more than the calls of two decisions are open at once"
    ids = {line.split()[1] for line in done.stderr.splitlines() if line.startswith("run ")}
    assert len(ids) == len(states) == 6
    assert {state["run_id"] for state in states} == ids
    numbers: dict[str, list[int]] = {}
    for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        numbers.setdefault(event["run_id"], []).append(event["seq"])
    assert all(seqs == list(range(1, len(seqs) + 1)) for seqs in numbers.values())
    assert set(numbers) == ids
    assert shell.run("decide", "BTC/USDT:USDT", "--copies", "0").returncode == 2
