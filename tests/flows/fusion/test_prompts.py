"""What the roles of the equities desk are told: corrected reports, the market beside the account, and no debate about nothing."""

import copy
import json
import re
from typing import TYPE_CHECKING

import pytest

from engine.api import verify_bundle
from tests.flows.fusion.played import VIEW, Words, play, told

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.llm.protocol import ModelCall

FALSE = "RSI(14) is 3.1, so it must turn."
FALLEN = "[this point rested on a wrong number]"
LYING = f"{FALSE}\n\n{VIEW}"


def asked(words: Words) -> "dict[str, ModelCall]":
    """Node -> its first call."""
    return {call.where: call for call in reversed(words.calls)}


def test_reports_and_memories_are_heard_corrected(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, market=LYING)
    state, events = play(engine)
    heard = asked(words)["bull_researcher"].user
    assert FALSE not in heard
    assert "~~3.1~~" in heard
    assert FALLEN in heard
    assert state["market_analyst_summary"]["today_report"].startswith(FALSE), "the report is what was said"
    (summary,) = [data["body"]["text"] for data in told(events, "memory.written") if data["name"] == "market.summary"]
    assert "RSI(14) is 3.1" not in summary
    assert "[corrected]" in summary


def test_a_run_of_before_hears_reports_as_they_were_said_and_still_agrees(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, market=LYING)
    state, _ = play(engine, correct="after_debate")
    assert FALSE in asked(words)["bull_researcher"].user
    assert verify_bundle(json.loads(json.dumps(engine.bundle(str(state["run_id"])), allow_nan=False))) == []


def test_openings_answer_nobody_and_views_stand_behind_the_words(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, bull_researcher="It will rise.")
    play(engine, depth=2)
    bull = [call.user for call in words.calls if call.where == "bull_researcher"]
    bear = [call.user for call in words.calls if call.where == "bear_researcher"]
    manager = asked(words)["research_manager"].user
    assert "You open" in bull[0]
    assert "Others have spoken before you" in bear[0]
    assert "This is round 2" in bull[1]
    assert manager.index("It will rise.") < manager.index("market: BULLISH 70") < manager.index("Role: research manager")
    assert "(View)" not in manager
    shared = bull[0].partition("\n\n=== Views of")[0]
    assert all(text.startswith(shared) for text in (*bull, *bear, manager))
    assert "Horizon: the next 20 sessions" in asked(words)["research_manager"].system


@pytest.mark.parametrize(("symbol", "currency"), [("AAPL", "USD"), ("600028.SH", "CNY")])
def test_the_risk_room_and_the_trader_see_the_market_and_the_largest_order(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, symbol: str, currency: str
) -> None:
    words = Words(monkeypatch)
    state, _ = play(engine, symbol)
    for node in ("risky", "safe", "neutral", "risk_judge", "trader"):
        lines = dict(line.split(" = ", 1) for line in asked(words)[node].user.splitlines() if re.match(r"^[a-z0-9_]+ = ", line))
        assert {"close", "atr_14", "atr_pct", "ema_50", "high_20d", "low_20d", "largest_allowed_shares"} <= lines.keys()
        assert lines["largest_allowed_order"].endswith(f" {currency}")
        close, _, in_currency = lines["close"].partition(" ")
        assert in_currency == currency
        assert float(lines["low_20d"]) <= float(close) <= float(lines["high_20d"])
        assert float(lines["low_52w"]) <= float(lines["low_20d"])
        assert float(lines["high_20d"]) <= float(lines["high_52w"])
        assert int(lines["largest_allowed_shares"]) * float(close) <= state["largest_allowed_order"]
        assert ("one_lot" in lines) == (currency == "CNY")
        assert "confidence at least 55; reward to risk at least 1.5" in asked(words)[node].user


@pytest.mark.parametrize(
    ("language", "period", "scaled"),
    [
        ("en", r"Reported: [a-z ]+ to \d{4}-\d\d-\d\d, filed ", r"\d+\.\d\d bn USD"),
        ("zh", "已披露：.*截至 .*披露日 ", r"\d+\.\d\d (万亿|亿) USD"),
    ],
)
def test_debaters_see_the_period_and_the_currency_of_what_was_reported(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, language: str, period: str, scaled: str
) -> None:
    words = Words(monkeypatch)
    play(engine, language=language)
    for node in ("bull_researcher", "research_manager"):
        briefing = asked(words)[node].user
        assert re.search(f"^{period}", briefing, re.MULTILINE)
        assert re.search(f"^market_cap = {scaled}$", briefing, re.MULTILINE)
        assert re.search(r"^eps = -?[\d.]+ USD$", briefing, re.MULTILINE)
        assert re.search(r"^pe_ratio = [\d.]+$", briefing, re.MULTILINE), "a ratio has no currency"
        assert re.search(r"^high_52w = [\d.]+$", briefing, re.MULTILINE)
        assert re.search(r"^(Next report: about|下次财报：约) 20\d\d-\d\d-\d\d", briefing, re.MULTILINE)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_where_not_one_lot_is_allowed_no_risk_room_is_held(engine: "Engine", monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    words = Words(monkeypatch)
    state, events = play(engine, "600519.SH", language=language)
    assert not {"risky", "safe", "neutral", "risk_judge", "trader"} & set(words.asked())
    assert words.asked()[-1] == "research_manager"
    assert (state["trader_action"], state["order"], state["is_valid"], state["errors"]) == ("hold", None, True, [])
    (why,) = state["warnings"]
    assert why == state["trader_investment_plan"] == state["final_trade_decision"]
    assert "100" in why
    assert "CNY" in why
    assert state["risk_summary"]["action"] == "HOLD"
    assert [data["node"] for data in told(events, "node.finished")][-1] == "no_order"
    assert verify_bundle(json.loads(json.dumps(engine.bundle(str(state["run_id"])), allow_nan=False))) == []


def test_a_recorded_run_that_held_its_risk_room_anyway_agrees(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        Words(before)
        before.setattr("engine.flows.fusion.graph.why_no_order", lambda _: None)
        state, _ = play(engine, "600519.SH")
    bundle = json.loads(json.dumps(engine.bundle(str(state["run_id"])), allow_nan=False))
    assert state["final_trade_decision"].startswith("Buy a little.")
    assert verify_bundle(copy.deepcopy(bundle)) == []


def test_the_index_advisor_reads_facts_and_corrected_reports(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, technical=LYING)
    play(engine, "^GSPC")
    heard = asked(words)["strategy"].user
    assert re.search(r"^atr_14 = \d", heard, re.MULTILINE)
    assert FALSE not in heard
    assert FALLEN in heard
    assert "technical: BULLISH 70" in heard
