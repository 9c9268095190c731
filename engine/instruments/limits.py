"""The hard limits: code that no text can argue with.

Given what an executor decided and the risk configuration, gives one `LimitCheck` per rule that applies, always in this order:

 1. `kill_switch`                   trading is halted: 1, else 0
 2. `max_price_gap_pct`             last price against the close of the last closed candle, percent
 3. `max_snapshot_age_bars`         age of the snapshot, bars of the main timeframe
 4. `allowed_symbols`               the symbol is not among them: 1, else 0
 5. `max_leverage`                  leverage, x
 6. `min_confidence`                confidence, 0-100
 7. `min_risk_reward_ratio`         reward per risk from price, stop and target
 8. `min_risk_reward_after_costs`   gain at the target per loss at the stop, both after costs (see `figures`)
 9. `max_stop_distance_pct`         distance to the stop, percent of price; none on the wrong side
10. `max_stop_to_liquidation_pct`   distance to the stop as percent of the distance to the liquidation
11. `max_position_pct`              margin after the action, percent of equity
12. `max_notional`                  size times price after the action, quote units (when it is set)
13. `max_exposure_pct`              notional of all positions after the action, percent of equity
14. `max_open_positions`            open positions after the action
15. `max_daily_loss_pct`            lost since midnight UTC, percent of equity
16. `max_drawdown_pct`              lost since the highest equity, percent of it
17. `cooldown_minutes`              minutes left of the cool-down after a loss
18. `max_orders_per_hour`           orders of the last hour and this one
19. `min_facts_for_reversal`        facts that moved since the decision before, where this one points the other way (when it is set)

Without an account (a position that only a file states) nothing can be ordered, and 1-4, 10, 12, 13 and 15-18 are left out; so is 8 where
the market's terms are not known. They apply to actions that add risk. WAIT, HOLD, EXIT and PARTIAL_EXIT change nothing or take risk away:
a limit that blocked an exit would keep the very risk it is there to bound, so for them there are no checks. Fails closed: a value that is
needed and is missing, not finite, zero or below, or a level on the wrong side, is a breach with nothing measured. Never raises for a bad
number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from engine.domain.decision import Action, Signal
from engine.domain.holding import Holding
from engine.domain.orders import AccountView
from engine.domain.proposal import Figures
from engine.domain.risk import LimitCheck, RiskConfig
from engine.domain.text.reason import Reason
from engine.trading.sizing import (
    LONG,
    MAINTENANCE_MARGIN,
    SHORT,
    held_margin_pct,
    liquidation_distance_pct,
    planned_margin_pct,
    positive,
    risk_reward_ratio,
    stop_distance_pct,
)

_TOLERANCE: Final = 1e-9  # relative; what rounding of doubles can do to an exact bound, and nothing more


@dataclass(frozen=True)
class Circumstances:
    """What is around a decision on a real account.

    price_gap_pct, age_bars: the last price against the last closed candle, and how old the snapshot is; None = not known, a breach.
    amount: base units that would be ordered, None = as the decision would be sized. maintenance_margin: fraction of the notional.
    """

    symbol: str
    account: AccountView
    price_gap_pct: float | None
    age_bars: float | None = 0.0
    amount: Decimal | None = None
    maintenance_margin: float = MAINTENANCE_MARGIN


def check_limits(  # noqa: PLR0913 - each is one independent number of a decision, passed by name
    action: Action,
    *,
    confidence: float | None,
    leverage: float | None,
    price: float | None,
    stop: float | None,
    target: float | None,
    adjustment_pct: float | None,
    holding: Holding | None,
    risk: RiskConfig,
    figures: Figures | None = None,
    around: Circumstances | None = None,
    reversal_facts: int | None = None,
) -> tuple[LimitCheck, ...]:
    """Measure an action against every rule that applies to it; empty for actions that add no risk.

    confidence: 0-100, zero counts as none. leverage: x; None means the holding's when a position is enlarged. price, stop, target: quote
    currency; an enlarged position may come without stop and target, and then the rules that need them do not apply. adjustment_pct:
    percent of the position to add. holding: the position in this market, if any. figures: of the plan at this price, None where the terms
    of its market are not known. around: the account it would be ordered on. reversal_facts: how many facts moved since the decision before,
    None where this one does not point the other way.
    """
    if not action.adds_risk:
        return ()
    enlarges = action.signal is Signal.ADJUST
    sign = _sign(action, holding)
    times = holding.leverage if leverage is None and enlarges and holding is not None else leverage
    sure = positive(confidence)
    checks = [
        at_most("max_leverage", positive(times), risk.max_leverage),
        at_least("min_confidence", sure if sure is not None and sure <= 100 else None, risk.min_confidence),
    ]
    if not enlarges or (stop is not None and target is not None):
        checks.append(at_least("min_risk_reward_ratio", risk_reward_ratio(price, stop, target, sign), risk.min_risk_reward_ratio))
        checks += [after_costs(figures, risk)] if figures is not None else []
    distance = stop_distance_pct(price, stop, sign)
    if not enlarges or stop is not None:
        checks.append(at_most("max_stop_distance_pct", distance, risk.max_stop_distance_pct))
    if around is not None:
        share = _to_liquidation(price, stop, sign, times, holding if enlarges else None, adjustment_pct, around)
        checks.append(at_most("max_stop_to_liquidation_pct", share, risk.max_stop_to_liquidation_pct))
    margin = _margin_pct(enlarges, holding, adjustment_pct, price, stop, sign, times, risk, around)
    checks.append(at_most("max_position_pct", margin, risk.max_position_pct))
    if around is not None:
        checks += _notional_checks(margin, times, risk, around)
    opened = _open_after(enlarges=enlarges, holding=holding, around=around)
    checks.append(at_most("max_open_positions", opened, risk.max_open_positions))
    of_reversal = reversal_checks(risk, reversal_facts)
    if around is None:
        return (*checks, *of_reversal)
    return (*_moment_checks(risk, around), *checks, *account_checks(risk, around.account), *of_reversal)


def reversal_checks(risk: RiskConfig, facts: int | None) -> Iterator[LimitCheck]:
    """Yield the check of a decision that points the other way than the one before. facts: how many moved in between, None without a
    reversal."""
    if risk.min_facts_for_reversal is not None and facts is not None:
        yield at_least("min_facts_for_reversal", float(facts), risk.min_facts_for_reversal)


def _to_liquidation(
    price: float | None,
    stop: float | None,
    sign: int,
    leverage: float | None,
    holding: Holding | None,
    adjustment_pct: float | None,
    around: Circumstances,
) -> float | None:
    """Return how far the stop is on the way from the price to the liquidation, percent. holding: the position that is enlarged: what
    counts is the liquidation of all of it, at its average entry, and the stop it has where the decision names none."""
    here, times = positive(price), positive(leverage)
    stop_level = stop if stop is not None or holding is None else holding.stop
    if here is None or times is None or stop_level is None or sign not in {LONG, SHORT}:
        return None
    entry = here
    if holding is not None:
        added = float(around.amount) if around.amount is not None else holding.size * (positive(adjustment_pct) or 0.0) / 100.0
        entry = (holding.entry_price * holding.size + here * added) / (holding.size + added)
    room = liquidation_distance_pct(times, sign, around.maintenance_margin)
    if room is None:
        return None
    liquidated = entry * (1 - sign * room / 100.0)
    return _share(positive((here - stop_level) * sign), positive((here - liquidated) * sign))


def _moment_checks(risk: RiskConfig, around: Circumstances) -> Iterator[LimitCheck]:
    yield at_most("kill_switch", float(around.account.halted), 0.0)
    yield at_most("max_price_gap_pct", _known(around.price_gap_pct), risk.max_price_gap_pct)
    yield at_most("max_snapshot_age_bars", _known(around.age_bars), risk.max_snapshot_age_bars)
    allowed = not risk.allowed_symbols or around.symbol in risk.allowed_symbols
    yield at_most("allowed_symbols", float(not allowed), 0.0)


def standing_checks(risk: RiskConfig, around: Circumstances) -> tuple[LimitCheck, ...]:
    """Return the checks that come out the same whatever is decided: of the moment, and of what the account has lost and ordered lately."""
    return (*_moment_checks(risk, around), *account_checks(risk, around.account))


def _notional_checks(margin: float | None, leverage: float | None, risk: RiskConfig, around: Circumstances) -> Iterator[LimitCheck]:
    """Yield the checks of size times price: of this market's position, and of all positions."""
    account = around.account
    times = positive(leverage)
    notional = margin * times / 100.0 * account.equity if margin is not None and times is not None else None
    if risk.max_notional is not None:
        yield at_most("max_notional", notional, risk.max_notional)
    others = sum(value for symbol, value in account.notionals.items() if symbol != around.symbol)
    share = (notional + others) / account.equity * 100.0 if notional is not None else None
    yield at_most("max_exposure_pct", share, risk.max_exposure_pct)


def account_checks(risk: RiskConfig, account: AccountView) -> Iterator[LimitCheck]:
    """Yield the checks of what an account has lost and ordered lately."""
    yield at_most("max_daily_loss_pct", _known(account.day_loss_pct), risk.max_daily_loss_pct)
    yield at_most("max_drawdown_pct", _known(account.drawdown_pct), risk.max_drawdown_pct)
    yield at_most("cooldown_minutes", _known(account.cooldown_left_min), 0.0)
    yield at_most("max_orders_per_hour", float(account.orders_last_hour + 1), risk.max_orders_per_hour)


def after_costs(figures: Figures | None, risk: RiskConfig) -> LimitCheck:
    """Return the check of what a plan wins for what it risks, after costs. figures: None = not known, a breach."""
    ratio = figures.reward_risk_net if figures is not None else None
    return at_least("min_risk_reward_after_costs", ratio, risk.min_risk_reward_after_costs)


def breach_reason(check: LimitCheck) -> Reason:
    """Return why a limit is breached: `limit` names it, beside what was measured and the bound. Raises
    ValueError for a check that passed."""
    if check.passed:
        raise ValueError(f"{check.rule} was not breached")
    if check.rule in {"kill_switch", "allowed_symbols"}:
        return Reason(check.rule)
    side, limit = "below" if check.rule.startswith("min_") else "above", Reason(check.rule)
    if check.measured is None:
        return Reason(f"limit_{side}_unmeasured", limit=limit, bound=_digits(check.bound))
    measured, bound = _distinguishable(check.measured, check.bound)
    return Reason(f"limit_{side}", limit=limit, measured=measured, bound=bound, by=_digits(abs(check.measured - check.bound)))


def at_most(rule: str, measured: float | None, bound: float) -> LimitCheck:
    """Return the check of a value that must not be above its bound; None = not known, a breach."""
    passed = measured is not None and measured <= bound * (1 + _TOLERANCE)
    return LimitCheck(rule=rule, measured=measured, bound=float(bound), passed=passed)


def at_least(rule: str, measured: float | None, bound: float) -> LimitCheck:
    """Return the check of a value that must not be below its bound; None = not known, a breach."""
    passed = measured is not None and measured >= bound * (1 - _TOLERANCE)
    return LimitCheck(rule=rule, measured=measured, bound=float(bound), passed=passed)


def _sign(action: Action, holding: Holding | None) -> int:
    """Return which way the added risk points: +1, -1, or 0 when it is not known."""
    if action.signal is Signal.ENTRY_LONG:
        return LONG
    if action.signal is Signal.ENTRY_SHORT:
        return SHORT
    return holding.sign() if holding is not None else 0


def _margin_pct(  # noqa: PLR0913, PLR0917 - the numbers of one decision
    enlarges: bool,
    holding: Holding | None,
    adjustment_pct: float | None,
    price: float | None,
    stop: float | None,
    sign: int,
    leverage: float | None,
    risk: RiskConfig,
    around: Circumstances | None,
) -> float | None:
    """Return margin after the action, percent of equity: of the amount that is ordered, or of the one that would be."""
    account = around.account if around is not None else None
    equity = account.equity if account is not None else risk.equity
    held = holding.size if holding is not None else 0.0
    if around is not None and around.amount is not None:
        return held_margin_pct(held + float(around.amount), price, leverage, equity)
    if not enlarges:
        return planned_margin_pct(price, stop, sign, leverage, risk, account)
    added = positive(adjustment_pct)
    return held_margin_pct(held * (1 + added / 100.0), price, leverage, equity) if held and added is not None else None


def _open_after(*, enlarges: bool, holding: Holding | None, around: Circumstances | None) -> float | None:
    """Return positions after the action: enlarging needs one and adds none, an entry adds one. Without an account only this market's is
    known."""
    here = 0 if holding is None else 1
    held = max(here, len(around.account.notionals)) if around is not None else here
    if enlarges:
        return float(held) if here else None
    return float(held + 1)


def _share(part: float | None, whole: float | None) -> float | None:
    """Return a part in percent of the whole; None when either is not known."""
    if part is None or whole is None:
        return None
    return part / whole * 100.0


def _known(value: float | None) -> float | None:
    """Return a finite number of 0 or above, else None: a breach."""
    return float(value) if value is not None and 0 <= value < float("inf") else None


def _digits(value: float) -> str:
    """Return a number as a person writes it: six significant digits, large ones in full."""
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"


def _distinguishable(measured: float, bound: float) -> tuple[str, str]:
    """Return both numbers, with as many digits as it takes to see that they differ."""
    short = _digits(measured), _digits(bound)
    if short[0] != short[1]:
        return short
    return repr(measured), _digits(bound)
