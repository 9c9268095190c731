"""How large an entry is, and what it pays for its risk.

Given a price, its levels and the risk configuration, gives ratios and percentages. Pure arithmetic on what it is given; None wherever an
input is not a positive finite number or a level stands on the wrong side, so that nothing is ever sized from a mistake.
"""

import math
from typing import Final

from engine.domain.risk import RiskConfig

LONG: Final = 1
SHORT: Final = -1


def positive(value: float | None) -> float | None:
    """The value when it is a finite number above zero, else None."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None


def stop_distance_pct(price: float | None, stop: float | None, sign: int) -> float | None:
    """Distance to the stop as percent of the price; None unless the stop stands on the losing side. sign: +1 long, -1 short."""
    here, there = positive(price), positive(stop)
    if here is None or there is None or sign not in {LONG, SHORT}:
        return None
    return positive(sign * (here - there) / here * 100.0)


def risk_reward_ratio(price: float | None, stop: float | None, target: float | None, sign: int) -> float | None:
    """Reward per unit of risk, measured from the price; None unless stop and target stand on their sides. sign: +1 long, -1 short."""
    risk = stop_distance_pct(price, stop, sign)
    reward = stop_distance_pct(price, target, -sign)
    return positive(reward / risk) if risk is not None and reward is not None else None


def full_margin_pct(price: float | None, stop: float | None, sign: int, leverage: float | None, risk: RiskConfig) -> float | None:
    """Margin, as percent of equity, of the position that loses exactly `risk_per_trade_pct` of equity at the stop, before any cap.

    The loss at the stop is notional * distance, so notional = risk_per_trade_pct / distance, and margin = notional / leverage.
    """
    distance, times = stop_distance_pct(price, stop, sign), positive(leverage)
    if distance is None or times is None:
        return None
    return positive(risk.risk_per_trade_pct / distance * 100.0 / times)


def planned_margin_pct(price: float | None, stop: float | None, sign: int, leverage: float | None, risk: RiskConfig) -> float | None:
    """Margin of the entry as it would be placed, percent of equity: `full_margin_pct`, cut to `max_position_pct`.

    A cap of zero allows no entry and therefore cuts nothing: the uncut margin is what a limit then refuses.
    """
    margin = full_margin_pct(price, stop, sign, leverage, risk)
    return min(margin, risk.max_position_pct) if margin is not None and risk.max_position_pct > 0 else margin


def held_margin_pct(size: float | None, price: float | None, leverage: float | None, risk: RiskConfig) -> float | None:
    """Margin of a position at this price, percent of equity. size: base units."""
    amount, here, times = positive(size), positive(price), positive(leverage)
    if amount is None or here is None or times is None:
        return None
    return positive(amount * here / times / risk.equity * 100.0)
