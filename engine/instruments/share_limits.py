"""The hard limits of an order for shares: those of every order that mean something for shares, and those of a cash account.

In this order: `kill_switch`, `allowed_symbols`, `min_confidence`, `min_risk_reward_ratio`, `min_risk_reward_after_costs` and
`max_stop_distance_pct` (with levels), then what the order makes of the account:

- `min_cash_left`        currency that is left after the order and its fees
- `max_position_pct`     the company after the order, percent of the account's value
- `max_notional`         the same in currency (when it is set)
- `risk_per_trade_pct`   loss at the stop, percent of the account's value
- `drawdown_share_pct`   loss at the stop, percent of what is left until `max_drawdown_pct`; `DRAWDOWN_SHARE_PCT` at most
- `max_exposure_pct`, `max_open_positions`, resting orders included, then what the account has lost and ordered lately, and
  `min_facts_for_reversal` (when it is set).

A buy without a stop is never ordered (`approvals/share_filing.py`); it is measured as if it were stopped as far away as the limits allow.
`NOT_FOR_SHARES` are listed as such: passed, with nothing measured. They apply to buys; sales take risk away, and for them there are no
checks. Fails closed like `limits`.
"""

from collections.abc import Iterator
from typing import Final

from engine.domain.equity.cash_account import CashAccount
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import AccountView
from engine.domain.proposal import OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.instruments.limits import account_checks, after_costs, at_least, at_most, reversal_checks
from engine.trading.figures import figures_of
from engine.trading.sizing import LONG, positive, risk_reward_ratio, stop_distance_pct

DRAWDOWN_SHARE_PCT: Final = 25.0
NOT_FOR_SHARES: Final = ("max_price_gap_pct", "max_snapshot_age_bars", "max_leverage", "max_stop_to_liquidation_pct")


def check_share_limits(  # noqa: PLR0913 - each is one independent number of an order, passed by name
    plan: OrderPlan,
    *,
    symbol: str,
    price: float,
    confidence: float | None,
    terms: MarketTerms,
    risk: RiskConfig,
    account: AccountView | None,
    cash: CashAccount,
    reversal_facts: int | None = None,
) -> tuple[LimitCheck, ...]:
    """Measure an order for shares against every limit; empty for a sale. price: last one, currency a share; the order's own limit counts
    where it has one. confidence: 0-100, zero counts as none. account: None leaves out what the account has lost and ordered lately, which
    is measured when an order is filed. reversal_facts: as of `check_limits`."""
    if plan.side == "sell":
        return ()
    here = float(plan.limit) if plan.limit is not None else price
    stop, target = (float(level) if level is not None else None for level in (plan.stop, plan.target))
    sure = positive(confidence)
    checks = [
        at_most("kill_switch", float(cash.halted or (account is not None and account.halted)), 0.0),
        at_most("allowed_symbols", float(bool(risk.allowed_symbols) and symbol not in risk.allowed_symbols), 0.0),
        at_least("min_confidence", sure if sure is not None and sure <= 100 else None, risk.min_confidence),
    ]
    if stop is not None and target is not None:
        checks.append(at_least("min_risk_reward_ratio", risk_reward_ratio(here, stop, target, LONG), risk.min_risk_reward_ratio))
        checks.append(after_costs(figures_of(plan, price, terms) if positive(here) else None, risk))
    if stop is not None:
        checks.append(at_most("max_stop_distance_pct", stop_distance_pct(here, stop, LONG), risk.max_stop_distance_pct))
    checks += _of_account(plan, symbol, positive(here), stop, terms, risk, cash)
    checks += account_checks(risk, account) if account is not None else ()
    checks += reversal_checks(risk, reversal_facts)
    return (*checks, *(LimitCheck(rule=rule, measured=None, bound=getattr(risk, rule), passed=True) for rule in NOT_FOR_SHARES))


def _of_account(
    plan: OrderPlan, symbol: str, price: float | None, stop: float | None, terms: MarketTerms, risk: RiskConfig, cash: CashAccount
) -> Iterator[LimitCheck]:
    total = positive(cash.total_value)
    value = float(plan.amount) * price if price is not None else None
    yield at_least("min_cash_left", _cash_left(plan, price, terms, cash), 0.0)
    holding = cash.held(symbol)
    in_name = (holding.market_value if holding is not None else 0.0) + (value or 0.0)
    yield at_most("max_position_pct", _percent(in_name if value is not None else None, total), risk.max_position_pct)
    if risk.max_notional is not None:
        yield at_most("max_notional", in_name if value is not None else None, risk.max_notional)
    loss = _loss_at_stop(plan, price, stop, risk)
    yield at_most("risk_per_trade_pct", _percent(loss, total), risk.risk_per_trade_pct)
    left_pct = risk.max_drawdown_pct - cash.drawdown_pct
    left = total * left_pct / 100.0 if total is not None else None
    yield at_most("drawdown_share_pct", _percent(loss, positive(left)), DRAWDOWN_SHARE_PCT)
    yield at_most("max_exposure_pct", _percent(cash.exposure + value if value is not None else None, total), risk.max_exposure_pct)
    yield at_most("max_open_positions", float(cash.names_with(symbol)), risk.max_open_positions)


def _cash_left(plan: OrderPlan, price: float | None, terms: MarketTerms, cash: CashAccount) -> float | None:
    if price is None or terms.shares is None:
        return None
    cost = plan.amount * exact(price) + terms.shares.fees.fee(plan.amount, exact(price), buys=True)
    return float(exact(cash.cash) - cost)


def _loss_at_stop(plan: OrderPlan, price: float | None, stop: float | None, risk: RiskConfig) -> float | None:
    """Return what the order loses at its stop, currency; None where the stop is on the wrong side."""
    if price is None:
        return None
    distance = stop_distance_pct(price, stop, LONG) if stop is not None else risk.max_stop_distance_pct
    return float(plan.amount) * price * distance / 100.0 if distance is not None else None


def _percent(part: float | None, whole: float | None) -> float | None:
    return part / whole * 100.0 if part is not None and whole is not None else None
