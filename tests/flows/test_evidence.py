"""A finished plan attached to a decision and to a run of the equities desk: given, quoted, checked, kept with the inputs."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from engine.api import Engine, verify_bundle
from engine.domain.errors import BadInput
from engine.llm.protocol import ModelCall, Script
from engine.script.model import ScriptedModel
from tests.flows.answers import state_of

Make = Callable[..., Engine]
AT = "2026-05-16T12:00:00Z"
PLAN: dict[str, Any] = {
    "question": "Who pays funding?",
    "factors": [
        {
            "name": "funding",
            "description": "what holding costs",
            "tasks": [{"id": "f", "tool": "funding_history", "args": {"symbol": "BTC/USDT:USDT"}, "output_key": "funding"}],
        }
    ],
}


def planned(engine: Engine, at: str = AT) -> str:
    """The run of a finished plan with one factor."""
    record = engine.wait(engine.start(engine.plans.request(plan=PLAN, at=at)), 60)
    assert record.result is not None
    assert record.result["statements"], record.result["errors"]
    return record.run_id


def decided(engine: Engine, *evidence: str, at: str = "2026-05-17T12:00:00Z", **asked: Any) -> dict[str, Any]:
    """The final state of a decision that was given evidence."""
    request = engine.decisions.request("BTC/USDT:USDT", at=at, evidence=list(evidence) or None, **asked)
    return state_of(engine, engine.start(request))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_analyst_quotes_it_and_the_quote_is_held_to_it(make_engine: Make, language: str) -> None:
    engine = make_engine()
    run_id = planned(engine)
    state = decided(engine, run_id, language=language)
    assert [each["run_id"] for each in state["evidence"]] == [run_id]
    [cited] = state["evidence_cited"]
    assert (cited["node"], cited["citations"], cited["status"]) == ("sentiment", [1], "supported")
    assert state["false_claims"] == 0, "a quote of another window is no claim about the market of now"


def test_nothing_that_is_known_later_is_given(make_engine: Make) -> None:
    engine = make_engine()
    state = decided(engine, planned(engine), at="2026-05-10T00:00:00Z")
    assert "evidence" not in state


@pytest.mark.full
def test_the_record_decides_again_without_the_journal(make_engine: Make) -> None:
    engine = make_engine()
    state = decided(engine, planned(engine))
    bundle = json.loads(json.dumps(engine.bundle(state["run_id"])))
    assert verify_bundle(bundle) == []
    bundle["snapshot"]["evidence"][0]["text"] = "Funding was 9 %."
    assert verify_bundle(bundle), "evidence that was changed afterwards is found"


@pytest.mark.full
def test_what_cannot_be_attached_is_refused_in_one_line(make_engine: Make) -> None:
    engine = make_engine()
    for run_id in ("no-such-run", decided(engine)["run_id"]):
        with pytest.raises(BadInput):
            engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", at=AT, evidence=[run_id])), 60)


@pytest.mark.full
def test_the_equities_desk_is_given_it_too_and_writes_its_report_anew(make_engine: Make) -> None:
    engine = make_engine()
    run_id = planned(engine, at="2024-03-01T00:00:00Z")

    def run(**given: Any) -> dict[str, Any]:
        request = engine.equities.request("AAPL", trade_date="2024-03-05", session="pre_open", **given)
        return state_of(engine, engine.start(request))

    before = run()
    after = run(evidence=[run_id])
    assert {each["node"] for each in after["evidence_cited"]} == {"news", "sentiment"}, "who looks at such things, and the first of all"
    assert all(each["status"] == "supported" for each in after["evidence_cited"])
    assert "evidence" not in before
    assert {record["status"] for record in after["analysts"].values()} == {"done"}, "a report that was written without it is not reused"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[ModelCall]:
    """What the scripted model was asked, call by call."""
    calls: list[ModelCall] = []
    write = ScriptedModel.write

    def listening(self: ScriptedModel, call: ModelCall) -> Script:
        calls.append(call)
        return write(self, call)

    monkeypatch.setattr(ScriptedModel, "write", listening)
    return calls


@pytest.mark.full
def test_everybody_who_argues_reads_it_and_those_quote_it_whom_it_concerns(make_engine: Make, asked: list[ModelCall]) -> None:
    engine = make_engine()
    run_id = planned(engine)
    asked.clear()
    state = decided(engine, run_id)
    given = [each["text"] for each in state["evidence"]]
    readers = {call.where for call in asked if all(text in call.user for text in given)}
    assert readers == {"indicator", "trend", "sentiment", "pattern", "bull", "bear", "judge"}
    assert all(call.user.count('<said by="evidence">') == 1 for call in asked if call.where in readers)
    assert {each["node"]: each["citations"] for each in state["evidence_cited"]} == {"sentiment": [1]}
    assert {each["status"] for each in state["evidence_cited"]} == {"supported"}
    assert state["false_claims"] == 0
    assert verify_bundle(engine.bundle(state["run_id"])) == []
