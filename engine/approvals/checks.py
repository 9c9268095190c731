"""What must hold whenever an order is about to be answered for: the limits, measured in the world as it is then. Pure.

Asked when a proposal is filed, when it is approved, and again before the order leaves. Anything that cannot be measured is a breach.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from engine.domain.decision import ACTIONS, Action
from engine.domain.equity.cash_account import CashAccount
from engine.domain.holding import Holding
from engine.domain.market.terms import exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import AccountView
from engine.domain.proposal import Basis, OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.domain.text.language import Language
from engine.trading.figures import plan_figures
from engine.trading.limits import Circumstances, breach_text, check_limits
from engine.trading.moved_stop import HeldMarket, check_moved_stop, takes_risk_away
from engine.trading.share_limits import check_share_limits
from engine.trading.sizing import positive


@dataclass(frozen=True)
class LiveConditions:
    """The conditions a proposal is answered in. price: last price, quote units. holding: what the broker holds in this market.

    price_gap_pct: last price against the last closed candle. market_at: the market's instant, None = that of the snapshot. newer_run: a run
    of the same market that ended later. cash: how the account stands for shares, None for contracts. risk: the limits that bind now, None =
    those it was decided with. session_prices: lowest and highest price that the session of shares allows, None where that has no bounds.
    """

    price: float
    account: AccountView
    holding: Holding | None
    price_gap_pct: float | None
    market_at: datetime | None = None
    newer_run: str | None = None
    cash: CashAccount | None = None
    risk: RiskConfig | None = None
    session_prices: tuple[Decimal, Decimal] | None = None

    def limits(self, basis: Basis) -> RiskConfig:
        """Return the limits a proposal is measured against."""
        return self.risk or basis.risk

    def current_stop(self, basis: Basis) -> Decimal | None:
        """Return the stop that the position has, quote units; None without one."""
        stop = self.account.stops.get(basis.symbol)
        return exact(stop) if stop is not None else None


def action_of(basis: Basis) -> Action:
    """Return the action a proposal is for."""
    kinds = [action for action in ACTIONS if action.signal is basis.action]
    adds = basis.adjustment_pct is None or basis.adjustment_pct > 0
    return next((action for action in kinds if action.adjustment is None or (action.adjustment[0] > 0) == adds), kinds[0])


def measure(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
    """Return every limit that applies to a plan, measured now. Empty for what takes risk away."""
    if plan.protects:
        return _of_levels(plan, basis, conditions)
    if basis.instrument == "shares":
        return _of_shares(plan, basis, conditions)
    age_bars = None
    if conditions.market_at is None:
        age_bars = 0.0
    elif (age_s := (conditions.market_at - basis.snapshot_at).total_seconds()) >= 0:
        age_bars = age_s * 1000 / Timeframe.parse(basis.timeframe).ms
    checks = _measured(plan, basis, conditions, age_bars, conditions.price)
    drift = drift_atr(basis, conditions.price)
    if all(check.passed for check in checks) or drift is None or drift > conditions.limits(basis).max_drift_atr:
        return checks
    signed = {check.rule: check for check in _measured(plan, basis, conditions, age_bars, basis.price)}
    return tuple(signed[check.rule] if _only_moved(check) else check for check in checks)


def _of_levels(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
    if conditions.holding is None:
        return ()  # there is nothing to protect: it is locked
    around = HeldMarket(
        symbol=basis.symbol,
        instrument=basis.instrument,
        price=conditions.price,
        price_gap_pct=conditions.price_gap_pct,
        account=conditions.account,
        terms=basis.terms,
    )
    return check_moved_stop(plan.stop, plan.target, conditions.current_stop(basis), conditions.holding, conditions.limits(basis), around)


def adds_risk(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> bool:
    """Return whether a plan adds risk to the account as it stands now."""
    if not plan.protects:
        return not plan.reduce_only
    sign = 1 if plan.side == "buy" else -1
    return not takes_risk_away(plan.stop, conditions.current_stop(basis), sign)


def _of_shares(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
    if conditions.cash is None:
        raise ValueError("an order for shares is measured on a cash account")
    return check_share_limits(
        plan,
        symbol=basis.symbol,
        price=conditions.price,
        confidence=basis.confidence,
        terms=basis.terms,
        risk=conditions.limits(basis),
        account=conditions.account,
        cash=conditions.cash,
    )


def judged_at_decision_price(plan: OrderPlan, basis: Basis, conditions: LiveConditions, checks: Sequence[LimitCheck]) -> frozenset[str]:
    """Return the rules among `checks` (see `measure`) that were judged at the price of the decision: at the price of now they are not
    met."""
    if basis.instrument == "shares" or plan.protects:
        return frozenset()
    at_price_of_now = {check.rule: check for check in _measured(plan, basis, conditions, None, conditions.price) if _only_moved(check)}
    return frozenset(check.rule for check in checks if check.rule in at_price_of_now and check != at_price_of_now[check.rule])


def _only_moved(check: LimitCheck) -> bool:
    """Return whether the breached limit is a ratio that any move of the price changes, with the levels still on their sides: while the
    drift is within its bound, such a ratio is judged at the price of the decision."""
    return not check.passed and check.measured is not None and check.rule in {"min_risk_reward_ratio", "max_stop_distance_pct"}


def _measured(plan: OrderPlan, basis: Basis, conditions: LiveConditions, age_bars: float | None, price: float) -> tuple[LimitCheck, ...]:
    return check_limits(
        action_of(basis),
        confidence=basis.confidence,
        leverage=plan.leverage,
        price=price,
        stop=float(plan.stop) if plan.stop is not None else None,
        target=float(plan.target) if plan.target is not None else None,
        adjustment_pct=basis.adjustment_pct,
        holding=conditions.holding,
        risk=conditions.limits(basis),
        figures=plan_figures(plan, basis, price) if positive(price) else None,
        around=Circumstances(
            symbol=basis.symbol,
            account=conditions.account,
            price_gap_pct=conditions.price_gap_pct,
            age_bars=age_bars,
            amount=plan.amount,
            maintenance_margin=float(basis.terms.maintenance_margin),
        ),
    )


def breaches(checks: Sequence[LimitCheck], language: Language = "en") -> list[str]:
    """Return a line for every limit that was breached."""
    return [breach_text(check, language) for check in checks if not check.passed]


PASSING = frozenset(
    {
        "kill_switch",
        "max_price_gap_pct",
        "min_risk_reward_ratio",
        "min_risk_reward_after_costs",
        "max_stop_distance_pct",
        "max_stop_to_liquidation_pct",
        "max_position_pct",
        "max_notional",
        "max_exposure_pct",
        "cooldown_minutes",
        "max_orders_per_hour",
        "min_cash_left",
        "risk_per_trade_pct",
        "drawdown_share_pct",
    }
)
"""Limits that depend on the price of the moment, or pass by themselves: a proposal that breaches one waits or is refreshed, it is not
ended by it."""


def drift_atr(basis: Basis, price: float) -> float | None:
    """Return how far the price has moved since the decision, in ATR; None where the ATR is not known."""
    return abs(price - basis.price) / basis.atr if basis.atr else None
