"""The hard limits: code that no text can argue with.

Given what an executor decided and the risk configuration, gives one `LimitCheck` per rule that applies, always in this order:

1. `max_leverage`           leverage, x
2. `min_confidence`         confidence, 0-100
3. `min_risk_reward_ratio`  reward per risk from price, stop and target
4. `max_stop_distance_pct`  distance to the stop, percent of price
5. `max_position_pct`       margin after the action, percent of equity
6. `max_open_positions`     open positions after the action

They apply to actions that add risk. WAIT, HOLD, EXIT and PARTIAL_EXIT change nothing or take risk away: a limit that blocked an exit would
keep the very risk it is there to bound, so for them there are no checks. Fails closed: a value that is needed and is missing, not finite,
zero or below, or a level on the wrong side, is a breach with nothing measured. Never raises for a bad number.
"""

from typing import Final

from engine.domain.decision import Action, Signal
from engine.domain.holding import Holding
from engine.domain.language import Language
from engine.domain.risk import LimitCheck, RiskConfig
from engine.trading.sizing import LONG, SHORT, held_margin_pct, planned_margin_pct, positive, risk_reward_ratio, stop_distance_pct

_TOLERANCE: Final = 1e-9  # relative; what rounding of doubles can do to an exact bound, and nothing more


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
) -> tuple[LimitCheck, ...]:
    """Measure an action against every rule that applies to it; empty for actions that add no risk.

    confidence: 0-100, zero counts as none. leverage: x; None means the holding's when a position is enlarged. price, stop, target: quote
    currency; an enlarged position may come without stop and target, and then the rules that need them do not apply. adjustment_pct:
    percent of the position to add. holding: the position in this market, if any.
    """
    if not action.adds_risk:
        return ()
    enlarges = action.signal is Signal.ADJUST
    sign = _sign(action, holding)
    times = holding.leverage if leverage is None and enlarges and holding is not None else leverage
    sure = positive(confidence)
    checks = [
        _at_most("max_leverage", positive(times), risk.max_leverage),
        _at_least("min_confidence", sure if sure is not None and sure <= 100 else None, risk.min_confidence),
    ]
    if not enlarges or (stop is not None and target is not None):
        checks.append(_at_least("min_risk_reward_ratio", risk_reward_ratio(price, stop, target, sign), risk.min_risk_reward_ratio))
    if not enlarges or stop is not None:
        checks.append(_at_most("max_stop_distance_pct", stop_distance_pct(price, stop, sign), risk.max_stop_distance_pct))
    if enlarges:
        margin = _enlarged_margin_pct(holding, adjustment_pct, price, times, risk)
    else:
        margin = planned_margin_pct(price, stop, sign, times, risk)
    checks.append(_at_most("max_position_pct", margin, risk.max_position_pct))
    checks.append(_at_most("max_open_positions", _open_after(enlarges=enlarges, holding=holding), risk.max_open_positions))
    return tuple(checks)


def breach_text(check: LimitCheck, language: Language = "en") -> str:
    """One line on what was breached and by how much. Raises ValueError for a check that passed: there is nothing to say."""
    if check.passed:
        raise ValueError(f"{check.rule} was not breached")
    name = _NAMES[language].get(check.rule, check.rule)
    least = check.rule.startswith("min_")
    if check.measured is None:
        bound = _digits(check.bound)
        if language == "zh":
            return f"{name}无法测定，视为违反{'下限' if least else '上限'} {bound}"
        return f"{name} could not be measured, which counts as a breach of the {'required' if least else 'allowed'} {bound}"
    measured, bound = _told_apart(check.measured, check.bound)
    by = _digits(abs(check.measured - check.bound))
    if language == "zh":
        return f"{name} {measured} {'低于要求的' if least else '超过允许的'} {bound}，{'差' if least else '超出'} {by}"
    return f"{name} {measured} is {'below the required' if least else 'above the allowed'} {bound}, by {by}"


_NAMES: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "max_leverage": "leverage",
        "min_confidence": "confidence",
        "min_risk_reward_ratio": "risk/reward ratio",
        "max_stop_distance_pct": "stop distance in percent",
        "max_position_pct": "position margin in percent of equity",
        "max_open_positions": "number of open positions",
    },
    "zh": {
        "max_leverage": "杠杆",
        "min_confidence": "置信度",
        "min_risk_reward_ratio": "风险回报比",
        "max_stop_distance_pct": "止损距离（%）",
        "max_position_pct": "保证金占权益比例（%）",
        "max_open_positions": "持仓数量",
    },
}


def _at_most(rule: str, measured: float | None, bound: float) -> LimitCheck:
    passed = measured is not None and measured <= bound * (1 + _TOLERANCE)
    return LimitCheck(rule=rule, measured=measured, bound=float(bound), passed=passed)


def _at_least(rule: str, measured: float | None, bound: float) -> LimitCheck:
    passed = measured is not None and measured >= bound * (1 - _TOLERANCE)
    return LimitCheck(rule=rule, measured=measured, bound=float(bound), passed=passed)


def _sign(action: Action, holding: Holding | None) -> int:
    """Which way the added risk points: +1, -1, or 0 when it is not known."""
    if action.signal is Signal.ENTRY_LONG:
        return LONG
    if action.signal is Signal.ENTRY_SHORT:
        return SHORT
    return holding.sign() if holding is not None else 0


def _enlarged_margin_pct(
    holding: Holding | None, adjustment_pct: float | None, price: float | None, leverage: float | None, risk: RiskConfig
) -> float | None:
    added = positive(adjustment_pct)
    if holding is None or added is None:
        return None
    return held_margin_pct(holding.size * (1 + added / 100.0), price, leverage, risk)


def _open_after(*, enlarges: bool, holding: Holding | None) -> float | None:
    """Positions after the action, of those known here: enlarging needs one and adds none, an entry adds one."""
    held = 0 if holding is None else 1
    if enlarges:
        return float(held) if held else None
    return float(held + 1)


def _digits(value: float) -> str:
    """A number as a person writes it: six significant digits, large ones in full."""
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"


def _told_apart(measured: float, bound: float) -> tuple[str, str]:
    """Both numbers, with as many digits as it takes to see that they differ."""
    short = _digits(measured), _digits(bound)
    if short[0] != short[1]:
        return short
    return repr(measured), _digits(bound)
