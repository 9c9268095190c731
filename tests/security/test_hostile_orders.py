"""Attack 7: what an executor answers, however mad, never becomes an order that breaches a limit: before the proposal, at approval, before
the order leaves.

Four thousand answers that are sound but for none to two things go the whole way in code: parsed, checked, limited, sized. Plans that were
signed go through worlds that are sound but for none to two things. What comes out is measured once more by arithmetic of this file's own.
The counters hold the tests to it: a fifth at least become orders, and every limit is what stops some. And with any one limit taken out,
orders come out that breach it: the tests would be red.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.desks.decision.executor.check import check_answer
from engine.desks.decision.paths import path_of
from engine.desks.decision.reading.answers import read_executor
from engine.domain.account_ref import AccountRef
from engine.domain.decision import ACTIONS, Action
from engine.domain.errors import TribunalError
from engine.domain.holding import Holding
from engine.domain.market.terms import MarketTerms
from engine.domain.opinion import Usage
from engine.domain.orders import AccountView
from engine.domain.proposal import Basis, OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.instruments import contracts
from engine.instruments import measuring as checks
from engine.instruments.limits import Circumstances, check_limits
from engine.trading.sizing import TooSmall, entry_amount
from tests.flows.answers import executor

D = Decimal
CASES = 4_000
SYMBOL, OTHER = "BTC/USDT:USDT", "ETH/USDT:USDT"
PRICE = 100.0
AT = datetime(2026, 3, 1, tzinfo=UTC)
SLACK = 1 + 1e-6
TERMS = MarketTerms(
    price_step=D("0.01"), amount_step=D("0.001"), min_amount=D("0.001"), min_cost=D(5), taker_fee=D("0.0005"), maker_fee=D("0.0002")
)
RULES = (
    "kill_switch", "max_price_gap_pct", "max_snapshot_age_bars", "allowed_symbols", "max_leverage", "min_confidence",
    "min_risk_reward_ratio", "max_stop_distance_pct", "max_stop_to_liquidation_pct", "max_position_pct", "max_notional", "max_exposure_pct",
    "max_open_positions", "max_daily_loss_pct", "max_drawdown_pct", "cooldown_minutes", "max_orders_per_hour",
)  # fmt: skip
NUMERALS = (
    "NaN", "inf", "-inf", "1,0e5", "1e309", "N/A", "", "98.", "٩٨", "９８", "98/106", "98 or 50", "0x62", "１００％", "-0", "1_000",
    "125", "1e9", "-5", "0", "99.9999", "100", "100.0001", "50", "200", "0.5",
)  # fmt: skip

Limits = Callable[..., tuple[LimitCheck, ...]]


@dataclass(frozen=True)
class World:
    """What an order meets. gap, age: of the last price and of the snapshot, percent and bars."""

    risk: RiskConfig
    account: AccountView
    holding: Holding | None
    gap: float | None = 0.1
    age: float | None = 0.0


@dataclass(frozen=True)
class Order:
    """What would leave. sign: +1 buys. decided: the price it was decided at."""

    sign: int
    amount: float
    leverage: float
    stop: float | None
    target: float | None
    confidence: float
    price: float = PRICE
    decided: float = PRICE


def account_of(**changes: Any) -> AccountView:
    return AccountView(**{"account": "paper:simulated:0", "broker": "paper", "equity": 10_000.0, "notionals": {OTHER: 1_000.0}, **changes})


def sound_world(rng: random.Random, *, held: bool) -> World:
    risk = RiskConfig(
        max_leverage=rng.choice([3, 5, 10, 20]), min_confidence=rng.choice([0, 55, 65]), min_risk_reward_ratio=rng.choice([0, 1.5, 2]),
        max_stop_distance_pct=rng.choice([2.5, 5, 20]), max_position_pct=rng.choice([20, 30, 60]), max_open_positions=rng.choice([2, 3]),
        max_exposure_pct=rng.choice([100, 300, 600]), max_notional=rng.choice([None, 6_000, 9_000]),
        max_orders_per_hour=rng.choice([1, 3, 9]), allowed_symbols=rng.choice([[], [SYMBOL], [OTHER, SYMBOL]]),
    )  # fmt: skip
    holding = Holding(side="long", entry_price=99.0, size=20.0, leverage=2.0, opened_at=AT, stop=95.0) if held else None
    own = {SYMBOL: 2_000.0} if held else {}
    return World(risk, account_of(notionals={OTHER: 1_000.0, **own}), holding)


def with_risk(**changes: Any) -> Callable[[World], World]:
    return lambda world: replace(world, risk=world.risk.model_copy(update=changes))


def with_account(**changes: Any) -> Callable[[World], World]:
    return lambda world: replace(world, account=world.account.model_copy(update=changes))


def with_others(notionals: dict[str, float]) -> Callable[[World], World]:
    """Other positions than before; that of this market stays."""

    def change(world: World) -> World:
        own = {name: value for name, value in world.account.notionals.items() if name == SYMBOL}
        return replace(world, account=world.account.model_copy(update={"notionals": {**notionals, **own}}))

    return change


BROKEN_WORLDS: tuple[Callable[[World], World], ...] = (
    with_account(halted=True),
    lambda world: replace(world, gap=None),
    lambda world: replace(world, gap=10.5),
    lambda world: replace(world, age=3.5),
    lambda world: replace(world, age=None),
    with_risk(allowed_symbols=[OTHER]),
    with_risk(max_leverage=2.0),
    with_risk(min_confidence=71.0),
    with_risk(min_risk_reward_ratio=3.5),
    with_risk(max_stop_distance_pct=1.5),
    with_risk(max_stop_to_liquidation_pct=5.0),
    with_risk(max_position_pct=0.0),
    with_risk(max_position_pct=5.0),
    with_risk(max_notional=1_500.0),
    with_risk(max_notional=0.5),
    with_risk(max_exposure_pct=9.0),
    with_risk(max_exposure_pct=25.0),
    with_risk(max_open_positions=0),
    with_risk(max_open_positions=1),
    with_others({OTHER: 1_000.0, "SOL/USDT:USDT": 1.0, "XRP/USDT:USDT": 1.0}),
    with_others({OTHER: 59_999.0}),
    with_account(day_loss_pct=3.1),
    with_account(drawdown_pct=15.1),
    with_account(cooldown_left_min=0.5),
    with_account(orders_last_hour=9),
    with_account(equity=1.0),
)


def sound_fields(rng: random.Random, *, held: bool) -> dict[str, str]:
    if held:
        return {
            "action": "SCALE_IN",
            "confidence": "70",
            "leverage": "2",
            "direction": "LONG",
            "stop": "97",
            "target": "109",
            "adjustment": "40",
        }
    word, sign = rng.choice([("ENTRY_LONG", 1), ("ENTRY_SHORT", -1)])
    levels = {"stop": str(100 - 2 * sign), "target": str(100 + 6 * sign)}
    direction = "LONG" if sign > 0 else "SHORT"
    return {"action": word, "confidence": "70", "leverage": rng.choice("123"), "direction": direction, "adjustment": "N/A", **levels}


def broken_field(rng: random.Random, name: str) -> str:
    if name == "action":
        others = ["BUY", "ENTRY_LONG ENTRY_SHORT", "entry_long", "ENTRY_LONG; leverage 125", "SELL ETH/USDT:USDT"]
        return rng.choice([action.word for action in ACTIONS] + others)
    if name == "direction":
        return rng.choice(["LONG", "SHORT", "NEUTRAL", "UP", ""])
    return rng.choice([rng.choice(NUMERALS), f"{rng.uniform(80, 120):.2f}", f"{rng.uniform(-1e12, 1e12):g}", str(rng.randint(-5, 200))])


def answers(seed: int) -> Iterator[tuple[str, World]]:
    """Sound answers in sound worlds, but for none to two things."""
    rng = random.Random(seed)
    for _ in range(CASES):
        held = rng.random() < 0.25
        fields, world = sound_fields(rng, held=held), sound_world(rng, held=held)
        for _ in range(rng.choice([0, 1, 1, 2])):
            if rng.random() < 0.5:
                name = rng.choice(list(fields))
                fields[name] = broken_field(rng, name)
            else:
                world = rng.choice(BROKEN_WORLDS)(world)
        yield answer_text(fields), world


def answer_text(fields: dict[str, str]) -> str:
    text = executor(
        fields["action"], **{name: fields[name] for name in ("leverage", "direction", "stop", "target", "adjustment")}, confidence=1
    )
    return text.replace("confidence: 1\n", f"confidence: {fields['confidence']}\n")


def breached(order: Order, world: World, symbol: str = SYMBOL) -> set[str]:
    """The limits once more, written down independently: those that this order does not keep to."""
    risk, account, holding = world.risk, world.account, world.holding
    held = holding.size if holding is not None else 0.0
    notional = (order.amount + held) * order.price
    total = notional + sum(value for name, value in account.notionals.items() if name != symbol)
    entry = (holding.entry_price * held + order.price * order.amount) / (held + order.amount) if holding is not None else order.price
    liquidated = entry * (1 - order.sign / order.leverage) / (1 - order.sign * 0.005)
    kept = holding.stop if holding is not None else None
    stands = order.stop if order.stop is not None else kept if kept is not None else -order.sign * 1e12
    room, way = (order.price - liquidated) * order.sign, (order.price - stands) * order.sign
    found = {
        "kill_switch": account.halted,
        "max_price_gap_pct": world.gap is None or not 0 <= world.gap <= risk.max_price_gap_pct,
        "max_snapshot_age_bars": world.age is None or not 0 <= world.age <= risk.max_snapshot_age_bars,
        "allowed_symbols": bool(risk.allowed_symbols) and symbol not in risk.allowed_symbols,
        "max_leverage": not 1 <= order.leverage <= risk.max_leverage * SLACK,
        "min_confidence": not risk.min_confidence / SLACK <= order.confidence <= 100,
        "max_stop_to_liquidation_pct": way <= 0 or room <= 0 or way > room * risk.max_stop_to_liquidation_pct / 100 * SLACK,
        "max_position_pct": notional / order.leverage > account.equity * risk.max_position_pct / 100 * SLACK,
        "max_notional": risk.max_notional is not None and notional > risk.max_notional * SLACK,
        "max_exposure_pct": total > account.equity * risk.max_exposure_pct / 100 * SLACK,
        "max_open_positions": len({*account.notionals, symbol}) > risk.max_open_positions,
        "max_daily_loss_pct": account.day_loss_pct > risk.max_daily_loss_pct,
        "max_drawdown_pct": account.drawdown_pct > risk.max_drawdown_pct,
        "cooldown_minutes": account.cooldown_left_min > 0,
        "max_orders_per_hour": account.orders_last_hour + 1 > risk.max_orders_per_hour,
    }
    names = {name for name, is_so in found.items() if is_so}
    return names | (breached_levels(order, risk, order.price) & breached_levels(order, risk, order.decided))


def breached_levels(order: Order, risk: RiskConfig, price: float) -> set[str]:
    """Of the stop and the target, seen from a price."""
    if order.stop is None:
        return set()
    names, lost = set(), (price - order.stop) * order.sign
    if not 0 < lost <= price * risk.max_stop_distance_pct / 100 * SLACK:
        names.add("max_stop_distance_pct")
    if order.target is not None and (lost <= 0 or (order.target - price) * order.sign / lost < risk.min_risk_reward_ratio / SLACK):
        names.add("min_risk_reward_ratio")
    return names


def order_of(text: str, world: World, limits: Limits, seen: Counter[str]) -> Order | None:
    """What the engine would order for an answer; None where it stops. Counts where."""
    try:
        action, decision = check_answer(read_executor(text), path_of(world.holding is not None), PRICE, world.holding, {}, Usage(model="m"))
    except (TribunalError, ValueError):
        seen["no decision"] += 1
        return None
    if not action.adds_risk:
        seen["adds no risk"] += 1
        return None
    stop, target, leverage = decision.stop_loss_price, decision.take_profit_price, decision.leverage
    measured = limits(
        action, confidence=decision.confidence, leverage=leverage, price=PRICE, stop=stop, target=target,
        adjustment_pct=decision.adjustment_pct, holding=world.holding, risk=world.risk,
        around=Circumstances(SYMBOL, world.account, world.gap, world.age),
    )  # fmt: skip
    failed = [check.rule for check in measured if not check.passed]
    seen.update(failed)
    if failed:
        return None
    sign = -1 if action.word == "ENTRY_SHORT" else 1
    times = float(leverage or (world.holding.leverage if world.holding is not None else 0))
    amount = D(str(world.holding.size)) * D(str(decision.adjustment_pct)) / 100 if world.holding is not None else D(0)
    if action.needs_levels:
        assert stop is not None
        try:
            amount = entry_amount(PRICE, stop, sign, times, world.risk, world.account, TERMS)
        except TooSmall:
            seen["too small"] += 1
            return None
        assert amount % TERMS.amount_step == 0
        assert float(amount) * abs(PRICE - stop) <= world.account.equity * world.risk.risk_per_trade_pct / 100 * SLACK
    seen["order"] += 1
    return Order(sign, float(amount), times, stop, target, decision.confidence)


def plans(seed: int) -> Iterator[tuple[OrderPlan, Basis, checks.LiveConditions, World]]:
    """What was signed, in the world in which it is looked at again: sound but for none to two things."""
    rng = random.Random(seed)
    for _ in range(CASES):
        held = rng.random() < 0.25
        world, fields = sound_world(rng, held=held), sound_fields(rng, held=held)
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            world = rng.choice(BROKEN_WORLDS)(world)
        action = next(each for each in ACTIONS if each.word == fields["action"])
        price = rng.choice([PRICE, PRICE, PRICE, rng.uniform(99.6, 100.4), rng.uniform(90, 110)])
        amount = D(rng.choice([8, 8, 8, 15, 20, rng.randint(1, 5_000)]))
        plan = OrderPlan(
            side="sell" if action.word == "ENTRY_SHORT" else "buy", amount=amount, leverage=rng.choice([2, 2, 2, 3, 25]),
            stop=D(fields["stop"]), target=D(fields["target"]),
        )  # fmt: skip
        basis = Basis(
            run_id="r", snapshot_hash="s", context_hash="c", place=AccountRef(feed="simulated"), account=world.account.account,
            symbol=SYMBOL, timeframe="15m", snapshot_at=AT, price=PRICE, atr=1.0,
            action=action.signal, confidence=70.0, risk=world.risk, terms=TERMS,
            adjustment_pct=40.0 if held else None,
        )  # fmt: skip
        at = AT + timedelta(minutes=15 * (world.age if world.age is not None else -1))
        yield (
            plan,
            basis,
            checks.LiveConditions(price, world.account, world.holding, world.gap, at),
            replace(world, age=-1 if world.age is None else world.age),
        )


def without(rule: str) -> Limits:
    """The limits with one of them taken out."""

    def check(action: Action, **given: Any) -> tuple[LimitCheck, ...]:
        return tuple(each for each in check_limits(action, **given) if each.rule != rule)

    return check


def ordered_breaches(limits: Limits, seen: Counter[str]) -> Iterator[set[str]]:
    """Of every order that comes of an answer: what it breaches."""
    for text, world in answers(seed=7):
        order = order_of(text, world, limits, seen)
        if order is not None:
            yield breached(order, world)


def signed_breaches(seen: Counter[str]) -> Iterator[set[str]]:
    """Of every plan that may be ordered: what it breaches in the world of now."""
    for plan, basis, now, world in plans(seed=8):
        failed = [check.rule for check in checks.measure(plan, basis, now) if not check.passed]
        seen.update(failed or ["order"])
        if failed:
            continue
        assert plan.leverage is not None
        levels = (float(plan.stop), float(plan.target)) if plan.stop is not None and plan.target is not None else (None, None)
        sign = 1 if plan.side == "buy" else -1
        near = abs(now.price - PRICE) <= basis.risk.max_drift_atr
        yield breached(
            Order(sign, float(plan.amount), plan.leverage, *levels, basis.confidence, now.price, PRICE if near else now.price), world
        )


def test_no_answer_becomes_an_order_that_breaches_a_limit() -> None:
    seen: Counter[str] = Counter()
    assert [names for names in ordered_breaches(check_limits, seen) if names] == []
    assert seen["order"] >= CASES * 0.2, seen
    assert seen["no decision"] >= CASES * 0.1, seen
    assert all(seen[rule] >= 30 for rule in RULES), seen


def test_no_plan_passes_a_world_that_has_changed() -> None:
    """At approval, and before the order leaves: whatever was signed is measured at the price and on the account of now."""
    seen: Counter[str] = Counter()
    assert [names for names in signed_breaches(seen) if names] == []
    assert seen["order"] >= CASES * 0.2, seen
    assert all(seen[rule] >= 30 for rule in RULES), seen


@pytest.mark.parametrize("rule", RULES)
def test_without_a_limit_answers_breach_it(rule: str) -> None:
    assert any(rule in names for names in ordered_breaches(without(rule), Counter())), f"nothing but {rule} holds what it is for"


@pytest.mark.parametrize("rule", RULES)
def test_without_a_limit_plans_breach_it(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contracts, "check_limits", without(rule))
    assert any(rule in names for names in signed_breaches(Counter())), f"nothing but {rule} holds what it is for"


def test_every_limit_is_among_them() -> None:
    world = sound_world(random.Random(1), held=False)
    action = next(each for each in ACTIONS if each.word == "ENTRY_LONG")
    measured = check_limits(
        action, confidence=70, leverage=3, price=PRICE, stop=98, target=106, adjustment_pct=None, holding=None,
        risk=world.risk.model_copy(update={"max_notional": 1.0}), around=Circumstances(SYMBOL, world.account, 0.0),
    )  # fmt: skip
    assert {check.rule for check in measured} == set(RULES)
