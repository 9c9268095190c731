"""The hallucination gate of the equities desk, and the confidence that is left when false numbers have been counted."""

import json
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from tests.flows.equities.played import DECISION, PLAN, TRADE, VIEW, Words, play, told

if TYPE_CHECKING:
    from engine.api import Engine

TRUE, FALSE = "The price is 121.74.", "RSI(14) is 3.1."
ANALYSTS = ("market", "news", "sentiment", "fundamentals")


def roles_asked(words: Words) -> set[str]:
    return {call.role for call in words.calls}


@pytest.mark.parametrize(
    ("said", "scores", "last"),
    [
        (dict.fromkeys(ANALYSTS, f"{FALSE}\n\n{VIEW}"), (None, 100.0), "research_manager"),
        ({"bull_researcher": FALSE}, (100.0, None), "research_manager"),
        ({"bull_researcher": TRUE, "risky": FALSE, "safe": FALSE, "risk_judge": f"{FALSE}\n\n{DECISION}"}, (75.0, None), "risk_judge"),
        ({"trader": f"{FALSE}\n\n{TRADE}"}, (100.0, None), "trader"),
    ],
    ids=["analysts", "research", "risk", "trader"],
)
def test_above_seventy_percent_the_run_ends_in_hold(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], scores: tuple[float | None, float | None], last: str
) -> None:
    words = Words(monkeypatch, **said)
    state, events = play(engine, propose=True)
    assert (state["hallucination_score"], state["analysis_hallucination_score"]) == scores
    assert (state["trader_action"], state["order"], state["proposal_id"], state["is_valid"]) == ("hold", None, None, False)
    assert (state["grounding_verified"], state["final_confidence"]) == (False, 0.0)
    assert "gate closed" in state["errors"][0]
    order = ["research_manager", "risk_judge", "trader"]
    assert [role for role in order if role in roles_asked(words)] == order[: order.index(last) + 1]
    assert verify_bundle(json.loads(json.dumps(engine.bundle(state["run_id"]), allow_nan=False))) == []
    assert told(events, "grounding.corrected")


def test_a_report_that_is_used_again_counts_as_it_did(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is corrected, and would be all right if it were read anew."""
    said = dict.fromkeys(ANALYSTS, f"{FALSE}\n\n{VIEW}")
    Words(monkeypatch, **said)
    play(engine)
    words = Words(monkeypatch)
    state, _ = play(engine)
    assert roles_asked(words).isdisjoint(ANALYSTS)
    assert (state["analysis_hallucination_score"], state["trader_action"], state["is_valid"]) == (100.0, "hold", False)


def test_what_could_not_be_checked_is_null_and_verifies_nothing(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch)
    state, _ = play(engine)
    assert (state["hallucination_score"], state["analysis_hallucination_score"], state["grounding_verified"]) == (None, None, False)
    assert (state["confidence_penalty"], state["executor_confidence"], state["final_confidence"]) == (0.0, 70.0, 70.0)
    assert state["is_valid"]


@pytest.mark.parametrize(("stated", "counted", "action"), [(70, 60.67, "buy"), (60, 52.0, "hold")])
def test_the_least_confidence_is_measured_after_the_penalty(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, stated: int, counted: float, action: str
) -> None:
    trade = TRADE.replace("confidence: 70", f"confidence: {stated}")
    Words(monkeypatch, bull_researcher=FALSE, bear_researcher=TRUE, research_manager=f"{TRUE}\n\n{PLAN}", trader=trade)
    state, _ = play(engine, propose=True)
    assert (state["hallucination_score"], state["confidence_penalty"]) == (pytest.approx(100 / 3), pytest.approx(40 / 3))
    assert (state["executor_confidence"], state["trader_action"]) == (stated, action)
    assert state["final_confidence"] == (counted if action == "buy" else 0.0)
    if action == "buy":
        assert state["grounding_verified"]
        (check,) = (each for each in state["limits"] if each["rule"] == "min_confidence")
        assert check["measured"] == engine.trading.proposal(state["proposal_id"]).basis.confidence == counted
    else:
        assert "52" in " ".join(state["errors"])
