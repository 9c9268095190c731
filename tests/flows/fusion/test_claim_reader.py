"""A second reader at the equities desk: beside both judges and the advisor, never between two speakers."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.api import verify_bundle
from pages.equities.equity_reducer import reduce_equities
from tests.flows.fusion.played import DECISION, PLAN, VIEW, engine_at, play, told
from tests.flows.fusion.test_over_http import answering, engine_over, of_role
from tests.servers.claim_reader import Asked, reads, says, strikes_of
from tests.servers.llm import HANG, Body, LLMServer, Plan

LIES: dict[str, Any] = {
    "market_analyst": f"RSI is 3.1.\n\n{VIEW}",
    "bull_researcher": "RSI is 4.2.",
    "research_manager": f"The price is 200.\n\n{PLAN}",
    "risk_judge": f"The price is 150.\n\n{DECISION}",
}


def judged(asked: Asked) -> str:
    return "no" if "4.2" in asked.words or "200" in asked.words else "yes"


def answered(reader: Plan | Callable[[Body], Plan], **more: Any) -> Callable[[Body], Plan]:
    return answering(**{**LIES, **more}, claim_reader=reader)


def test_reports_and_debates_are_read_beside_the_judges(tmp_path: Path) -> None:
    with LLMServer(answered(reads(judged))) as server, closing(engine_over(tmp_path, server)) as engine:
        state, events = play(engine)
        asked = [{(each.who, each.words) for each in strikes_of(body)} for body in of_role(server, "claim reader")]
        assert state["metrics"]["llm_calls_count"] == len(server.requests)
        assert verify_bundle(json.loads(json.dumps(engine.bundle(state["run_id"])))) == []
        server.requests.clear()
        fork = engine.fork(state["run_id"], "risk_judge")
        assert engine.wait(fork, 60).result["false_claims"] == 2
        again = [{each.who for each in strikes_of(body)} for body in of_role(server, "claim reader")]
    assert asked == [
        {("market", "RSI is 3.1"), ("bull_researcher", "RSI is 4.2")},
        {("research_manager", "The price is 200")},
        {("risk_judge", "The price is 150")},
    ]
    assert again == [{"risk_judge"}], "what was said before has been read"
    assert (state["false_claims"], state["total_claims"], state["unverifiable_claims"], state["errors"]) == (2, 2, 2, [])
    assert [each["source"] for each in state["false_claim_details"]] == ["market", "risk_judge"]
    assert "~~" not in state["investment_plan"]
    assert "~~150~~" in state["final_trade_decision"]
    read = {data["node"]: data for data in told(events, "node.finished") if data["node"].startswith("reader_")}
    assert [*read] == ["reader_before_research_manager", "reader_of_research_manager", "reader_of_risk_judge"]
    shown = {(claim.source, claim.key): (claim.verdict, claim.confirmed) for claim in reduce_equities(events).claims}
    assert shown == {
        ("market", "rsi_14"): ("false", "yes"),
        ("bull_researcher", "rsi_14"): ("unverifiable", "no"),
        ("research_manager", "close"): ("unverifiable", "no"),
        ("risk_judge", "close"): ("false", "yes"),
    }
    assert not any(each.node.startswith("reader_") for each in reduce_equities(events).speeches), "it says nothing of its own"


@pytest.mark.parametrize(("reader", "calls"), [(HANG, 1 + 1), (says("no"), 3)], ids=["silent", "says no to everything"])
def test_without_a_usable_answer_the_rules_are_kept(tmp_path: Path, reader: Any, calls: int) -> None:
    """A silent one is not waited for behind a judge beside whom it was silent."""
    endpoint = {"openai_api_key": "sk-test", "model": "loopback", "call_deadline_s": 4.5}
    with LLMServer(answered(reader)) as server, closing(engine_at(tmp_path, openai_base_url=server.base_url, **endpoint)) as engine:
        state, events = play(engine)
        assert len(of_role(server, "claim reader")) == calls
    assert (state["false_claims"], state["hallucination_score"]) == (4, 100.0)
    assert {claim.confirmed for claim in reduce_equities(events).claims} == {"unconfirmed"}
    assert any("reader gave no usable answer" in line for line in state["warnings"]) == (reader is HANG)


def test_the_advisor_of_an_index_is_read_too(tmp_path: Path) -> None:
    lies = {"macro_analyst": f"RSI is 3.1.\n\n{VIEW}", "strategy_advisor": f"RSI is 4.2.\n\n{VIEW}"}
    with LLMServer(answering(**lies, claim_reader=reads("no"))) as server, closing(engine_over(tmp_path, server)) as engine:
        state, events = play(engine, "^GSPC", preset="index")
        asked = [{each.who for each in strikes_of(body)} for body in of_role(server, "claim reader")]
    assert asked == [{"macro"}, {"strategy"}]
    assert (state["false_claims"], state["unverifiable_claims"]) == (0, 2)
    at = {(event.kind, event.node): event.seq for event in events}
    assert at["node.started", "strategy"] < at["node.finished", "reader_before_strategy"] < at["node.finished", "strategy"]
