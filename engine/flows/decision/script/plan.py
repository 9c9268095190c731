"""The levels of an entry: a stop beyond structure or volatility, a target that pays for it, a leverage the stop allows.

Given price, levels, range and limits; gives a plan, or the reason why there is none. Prices are rounded to the market's decimals first and
measured afterwards, so the ratio told is the ratio of the levels told. Pure.
"""

import math
from dataclasses import dataclass

from engine.flows.decision.script.lies import decimals_of
from engine.flows.decision.script.record import Record

_NEAREST_ATR = 0.8
_FARTHEST_ATR = 4.0
_REACH_ATR = 4.5
_MARGIN_LOSS_PCT = 12.0
"""Most of the margin, in percent, that may be lost at the stop; leverage follows from it."""


@dataclass(frozen=True)
class Plan:
    """An entry's levels as they are written. ratio: reward per risk. distance_pct: stop's distance in percent of price."""

    stop: str
    target: str
    ratio: float
    distance_pct: float


def make_plan(side: int, record: Record, confidence: float) -> Plan | str:
    """Return a plan for entering on `side` (+1 long, -1 short), or the name of the reason against one: `levels`, `distance`, `reward`."""
    price = record.number("close")
    if price is None or price <= 0:
        return "levels"
    distance = _stop_distance(side, price, record)
    if distance is None:
        return "levels"
    if distance / price * 100 > _limit(record, "max_stop_distance_pct", 5.0) or side * distance >= price:
        return "distance"
    ratio = _limit(record, "min_risk_reward_ratio", 1.5)
    reward = _target_distance(side, price, distance, ratio, record, confidence)
    if reward is None or -side * reward >= price:
        return "reward"
    return _written(side, price, distance, reward, ratio, decimals_of(record.texts["close"]))


def leverage_of(confidence: float, distance_pct: float, record: Record) -> int:
    """Leverage in whole x: grows with confidence, shrinks with the stop's distance, never above the limit."""
    wanted = 1 + max(0, int((confidence - 50) / 5))
    bearable = int(_MARGIN_LOSS_PCT / max(distance_pct, 0.1))
    return max(1, min(wanted, bearable, int(_limit(record, "max_leverage", 10.0))))


def _limit(record: Record, key: str, default: float) -> float:
    value = record.number(key)
    return default if value is None else value


def _room(side: int, price: float, level: float | None) -> float | None:
    """Return distance from the price to a level that lies on `side` of it; None when it does not."""
    return side * (level - price) if level is not None and side * (level - price) > 0 else None


def _stop_distance(side: int, price: float, record: Record) -> float | None:
    atr = record.number("atr_14")
    structure = _room(-side, price, record.number("support" if side > 0 else "resistance"))
    if atr is None or atr <= 0:
        return None if structure is None else structure + 0.0015 * price
    if structure is None or structure + 0.3 * atr > _FARTHEST_ATR * atr:
        return 1.8 * atr
    return max(structure + 0.3 * atr, _NEAREST_ATR * atr)


def _target_distance(side: int, price: float, risk: float, ratio: float, record: Record, confidence: float) -> float | None:
    """Return how far the target is, at least `ratio` times the risk; None when that is out of reach."""
    atr = record.number("atr_14")
    barrier = _room(side, price, record.number("resistance" if side > 0 else "support"))
    wanted = max(ratio * 1.05, 0.5) * risk
    if barrier is not None and barrier >= wanted:
        return min(barrier, max(3 * risk, wanted))
    if barrier is not None and confidence < 66 and barrier < 0.4 * wanted:
        return None
    reach = max(_REACH_ATR * atr, barrier or 0.0) if atr is not None else barrier
    if reach is None:
        return max(2 * risk, wanted)
    return min(reach, max(1.8 * risk, wanted)) if reach >= wanted else None


def _written(side: int, price: float, risk: float, reward: float, ratio: float, decimals: int) -> Plan | str:
    """Stop and target as written; the target gives way by a tick where rounding cost too much of the ratio."""
    tick = 10.0**-decimals
    stop = round(price - side * max(risk, tick), decimals)
    target = round(price + side * reward, decimals)
    loss = side * (price - stop)
    while loss > 0 and side * (target - price) / loss < ratio * 1.005:
        short = ratio * 1.01 * loss - side * (target - price)
        target = round(target + side * max(tick, math.ceil(short / tick) * tick), decimals)
    if loss <= 0 or target <= 0 or stop <= 0:
        return "levels"
    return Plan(f"{stop:.{decimals}f}", f"{target:.{decimals}f}", side * (target - price) / loss, loss / price * 100)
