"""What must hold whenever an order is about to be answered for: the limits, measured in the world as it is then. Pure.

Asked when a proposal is filed, when it is approved, and again before the order leaves. Anything that cannot be measured is a breach.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.proposal import Basis, OrderPlan
from engine.domain.risk import LimitCheck
from engine.domain.text.reason import Reason
from engine.instruments.conditions import LiveConditions, drift_atr
from engine.instruments.kinds import instrument_of
from engine.instruments.limits import breach_reason
from engine.instruments.moved_stop import HeldMarket, check_moved_stop, takes_risk_away


@dataclass(frozen=True)
class Judged:
    """Limits as they are judged. as_decided: rules that were judged at the price of the decision, and would not be met at that of now."""

    checks: tuple[LimitCheck, ...]
    as_decided: frozenset[str] = frozenset()


def measure(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
    """Return every limit that applies to a plan, as it is judged now. Empty for what takes risk away."""
    return judge(plan, basis, conditions).checks


def judge(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> Judged:
    """Judge every limit that applies to a plan: at the price of now. While the drift is within its bound, a breached ratio that any move of
    the price changes is judged at the price of the decision instead."""
    checks = measure_at(conditions.price, plan, basis, conditions)
    drift = drift_atr(basis, conditions.price)
    if (
        plan.protects
        or not instrument_of(basis.instrument).judged_as_decided
        or drift is None
        or drift > conditions.limits(basis).max_drift_atr
    ):
        return Judged(checks)
    moved = {check.rule for check in checks if not check.passed and check.measured is not None and check.follows_price}
    if not moved:
        return Judged(checks)
    decided = {check.rule: check for check in measure_at(basis.price, plan, basis, conditions)}
    judged = tuple(decided[check.rule] if check.rule in moved else check for check in checks)
    return Judged(judged, frozenset(check.rule for check, now in zip(judged, checks, strict=True) if check != now))


def measure_at(price: float, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
    """Measure every limit that applies to a plan at a price, quote units; everything else is as in `conditions`. Empty for what takes risk
    away. This is the one place where the limits of an order are measured."""
    if plan.protects:
        return _of_levels(price, plan, basis, conditions)
    return instrument_of(basis.instrument).limits(price, plan, basis, conditions)


def _of_levels(price: float, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
    if conditions.holding is None:
        return ()  # there is nothing to protect: it is locked
    around = HeldMarket(
        symbol=basis.symbol,
        instrument=basis.instrument,
        price=price,
        price_gap_pct=conditions.price_gap_pct,
        account=conditions.account,
        terms=basis.terms,
    )
    return check_moved_stop(plan.stop, plan.target, conditions.current_stop, conditions.holding, conditions.limits(basis), around)


def adds_risk(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> bool:
    """Return whether a plan adds risk to the account as it is now."""
    if not plan.protects:
        return not plan.reduce_only
    sign = 1 if plan.side == "buy" else -1
    return not takes_risk_away(plan.stop, conditions.current_stop, sign)


def breaches(checks: Sequence[LimitCheck]) -> list[Reason]:
    """Return a reason for every limit that was breached."""
    return [breach_reason(check) for check in checks if not check.passed]
