"""What the roles of the equities desk are told: corrected reports, the market beside the account, and no debate about nothing."""

import json
import re
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from engine.api import verify_bundle
from engine.domain.equity.cash_account import CashAccount
from engine.domain.orders import AccountView
from engine.domain.proposal import OrderPlan
from engine.domain.risk import RiskConfig
from engine.equity.listings import listing_of
from engine.instruments.share_limits import NOT_FOR_SHARES, check_share_limits
from engine.trading.share_terms import share_terms
from tests.flows.equities.played import DECISION, TRADE, VIEW, Words, play, told

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.llm.protocol import ModelCall

FALSE = "RSI(14) is 3.1, so it must turn."
FALLEN = "[this point rested on a wrong number]"
LYING = f"{FALSE}\n\n{VIEW}"


def asked(words: Words) -> "dict[str, ModelCall]":
    """Node -> its first call."""
    return {call.where: call for call in reversed(words.calls)}


@pytest.mark.full
def test_reports_and_memories_are_heard_corrected(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, market=LYING)
    state, events = play(engine)
    heard = asked(words)["bull_researcher"].user
    assert FALSE not in heard
    assert "~~3.1~~" in heard
    assert FALLEN in heard
    (written,) = [data["body"]["text"] for data in told(events, "memory.written") if data["name"] == "market.report"]
    for kept in (state["market_analyst_summary"]["today_report"], written):
        assert "~~3.1~~" in kept
        assert kept.endswith("confidence: 70")
        assert FALSE not in kept
    assert state["analysts"]["market"]["report"].startswith(FALSE), "the record is what was said"
    (summary,) = [data["body"]["text"] for data in told(events, "memory.written") if data["name"] == "market.summary"]
    assert "RSI(14) is 3.1" not in summary
    assert "[corrected]" in summary


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_risk_room_and_trader_are_told_every_limit_that_can_block_a_buy(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    risk = RiskConfig(max_notional=5000.0, allowed_symbols=["AAPL"], max_daily_loss_pct=2.5, cooldown_minutes=45.0)
    words = Words(monkeypatch)
    play(engine, "AAPL", risk=risk, language=language)
    cash = CashAccount(account="a", cash=10_000.0, total_value=10_000.0)
    account = AccountView(account="a", broker="paper", equity=10_000.0)
    terms = share_terms(listing_of("AAPL"))
    plan = OrderPlan(side="buy", amount=Decimal(5), stop=Decimal(98), target=Decimal(110))
    of_order = {"symbol": "AAPL", "price": 100.0, "confidence": 70.0, "terms": terms, "risk": risk, "account": account, "cash": cash}
    rules = {check.rule for check in check_share_limits(plan, **of_order)}
    by_largest_order = {"min_cash_left", "drawdown_share_pct"}
    for node in ("risky", "safe", "neutral", "risk_judge", "trader"):
        lines = dict(line.split(" = ", 1) for line in asked(words)[node].user.splitlines() if re.match(r"^[a-z0-9_]+ = ", line))
        assert rules - {*NOT_FOR_SHARES, *by_largest_order, "max_drawdown_pct"} <= lines.keys()
        assert lines["drawdown_limit_pct"] == "15"
        assert lines.get("max_drawdown_pct", "0.0 %").startswith("0"), "the fact of the account, not the limit"
        assert (lines["max_daily_loss_pct"], lines["cooldown_minutes"], lines["allowed_symbols"]) == ("2.5", "45", "AAPL")
        assert (lines["max_notional"], lines["kill_switch"]) == ("5000", "off")


@pytest.mark.parametrize(("language", "said"), [("en", "Held: {}, "), ("zh", "持有：{}，")])
def test_risk_room_and_trader_are_told_every_position(engine: "Engine", monkeypatch: pytest.MonkeyPatch, language: str, said: str) -> None:
    with monkeypatch.context() as before:
        Words(before, **{role: text.replace("117", "236") for role, text in (("risk_judge", DECISION), ("trader", TRADE))})
        bought, _ = play(engine, "MSFT", propose=True)
        engine.trading.approve(bought["proposal_id"], "somebody")
    other = "Besides, the account holds 3 shares of MSFT."
    words = Words(monkeypatch, safe=other)
    state, events = play(engine, "AAPL", session="post_close", day=date(2024, 3, 6), language=language)
    held, total = state["portfolio_positions"]["MSFT"], state["account_total_value"]
    figures = (f"{held['quantity']:g}", f"{held['market_value'] / total * 100:.1f}", f"{held['unrealized_pnl']:+.2f} USD")
    for node in ("risky", "safe", "neutral", "risk_judge", "trader"):
        (line,) = [line for line in asked(words)[node].user.splitlines() if line.startswith(said.format("MSFT"))]
        assert all(figure in line for figure in figures), line
    for node in ("bull_researcher", "research_manager"):
        assert said.format("MSFT") not in asked(words)[node].user, "the research room is sealed from the account"
    spoken = [data for data in told(events, "node.finished") if data["node"] == "safe"]
    assert [claim["verdict"] for claim in spoken[0]["claims"]] == ["unverifiable"], "it may be about the other company"


@pytest.mark.full
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


@pytest.mark.full
def test_without_corrections_at_each_turn_a_report_is_still_corrected_before_it_is_kept(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch
) -> None:
    words = Words(monkeypatch, market=LYING)
    state, _ = play(engine, correct="after_debate")
    heard = asked(words)["bull_researcher"].user
    assert "~~3.1~~" in heard
    assert FALLEN not in heard
    assert verify_bundle(json.loads(json.dumps(engine.bundle(str(state["run_id"])), allow_nan=False))) == []


@pytest.mark.full
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
        shares, cost = re.fullmatch(r"([\d.]+) \((\d+) shares in and out\)", lines["round_trip_cost_pct"]).group(2, 1)  # type: ignore[union-attr]
        assert shares == lines["largest_allowed_shares"]
        assert float(cost) > 0.04, "slippage of 0.02 % each way, and fees"
