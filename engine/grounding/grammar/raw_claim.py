"""What the reader finds before anything is checked: a statement, still in offsets of the normalised text."""

from dataclasses import dataclass

from engine.domain.claims import Relation
from engine.grounding.tables.indicator import NamedIndicator


@dataclass(frozen=True, slots=True)
class Subject:
    """What a statement is about. at: index of the item it was named in. frame: timeframe it was put in, None for the main one. nearby: the
    timeframe of a neighbour (`1h RSI 46, ADX 22`), in which it may be meant too."""

    named: NamedIndicator
    at: int
    frame: str | None = None
    nearby: str | None = None

    @property
    def kind(self) -> str:
        """How sentences treat it."""
        return self.named.indicator.kind


@dataclass(frozen=True, slots=True)
class RawClaim:
    """One statement. subject: whose value or state it is. relation, number, high: an equation, a bound or a range in the units of the key.
    state: a reading in words; `other` is the second indicator it compares with, where it does. step: size of one unit in the last digit
    written. key: overrides the subject's (ATR in percent). also: a second indicator the number may belong to as well."""

    subject: Subject
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
