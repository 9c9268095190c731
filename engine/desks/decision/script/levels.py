"""The levels of an entry: a stop beyond structure or volatility, a target that pays for it and for the costs, a leverage the stop allows.

Given price, levels, range, costs and limits; gives a plan, or the reason why it is missing. Prices are rounded to the market's steps first
and measured afterwards, so the ratio told is the ratio of the levels told. Pure.
"""

import math
from dataclasses import dataclass, replace

from engine.desks.decision.script.record import Record
from engine.script.lies import decimals_of

_NEAREST_ATR = 0.8
_FARTHEST_ATR = 4.0
_REACH_ATR = 4.5
_NEAREST_COSTS = 2.0
_NET_ROOM, _NET_ROOM_WANTED = 0.25, 0.6
"""How far reward per risk after costs is above its limit, at least and if it can be had: the price moves before someone signs."""
_MARGIN_LOSS_PCT = 12.0
"""Most of the margin, in percent, that may be lost at the stop; leverage follows from it."""


@dataclass(frozen=True)
class Plan:
    """An entry's levels as they are written. ratio: reward per risk. distance_pct: stop's distance in percent of price."""

    stop: str
    target: str
    ratio: float
    distance_pct: float


def make_plan(side: int, record: Record, confidence: float, farther_atr: float = 0.0) -> Plan | str:
    """Return a plan for entering on `side` (+1 long, -1 short), or the name of the reason against one: `levels`, `distance`, `reward`,
    `costs`. farther_atr: how much farther away its stop is than structure asks for."""
    price = record.number("close")
    structure = _stop_distance(side, price, record)
    if price <= 0 or not structure:
        return "levels"
    pays = _Pays(
        ratio=record.number("min_risk_reward_ratio", 1.5),
        after_costs=record.number("min_risk_reward_after_costs", 1.0),
        costs=record.number("round_trip_cost_pct") / 100 * price,
    )
    structure = max(structure + farther_atr * record.number("atr_14"), 0.5 * structure)
    farthest = record.number("max_stop_distance_pct", 5.0) / 100 * price
    if structure > farthest or side * structure >= price:
        return "distance"
    distance = max(structure, _NEAREST_COSTS * pays.costs)
    reward = _target_distance(side, price, distance, pays, record, confidence)
    if not reward or -side * reward >= price or distance > farthest:
        free = replace(pays, after_costs=0.0, costs=0.0)
        return "costs" if _target_distance(side, price, structure, free, record, confidence) else "reward"
    return _written(side, price, distance, reward, pays, record)


def leverage_of(confidence: float, distance_pct: float, record: Record) -> int:
    """Leverage in whole x: grows with confidence, shrinks with the stop's distance, never above the limit."""
    wanted = 1 + max(0, int((confidence - 50) / 5))
    bearable = int(_MARGIN_LOSS_PCT / max(distance_pct, 0.1))
    return max(1, min(wanted, bearable, int(record.number("max_leverage", 10.0))))


@dataclass(frozen=True)
class _Pays:
    """What a target has to bring. ratio: reward per risk, before costs. after_costs: the same after them. costs: of way in and out, quote
    units for one unit of the coin."""

    ratio: float
    after_costs: float
    costs: float

    def gross(self, risk: float) -> float:
        """Return how far a target is that pays for a stop at this distance, before costs."""
        return max(self.ratio * 1.005, 0.5) * risk

    def least(self, risk: float, room: float = _NET_ROOM) -> float:
        """Return how far the nearest target is that pays for a stop at this distance. room: above the limit after costs."""
        return max(self.gross(risk), (self.after_costs + room) * (risk + self.costs) + self.costs)


def _room(side: int, price: float, level: float) -> float:
    """Return the distance from the price to a level that lies on `side` of it; 0 when it does not."""
    return max(0.0, side * (level - price)) if level else 0.0


def _stop_distance(side: int, price: float, record: Record) -> float:
    """Return how far the stop is; 0 where neither a level nor a range is known."""
    atr, structure = record.number("atr_14"), _room(-side, price, record.number("support" if side > 0 else "resistance"))
    if atr <= 0:
        return structure and structure + 0.0015 * price
    if not structure or structure + 0.3 * atr > _FARTHEST_ATR * atr:
        return 1.8 * atr
    return max(structure + 0.3 * atr, _NEAREST_ATR * atr)


def _target_distance(side: int, price: float, risk: float, pays: _Pays, record: Record, confidence: float) -> float:
    """Return how far the target is; 0 when one that pays is out of reach."""
    barrier = _room(side, price, record.number("resistance" if side > 0 else "support"))
    least, wanted = (max(1.05 * pays.gross(risk), pays.least(risk, room)) for room in (_NET_ROOM, _NET_ROOM_WANTED))
    if barrier >= wanted:
        return min(barrier, max(3 * risk, wanted))
    if barrier and confidence < 66 and barrier < 0.4 * pays.gross(risk):
        return 0.0
    reach = max(_REACH_ATR * record.number("atr_14"), barrier)
    if not reach:
        return max(2 * risk, wanted)
    return min(reach, max(1.8 * risk, wanted)) if reach >= least else 0.0


def _written(side: int, price: float, risk: float, reward: float, pays: _Pays, record: Record) -> Plan | str:
    """Stop and target as written, in whole steps of the market; the target gives way by a step where rounding cost too much of what it
    has to bring."""
    step = record.texts.get("price_step")
    decimals = decimals_of(step or record.texts["close"])
    tick = float(step) if step else 10.0**-decimals

    def stepped(level: float) -> float:
        return round(round(level / tick) * tick, decimals)

    stop, target = stepped(price - side * max(risk, tick)), stepped(price + side * reward)
    loss = side * (price - stop)
    while loss > 0 and side * (target - price) < pays.least(loss):
        short = pays.least(loss) - side * (target - price)
        target = stepped(target + side * max(tick, math.ceil(short / tick) * tick))
    if loss <= 0 or target <= 0 or stop <= 0:
        return "levels"
    return Plan(f"{stop:.{decimals}f}", f"{target:.{decimals}f}", side * (target - price) / loss, loss / price * 100)
