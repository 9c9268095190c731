"""What belongs together in a clause, and how a raw claim is made of it.

The functions here decide which timeframe a name is in and whether a number is close enough to a subject to be its value, and add the
claims to the state (`emit_...`). All that they know is in `state.py`; the handlers of this room fill it.
"""

from dataclasses import replace

from engine.domain.claims import Relation
from engine.grounding.grammar.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.grammar.state import RawClaim, ReaderState, Subject
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c

_PAST_KEYS = frozenset({"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "leverage", "size"})
_MOVED_KEYS = frozenset({"mfe_pct", "mae_pct", "drawdown_from_peak_pct"})
_FRAMELESS = frozenset({"close", "change_24h_pct", "drop_24h_pct", "funding_rate_pct", "fear_greed"})
_COPULA = frozenset({c.LINK, c.FILL, c.NOW, c.THEN})
_LEADING = frozenset({c.FILL, c.NOW, c.THEN, c.CONJ, c.AND})
_SAME_NAME = frozenset({c.FILL, c.FRAME, c.OPEN, c.CLOSE, c.NUM, c.RANGE})
_NEAR_STATE = 4
_FRAME_AFTER = 3
_LONGEST_LIST = 14
_FARTHEST = 30  # items; claims that all begin at one far name would cost a square of the text
_LEVELS_IN_PERCENT = frozenset({"share", "weight", "growth"})
_STRANGERS = 2
"""Unknown words between a verb and its number: `RSI is a limp 40`."""


def framed_subject(state: ReaderState, named: NamedIndicator, at: int) -> Subject:
    """Return the named indicator in the timeframe that holds here."""
    frame = named.frame or state.frame or (state.items[at].frame if at < len(state.items) else None)
    loose = named.frame is None and not state.frame_holds and state.frame is not None and not follows_frame(state, at)
    if named.indicator.base in _FRAMELESS or named.indicator.position:
        return Subject(named, at)
    if frame == "htf":
        frame = state.higher_frame or "htf"
    frame = None if frame == state.main_frame else frame
    return Subject(named, at, None, frame) if loose and not shares_frame(state, at) else Subject(named, at, frame)


def shares_frame(state: ReaderState, at: int) -> bool:
    """Recognise `1h RSI and ADX`: one timeframe for both."""
    back = at - 1
    while back >= 0 and state.items[back].cat in {c.AND, c.FILL}:
        back -= 1
    return (
        0 <= back < at - 1
        and state.items[back].cat == c.IND
        and any(item.cat == c.AND or item.val == "/" for item in state.items[back + 1 : at])
    )


def follows_frame(state: ReaderState, at: int) -> bool:
    """Return whether a timeframe comes right before the item."""
    back = at - 1
    while back >= 0 and state.items[back].cat in {c.FILL, c.LINK} and at - back <= _NEAR_STATE:
        back -= 1
    return back >= 0 and state.items[back].cat == c.FRAME


def emit_number(
    state: ReaderState,
    subject: Subject,
    index: int,
    number: Number,
    value: float,
    step: float,
    base: str | None = None,
    high: float | None = None,
) -> None:
    """Emit an equation, bound or range of `subject`. value, high, step: in the unit of its fact; base: as in `Measure`."""
    end, post, hedge_after = words_after_number(state, index, subject)
    op = post or (state.link.comparison[0] if state.link.comparison is not None else "") or number.bound
    relation: Relation = "between" if high is not None else ">" if op == ">" else "<" if op == "<" else "="
    if is_definition(state, index) and relation != "=":
        return
    subject = with_frame_after(state, subject, end)
    also = state.clause.previous if state.clause.previous is not None and is_one_level(state, state.clause.previous, subject) else None
    item = state.items[index]
    start = min(start_of(state, subject, index), start_of_link(state, index))
    claim = RawClaim(
        subject=subject, at=index, start=state.items[start].start, end=state.items[end].end, value_start=item.start, value_end=item.end,
        relation=relation, number=value, high=high, step=step, hedged=state.link.hedge is not None or hedge_after, base=base, also=also,
        speaker=state.speaker,
    )  # fmt: skip
    fellows = fellows_of(state, subject, index, end)
    state.claims.extend(replace(claim, subject=fellow, start=state.items[fellow.at].start, also=None) for fellow in fellows)
    state.claims.append(claim)
    state.clause.has_value, state.clause.verb_seen, state.topic, state.clause.open_number = True, False, subject, None
    state.begin_link()


def fellows_of(state: ReaderState, subject: Subject, index: int, end: int) -> list[Subject]:
    """Read `RSI, MFI and %K are all above 60`: the others of which the same is said, measured alike."""
    between = state.items[subject.at + 1 : index] if index - subject.at <= _FARTHEST else []
    shared = any(str(item.val) in {"all", "plural"} for item in between)
    own_number = [item.cat for item in state.items[end + 1 : end + 3]]
    if not shared or (len(own_number) == 2 and own_number[0] in {c.AND, c.CONJ} and own_number[1] in {c.NUM, c.RANGE}):
        return []
    found, joined = [], False
    for at in range(subject.at - 1, max(-1, subject.at - _LONGEST_LIST), -1):
        item = state.items[at]
        joined = joined or item.cat == c.AND or item.val == "and"
        if item.cat == c.IND and isinstance(item.val, NamedIndicator) and not item.mode:
            found.append(framed_subject(state, item.val, at))
        elif item.cat not in {c.AND, c.WEAK, c.FILL, c.FRAME} and item.val != "and":
            break
    return [fellow for fellow in found if fellow.kind == subject.kind] if joined else []


def start_of(state: ReaderState, subject: Subject, index: int) -> int:
    """Return where a claim about `subject` begins that ends at `index`: at its name, when that is in this clause and not far."""
    return subject.at if state.clause.start <= subject.at < index and index - subject.at <= _FARTHEST else index


def is_one_level(state: ReaderState, first: Subject, second: Subject) -> bool:
    """Recognise `resistance at the 200 EMA (64,250)`: an average and a level in one phrase are one price, and the number may be either's.

    Not so where the phrase of the first is over (`EMA50 is rising: resistance stands at 64,250`), nor where only a pronoun brings the
    first in from elsewhere (`Against it stands resistance at 64,250`), unless that very pronoun is the second: `it is resistance`.
    """
    if {first.kind, second.kind} != {"line", "level"}:
        return False
    between = state.items[first.at + 1 : second.at]
    if state.items[first.at].cat == c.IT:
        leading = state.items[state.clause.start : first.at]
        plain = all(item.cat in _COPULA and item.val is None for item in between)
        return plain and bool(between) and all(item.cat in _LEADING for item in leading)
    ends = [at for at, item in enumerate(between) if item.val == "colon" or item.cat == c.OPEN]
    return all(item.cat in _SAME_NAME for item in between[: ends[-1] if ends else 0])


def is_definition(state: ReaderState, index: int) -> bool:
    """Return whether the item is part of a textbook sentence."""
    return state.items[index].mode == WEAK_DEFINITION


def words_after_number(state: ReaderState, index: int, subject: Subject) -> tuple[int, str, bool]:
    """Read words after the number that belong to it: `以上`, `左右`; return the last item, a relation, whether it is approximate."""
    end, post, hedged = index, "", False
    for later in range(index + 1, min(index + 3, len(state.items))):
        item = state.items[later]
        if item.cat == c.POST and not post:
            if subject.kind in {"line", "level"} and item.end - item.start > len("上方"):
                break  # `VWAP 3,379也在脚下`: where the price is, not how large the number
            end, post = later, str(item.val)
        elif item.cat == c.HEDGE_POST:
            end, hedged = later, True
        elif item.cat != c.FILL:
            break
    return end, post, hedged


def with_frame_after(state: ReaderState, subject: Subject, end: int) -> Subject:
    """Read `RSI at 46 on the 1h`."""
    for later in range(end + 1, min(end + 1 + _FRAME_AFTER, len(state.items))):
        item = state.items[later]
        if item.cat == c.FRAME:
            following = state.items[later + 1].cat if later + 1 < len(state.items) else c.STRONG
            if state.table.periods and following != c.IND:
                return replace(subject, frame=None if item.val == state.main_frame else str(item.val), nearby=None)
            joined = state.items[later - 1].cat in {c.LINK, c.FILL, c.OPEN} and later > end + 1
            if following == c.IND or not joined or subject.named.indicator.base in _FRAMELESS or subject.named.indicator.position:
                return subject
            frame = state.higher_frame or "htf" if item.val == "htf" else str(item.val)
            return Subject(subject.named, subject.at, None if frame == state.main_frame else frame)
        if item.cat not in {c.LINK, c.FILL, c.OPEN}:
            break
    return subject


def emit_number_before(state: ReaderState, subject: Subject, at: int, index: int, value: float, step: float) -> None:
    """Emit a number at `at` whose name comes after it, at `index`. value, step: in the unit of the fact."""
    start = state.link.move[1] if state.link.move is not None and state.link.move[1] < at else at
    relation: Relation = "="
    if state.link.comparison is not None and state.link.comparison[1] < at:
        written = state.items[at].number
        turned = value < 0 and written is not None and written.value > 0  # down over 4 %: below -4
        relation = ">" if (state.link.comparison[0] == ">") != turned else "<"
    state.claims.append(
        RawClaim(
            subject=subject, at=at, start=state.items[start].start, end=state.items[index].end, value_start=state.items[at].start,
            value_end=state.items[at].end, relation=relation, number=value, step=step, hedged=state.link.hedge is not None,
            speaker=state.speaker,
        )
    )  # fmt: skip
    state.topic, state.link.move = subject, None


def emit_state(
    reader: ReaderState,
    reading: str,
    subject: Subject,
    start: int,
    end: int,
    at: int,
    *,
    other: Subject | None = None,
    negated: bool = False,
) -> None:
    """Emit a reading in words that is at `at`. start, end: first and last item of the claim."""
    low, high = min(start, at), max(end, at)
    reader.claims.append(
        RawClaim(
            subject=subject, at=at, start=reader.items[low].start, end=reader.items[high].end, value_start=reader.items[at].start,
            value_end=reader.items[at].end, state=reading, negated=negated, other=other, speaker=reader.speaker,
        )
    )  # fmt: skip


def start_of_link(state: ReaderState, index: int) -> int:
    """Return the first item of comparison, hedge and negation; `index` when there are none."""
    places = [
        at for at in (state.link.comparison[1] if state.link.comparison else None, state.link.hedge, state.link.negation) if at is not None
    ]
    return min([*places, index])


def is_present_at(state: ReaderState, index: int) -> bool:
    """Return whether a word of the present comes right before the item."""
    back = index - 1
    while back >= state.clause.start and state.items[back].cat in {c.LINK, c.FILL}:
        back -= 1
    return back >= state.clause.start and state.items[back].cat == c.NOW


def goes_on_with_topic(state: ReaderState, index: int) -> bool:
    """Return whether a number without a subject goes on about the last topic: `RSI 57.9, above 50`."""
    return (
        state.topic is not None
        and not state.clause.muted
        and state.clause.unknown_words <= state.clause.led
        and (
            state.clause.led
            or state.link.comparison is not None
            or state.link.hedge is not None
            or state.link.to_seen
            or (state.link.move is not None and bool(state.topic.named.indicator.change))
            or state.answers_question
            or is_framed_behind(state, index)
            or is_present_at(state, index)
            or (state.clause.verb_seen and state.clause.is_soft)
            or restates_exactly(state, index)
        )
    )


def restates_exactly(state: ReaderState, index: int) -> bool:
    """Recognise `RSI is overbought, 71.9 to be exact`: a number alone behind a reading in words."""
    latest = state.claims[-1] if state.claims else None
    after = next((item.cat for item in state.items[index + 1 : index + 3] if item.cat != c.FILL), c.STRONG)
    fresh = latest is not None and latest.relation == "state" and latest.end == state.items[state.clause.start - 1].start
    measured = state.topic is not None and state.topic.kind in {"oscillator", "trend", "cci", "mood"}
    return fresh and measured and index == state.clause.start and after in {c.WEAK, c.STRONG, c.CLOSE}


def is_framed_behind(state: ReaderState, index: int) -> bool:
    """Recognise `RSI is 26.2 on the 5m and 44.3 on the 15m`."""
    after = [item.cat for item in state.items[index + 1 : index + 4] if item.cat != c.FILL]
    return after[:2] == [c.LINK, c.FRAME] and state.clause.is_soft and state.clause.unknown_words == 0


def is_linked(state: ReaderState, subject: Subject, number: Number) -> bool:
    """Return whether the number is joined to the subject closely enough to be its value."""
    indicator = subject.named.indicator
    gone = (state.link.past or state.items[subject.at].mode == PAST_MODE) and indicator.base not in _PAST_KEYS
    between = (
        state.items[state.link.negation + 1 : subject.at]
        if state.link.negation is not None and state.link.negation < subject.at
        else [None]
    )
    beside = all(item is not None and item.cat in {c.FILL, c.FRAME} for item in between)  # `nor the 1h CCI at 28` denies no number
    denied = state.link.approaching or (state.link.negation is not None and state.link.comparison is None and not beside)
    nameless = indicator.family and subject.named.period is None
    uncounted = indicator.base == "hold_count" and (
        number.decimals > 0 or (not state.clause.verb_seen and state.items[subject.at + 1].cat != c.COUNT)
    )
    if gone or denied or nameless or uncounted or state.clause.words_since_verb > (_STRANGERS if state.clause.verb_seen else 0):
        return False
    if is_growth(state, subject, number):
        return True
    if state.link.move is not None and indicator.kind in _LEVELS_IN_PERCENT and not (state.link.to_seen or is_joined_behind_move(state)):
        return False  # `the margin has widened 3 points`
    if state.link.move is not None and not (
        state.link.to_seen or state.clause.verb_seen or state.link.comparison is not None or indicator.signed
    ):
        return indicator.base in _MOVED_KEYS
    return (
        not state.clause.has_value or state.link.comparison is not None or state.link.to_seen or is_same_in_percent(state, subject, number)
    )


def is_growth(state: ReaderState, subject: Subject, number: Number) -> bool:
    """Recognise `revenue (up 8%)`, `free cash flow 27bn, down 8%`: the change of a sum, beside the sum itself."""
    return bool(subject.named.indicator.change) and number.unit == "%" and state.link.move is not None and not state.link.to_seen


def is_joined_behind_move(state: ReaderState) -> bool:
    """Recognise `the margin is down at 33.8%`: a verb behind the movement says where it is."""
    assert state.link.move is not None
    behind = state.items[state.link.move[1] + 1 : state.link.move[1] + 1 + _STRANGERS]
    return any(item.cat == c.LINK for item in behind)


def is_same_in_percent(state: ReaderState, subject: Subject, number: Number) -> bool:
    """Recognise `ATR 45.99, or 1.35% of the price`: the same again, in percent."""
    return subject.kind == "atr" and number.unit == "%"


def is_entry(state: ReaderState) -> bool:
    """Return whether the clause speaks of how the position was entered."""
    return state.clause.subject is not None and state.clause.subject.named.indicator.base in {"side", "entry_price"}
