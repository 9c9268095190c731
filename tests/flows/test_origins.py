"""Runs made from runs: played again without a model, and forked from a node."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import BadInput
from tests.flows.answers import cast, role_of
from tests.flows.test_resume import check_told_once, without_times
from tests.servers.llm import Fault, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]
SYMBOL = "BTC/USDT:USDT"


@pytest.fixture
def played(make_engine: MakeEngine, candles: Path) -> "Callable[..., tuple[Engine, str, dict[str, Any]]]":
    """An engine over a model, a finished run of it, and the run's state."""

    def play(server: LLMServer | None = None, **asked: object) -> "tuple[Engine, str, dict[str, Any]]":
        model = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m"} if server else {}
        engine = make_engine(data_dir=candles, **model)
        run_id = engine.start(engine.decisions.request(SYMBOL, **asked))
        state = engine.wait(run_id, 60).result
        assert state is not None
        return engine, run_id, state

    return play


def _again(engine: "Engine", run_id: str) -> dict[str, Any]:
    state = engine.wait(run_id, 60).result
    assert state is not None
    return state


@pytest.mark.full
@pytest.mark.parametrize(
    "asked",
    [{"lies": 0.4}, {"depth": 2, "lies": 0.3, "language": "zh"}, {"depth": 2, "lies": 0.3, "openings": "together"}],
    ids=["lies", "two rounds", "opened together"],
)
def test_a_scripted_run_is_played_again_field_by_field(played: Any, asked: dict[str, Any]) -> None:
    engine, run_id, state = played(**asked)
    again = engine.start(engine.decisions.request(SYMBOL, model=f"recorded:{run_id}"))
    replayed = _again(engine, again)
    assert without_times(replayed) == without_times(state)
    check_told_once(engine.events(again), replayed)


@pytest.mark.full
def test_a_run_with_faults_is_played_again_without_its_model(played: Any) -> None:
    with LLMServer(cast(trend="nothing that can be read", sentiment=Fault(status=500))) as server:
        engine, run_id, state = played(server)
        server.requests.clear()
        replayed = _again(engine, engine.start(engine.decisions.request(SYMBOL, model=f"recorded:{run_id}")))
        assert server.requests == []
    assert {key for key, report in state["reports"].items() if report["abstained"]} == {"trend", "sentiment"}
    assert without_times(replayed) == without_times(state)


@pytest.mark.full
def test_a_fork_asks_from_its_node_on_and_names_its_parent(played: Any) -> None:
    with LLMServer(cast()) as server:
        engine, run_id, state = played(server)
        server.requests.clear()
        fork = engine.fork(run_id, "judge", language="zh")
        forked = _again(engine, fork)
        assert {role_of(request.body) for request in server.requests} == {"judge", "executor"}
    assert forked["bull_argument"] == state["bull_argument"]
    assert forked["snapshot_hash"] == state["snapshot_hash"]
    assert next(run for run in engine.runs() if run.run_id == fork).parent == run_id
    check_told_once(engine.events(fork), forked)
    assert engine.record(run_id).result == state, "the parent stays as it was"


@pytest.mark.full
def test_a_fork_in_the_middle_of_a_debate_keeps_only_what_was_said_before(played: Any) -> None:
    with LLMServer(cast()) as server:
        engine, run_id, state = played(server, depth=2)
        server.requests.clear()
        forked = _again(engine, engine.fork(run_id, "bear"))
        assert [role_of(request.body) for request in server.requests] == ["bear", "bull", "bear", "judge", "executor"]
    assert forked["is_valid"] == state["is_valid"]


@pytest.mark.full
def test_an_edited_text_takes_the_place_of_an_answer(played: Any) -> None:
    with LLMServer(cast()) as server:
        engine, run_id, state = played(server)
        server.requests.clear()
        said = "I see no case for buyers today.\n\n[Vote]\nconfidence: 5\n"
        forked = _again(engine, engine.fork(run_id, "bull", texts={"bull": said}))
        assert {role_of(request.body) for request in server.requests} == {"bear", "judge", "executor"}
    assert forked["bull_argument"]["text"] == said
    assert forked["bull_argument"]["confidence"] == 5
    assert state["bull_argument"]["text"] != said


@pytest.mark.full
def test_a_fork_of_one_analyst_keeps_the_others(played: Any) -> None:
    with LLMServer(cast()) as server:
        engine, run_id, _ = played(server)
        server.requests.clear()
        _again(engine, engine.fork(run_id, "trend"))
        assert {role_of(request.body) for request in server.requests} == {"trend", "bull", "bear", "judge", "executor"}


@pytest.mark.full
def test_what_cannot_be_made_is_said(played: Any) -> None:
    engine, run_id, _ = played()
    with pytest.raises(BadInput, match="node 'moon' is not known"):
        engine.fork(run_id, "moon")
    with pytest.raises(BadInput, match="role 'moon' is not known"):
        engine.fork(run_id, "bull", texts={"moon": "text"})
    with pytest.raises(BadInput, match="text of bull is empty"):
        engine.fork(run_id, "bull", texts={"bull": " "})
    with pytest.raises(BadInput, match="is not known"):
        engine.fork("nobody", "bull")
    with pytest.raises(BadInput, match="is about BTC"):
        engine.decisions.request("ETH/USDT:USDT", model=f"recorded:{run_id}")
    with pytest.raises(BadInput, match="run nobody is not known"):
        engine.decisions.request(SYMBOL, model="recorded:nobody")
