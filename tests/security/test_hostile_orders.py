"""Attack 7: what an executor answers, however mad, never becomes an order that breaches a limit: before the proposal, at approval, before
the order leaves.

Ten thousand generated answers go the whole way in code: parsed, checked, limited, sized; then plans are measured against worlds that have
changed since.
"""

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.domain.decision import ACTIONS, Action
from engine.domain.errors import TribunalError
from engine.domain.holding import Holding
from engine.domain.opinion import Usage
from engine.domain.orders import AccountView
from engine.domain.place import Place
from engine.domain.proposal import Basis, Plan
from engine.domain.risk import RiskConfig
from engine.domain.terms import MarketTerms
from engine.flows.decision.executor_check import check_answer
from engine.flows.decision.paths import path_of
from engine.llm.parsing import read_executor
from engine.settle.checks import Now, breaches, measure
from engine.trading.limits import Circumstances, check_limits
from engine.trading.sizing import TooSmall, entry_amount
from tests.flows.answers import executor

D = Decimal
PRICE = 100.0
AT = datetime(2026, 3, 1, tzinfo=UTC)
TERMS = MarketTerms(
    price_step=D("0.01"), amount_step=D("0.001"), min_amount=D("0.001"), min_cost=D(5), taker_fee=D("0.0005"), maker_fee=D("0.0002")
)
HELD = Holding(side="long", entry_price=95.0, size=40.0, leverage=4.0, opened_at=AT)
words = st.one_of(
    st.sampled_from([action.word for action in ACTIONS]),
    st.sampled_from(["BUY", "ENTRY_LONG ENTRY_SHORT", "entry_long", "ENTRY_LONG; leverage 125", "SELL ETH/USDT:USDT"]),
)
numbers = st.one_of(
    st.floats(-1e12, 1e12).map(lambda value: f"{value:g}"),
    st.floats(80, 120).map(lambda value: f"{value:.2f}"),
    st.integers(-5, 200).map(str),
    st.sampled_from(
        ["NaN", "inf", "-inf", "1,0e5", "1e309", "N/A", "", "98.", "٩٨", "９８", "98/106", "98 or 50", "0x62", "１００％", "-0", "1_000"]
    ),
)
answers = st.builds(
    lambda action, confidence, leverage, direction, stop, target, adjustment: executor(
        action, confidence=1.0, leverage=leverage, direction=direction, stop=stop, target=target, adjustment=adjustment
    ).replace("confidence: 1\n", f"confidence: {confidence}\n"),
    words,
    numbers,
    numbers,
    st.sampled_from(["LONG", "SHORT", "NEUTRAL", "UP", ""]),
    numbers,
    numbers,
    numbers,
)
risks = st.builds(
    RiskConfig,
    max_leverage=st.floats(1, 20),
    min_confidence=st.floats(0, 100),
    min_risk_reward_ratio=st.floats(0, 4),
    max_stop_distance_pct=st.floats(0.1, 20),
    max_position_pct=st.floats(0, 60),
    max_open_positions=st.integers(0, 4),
    max_exposure_pct=st.floats(0, 600),
    max_notional=st.one_of(st.none(), st.floats(10, 1e5)),
    max_orders_per_hour=st.integers(0, 5),
    allowed_symbols=st.sampled_from([[], ["BTC/USDT:USDT"], ["ETH/USDT:USDT"]]),
)
accounts = st.builds(
    AccountView,
    account=st.just("paper:simulated:0"),
    broker=st.just("paper"),
    equity=st.floats(10, 1e6),
    notionals=st.dictionaries(st.sampled_from(["ETH/USDT:USDT", "SOL/USDT:USDT"]), st.floats(0, 1e5)),
    halted=st.booleans(),
    day_loss_pct=st.floats(0, 10),
    drawdown_pct=st.floats(0, 30),
    cooldown_left_min=st.sampled_from([0.0, 0.0, 0.0, 5.0]),
    orders_last_hour=st.integers(0, 4),
)


def within(action: Action, amount: Decimal, leverage: float, price: float, risk: RiskConfig, account: AccountView, held: float) -> bool:
    """The limits once more, written down independently: what an order that adds risk must keep to."""
    notional = (float(amount) + held) * price
    total = notional + sum(value for symbol, value in account.notionals.items() if symbol != "BTC/USDT:USDT")
    slack = 1 + 1e-6
    return (
        not account.halted
        and (not risk.allowed_symbols or "BTC/USDT:USDT" in risk.allowed_symbols)
        and leverage <= risk.max_leverage * slack
        and notional / leverage <= account.equity * risk.max_position_pct / 100 * slack
        and (risk.max_notional is None or notional <= risk.max_notional * slack)
        and total <= account.equity * risk.max_exposure_pct / 100 * slack
        and account.day_loss_pct <= risk.max_daily_loss_pct
        and account.drawdown_pct <= risk.max_drawdown_pct
        and account.cooldown_left_min == 0
        and account.orders_last_hour + 1 <= risk.max_orders_per_hour
        and len(account.notionals) + (0 if held else 1) <= max(risk.max_open_positions, 0)
        and bool(action.adds_risk)
    )


@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=answers, holding=st.sampled_from([None, HELD]), risk=risks, account=accounts)
def test_no_answer_passes_a_breach(text: str, holding: Holding | None, risk: RiskConfig, account: AccountView) -> None:
    try:
        action, decision = check_answer(read_executor(text), path_of(holding is not None), PRICE, holding, {}, Usage(model="m"))
    except (TribunalError, ValueError):
        return
    around = Circumstances("BTC/USDT:USDT", account, 0.0)
    checks = check_limits(
        action,
        confidence=decision.confidence,
        leverage=decision.leverage,
        price=PRICE,
        stop=decision.stop_loss_price,
        target=decision.take_profit_price,
        adjustment_pct=decision.adjustment_pct,
        holding=holding,
        risk=risk,
        around=around,
    )
    if not action.adds_risk or not all(check.passed for check in checks):
        return
    leverage = float(decision.leverage or HELD.leverage)
    if action.needs_levels:
        assert decision.stop_loss_price is not None
        sign = 1 if action.word == "ENTRY_LONG" else -1
        assert (PRICE - decision.stop_loss_price) * sign > 0
        assert abs(PRICE - decision.stop_loss_price) <= PRICE * risk.max_stop_distance_pct / 100 * (1 + 1e-6)
        try:
            amount = entry_amount(PRICE, decision.stop_loss_price, sign, leverage, risk, account, TERMS)
        except TooSmall:
            return
        assert float(amount) * abs(PRICE - decision.stop_loss_price) <= account.equity * risk.risk_per_trade_pct / 100 * (1 + 1e-6)
        assert amount % TERMS.amount_step == 0
    else:
        amount = D(str(HELD.size * float(decision.adjustment_pct or 0) / 100))
    assert decision.confidence >= risk.min_confidence * (1 - 1e-6)
    assert within(action, amount, leverage, PRICE, risk, account, HELD.size if holding else 0.0)


@settings(max_examples=2_000, deadline=None)
@given(
    amount=st.decimals("0.001", "1000000", places=3),
    leverage=st.integers(1, 125),
    stop=st.one_of(st.none(), st.decimals("0.01", "1000", places=2)),
    target=st.one_of(st.none(), st.decimals("0.01", "1000", places=2)),
    buys=st.booleans(),
    price=st.one_of(st.floats(1, 1000), st.sampled_from([math.nan, math.inf, 0.0, -1.0])),
    age_min=st.integers(-60, 600),
    risk=risks,
    account=accounts,
)
def test_no_plan_passes_a_world_that_has_changed(  # noqa: PLR0917 - drawn by hypothesis, by name
    amount: Decimal,
    leverage: int,
    stop: Decimal | None,
    target: Decimal | None,
    buys: bool,
    price: float,
    age_min: int,
    risk: RiskConfig,
    account: AccountView,
) -> None:
    """At approval, and before the order leaves: whatever was signed is measured at the price and on the account of now."""
    sign = 1 if buys else -1
    signal = next(each for each in ACTIONS if each.word == ("ENTRY_LONG" if buys else "ENTRY_SHORT"))
    basis = Basis(
        run_id="r", snapshot_hash="s", context_hash="c", place=Place(feed="simulated"), account=account.account, symbol="BTC/USDT:USDT",
        timeframe="15m", snapshot_at=AT, price=PRICE, atr=1.0, action=signal.signal, confidence=70.0, risk=risk, terms=TERMS,
    )  # fmt: skip
    plan = Plan(side="buy" if buys else "sell", amount=amount, leverage=leverage, stop=stop, target=target)
    now = Now(price=price, account=account, holding=None, price_gap_pct=0.0, market_at=AT + timedelta(minutes=age_min))
    if breaches(measure(plan, basis, now)):
        return
    assert within(signal, amount, leverage, price, risk, account, 0.0)
    assert stop is not None
    assert target is not None
    assert (price - float(stop)) * sign > 0
    assert (float(target) - price) * sign > 0
    assert 0 <= age_min <= 15 * risk.max_snapshot_age_bars
    liquidated = price * (1 - sign / leverage) / (1 - sign * 0.005)
    assert (float(stop) - liquidated) * sign > 0


def test_the_property_can_fail() -> None:
    """A sound answer does pass: the tests above do not hold for want of orders."""
    account = AccountView(account="a", broker="paper", equity=10_000)
    action, decision = check_answer(read_executor(executor()), path_of(False), PRICE, None, {}, Usage(model="m"))
    amount = entry_amount(PRICE, 98.0, 1, 3, RiskConfig(), account, TERMS)
    assert amount == D("50")
    assert within(action, amount, 3, PRICE, RiskConfig(), account, 0.0)
    assert not within(action, amount * 4, 3, PRICE, RiskConfig(), account, 0.0)
    assert decision.leverage == 3
    with pytest.raises(TooSmall):
        entry_amount(PRICE, 98.0, 1, 3, RiskConfig(equity=1), account.model_copy(update={"equity": 0.1}), TERMS)
