"""What can be said of an indicator: which number, which reading in words, which comparison with another.

`relate` turns `left above right` into the canonical key and state of the convention, `state_fits` says whether a word can be said of an
indicator, and `measure` gives the value of a written number in the fact's unit (percent for funding, a ratio for volume), or None where
the two do not go together: a percentage is no price, a price is no oscillator.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.grounding.grammar.state import Subject
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import NEGATIVE, IndicatorSpec, IndicatorTable, NamedIndicator
from engine.grounding.tables.thresholds import BARE_FRACTION_LIMIT
from engine.grounding.words.lists import READINGS

_KINDS = {reading.name: reading.kinds for reading in READINGS}
_STOCHASTIC = frozenset({"stoch_k", "stoch_d"})
_BANDS = frozenset({"bb_upper", "bb_middle", "bb_lower"})
_PRICED_POSITION = frozenset({"entry_price", "liquidation_price"})
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


def state_fits(name: str, subject: Subject, table: IndicatorTable) -> bool:
    """Return whether the word can be said of the indicator."""
    if name in {"golden_cross", "dead_cross"} and subject.named.indicator.base == "stoch_k":
        return True
    return subject.kind in (_KINDS.get(name, frozenset()) | table.kinds.get(name, frozenset()))


def compatible(left: Subject | None, right: Subject) -> bool:
    """Return whether the two can be compared at all; None is the price."""
    a, b = ("price" if left is None else left.kind), right.kind
    if left is not None and {left.named.indicator.base, right.named.indicator.base} <= _BANDS:
        return False
    if left is not None and {left.named.indicator.base, right.named.indicator.base} == _STOCHASTIC:
        return True
    if {a, b} <= {"line", "level", "price"}:
        return not (a == b == "price") and not (a == b == "level")
    if a == "price" or b == "price":
        other = right if a == "price" else left
        return other is not None and other.named.indicator.base in _PRICED_POSITION
    if a == b == "di":
        return left is not None and left.named.indicator.base != right.named.indicator.base
    return {a, b} == {"macd", "signal"}


def relate(left: Subject | None, op: str, right: Subject, price: Subject) -> tuple[Subject, Subject, str] | None:
    """Return (subject, other, state) of `left op right`, keyed as the convention keys it; None where the two say nothing together."""
    left = left if left is not None else price
    above = op == ">"
    if left.kind == "price":
        return right, left, "price_above" if above else "price_below"
    if right.kind == "price":
        return left, right, "price_below" if above else "price_above"
    if left.kind == "di":
        plus_first = left.named.indicator.base == "plus_di"
        subject, other = (left, right) if plus_first else (right, left)
        return subject, other, "plus_above_minus" if above == plus_first else "minus_above_plus"
    if {left.kind, right.kind} == {"macd", "signal"}:
        line_first = left.kind == "macd"
        subject, other = (left, right) if line_first else (right, left)
        return subject, other, "golden_cross" if above == line_first else "dead_cross"
    if left.kind == "oscillator":
        k_first = left.named.indicator.base == "stoch_k"
        subject, other = (left, right) if k_first else (right, left)
        return subject, other, "k_above_d" if above == k_first else "k_below_d"
    faster = (left.named.period or 0) <= (right.named.period or 0)
    subject, other = (left, right) if faster else (right, left)
    return subject, other, f"{'above' if above == faster else 'below'}_{other.named.key}"


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
