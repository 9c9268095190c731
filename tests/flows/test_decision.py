"""The decision flow, end to end: both paths, over the scripted analyst and over a real client talking to a loopback endpoint; one lie on
purpose, which is caught; a checker that breaks."""

import json
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.state import TradingDecisionState
from engine.domain.chaos import CHAOS_KINDS, Chaos
from engine.domain.errors import BadInput
from tests.flows.answers import SOUND, TRUTHFUL, cast, executor, role_of, vote
from tests.flows.conftest import HOLDING, Decide
from tests.flows.test_resume import without_times
from tests.servers.llm import Body, LLMServer, cut_off, system_of, user_of

INTERNAL = {"halted", "lost_usage"}


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("holding", [None, HOLDING], ids=["entry", "position"])
def test_a_scripted_decision_is_whole(decide: Decide, holding: dict[str, Any] | None, language: str) -> None:
    state, _ = decide(holding=holding, language=language)
    path, prefix = ("position", "position_") if holding else ("entry", "")

    assert set(get_type_hints(TradingDecisionState)) - INTERNAL <= state.keys()
    json.dumps(state, allow_nan=False)
    assert state["execution_path"] == path
    assert state["nodes_executed"] == ["analysis", f"{path}_debate", f"{path}_grounding", "executor"]
    assert state["is_valid"]
    assert state["errors"] == []
    assert state["metrics"]["llm_calls_count"] == 8
    assert sum(state["weighted_scores"].values()) == pytest.approx(1)
    assert state["execution_result"]["action"] == state["final_action"]
    assert state["false_claims"] == 0
    assert state["total_claims"] > 0
    filled = {f"{prefix}{name}" for name in ("bull_argument", "bear_argument", "judge_verdict", "grounding_result")}
    assert all(state[name] for name in filled)
    other = "" if prefix else "position_"
    assert all(state[f"{other}{name}"] is None for name in ("bull_argument", "bear_argument", "judge_verdict", "grounding_result"))


@pytest.mark.full
def test_equal_input_gives_an_equal_state(decide: Decide) -> None:
    first, _ = decide(lies=0.3, seed=5)
    second, _ = decide(lies=0.3, seed=5)
    other, _ = decide(lies=0.3, seed=6)
    assert without_times(first, "metrics", "usage") == without_times(second, "metrics", "usage")
    assert first["bull_argument"]["text"] != other["bull_argument"]["text"]


def test_a_sound_entry(decide: Decide) -> None:
    with LLMServer(cast(), begins=lambda _: server.peak == 4) as server:  # answers wait until all four analysts have been asked
        state, events = decide(server)
        assert len(server.requests) == 8
        assert server.peak == 4
    assert state["is_valid"]
    assert state["execution_result"] == {
        "action": "signal_entry_long", "confidence": 70.0, "leverage": 3, "stop_loss": 98.0, "take_profit": 106.0,
        "adjustment_pct": None, "reasoning": "The record points one way and the stop is close.",
    }  # fmt: skip
    assert state["risk_reward_ratio"] == pytest.approx(3.0)
    assert [check["rule"] for check in state["limits"]] == [
        "kill_switch", "max_price_gap_pct", "max_snapshot_age_bars", "allowed_symbols",
        "max_leverage", "min_confidence", "min_risk_reward_ratio", "min_risk_reward_after_costs", "max_stop_distance_pct",
        "max_stop_to_liquidation_pct", "max_position_pct", "max_exposure_pct", "max_open_positions",
        "max_daily_loss_pct", "max_drawdown_pct", "cooldown_minutes", "max_orders_per_hour",
    ]  # fmt: skip
    assert state["executor_confidence_breakdown"] == {"analysis": 70.0, "debate": 71.0, "grounding": None}
    assert {mark["type"] for mark in state["chart_annotations"]} >= {"entry", "stop", "target"}
    assert any(event.kind == "limits.checked" and event.data.to_json()["passed"] for event in events)


@pytest.mark.parametrize(
    ("answer", "holding", "reason"),
    [
        (executor(stop=101), None, "wrong side"),
        (executor(leverage=50), None, "leverage"),
        (executor(), HOLDING, "not allowed"),
        ("I would rather not say.", None, "unreadable"),
        (cut_off(executor()), None, "cut off"),
    ],
)
def test_what_is_no_sound_decision_ends_in_the_safe_action(decide: Decide, answer: Any, holding: Any, reason: str) -> None:
    with LLMServer(cast(executor=answer)) as server:
        state, events = decide(server, holding=holding)
    assert state["is_valid"] is False
    assert state["final_action"] == ("signal_hold" if holding else "signal_wait")
    assert state["execution_result"]["action"] == state["final_action"]
    assert state["final_leverage"] is None
    assert state["stop_loss_price"] is None
    assert reason in " ".join(state["errors"]).lower()
    assert list(events[-1].data.errors) == state["errors"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("action", "changes", "signal", "kind"),
    [
        ("HOLD", {}, "signal_hold", None),
        ("EXIT", {"confidence": 20.0}, "signal_exit", None),
        ("PARTIAL_EXIT", {"adjustment": -50, "confidence": 20.0}, "adjust_position", "partial_exit"),
        ("SCALE_IN", {"adjustment": "+30%"}, "adjust_position", "scale_in"),
    ],
)
def test_what_a_position_may_become(decide: Decide, action: str, changes: dict[str, Any], signal: str, kind: str | None) -> None:
    with LLMServer(cast(executor=executor(action, **changes))) as server:
        state, _ = decide(server, holding=HOLDING)
    assert state["errors"] == []
    assert state["is_valid"]
    assert (state["final_action"], state["adjustment_type"]) == (signal, kind)


def test_the_gate_stops_a_false_debate(decide: Decide) -> None:
    false = {side: f"RSI(14) is 3.1 and the price is 250.\n\n{SOUND[side].split(chr(10), 2)[2]}" for side in ("bull", "bear", "judge")}
    with LLMServer(cast(**false)) as server:
        state, events = decide(server)
        assert [role_of(request.body) for request in server.requests].count("executor") == 0
    assert state["hallucination_score"] > 70
    assert state["grounding_verified"] is False
    assert (state["final_action"], state["is_valid"]) == ("signal_wait", False)
    assert state["nodes_executed"] == ["analysis", "entry_debate", "entry_grounding"]
    assert "gate closed" in state["errors"][0]
    assert {event.data.to_json()["source"] for event in events if event.kind == "grounding.corrected"} == {"bull", "bear", "judge"}
    assert all(
        {"claim", "actual", "source", "type", "claimed_value", "key", "start", "end"} <= d.keys() for d in state["false_claim_details"]
    )


@pytest.mark.full
def test_false_analysts_close_the_gate_of_a_debate_without_figures(decide: Decide) -> None:
    false = {analyst.key: f"RSI(14) is 3.1.\n\n{vote('LONG', 70)}" for analyst in ANALYSTS}
    with LLMServer(cast(**false)) as server:
        state, _ = decide(server)
        assert "executor" not in [role_of(request.body) for request in server.requests]
    assert (state["hallucination_score"], state["total_claims"]) == (None, 0), "the fields of the debate stay the debate's"
    assert (state["analysis_hallucination_score"], state["grounding_verified"], state["is_valid"]) == (100.0, False, False)
    assert "of the analysts were false (4 of 4)" in state["errors"][0]


@pytest.mark.full
def test_what_was_not_checked_is_null_and_neither_closes_the_gate_nor_counts_as_verified(decide: Decide) -> None:
    with LLMServer(cast()) as server:
        state, _ = decide(server)
        prompt = next(user_of(request.body) for request in server.requests if role_of(request.body) == "executor")
    assert (state["hallucination_score"], state["analysis_hallucination_score"], state["grounding_verified"]) == (None, None, False)
    assert (state["confidence_penalty"], state["final_confidence"], state["is_valid"]) == (0.0, 70.0, True)
    assert "Hallucination score: none" in prompt


@pytest.mark.parametrize(("stated", "counted", "is_valid"), [(70.0, 60.67, True), (60.0, 52.0, False)])
def test_the_penalty_is_taken_off_before_the_limits_look(decide: Decide, stated: float, counted: float, is_valid: bool) -> None:
    lie = "RSI(14) is 3.1.\n\n[Vote]\nconfidence: 70\n"  # one of three: a score of 33.3, a penalty of 13.3 %
    with LLMServer(cast(**TRUTHFUL, bull=lie, executor=executor(confidence=stated))) as server:
        state, _ = decide(server)
    (check,) = (check for check in state["limits"] if check["rule"] == "min_confidence")
    assert (state["executor_confidence"], state["confidence_penalty"]) == (stated, pytest.approx(40 / 3))
    assert (check["measured"], check["passed"], state["is_valid"]) == (counted, is_valid, is_valid)
    assert state["final_confidence"] == state["execution_result"]["confidence"] == (counted if is_valid else 0.0)


def test_corrections_reach_the_executor(decide: Decide) -> None:
    with LLMServer(cast(**TRUTHFUL, bull="RSI(14) is 3.1, deeply sold.\n\n[Vote]\nconfidence: 70\n")) as server:
        state, _ = decide(server)
        asked = next(request.body for request in server.requests if role_of(request.body) == "executor")
    prompt = asked["messages"][-1]["content"]
    truth = f"{state['corrected_values']['rsi_14']:.1f}"
    assert state["false_claims"] >= 1
    assert truth in prompt
    assert prompt.index(state["grounding_summary"]) < prompt.index('<said by="bull 1">')


def test_an_analyst_that_fails_abstains_and_the_consensus_goes_on(decide: Decide) -> None:
    with LLMServer(cast(trend="no vote here")) as server:
        state, events = decide(server)
    assert state["trend_report"]["abstained"] is True
    assert state["is_valid"]
    assert "trend abstained" in state["warnings"][0]
    failed = next(event for event in events if event.kind == "node.failed")
    assert (failed.node, failed.data.to_json()["consequence"]) == ("trend", "abstains")


@pytest.mark.full
def test_fewer_than_two_reports_end_in_the_safe_action(decide: Decide) -> None:
    silent = dict.fromkeys(("trend", "sentiment", "pattern"), "no vote here")
    with LLMServer(cast(**silent)) as server:
        state, _ = decide(server)
    assert (state["final_action"], state["is_valid"], state["nodes_executed"]) == ("signal_wait", False, ["analysis"])


def test_the_debate_is_ordered_and_heard(decide: Decide) -> None:
    with LLMServer(cast()) as server:
        decide(server)
        order = [role_of(request.body) for request in server.requests]
        judge = next(request.body for request in server.requests if role_of(request.body) == "judge")
    assert set(order[:4]) == {"indicator", "trend", "sentiment", "pattern"}
    assert order[4:] == ["bull", "bear", "judge", "executor"]
    assert "Buyers are in charge." in judge["messages"][-1]["content"]
    assert "Sellers may return." in judge["messages"][-1]["content"]
    assert vote("LONG", 70) not in judge["messages"][-1]["content"]


@pytest.mark.full
@pytest.mark.parametrize("holding", [None, HOLDING], ids=["entry", "position"])
def test_opened_together_neither_side_hears_the_other_before_the_second_round(decide: Decide, holding: dict[str, Any] | None) -> None:
    prefix = "position_" if holding else ""
    said = "Heard it.\n\n[Vote]\nconfidence: 60\n"
    last, sides = executor("HOLD" if holding else "ENTRY_LONG"), {f"{prefix}bull", f"{prefix}bear"}

    def both_ask(body: Body) -> bool:
        """Neither side is answered before the other has asked."""
        return role_of(body) not in sides or sides <= {role_of(request.body) for request in server.requests}

    with LLMServer(cast(**dict.fromkeys(sides, said), executor=last), begins=both_ask) as server:
        state, _ = decide(server, depth=2, openings="together", holding=holding)
        asked = [(role_of(request.body), user_of(request.body), system_of(request.body)) for request in server.requests]
    first, second = asked[4:6], asked[6:8]
    assert {role for role, _, _ in first} == sides
    assert len({user.partition("\nRole: ")[0] for _, user, _ in first}) == 1, "both read the same"
    assert all("Heard" not in user and "nobody else has said anything yet" in user for _, user, _ in first)
    assert [role for role, _, _ in second] == [f"{prefix}bull", f"{prefix}bear"]
    assert all("Heard" in user and "nobody else has said anything yet" not in user for _, user, _ in second)
    assert state["is_valid"]
    assert (state["debate_round"], state["metrics"]["llm_calls_count"]) == (2, 10)
    spent = [state[f"{prefix}{name}"]["usage"] for name in ("bull_argument", "bear_argument", "judge_verdict")]
    assert [each["requests"] for each in spent] == [2, 2, 1]
    assert state["debate_token_usage"]["total"] == sum(each["prompt_tokens"] + each["completion_tokens"] for each in spent)


@pytest.mark.full
def test_the_chart_is_shown_to_those_who_can_look(decide: Decide) -> None:
    with LLMServer(cast()) as server:
        state, _ = decide(server, vision=True)
        saw = {role_of(request.body) for request in server.requests if request.images}
        shown = {image for request in server.requests for image in request.images}
        blind, _ = decide(server)
    assert saw == {"trend", "pattern"}
    kept = Path(state["chart_image_path"])
    assert shown == {f"data:image/png;base64,{b64encode(kept.read_bytes()).decode()}"}, "the state points to what was shown"
    assert kept.is_absolute()
    assert [each.name for each in kept.parent.iterdir()] == [kept.name]
    assert blind["chart_image_path"] is None


@pytest.mark.full
def test_a_decision_says_whether_it_is_about_the_past(make_engine: Callable[..., Any], candles: Path) -> None:
    engine, at = make_engine(data_dir=candles), datetime(2026, 5, 16, 12, 7, tzinfo=UTC)

    def played(**asked: Any) -> tuple[object, object]:
        state = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", **asked)), 60).result
        return state["backtest_mode"], state["backtest_timestamp"]

    assert played(feed="simulated") == (False, None)
    assert played(feed="simulated", at=at) == (True, at.isoformat())
    mode, end = played(feed="recorded")
    assert mode is True
    earlier = datetime.fromisoformat(str(end)) - timedelta(hours=1)
    assert played(feed="recorded", at=earlier) == (True, earlier.isoformat())


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_exception_inside_grounding_closes_the_gate(decide: Decide, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RecursionError("deep in the grammar")

    monkeypatch.setattr("engine.grounding.result.read_claims", broken)
    state, events = decide(language=language)
    assert (state["final_action"], state["is_valid"], state["grounding_verified"]) == ("signal_wait", False, False)
    assert state["execution_result"]["action"] == "signal_wait"
    assert "RecursionError: deep in the grammar" in state["errors"][0]
    failed = [event for event in events if event.kind == "node.failed"]
    assert [(event.node, event.data.to_json()["consequence"]) for event in failed] == [("entry_grounding", "safe_action")]
    assert "executor" not in {event.node for event in events}
    assert events[-1].kind == "run.finished"


ROLES = ("indicator", "trend", "sentiment", "pattern", "bull", "bear", "judge", "executor")


@pytest.mark.full
@pytest.mark.parametrize(("role", "kind", "language"), [*product(ROLES, CHAOS_KINDS, ("en", "zh"))])
def test_the_lie_is_told_by_that_role_and_caught(decide: Decide, role: str, kind: str, language: str) -> None:
    holding = HOLDING if kind in {"value", "state"} else None
    state, events = decide(chaos=f"{role}:{kind}", language=language, holding=holding)
    (lie,) = state["planted"]
    assert lie["role"].removeprefix("position_") == role
    assert lie["caught"] is True
    false = {claim["source"].removeprefix("position_") for claim in _claims(state) if claim["verdict"] == "false"}
    assert false == {role}
    assert state["metrics"]["llm_calls_count"] == 8
    assert [event.kind for event in events].count("model.planted") == 1


@pytest.mark.full
def test_any_model_can_be_made_to_lie(decide: Decide) -> None:
    with LLMServer(cast()) as server:
        state, _ = decide(server, chaos="bear:price")
    assert state["bear_argument"]["text"].startswith("Price trades at ")
    assert [(lie["key"], lie["caught"]) for lie in state["planted"]] == [("close", True)]
    assert [detail["source"] for detail in state["false_claim_details"]] == ["bear"]


@pytest.mark.parametrize("text", ["", "bull", "bull:", ":value", "bull:lie", "trader:value", "position_bull:value"])
def test_other_words_are_refused_with_those_that_exist(text: str) -> None:
    with pytest.raises(BadInput, match=r"ROLE:KIND with a (role of indicator, .*executor|kind of value, .*state)"):
        Chaos.parse(text, ROLES)


def _claims(state: dict[str, Any]) -> list[dict[str, Any]]:
    result = state["grounding_result"] or state["position_grounding_result"]
    return [*result["claims"], *(state["executor_claims"] or [])]


def test_one_false_number_of_one_closes_the_gate(decide: Decide) -> None:
    with LLMServer(cast(bull="RSI(14) is 3.1.\n\n[Vote]\nconfidence: 70\n")) as server:
        state, _ = decide(server)
    assert (state["false_claims"], state["total_claims"], state["hallucination_score"]) == (1, 1, 100.0)
    assert (state["final_action"], state["is_valid"], state["executor_text"]) == ("signal_wait", False, None)
