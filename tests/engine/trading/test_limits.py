"""Hard limits: nothing breached ever passes, nothing that takes risk away is ever blocked."""

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.decision import ACTIONS, ENTRY_LONG, ENTRY_SHORT, SCALE_IN, Action
from engine.domain.holding import Holding
from engine.domain.orders import AccountView
from engine.domain.risk import LimitCheck, RiskConfig
from engine.instruments.limits import Circumstances, breach_reason, check_limits
from engine.trading.sizing import full_margin_pct, held_margin_pct, planned_margin_pct

RULES = ["max_leverage", "min_confidence", "min_risk_reward_ratio", "max_stop_distance_pct", "max_position_pct", "max_open_positions"]
BAD = [None, math.nan, math.inf, -math.inf, 0.0, -1.0]
SOUND: dict[str, Any] = {
    "confidence": 70.0,
    "leverage": 5.0,
    "price": 100.0,
    "stop": 98.0,
    "target": 105.0,
    "adjustment_pct": None,
    "holding": None,
    "risk": RiskConfig(),
}
HELD = Holding(side="long", entry_price=95.0, size=40.0, leverage=4.0, opened_at=datetime(2026, 1, 1, tzinfo=UTC))
ADDING = SOUND | {"holding": HELD, "adjustment_pct": 25.0}
adding_actions = [action for action in ACTIONS if action.adds_risk]


def by_rule(action: Action, **given: object) -> dict[str, LimitCheck]:
    return {check.rule: check for check in check_limits(action, **(SOUND | given))}


def test_a_sound_entry_is_measured_by_every_rule_in_order() -> None:
    checks = check_limits(ENTRY_LONG, **SOUND)
    assert [check.rule for check in checks] == RULES
    assert all(check.passed for check in checks)
    # 1 % of equity lost at 2 % distance is half of it as notional, a tenth of it as margin at 5x
    assert [check.measured for check in checks] == pytest.approx([5.0, 70.0, 2.5, 2.0, 10.0, 1.0])
    assert [check.bound for check in checks] == [10.0, 55.0, 1.5, 5.0, 30.0, 3.0]


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("max_leverage", {"leverage": 10.1}),
        ("min_confidence", {"confidence": 54.9}),
        ("min_risk_reward_ratio", {"target": 102.9}),
        ("max_stop_distance_pct", {"stop": 94.9, "target": 120.0}),
        ("max_position_pct", {"risk": RiskConfig(max_position_pct=0.0)}),
        ("max_open_positions", {"risk": RiskConfig(max_open_positions=0)}),
        ("max_open_positions", {"risk": RiskConfig(max_open_positions=1), "holding": HELD}),
    ],
)
def test_each_rule_alone_can_refuse_an_entry(rule: str, given: dict[str, object]) -> None:
    assert [check.rule for check in check_limits(ENTRY_LONG, **(SOUND | given)) if not check.passed] == [rule]


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("max_leverage", {"leverage": 10.0}),
        ("min_confidence", {"confidence": 55.0}),
        ("min_risk_reward_ratio", {"price": 0.3, "stop": 0.29, "target": 0.315}),  # 1.4999999999999998 in doubles
        ("max_stop_distance_pct", {"stop": 95.0, "target": 120.0}),
        ("max_open_positions", {"risk": RiskConfig(max_open_positions=1)}),
    ],
)
def test_exactly_at_the_bound_is_allowed(rule: str, given: dict[str, object]) -> None:
    assert by_rule(ENTRY_LONG, **given)[rule].passed


def test_an_entry_is_sized_to_fit_its_share_of_equity() -> None:
    tight = by_rule(ENTRY_LONG, stop=99.9, leverage=2.0)["max_position_pct"]  # 500 % of equity before the cap
    assert (tight.measured, tight.passed) == (30.0, True)


@pytest.mark.parametrize("action", [action for action in ACTIONS if not action.adds_risk], ids=lambda action: action.word)
@pytest.mark.parametrize("value", BAD)
def test_nothing_blocks_an_action_that_adds_no_risk(action: Action, value: float | None) -> None:
    closed = RiskConfig(max_position_pct=0.0, max_open_positions=0, min_confidence=100.0, max_leverage=1.0)
    numbers = dict.fromkeys(("confidence", "leverage", "price", "stop", "target", "adjustment_pct"), value)
    for holding in (None, HELD):
        assert check_limits(action, **numbers, holding=holding, risk=closed) == ()


def test_enlarging_is_measured_as_the_position_it_makes() -> None:
    checks = {check.rule: check for check in check_limits(SCALE_IN, **ADDING)}
    assert list(checks) == RULES
    # 40 * 1.25 * 100 / 5 of 10,000
    assert checks["max_position_pct"].measured == pytest.approx(10.0)
    assert checks["max_open_positions"].measured == 1.0
    large = HELD.model_copy(update={"size": 150.0})
    assert not {check.rule: check for check in check_limits(SCALE_IN, **(ADDING | {"holding": large}))}["max_position_pct"].passed


def test_enlarging_may_leave_the_levels_as_they_are() -> None:
    without = check_limits(SCALE_IN, **(ADDING | {"stop": None, "target": None, "leverage": None}))
    assert [check.rule for check in without] == ["max_leverage", "min_confidence", "max_position_pct", "max_open_positions"]
    assert without[0].measured == HELD.leverage
    assert all(check.passed for check in without)
    new_stop = check_limits(SCALE_IN, **(ADDING | {"target": None}))
    assert [check.rule for check in new_stop if check.rule in RULES[2:4]] == ["max_stop_distance_pct"]
    wrong_side = {check.rule: check for check in check_limits(SCALE_IN, **(ADDING | {"stop": 101.0}))}
    assert not wrong_side["max_stop_distance_pct"].passed
    assert not wrong_side["min_risk_reward_ratio"].passed


garbage = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 1e-320, 1e308]))


def mostly(low: float, high: float) -> st.SearchStrategy[float | None]:
    """A plausible number four times out of five, so that passing and failing are both met often."""
    plausible = st.floats(low, high)
    return st.one_of(plausible, plausible, plausible, plausible, garbage)


risks = st.builds(
    RiskConfig,
    max_leverage=st.floats(1, 100),
    min_confidence=st.floats(0, 100),
    min_risk_reward_ratio=st.floats(0.01, 3),
    max_stop_distance_pct=st.floats(0.01, 100),
    max_position_pct=st.floats(0, 100),
    max_open_positions=st.integers(0, 3),
    equity=st.floats(1, 1e7),
    risk_per_trade_pct=st.floats(0.01, 10),
)
holdings = st.one_of(
    st.none(),
    st.builds(
        Holding,
        side=st.sampled_from(["long", "short"]),
        entry_price=st.floats(1, 200),
        size=st.floats(0.001, 1e5),
        leverage=st.floats(1, 100),
        opened_at=st.just(datetime(2026, 1, 1, tzinfo=UTC)),
    ),
)


def margin_of(action: Action, g: dict[str, Any]) -> float:
    """Margin after the action as percent of equity, written out again."""
    risk, leverage = g["risk"], g["leverage"] if g["leverage"] is not None else g["holding"].leverage
    if action is SCALE_IN:
        return float(g["holding"].size * (100 + g["adjustment_pct"]) / 100 * g["price"] / leverage / risk.equity * 100)
    loss_per_unit = abs(g["price"] - g["stop"])
    units = risk.equity * risk.risk_per_trade_pct / 100 / loss_per_unit
    needed = units * g["price"] / leverage / risk.equity * 100
    return float(min(needed, risk.max_position_pct) if risk.max_position_pct else needed)


@settings(max_examples=600, deadline=None)
@given(
    action=st.sampled_from(adding_actions),
    confidence=mostly(30, 100),
    leverage=mostly(1, 30),
    price=mostly(95, 105),
    stop=mostly(85, 115),
    target=mostly(80, 120),
    adjustment_pct=mostly(10, 60),
    holding=holdings,
    risk=risks,
)
def test_what_passes_really_is_within_its_bound(action: Action, **g: Any) -> None:
    """Every bound written out again, in money where it can be; a check that passed on garbage would fail to compute here, or be false."""
    checks = check_limits(action, **g)
    assert [check.rule for check in checks] == [rule for rule in RULES if rule in {check.rule for check in checks}]
    risk, holding, a_little = g["risk"], g["holding"], 1 + 1e-8
    sign = holding.sign() if action is SCALE_IN and holding is not None else {ENTRY_LONG: 1, ENTRY_SHORT: -1}.get(action, 0)
    leverage = holding.leverage if g["leverage"] is None and holding is not None else g["leverage"]
    within = {
        "max_leverage": lambda: 0 < leverage <= risk.max_leverage * a_little,
        "min_confidence": lambda: risk.min_confidence <= g["confidence"] * a_little and 0 < g["confidence"] <= 100,
        "min_risk_reward_ratio": lambda: (
            sign * (g["target"] - g["price"]) > 0
            and 0 < sign * (g["price"] - g["stop"]) * risk.min_risk_reward_ratio <= sign * (g["target"] - g["price"]) * a_little
        ),
        "max_stop_distance_pct": lambda: 0 < sign * (g["price"] - g["stop"]) / g["price"] * 100 <= risk.max_stop_distance_pct * a_little,
        "max_position_pct": lambda: 0 <= margin_of(action, g) <= risk.max_position_pct * a_little,
        "max_open_positions": lambda: (1 if action is SCALE_IN else 1 + (holding is not None)) <= risk.max_open_positions,
    }
    for check in checks:
        assert not check.passed or (check.measured is not None and within[check.rule]()), check
    applies = set(RULES) if action is not SCALE_IN else set(RULES) - {"min_risk_reward_ratio", "max_stop_distance_pct"}
    assert applies <= {check.rule for check in checks}


def test_a_breach_is_told_with_its_size_in_both_languages() -> None:
    check = by_rule(ENTRY_LONG, leverage=12.0)["max_leverage"]
    assert breach_reason(check) == "leverage 12 is above the allowed 10, by 2"
    assert breach_reason(check).said_in("zh") == "杠杆 12 超过允许的 10，超出 2"
    low = by_rule(ENTRY_LONG, confidence=40.5)["min_confidence"]
    assert breach_reason(low) == "confidence 40.5 is below the required 55, by 14.5"
    assert breach_reason(low).said_in("zh") == "置信度 40.5 低于要求的 55，差 14.5"
    unknown = by_rule(ENTRY_LONG, stop=math.nan)["max_stop_distance_pct"]
    assert breach_reason(unknown) == "stop distance in percent could not be measured, which counts as a breach of the allowed 5"
    assert breach_reason(unknown).said_in("zh") == "止损距离（%）无法测定，视为违反上限 5"


ACCOUNT = AccountView(account="paper:simulated:0", broker="paper", equity=100_000.0, notionals={"BTC/USDT:USDT": 9_200.0})


@pytest.mark.parametrize(("stop", "measured"), [(87.6, 111.44), (90.0, 50.65), (None, 50.65)])
def test_an_enlarged_position_is_stopped_before_all_of_it_is_liquidated(stop: float | None, measured: float) -> None:
    """100 at 100.02 and 50 more at 92 stand at 97.347; at 10x all of it is liquidated at 97.347 * 0.9 / 0.995 = 88.052."""
    held = Holding(side="long", entry_price=100.02, size=100.0, leverage=10.0, opened_at=datetime(2026, 1, 1, tzinfo=UTC), stop=90.0)
    around = Circumstances("BTC/USDT:USDT", ACCOUNT, 0.0)
    given = SOUND | {"holding": held, "adjustment_pct": 50.0, "price": 92.0, "stop": stop, "target": 120.0, "leverage": None}
    (check,) = [each for each in check_limits(SCALE_IN, **given, around=around) if each.rule == "max_stop_to_liquidation_pct"]
    assert check.measured == pytest.approx(measured, rel=1e-3)
    assert check.passed == (measured <= 80)


def test_an_enlarged_position_without_any_stop_is_refused() -> None:
    around = Circumstances("BTC/USDT:USDT", ACCOUNT, 0.0)
    checks = check_limits(SCALE_IN, **(ADDING | {"stop": None, "target": None}), around=around)
    assert [each.measured for each in checks if each.rule == "max_stop_to_liquidation_pct"] == [None]


@pytest.mark.parametrize(
    ("rule", "changes", "risk"),
    [
        ("kill_switch", {"halted": True}, {}),
        ("allowed_symbols", {}, {"allowed_symbols": ["ETH/USDT:USDT"]}),
        ("max_exposure_pct", {"notionals": {"ETH/USDT:USDT": 600_000.0}}, {}),
        ("max_open_positions", {"notionals": {"A/B": 1.0, "C/D": 1.0, "E/F": 1.0}}, {}),
        ("max_daily_loss_pct", {"day_loss_pct": 3.01}, {}),
        ("max_drawdown_pct", {"drawdown_pct": 15.1}, {}),
        ("cooldown_minutes", {"cooldown_left_min": 0.1}, {}),
        ("max_orders_per_hour", {"orders_last_hour": 30}, {}),
    ],
)
def test_each_rule_of_the_account_can_refuse_an_entry(rule: str, changes: dict[str, object], risk: dict[str, Any]) -> None:
    account = AccountView(account="a", broker="paper", equity=10_000.0).model_copy(update=changes)
    given = SOUND | {"risk": RiskConfig(**risk)}
    assert all(each.passed for each in check_limits(ENTRY_LONG, **SOUND, around=Circumstances("BTC/USDT:USDT", _fresh(account), 0.0)))
    refused = [
        each.rule for each in check_limits(ENTRY_LONG, **given, around=Circumstances("BTC/USDT:USDT", account, 0.0)) if not each.passed
    ]
    assert rule in refused


def test_an_amount_that_was_typed_is_measured_as_it_is() -> None:
    """What is sized stays within the caps by itself; what a person types may not."""
    account = AccountView(account="a", broker="paper", equity=10_000.0)
    around = Circumstances("BTC/USDT:USDT", account, 0.0, amount=Decimal(60))
    checks = check_limits(ENTRY_LONG, **(SOUND | {"risk": RiskConfig(max_notional=5_000.0)}), around=around)
    measured = {check.rule: (check.measured, check.passed) for check in checks}
    assert measured["max_notional"] == (pytest.approx(6_000.0), False)
    assert measured["max_exposure_pct"] == (pytest.approx(60.0), True)
    assert measured["max_position_pct"] == (pytest.approx(12.0), True)


def _fresh(account: AccountView) -> AccountView:
    return AccountView(account=account.account, broker="paper", equity=account.equity)


@pytest.mark.parametrize(("gap", "age"), [(None, 0.0), (0.0, None), (math.nan, 0.0), (11.0, 0.0), (0.0, 3.1), (-1.0, 0.0), (0.0, -0.1)])
def test_a_moment_that_is_not_known_or_not_fresh_is_a_breach(gap: float | None, age: float | None) -> None:
    around = Circumstances("BTC/USDT:USDT", AccountView(account="a", broker="paper", equity=10_000.0), gap, age)
    assert not all(each.passed for each in check_limits(ENTRY_LONG, **SOUND, around=around))


@given(
    price=st.floats(0.01, 1e5),
    distance=st.floats(0.1, 50),
    sign=st.sampled_from([1, -1]),
    leverage=st.floats(1, 125),
    risk=st.builds(RiskConfig, equity=st.floats(10, 1e7), risk_per_trade_pct=st.floats(0.01, 10), max_position_pct=st.floats(0.1, 100)),
)
def test_the_stop_loses_exactly_the_risked_share(price: float, distance: float, sign: int, leverage: float, risk: RiskConfig) -> None:
    stop = price * (1 - sign * distance / 100)
    margin = full_margin_pct(price, stop, sign, leverage, risk)
    assert margin is not None
    units = margin / 100 * risk.equity * leverage / price
    assert units * abs(price - stop) == pytest.approx(risk.equity * risk.risk_per_trade_pct / 100, rel=1e-6)
    planned = planned_margin_pct(price, stop, sign, leverage, risk)
    assert planned == min(margin, risk.max_position_pct)
    assert held_margin_pct(units, price, leverage, risk.equity) == pytest.approx(margin)
