"""A run that asks for a run of another flow: begun once whatever happens, waited for, stopped with its parent, recalled by its copies."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.desks import flows
from engine.domain.errors import TribunalError
from engine.domain.run import RunRequest
from engine.llm.protocol import ModelCall
from engine.script.model import ScriptedModel
from tests.processes import run_python
from tests.toy.asked import engine_on, request_of
from tests.toy.asking import AskingRequest
from tests.toy.flow import ToyRequest
from tests.toy.killed import ENDS, REST, homes_in

if TYPE_CHECKING:
    from engine.api import Engine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator["Engine"]:
    with closing(engine_on(tmp_path / "home")) as made:
        yield made


def state_of(engine: "Engine", run_id: str) -> dict[str, Any]:
    state = engine.wait(run_id, 60).result
    assert state is not None
    return state


def children_of(engine: "Engine", run_id: str) -> list[str]:
    asked = [event.data.to_json()["run_id"] for event in engine.events(run_id) if event.kind == "child.started"]
    return [run.run_id for run in engine.runs() if run.parent == run_id and run.run_id in asked]


def test_a_child_runs_and_its_parent_goes_by_what_came_of_it(engine: "Engine") -> None:
    parent = engine.start(request_of(engine, "asking"))
    state = state_of(engine, parent)
    (child,) = children_of(engine, parent)
    assert (engine.record(child).request.flow, engine.record(child).status) == ("toy", "finished")
    assert state["findings"] == f"finished: {state_of(engine, child)['story']}"
    told = [event.kind for event in engine.events(parent) if event.kind.startswith("child.")]
    assert told == ["child.started", "child.finished"]
    assert verify_bundle(engine.bundle(parent)) == []


def test_what_is_made_from_it_begins_no_child_but_where_its_node_is_asked_anew(engine: "Engine") -> None:
    parent = engine.start(request_of(engine, "asking"))
    state = state_of(engine, parent)
    for made in (engine.replay(parent), engine.fork(parent, "teller")):
        assert state_of(engine, made)["findings"] == state["findings"]
        assert verify_bundle(engine.bundle(made)) == []
    assert len([run for run in engine.runs() if run.flow == "toy"]) == 1
    anew = engine.fork(parent, "clerk")
    state_of(engine, anew)
    assert len(children_of(engine, anew)) == 1
    assert len([run for run in engine.runs() if run.flow == "toy"]) == 2


def test_a_child_that_cannot_begin_is_an_end_too(engine: "Engine") -> None:
    asks = request_of(engine, "decision").model_copy(update={"feed": "recorded", "data_dir": "/nowhere"})
    state = state_of(engine, engine.start(AskingRequest(question="and there?", asks=asks)))
    assert state["findings"].startswith("failed: ")


def nested(deep: int) -> AskingRequest:
    """A run that has `deep` generations below it; all but the last are of its own flow."""
    asks: RunRequest = ToyRequest(question="what lies below?")
    for _ in range(deep - 1):
        asks = AskingRequest(question="and below that?", asks=asks)
    return AskingRequest(question="what do they say?", asks=asks)


@pytest.mark.full
def test_runs_ask_for_runs_three_deep_and_no_deeper(engine: "Engine") -> None:
    assert state_of(engine, engine.start(nested(3)))["findings"].startswith("finished: ")
    assert len(engine.runs()) == 4
    parent = engine.start(nested(4))
    state_of(engine, parent)
    below = [parent]
    while children := children_of(engine, below[-1]):
        below += children
    assert len(below) == 4, "the fourth below it never began"
    assert len(engine.runs()) == 8
    state = state_of(engine, below[-1])
    chain = " <- ".join(reversed(below))
    assert state["findings"] == f"failed: child runs are nested at most 3 deep, and run {below[-1]} is already that deep: {chain}"
    for run_id in below:
        assert verify_bundle(engine.bundle(run_id)) == []
        assert state_of(engine, engine.replay(run_id))["findings"] == state_of(engine, run_id)["findings"]


def test_a_flow_that_there_is_not_is_a_failed_child(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(flows(), "toy")
    parent = engine.start(request_of(engine, "asking"))
    assert state_of(engine, parent)["findings"].startswith("failed: the flow 'toy' is not known here")
    assert verify_bundle(engine.bundle(parent)) == []


def test_a_parent_that_is_stopped_stops_its_child_and_both_go_on(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    stream = ScriptedModel.stream

    async def hanging(self: ScriptedModel, call: ModelCall) -> Any:
        if call.where == "digger":
            await asyncio.sleep(60)
        async for chunk in stream(self, call):
            yield chunk

    with monkeypatch.context() as patch:
        patch.setattr(ScriptedModel, "stream", hanging)
        parent = engine.start(request_of(engine, "asking"))
        while not any(event.node == "digger" for child in children_of(engine, parent) for event in engine.events(child)):
            assert engine.record(parent).status in {"starting", "running"}
        (child,) = children_of(engine, parent)
        engine.stop(parent)
        for run_id in (parent, child):
            with pytest.raises(TribunalError, match="stopped by a person"):
                engine.wait(run_id, 10)
    assert [engine.record(run_id).status for run_id in (parent, child)] == ["stopped", "stopped"]
    engine.resume(parent)
    assert state_of(engine, parent)["findings"] == f"finished: {state_of(engine, child)['story']}"
    assert children_of(engine, parent) == [child], "the one it had begun went on"


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("which", [ENDS, REST])
def test_killed_at_any_event_of_either_it_has_one_child(tmp_path: Path, which: str) -> None:
    with closing(engine_on(tmp_path / "calm")) as calm:
        undisturbed = state_of(calm, calm.start(request_of(calm, "asking")))["findings"]
    done = run_python("-m", "tests.toy.killed", "kill", "asking", str(tmp_path), which, timeout=250)
    assert done.returncode == 0, done.stderr
    homes = homes_in(tmp_path)
    assert homes
    for home, point in homes:
        with closing(engine_on(home)) as engine:
            parent = next(run.run_id for run in engine.runs() if run.flow == "asking")
            engine.resume(parent)
            assert state_of(engine, parent)["findings"] == undisturbed, f"killed at {point}"
            (child,) = [run.run_id for run in engine.runs() if run.flow == "toy"]
            assert engine.record(child).status == "finished"
            assert verify_bundle(engine.bundle(parent)) == [], f"killed at {point}"
