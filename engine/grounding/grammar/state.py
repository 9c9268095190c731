"""A claim as it is read, and what the reader knows while it goes through the items of one text.

Three records, each as long-lived as what it is about: `ReaderState` lives as long as the text, `ClauseState` is new at every clause border,
`LinkState` (the words between a subject and its value) at every subject and behind every claim. The handlers in this room read and change
them; nothing else does.
"""

from dataclasses import dataclass, field

from engine.domain.claims import Relation
from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorTable, NamedIndicator


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


@dataclass(slots=True)
class LinkState:
    """What is between a subject and its value.

    comparison: `>`, `<` (or a word still to be resolved) and the item it was read at. negation, hedge: items of `not` and `about`.
    move: -1 or +1 of a verb such as `fell`, and its item. from_seen, to_seen: `from` or `to` was read. past: the verb was in the past
    tense. approaching: what follows is not reached yet.
    """

    comparison: tuple[str, int] | None = None
    negation: int | None = None
    hedge: int | None = None
    move: tuple[int, int] | None = None
    from_seen: bool = False
    to_seen: bool = False
    past: bool = False
    approaching: bool = False


@dataclass(slots=True)
class ClauseState:
    """What was read since the last clause border.

    start: its first item. subject: what it speaks of; previous: the subject before that one. muted: its numbers belong to something that
    is not checked (a target, a confidence). has_value: the subject has got a value. verb_seen: a verb or `=` joins subject and value.
    words_since_verb, unknown_words: how many unknown words, since the last known one and in all. open_number, open_state: items of a
    number and a reading that are still without a subject. has_bound: a comparison was read. is_soft: nothing but linking words and
    numbers so far. names_volume: volume or its average was named. turned: goes on about the subject of the clause before (`not 72 but
    48`); led: so because a comma parted a name from its value.
    """

    start: int
    subject: Subject | None = None
    previous: Subject | None = None
    muted: bool = False
    has_value: bool = False
    verb_seen: bool = False
    words_since_verb: int = 0
    unknown_words: int = 0
    open_number: int | None = None
    open_state: int | None = None
    has_bound: bool = False
    is_soft: bool = True
    names_volume: bool = False
    turned: bool = False
    led: bool = False


@dataclass(slots=True)
class ReaderState:
    """One text while it is read.

    own_names: every name of the sheet's asset, lower case. has_position: whether the sheet has an open position. main_frame, higher_frame:
    its timeframes. claims: what was found so far. last_named: what a pronoun means. topic: what a clause without a subject goes on about.
    speaker: who is being quoted. frame: timeframe of the sentence; frame_holds: for all of it, not only for the next name.
    answers_question: the sentence before was a question. listed: operator, left side and item of the right side of the last comparison,
    which further names may join.
    """

    items: list[Item]
    table: IndicatorTable
    own_names: frozenset[str]
    has_position: bool
    main_frame: str
    higher_frame: str | None
    claims: list[RawClaim] = field(default_factory=list)
    last_named: Subject | None = None
    topic: Subject | None = None
    speaker: str | None = None
    frame: str | None = None
    frame_holds: bool = False
    answers_question: bool = False
    listed: tuple[str, Subject | None, int] | None = None
    clause: ClauseState = field(default_factory=lambda: ClauseState(0))
    link: LinkState = field(default_factory=LinkState)

    def begin_clause(self, start: int) -> None:
        """Forget what the clause before said."""
        self.clause, self.link = ClauseState(start), LinkState()

    def begin_link(self) -> None:
        """Forget what stood between the subject and its last value."""
        self.link = LinkState()

    def take_subject(self, subject: Subject) -> None:
        """Make it the subject of what follows."""
        clause = self.clause
        clause.previous, clause.subject, self.last_named = clause.subject, subject, subject
        clause.muted = clause.has_value = clause.verb_seen = False
        clause.words_since_verb = 0
        self.link = LinkState()

    def kind_at(self, index: int) -> str:
        """Return the kind of the indicator named at `index`; empty when none is."""
        val = self.items[index].val
        return val.indicator.kind if isinstance(val, NamedIndicator) else ""
