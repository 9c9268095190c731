"""Whether and how a written number can be the value of an indicator.

Given an indicator and a number as written, gives the value in the fact's unit (percent for funding, a ratio for volume), or None where
the two do not go together: a percentage is no price, a price is no oscillator.
"""

from dataclasses import dataclass

from engine.grounding.compose import Named
from engine.grounding.numbers import Number
from engine.grounding.rules import BARE_FRACTION_LIMIT

_SIGNED_PERCENT = frozenset({"change", "oi"})
_MONEY = frozenset({"price", "line", "level", "atr", "macd", "signal", "histogram"})
_LARGEST_BARE_PERCENT = 60.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A number in the unit of its fact. base: another indicator's base key the unit points to (`atr_pct` for an ATR in percent)."""

    value: float
    step: float
    base: str | None = None


def measure(named: Named, number: Number, direction: int, sure: bool) -> Measure | None:
    """The value `number` gives to `named`; direction: -1, 0, +1 of a verb before it; sure: a word such as `is` or `=` joins the two."""
    indicator = named.indicator
    unit, value, step = number.unit, number.value, number.step
    if unit == "tenth" or indicator.unit == "word" or indicator.kind in {"volume", "channel"}:
        return None
    if unit == "x":
        return Measure(value, step) if indicator.base == "leverage" else None
    if indicator.unit == "percent":
        return _percent(named, number, direction, sure)
    if unit == "%":
        if indicator.kind == "atr":
            return Measure(value, step, "atr_pct")
        return Measure(value, step) if indicator.unit == "index" else None
    if unit == "$":
        return Measure(value, step) if indicator.unit in {"price", "macd"} else None
    if indicator.base == "leverage" and value > 200:
        return None
    return Measure(value, step)


def _percent(named: Named, number: Number, direction: int, sure: bool) -> Measure | None:
    indicator, value, step = named.indicator, number.value, number.step
    if number.unit == "$":
        return None
    if number.unit == "":
        if indicator.kind == "funding":
            if abs(value) <= BARE_FRACTION_LIMIT:
                value, step = value * 100, step * 100
        elif abs(value) > _LARGEST_BARE_PERCENT or not (sure or number.decimals):
            return None
    if indicator.signed and direction < 0 < value and not number.signed:
        value = -value
    if indicator.base == "loss_pct" and not number.signed:
        value = -abs(value)
    return Measure(value, step)
