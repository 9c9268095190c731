"""Which indicators can be compared with which, and which readings in words belong to which.

Pure tables: `relate` turns `left above right` into the canonical key and state of the convention, `state_fits` says whether a word can be
said of an indicator.
"""

from engine.grounding.grammar.raw_claim import Subject
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words.lists import READINGS

_KINDS = {reading.name: reading.kinds for reading in READINGS}
_STOCHASTIC = frozenset({"stoch_k", "stoch_d"})
_BANDS = frozenset({"bb_upper", "bb_middle", "bb_lower"})
_PRICED_POSITION = frozenset({"entry_price", "liquidation_price"})


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
