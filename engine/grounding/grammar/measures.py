"""Whether and how a written number can be the value of an indicator.

Given an indicator and a number as written, gives the value in the fact's unit (percent for funding, a ratio for volume), or None where
the two do not go together: a percentage is no price, a price is no oscillator.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import NEGATIVE, IndicatorSpec, NamedIndicator
from engine.grounding.tables.thresholds import BARE_FRACTION_LIMIT

_UNITS: Mapping[str, frozenset[str]] = {
    "index": frozenset({"%"}),
    "price": frozenset({"$"}),
    "macd": frozenset({"$"}),
    "multiple": frozenset({"x"}),
    "ratio": frozenset({"x"}),
    "amount": frozenset({"$"}),
}
_IN_PERCENT = frozenset({"debt_to_equity", "current_ratio", "quick_ratio"})
_OF_A_COMPANY = frozenset({"share", "weight", "growth"})
_LARGEST_BARE_SHARE = 150.0
_NEVER_SIGNED = frozenset({"price", "line", "level"})
_MILLION = 1e6
_SMALLEST_SUM = 1e6  # of a company's money; `revenue 385.7` in a column of billions is no 385.7
_HIGHEST_LEVERAGE = 200
_LARGEST_BARE_PERCENT = 60.0
_LARGEST_BARE_FUNDING = 5.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A number in the unit of its fact. base: another indicator's base key the unit points to (`atr_pct` for an ATR in percent)."""

    value: float
    step: float
    base: str | None = None


def measure(named: NamedIndicator, number: Number, direction: int, sure: bool) -> Measure | None:
    """Return the value `number` gives to `named`; None when it cannot be one.

    direction: -1, 0, +1 of a verb before it. sure: a word such as `is` or `=` joins the two.
    """
    indicator = named.indicator
    unit, value = number.unit, number.value
    if unit == "tenth" or indicator.unit == "word" or indicator.kind in {"volume", "channel"}:
        return None
    if indicator.unit == "percent":
        return _percent(named, number, direction, sure) if unit != "x" else None
    if _is_impossible(indicator, number):
        return None
    if unit == "%":
        return _in_percent(indicator, number, direction)
    if indicator.base in NEGATIVE:
        value = value if number.signed else -abs(value)
    allowed = _UNITS.get(indicator.unit, frozenset())
    too_much = indicator.base == "leverage" and value > _HIGHEST_LEVERAGE
    return Measure(value, number.step) if unit in {"", *allowed} and not too_much else None


def _is_impossible(indicator: IndicatorSpec, number: Number) -> bool:
    """Return whether no such thing has such a value: a share price of a billion or with a sign (`+$128`: won
    or lost), a company's revenue of 385.7, half a share."""
    if indicator.unit == "price" and (number.step >= _MILLION or (number.signed and indicator.kind in _NEVER_SIGNED)):
        return True
    if indicator.kind == "amount" and number.unit != "%" and abs(number.value) < _SMALLEST_SUM:
        return True
    return indicator.kind == "shares" and bool(number.unit or number.value % 1)


def _in_percent(indicator: IndicatorSpec, number: Number, direction: int) -> Measure | None:
    """Return what a percentage says of something that is not measured in percent: its change, a ratio, an ATR beside the price."""
    value = number.value
    if indicator.change and (direction or number.signed):
        return Measure(-abs(value) if direction < 0 and not number.signed else value, number.step, indicator.change)
    if indicator.base in _IN_PERCENT:
        return Measure(value / 100, number.step / 100)
    if indicator.kind == "atr":
        return Measure(value, number.step, "atr_pct")
    return Measure(value, number.step) if "%" in _UNITS.get(indicator.unit, frozenset()) else None


def _percent(named: NamedIndicator, number: Number, direction: int, sure: bool) -> Measure | None:
    indicator, value, step = named.indicator, number.value, number.step
    if number.unit == "$":
        return None
    if number.unit == "":
        if indicator.kind == "funding":
            if abs(value) > _LARGEST_BARE_FUNDING:
                return None
            if abs(value) <= BARE_FRACTION_LIMIT:
                value, step = value * 100, step * 100
        elif abs(value) > (_LARGEST_BARE_SHARE if indicator.kind in _OF_A_COMPANY else _LARGEST_BARE_PERCENT) or not (
            sure or number.decimals
        ):
            return None
    if indicator.signed and direction < 0 < value and not number.signed:
        value = -value
    if indicator.base in NEGATIVE and not number.signed:
        value = -abs(value)
    return Measure(value, step)
