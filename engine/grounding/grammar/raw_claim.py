"""What the reader finds before anything is checked: a claim, still in offsets of the normalised text."""

from dataclasses import dataclass

from engine.domain.claims import Relation
from engine.grounding.tables.table import NamedIndicator


@dataclass(frozen=True, slots=True)
class Subject:
    """What a claim is about. at: index of the item it was named in. frame: timeframe it was put in, None for the main one. nearby: the
    timeframe of a neighbour (`1h RSI 46, ADX 22`), in which it may be meant too."""

    named: NamedIndicator
    at: int
    frame: str | None = None
    nearby: str | None = None

    @property
    def kind(self) -> str:
        """Return how sentences treat it (`IndicatorSpec.kind`)."""
        return self.named.indicator.kind


@dataclass(frozen=True, slots=True)
class RawClaim:
    """One claim as it was read.

    subject: whose value or state it is. at: item of the value or the reading.
    start, end, value_start, value_end: the claim and the value in it, in the normalised text.
    relation, number, high: an equation, a bound or a range in the unit of the fact. state: a reading in words, for the relation `state`;
    negated: it is denied; other: the second indicator it compares with, None where it compares none. step: size of one unit in the last
    digit written. hedged: about. base: another base key than the subject's (an ATR in percent is `atr_pct`). also: a second indicator the
    number may belong to as well. speaker: who is quoted, None for the writer.
    """

    subject: Subject
    at: int
    start: int
    end: int
    value_start: int
    value_end: int
    relation: Relation = "state"
    number: float | None = None
    high: float | None = None
    state: str = ""
    negated: bool = False
    other: Subject | None = None
    step: float = 0.0
    hedged: bool = False
    base: str | None = None
    also: Subject | None = None
    speaker: str | None = None
