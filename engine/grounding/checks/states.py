"""Readings in words, judged: `oversold`, `golden_cross`, `price_above`, `gave_back_half`.

Given the state's name, its indicator's value and, for comparisons, the other value; gives true, false, or None where the words are a
matter of taste or need a history that is not at hand.
"""

from collections.abc import Callable, Mapping

from engine.grounding.tables.thresholds import BANDS, HALF, NEAR_FALSE, NEAR_TRUE, Band

_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    "golden_cross": lambda line, signal: line > signal,
    "dead_cross": lambda line, signal: line < signal,
    "plus_above_minus": lambda plus, minus: plus > minus,
    "minus_above_plus": lambda plus, minus: minus > plus,
    "k_above_d": lambda k, d: k > d,
    "k_below_d": lambda k, d: k < d,
    "price_above": lambda line, price: price > line,
    "price_below": lambda line, price: price < line,
}


def judge_band(state: str, value: float, bands: Mapping[str, Band]) -> bool | None:
    """Return whether one value has the state; None where it is a matter of taste, or no state of one value."""
    band = bands.get(state) or BANDS["volume"].get(state) or BANDS["other"].get(state)
    return band.judge(value) if band is not None else None


def judge_pair(state: str, value: float, other: float) -> bool | None:
    """Return whether two values stand as the state says; None where it is a matter of taste.

    value: of the claim's own key; other: of what it is compared with.
    """
    if state == "price_near":
        distance = abs(other / value - 1) if value else 1.0
        return True if distance <= NEAR_TRUE else None if distance <= NEAR_FALSE else False
    rule = _COMPARED.get(state)
    if rule is not None:
        return rule(value, other)
    if state.startswith("above_"):
        return value > other
    if state.startswith("below_"):
        return value < other
    return None


def order_of(fast: float, middle: float, slow: float) -> str:
    """Return the order of three averages: bullish from fast to slow falling, bearish rising, else mixed."""
    return "bullish_align" if fast > middle > slow else "bearish_align" if fast < middle < slow else "mixed"


def judge_half(state: str, drawdown: float, best: float) -> bool | None:
    """Return whether half of the best unrealised gain was given back; None when there never was a gain."""
    if best <= 0:
        return None
    gave_back = abs(drawdown) >= HALF * best
    return gave_back if state == "gave_back_half" else not gave_back
