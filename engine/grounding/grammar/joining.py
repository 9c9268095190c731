"""Words that join, deny, move or compare: what is between a subject and its value, and what silences both."""

from dataclasses import replace

from engine.grounding.grammar.borders import read_border, read_frame
from engine.grounding.grammar.clause import emit_number_before, emit_state, framed_subject
from engine.grounding.grammar.fitting import measure
from engine.grounding.grammar.marking import SKIPPED
from engine.grounding.grammar.movements import flush_direction
from engine.grounding.grammar.quotations import SLIP
from engine.grounding.grammar.scopes import PAST_MODE
from engine.grounding.grammar.state import ReaderState, Subject
from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c

_ENDS = frozenset({c.WEAK, c.STRONG, c.CONJ, c.CLOSE, c.AND})
_NEAR_NEGATION = 4
_FEW_WORDS = 3
_NEAR_PATH = 6
_REPORTED = frozenset({"amount", "per_share", "share", "growth", "change", "former_price"})


def read_muted(state: ReaderState, index: int, item: Item) -> None:
    """Read an item that states nothing: it may still be what a later `it` means."""
    if item.mode == SKIPPED:
        state.topic = state.clause.subject or state.topic
        return
    if item.mode == SLIP:
        state.clause.has_value = True
        return
    flush_direction(state, index)
    if item.cat == c.IND:
        assert isinstance(item.val, NamedIndicator)
        state.last_named = framed_subject(state, item.val, index)
        state.topic = state.last_named if item.mode in {PAST_MODE, "def"} else state.topic
    if item.cat in {c.SIDE, c.POSITION} and state.has_position and item.mode == "question":
        state.last_named = Subject(state.table.named("side"), index)
    if item.cat == c.FRAME:
        read_frame(state, index, item)
    state.clause.subject, state.clause.muted, state.clause.open_number, state.clause.open_state = None, True, None, None
    state.begin_link()


def read_joining_word(state: ReaderState, index: int, item: Item) -> None:
    """Read a word that joins a subject to its value, denies it, or puts it into the past."""
    match item.cat:
        case c.LINK | c.SAY:
            state.clause.verb_seen = True
            state.clause.words_since_verb = 0
        case c.PAST | c.IF if item.cat == c.PAST or item.val == "once":  # `a short that once showed 3.4% of profit`
            state.link.past = not (item.val == "reported" and is_reported(state))
            state.clause.verb_seen, state.clause.words_since_verb = True, 0
        case c.HEDGE | c.APPROACH:
            state.link.hedge, state.clause.words_since_verb, state.link.approaching = index, 0, item.cat == c.APPROACH
        case c.NEG if not is_answer(state, index):
            state.link.negation = index
        case c.REJECT if state.clause.subject is None:  # `the bear says 28; in fact 49.9`
            state.topic = state.last_named or state.topic
        case c.TO:
            read_arrival(state, index)
        case c.FROM:
            state.link.from_seen = True
        case c.BETWEEN:
            state.clause.open_state = index
        case c.HEDGE_POST:
            read_nearness(state, index)


def read_consequence(state: ReaderState, index: int, item: Item) -> None:
    """Read `72 (May 13), then 64`: where a path of values has come to."""
    if any(before.mode == SKIPPED for before in state.items[max(0, index - _NEAR_PATH) : index]):
        state.link.to_seen, state.clause.verb_seen = True, True


def is_reported(state: ReaderState) -> bool:
    """Recognise `revenue was $60.9bn`: the newest figures of a company are told in the past tense."""
    return state.clause.subject is not None and state.clause.subject.kind in _REPORTED


def read_arrival(state: ReaderState, index: int) -> None:
    """Read `out of the teens to 27.9`: what was left is denied, where it went to is not."""
    before = state.items[max(0, index - 3) : index]
    said = state.claims[-1] if state.claims else None
    moved = said is not None and said.base is not None and bool(before) and said.value_end == before[-1].end  # `shrank 10.9% to 3.59`
    if before and before[-1].cat == c.NUM and state.link.move is None and all(item.cat != c.FROM for item in before) and not moved:
        return  # `the debate goes to the bear, 58 to 42`
    left = state.link.negation is not None and state.items[state.link.negation].val == "out"
    state.link.negation = None if left else state.link.negation
    state.link.to_seen, state.clause.verb_seen, state.clause.words_since_verb = True, True, 0


def is_answer(state: ReaderState, index: int) -> bool:
    """Recognise `No: ADX is 31.9`."""
    after = state.items[index + 1] if index + 1 < len(state.items) else None
    return index == state.clause.start and after is not None and (after.cat == c.WEAK or after.val == "colon")


def read_nearness(state: ReaderState, index: int) -> None:
    """Read `价格在EMA20附近`."""
    line, price = state.clause.subject, state.clause.previous
    if (
        line is not None
        and line.kind == "line"
        and price is not None
        and price.kind == "price"
        and not state.clause.has_value
        and index - line.at <= 2
        and not (state.items[index].mode or state.link.past or state.link.negation is not None)
    ):
        emit_state(state, "price_near", line, price.at, index, index, other=price)


def read_unknown(state: ReaderState, index: int, item: Item) -> None:
    """Read an unknown word: too many of them part a subject from a number."""
    state.clause.verb_seen = state.clause.verb_seen or is_apposed(state, index)
    state.clause.words_since_verb += 1
    state.clause.unknown_words += 1


def is_apposed(state: ReaderState, index: int) -> bool:
    """Recognise `CCI a modest -58`, `RSI a washed-out 26`: an article between the name and what is said of it."""
    subject = state.clause.subject
    return subject is not None and not state.clause.has_value and subject.at == index - 2 and state.items[index - 1].val == "article"


def read_direction(state: ReaderState, index: int, item: Item) -> None:
    """Read a movement: it signs the number it belongs to, or is stated by itself."""
    assert isinstance(item.val, int)
    if turns_last_number(state, index, item.val):
        return
    if take_change_before(state, index, item.val):
        return
    state.link.move = item.val, index
    state.clause.words_since_verb = 0
    take_position_move(state, index, item.val)


def take_change_before(state: ReaderState, index: int, direction: int) -> bool:
    """Recognise `it closed 1.2% lower`, `revenue is 8% higher`: the change of what has a change of its own."""
    at, subject = state.clause.open_number, state.clause.subject
    number = state.items[at].number if at is not None else None
    if at is None or at != index - 1 or number is None or number.unit != "%" or subject is None or state.clause.muted or state.link.past:
        return False
    found = measure(subject.named, number, direction, True) if subject.named.indicator.change else None
    if found is None or found.base is None or state.items[at].mode:
        return False
    emit_number_before(state, Subject(state.table.named(found.base), at), at, index, found.value, found.step)
    state.clause.open_number = None
    return True


def turns_last_number(state: ReaderState, index: int, direction: int) -> bool:
    """Recognise `open interest 3.3% lower`: the direction of a number that was read just now."""
    latest = state.claims[-1] if state.claims else None
    number = state.items[index - 1].number if index else None
    if latest is None or number is None or number.signed or latest.value_end != state.items[index - 1].end or latest.number is None:
        return False
    if latest.subject.kind not in {"oi", "change"} or latest.relation != "=":
        return False
    state.claims[-1] = replace(latest, number=abs(latest.number) * direction, end=state.items[index].end)
    return True


def take_position_move(state: ReaderState, index: int, direction: int) -> None:
    """Read `we're 1.49% ahead`, `the position is 2% down`: a number of the position before its direction."""
    at, subject = state.clause.open_number, state.clause.subject or state.topic
    number = state.items[at].number if at is not None else None
    following = state.items[index + 1] if index + 1 < len(state.items) else None
    after = following.cat if following is not None and following.val != "after" else c.STRONG
    mine = subject is not None and subject.named.indicator.base == "side"
    if at == index - 1 and at is not None and number is not None and number.unit == "%" and mine and after in _ENDS and not state.link.past:
        value = abs(number.value) * direction
        emit_number_before(state, Subject(state.table.named("profit_pct"), at), at, index, value, number.step)
        state.clause.open_number = None


def read_comparison(state: ReaderState, index: int, item: Item) -> None:
    """Read a comparison: it waits for a number or another name. A negation right before it turns it round."""
    op = str(item.val)
    if state.link.negation is not None and index - state.link.negation <= _NEAR_NEGATION:
        op = "<" if op == ">" else ">"
        state.link.negation = None
    state.link.comparison, state.clause.words_since_verb, state.clause.has_bound = (op, index), 0, True


def read_versus(state: ReaderState, index: int, item: Item) -> None:
    """Read a word of contrast: what follows is compared with, not stated."""
    flush_direction(state, index)
    state.clause.subject, state.clause.muted = None, True
    state.begin_link()


def read_opening_bracket(state: ReaderState, index: int, item: Item) -> None:
    """Read `股息收益率较高（4.2%）`: a number alone in brackets is the value of what was said of it in words."""
    behind = state.items[index + 1 : index + 3]
    alone = len(behind) > 1 and behind[0].cat == c.NUM and not behind[0].mode and behind[1].cat in {c.CLOSE, c.VERSUS}
    if alone and state.clause.subject is not None and not state.clause.has_value and state.clause.unknown_words <= _FEW_WORDS:
        state.clause.verb_seen, state.clause.words_since_verb, state.link.move = True, 0, None


def read_closing_bracket(state: ReaderState, index: int, item: Item) -> None:
    """Read a closing bracket: what was pending inside it is over."""
    flush_direction(state, index)
    state.begin_link()


def read_speaker(state: ReaderState, index: int, item: Item) -> None:
    """Read who is quoted; what follows is his, not the last subject's."""
    is_statement = any(later.cat in {c.SAY, c.ENDORSE} for later in state.items[index + 1 : index + 5])
    state.speaker = str(item.val) if is_statement else state.speaker
    state.clause.subject, state.clause.muted = None, False


def read_pipe(state: ReaderState, index: int, item: Item) -> None:
    """Read a table's border: it ends a cell that has its value and joins one that has none."""
    if state.clause.has_value or state.clause.muted:
        read_border(state, index, Item(c.WEAK, None, item.start, item.end, item.gap))
    else:
        state.clause.verb_seen = True
        state.clause.words_since_verb = 0
