"""A second reader at the equities desk: beside both judges and the advisor, never between two speakers."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.api import verify_bundle
from pages.desks.equities.equity_view import EQUITIES
from tests.flows.equities.played import DECISION, PLAN, VIEW, play, told
from tests.flows.equities.test_over_http import answering, engine_over, of_role
from tests.servers.claim_reader import Asked, reads, strikes_of
from tests.servers.llm import Body, LLMServer, Plan

TRUE = "The price is 121.74."
LIES: dict[str, Any] = {
    "market_analyst": f"RSI is 3.1. {TRUE}\n\n{VIEW}",
    "bull_researcher": "RSI is 4.2.",
    "bear_researcher": f"{TRUE} {TRUE}",
    "research_manager": f"The price is 200.\n\n{PLAN}",
    "risk_judge": f"The price is 150.\n\n{DECISION}",
}


def judged(asked: Asked) -> str:
    return "no" if "4.2" in asked.words or "200" in asked.words else "yes"


def answered(reader: Plan | Callable[[Body], Plan], **more: Any) -> Callable[[Body], Plan]:
    return answering(**{**LIES, **more}, claim_reader=reader)


@pytest.mark.full
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
    assert (state["false_claims"], state["total_claims"], state["unverifiable_claims"], state["errors"]) == (2, 5, 2, [])
    assert (state["hallucination_score"], state["analysis_hallucination_score"]) == (100 / 3, 50.0), "as the reader left them"
    assert [each["source"] for each in state["false_claim_details"]] == ["market", "risk_judge"]
    assert "~~" not in state["investment_plan"]
    assert "~~150~~" in state["final_trade_decision"]
    read = {data["node"]: data for data in told(events, "node.finished") if data["node"].startswith("reader_")}
    assert [*read] == ["reader_before_research_manager", "reader_of_research_manager", "reader_of_risk_judge"]
    struck = [claim for claim in EQUITIES.reduce(events).claims if claim.verdict != "true"]
    shown = {(claim.source, claim.key): (claim.verdict, claim.confirmed) for claim in struck}
    assert shown == {
        ("market", "rsi_14"): ("false", "yes"),
        ("bull_researcher", "rsi_14"): ("unverifiable", "no"),
        ("research_manager", "close"): ("unverifiable", "no"),
        ("risk_judge", "close"): ("false", "yes"),
    }
    assert not any(each.name.startswith("reader_") for each in EQUITIES.reduce(events).speeches), "it says nothing of its own"


@pytest.mark.full
def test_a_report_is_remembered_as_the_reader_left_it(tmp_path: Path) -> None:
    lies = {"market_analyst": f"RSI is 3.1.\n\n{VIEW}", "research_manager": PLAN}
    with LLMServer(answering(**lies, claim_reader=reads("no"))) as server, closing(engine_over(tmp_path, server)) as engine:
        first, _ = play(engine)
        again, _ = play(engine)
        asked = len(of_role(server, "market analyst"))
    reused = again["analysts"]["market"]
    assert (first["errors"], again["errors"]) == ([], []), "the gate stays open as it was"
    assert (reused["status"], reused["report"], asked) == ("reused", f"RSI is 3.1.\n\n{VIEW}".strip(), 1)
    assert again["analysis_hallucination_score"] is None, "nothing in it can be checked any more"


@pytest.mark.full
def test_a_report_whose_strikes_no_reader_saw_is_asked_for_anew_where_one_is_there(tmp_path: Path) -> None:
    lies = {"market_analyst": f"RSI is 3.1. {TRUE}\n\n{VIEW}"}
    with LLMServer(answering(**lies, claim_reader=reads("no"))) as server, closing(engine_over(tmp_path, server)) as engine:
        by_rule, _ = play(engine, reader="rules")
        kept, _ = play(engine, reader="rules")
        read, _ = play(engine)
    assert [each["analysts"]["market"]["status"] for each in (by_rule, kept, read)] == ["done", "reused", "done"]
    assert [each["analysis_hallucination_score"] for each in (by_rule, kept, read)] == [50.0, 50.0, 0.0]
