"""What every flow must be, over all that are registered and over the toy flow: started, stopped, killed and continued,
forked, played again, verified, listed."""

import asyncio
import copy
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.agents.recording import recorded
from engine.api import verify_bundle
from engine.desks import flows
from engine.domain.errors import BadInput, TribunalError
from engine.llm.protocol import ModelCall
from engine.script.model import ScriptedModel
from pages.frame.show import Show
from pages.run.run_list import runs_panel
from tests.processes import run_python
from tests.toy.asked import FORKED_FROM, engine_on, request_of
from tests.toy.flow import DUG, ToyFlow
from tests.toy.killed import ENDS, NODE_ENDS, REST, homes_in

if TYPE_CHECKING:
    from engine.api import Engine
    from tests.databases import Cluster

NAMES = sorted({*flows(), ToyFlow.name})
TIMES = ("_at", "_ms", "timestamp", "_id", "attempt")


def without_times(value: Any) -> Any:
    """A state without what may differ between two equal runs: times, names, and which attempt of a speech was the last."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if not key.endswith(TIMES) and key != "ms"}
    return [without_times(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def engine(tmp_path: Path) -> Iterator["Engine"]:
    with closing(engine_on(tmp_path / "home")) as made:
        yield made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The node of every call of the scripted model, in order."""
    nodes: list[str] = []
    stream = ScriptedModel.stream

    def counted(self: ScriptedModel, call: ModelCall) -> Any:
        nodes.append(call.where)
        return stream(self, call)

    monkeypatch.setattr(ScriptedModel, "stream", counted)
    return nodes


def state_of(engine: "Engine", run_id: str) -> dict[str, Any]:
    state = engine.wait(run_id, 60).result
    assert state is not None
    return state


@pytest.mark.parametrize("name", NAMES)
def test_a_run_starts_is_told_and_ends(engine: "Engine", asked: list[str], name: str) -> None:
    run_id = engine.start(request_of(engine, name))
    state = state_of(engine, run_id)
    events = engine.events(run_id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert (events[0].kind, events[-1].kind) == ("run.started", "run.finished")
    answers = recorded(events).answers
    assert len(answers) == len(asked), "every model call is one recorded answer"
    assert {node for node, _ in answers} == set(asked)
    assert {"is_valid", "errors"} <= set(state)
    assert engine.record(run_id).request == request_of(engine, name), "read back as the class of its flow"
    assert {seat.node for seat in flows()[name].seats()} >= set(asked), "who speaks has a seat"
    json.dumps(state, allow_nan=False)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_listed(engine: "Engine", name: str) -> None:
    request = request_of(engine, name)
    run_id = engine.start(request)
    engine.wait(run_id, 60)
    (row,) = engine.runs()
    assert (row.run_id, row.flow, row.subject, row.status) == (run_id, name, request.subject, "finished")
    assert row.headline
    assert row.tokens
    html = runs_panel(engine.runs(), Show(language="en"))
    assert run_id in html
    assert request.subject in html


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_is_stopped_goes_on(
    tmp_path: Path, each_database: str | None, asked: list[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(engine_on(tmp_path / "home", database_url=each_database)) as engine:
        check_stopped(tmp_path, engine, asked, name, monkeypatch)


def check_stopped(tmp_path: Path, engine: "Engine", asked: list[str], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop a run while its last role speaks, continue it, and hold it against an undisturbed one."""
    last, stream = flows()[name].seats()[-1].node, ScriptedModel.stream

    async def hanging(self: ScriptedModel, call: ModelCall) -> Any:
        if call.where == last:
            await asyncio.sleep(60)
        async for chunk in stream(self, call):
            yield chunk

    with monkeypatch.context() as patch:
        patch.setattr(ScriptedModel, "stream", hanging)
        run_id = engine.start(request_of(engine, name))
        while not any(event.kind == "node.started" and event.node == last for event in engine.events(run_id)):
            assert engine.record(run_id).status in {"starting", "running"}
        assert engine.record(run_id).status == "running", "inputs or not, a run that goes on is running"
        engine.stop(run_id)
        with pytest.raises(TribunalError, match="stopped by a person"):
            engine.wait(run_id, 10)
    assert engine.record(run_id).status == "stopped"
    asked.clear()
    engine.resume(run_id)
    state = state_of(engine, run_id)
    assert asked == [last], "who had answered is not asked again"
    with closing(engine_on(tmp_path / "calm", database_url=None)) as calm:  # a home of its own: some flows remember their earlier runs
        assert without_times(state_of(calm, calm.start(request_of(calm, name)))) == without_times(state)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == "toy" else pytest.mark.full) for name in NAMES])
def test_a_run_that_is_killed_at_any_kind_of_event_or_the_end_of_any_node_goes_on(tmp_path: Path, asked: list[str], name: str) -> None:
    kinds, ends = killed_and_continued(tmp_path, asked, name, ENDS)
    with closing(engine_on(tmp_path / "calm")) as calm:
        (run,) = calm.runs()
        events = calm.events(run.run_id)
    assert kinds == {event.kind for event in events}, "every kind of event is a point"
    assert ends == Counter(event.node for event in events if event.kind in NODE_ENDS), "and so is the end of every node"


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_is_killed_at_any_other_event_goes_on(tmp_path: Path, asked: list[str], name: str) -> None:
    killed_and_continued(tmp_path, asked, name, REST)


@pytest.mark.full
@pytest.mark.timeout(400)
def test_a_run_on_postgresql_that_is_killed_at_any_kind_of_event_goes_on(tmp_path: Path, asked: list[str], postgresql: "Cluster") -> None:
    """Every kind of event of the flow that has them all; beside it, an undisturbed run on SQLite: both give the same state."""
    kinds, ends = killed_and_continued(tmp_path, asked, "toy", ENDS, [postgresql.create() for _ in range(40)])
    assert {"run.started", "run.finished", "node.finished", "tool.answered"} <= kinds
    assert len(ends) > 1


def killed_and_continued(
    folder: Path, asked: list[str], name: str, which: str, databases: Sequence[str] = ()
) -> tuple[set[str], Counter[str | None]]:
    """Kill runs of a flow at the events that `which` chooses, and continue each: the kinds of these events, and the nodes that ended at
    one. Kills of processes are the toy flow's; of the others a copy of the home is taken where the kill would come (`tests.toy.killed`).
    databases: one for each kill, more than enough; none = a file in the home."""
    with closing(engine_on(folder / "calm")) as calm:
        undisturbed = without_times(state_of(calm, calm.start(request_of(calm, name))))
    turns = len(asked)
    done = run_python("-m", "tests.toy.killed", "kill" if name == "toy" else "copy", name, str(folder), which, *databases, timeout=300)
    assert done.returncode == 0, done.stderr
    homes = homes_in(folder)
    assert homes
    for home, point in homes:
        with closing(engine_on(home)) as engine:
            check_goes_on(engine, asked, name, undisturbed, turns, f"killed at event {point.seq}, {point.kind}")
    kinds = {point.kind for _, point in homes}
    return kinds, Counter(point.node for _, point in homes if point.kind in NODE_ENDS)


def check_goes_on(engine: "Engine", asked: list[str], name: str, undisturbed: Any, turns: int, point: str) -> None:
    """Continue the only run of this engine, and compare it with an undisturbed one. turns: how many model calls that one took."""
    (run,) = engine.runs()
    known = recorded(engine.events(run.run_id))
    asked.clear()
    DUG.clear()
    engine.resume(run.run_id)
    state = state_of(engine, run.run_id)
    events = engine.events(run.run_id)
    assert without_times(state) == undisturbed, point
    assert len(asked) == (0 if run.status == "finished" else turns - len(known.answers)), point
    if name == "toy":
        assert len(DUG) == 2 - sum(kind == "tool.answered" for _, kind, _ in known.observations), "no tool is called again"
    assert [event.seq for event in events] == list(range(1, len(events) + 1)), point
    for once in ("run.started", "run.finished"):
        assert [event.kind for event in events].count(once) == 1, point
    assert len(recorded(events).answers) == turns, point
    assert verify_bundle(engine.bundle(run.run_id)) == [], point


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_a_fork_asks_from_its_node_on(engine: "Engine", asked: list[str], name: str) -> None:
    parent = engine.start(request_of(engine, name))
    before = state_of(engine, parent)
    asked.clear()
    fork = engine.fork(parent, FORKED_FROM[name])
    state_of(engine, fork)
    begins = [seat.node for seat in flows()[name].seats()].index(FORKED_FROM[name])
    assert asked
    assert set(asked) <= {seat.node for seat in flows()[name].seats()[begins:]}
    assert engine.record(parent).result == before
    assert next(run for run in engine.runs() if run.run_id == fork).parent == parent
    assert verify_bundle(engine.bundle(fork)) == []
    with pytest.raises(BadInput, match="is not known"):
        engine.fork(parent, "moon")


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_played_again_without_a_model(engine: "Engine", asked: list[str], name: str) -> None:
    run_id = engine.start(request_of(engine, name))
    state = state_of(engine, run_id)
    asked.clear()
    DUG.clear()
    again = engine.replay(run_id)
    assert without_times(state_of(engine, again)) == without_times(state)
    assert (asked, DUG) == ([], [])
    assert without_times(state_of(engine, engine.replay(again))) == without_times(state), "and that one again"


@pytest.mark.parametrize("name", NAMES)
def test_a_bundle_is_verified_and_what_was_changed_in_it_found(engine: "Engine", name: str) -> None:
    run_id = engine.start(request_of(engine, name))
    engine.wait(run_id, 60)
    bundle = json.loads(json.dumps(engine.bundle(run_id), allow_nan=False))
    assert verify_bundle(bundle) == []
    answered = [place for place, event in enumerate(bundle["events"]) if event["kind"] == "node.tokens"]
    spoiled = copy.deepcopy(bundle)
    spoiled["events"][answered[-1]]["data"]["text"] += " RSI is 5."
    assert verify_bundle(spoiled) != []
    missing = copy.deepcopy(bundle)
    del missing["events"][answered[0]]
    assert verify_bundle(missing) != []


@pytest.mark.full
def test_what_a_run_leaves_is_read_by_the_next_and_recalled_by_its_copies(engine: "Engine") -> None:
    first = state_of(engine, engine.start(request_of(engine, "toy")))
    second_id = engine.start(request_of(engine, "toy"))
    second = state_of(engine, second_id)
    assert first["story"].endswith("last time: nothing")
    assert second["story"].endswith(f"last time: {first['story']}")
    assert state_of(engine, engine.replay(second_id))["story"] == second["story"], "the memory it read then, not the newest"
    forked = state_of(engine, engine.fork(second_id, "teller"))
    assert forked["story"].count("last time") > second["story"].count("last time"), "asked anew, it reads anew"
