"""Borders of a clause, and timeframes: of one name, of the rest of a sentence, or of everything below a heading.

A comma can part a name from its value (`RSI, at 72, is stretched`), so a border is looked at from both sides.
"""

from dataclasses import replace

from engine.grounding.grammar.clause import framed_subject
from engine.grounding.grammar.fitting import state_fits
from engine.grounding.grammar.movements import flush_direction
from engine.grounding.grammar.scopes import PAST_MODE
from engine.grounding.grammar.state import ReaderState, Subject
from engine.grounding.grammar.states import flush_level
from engine.grounding.grammar.volume import read_volume
from engine.grounding.lexer.item import Item
from engine.grounding.words import categories as c

_AFTER_FRAME = frozenset({c.LINK, c.NUM, c.RANGE, c.CMP, c.HEDGE, c.PAST, c.PIPE, c.NEG})
_VOLUME = "volume_ratio_20"
_SHORT = 3
_LEAD = 7
_VALUES = frozenset({c.NUM, c.RANGE})


def read_frame(state: ReaderState, index: int, item: Item) -> None:
    """Read a timeframe: decide whether it holds for one name or for the sentence."""
    state.frame = str(item.val)
    before = state.items[index - 1] if index else None
    after = state.items[index + 1] if index + 1 < len(state.items) else None
    charted = after is not None and after.val == "chart"
    if charted:
        after = state.items[index + 2] if index + 2 < len(state.items) else None
    signed = after is not None and after.cat == c.LINK and after.val in {None, "colon"} and after.end - after.start == 1
    set_off = after is not None and (after.cat == c.WEAK or signed or (charted and after.cat == c.OPEN))
    subject = state.clause.subject
    if subject is not None and not state.clause.has_value and not (after is not None and after.cat == c.IND):
        if is_framed_behind(state, subject, index):
            state.clause.subject = framed_subject(state, replace(subject.named, frame=str(item.val)), subject.at)
        elif subject.frame is None:
            state.clause.subject = with_frame_behind(state, subject, index)
    back = index - 1
    while back >= state.clause.start and state.items[back].cat == c.FILL:
        back -= 1
    leads = (
        introduces_list(state, index)
        or is_frame_spoken_of(state, index)
        or (charted and (back < state.clause.start or state.items[back].cat == c.LINK))
    )  # `on the hourly chart RSI is ... and ADX ...`
    state.frame_holds = set_off or leads or (before is not None and before.cat == c.LINK and not (after is not None and after.cat == c.IND))


def is_frame_spoken_of(state: ReaderState, index: int) -> bool:
    """Recognise `The daily still backs us with an RSI of 52`: the timeframe itself is the subject."""
    after = state.items[index + 1 : index + 3]
    opens = index - state.clause.start <= _SHORT and all(item.cat in {c.FILL, c.CONJ} for item in state.items[state.clause.start : index])
    return opens and len(after) == 2 and after[0].cat in {c.UNKNOWN, c.FILL, c.LINK} and after[1].cat in {c.UNKNOWN, c.LINK, c.SAY}


def is_framed_behind(state: ReaderState, subject: Subject, index: int) -> bool:
    """Recognise `ADX 1h is 31.0`, `RSI 4h: 57.6`: the timeframe right behind a name that has none before it."""
    after = state.items[index + 1].cat if index + 1 < len(state.items) else c.STRONG
    framed = subject.at > 0 and state.items[subject.at - 1].cat == c.FRAME
    return index == subject.at + 1 and after in _AFTER_FRAME and subject.named.frame is None and not framed


def with_frame_behind(state: ReaderState, subject: Subject, index: int) -> Subject:
    """Read `ADX on the daily chart is 22`: the timeframe behind the name is its own; without a preposition it may be another's."""
    before = next((item for item in reversed(state.items[subject.at + 1 : index]) if item.cat != c.FILL), None)
    own = framed_subject(state, subject.named, subject.at)
    is_own = state.table.periods or (before is not None and before.cat == c.LINK)
    return replace(own, frame=own.frame or own.nearby, nearby=None) if is_own else own


def introduces_list(state: ReaderState, index: int) -> bool:
    """Recognise `On the hourly the picture darkens: RSI 32.9, ADX 22`: up to a colon nothing is stated."""
    for item in state.items[index + 1 : index + 1 + _LEAD]:
        if item.val == "colon":
            return True
        if item.cat in {c.IND, c.NUM, c.RANGE, c.WEAK, c.STRONG}:
            return False
    return False


def end_clause(state: ReaderState, index: int) -> None:
    """Emit what was still pending when a clause ends, volume ratios included."""
    flush_direction(state, index)
    flush_level(state, index)
    carried = (
        state.topic is not None and state.topic.kind == "volume" and (state.clause.subject is None or state.clause.subject.kind == "volume")
    )
    if not state.clause.names_volume and not carried:
        return
    if _VOLUME not in state.table:
        return
    subject = framed_subject(state, state.table.named(_VOLUME), state.clause.start)
    volume = read_volume(state.items, state.clause.start, index, subject, carried)
    if volume:
        start = state.items[state.clause.start].start
        while state.claims and state.claims[-1].subject.kind == "volume" and state.claims[-1].start >= start:
            state.claims.pop()
    state.claims.extend(volume)


def read_border(state: ReaderState, index: int, item: Item) -> None:
    """Read a comma, conjunction or sentence end, and decide what the next clause may go on about."""
    end_clause(state, index)
    turned = state.link.negation is not None and turns_around(state, index)
    led = is_bare(state, index) and (leads_to_value(state, index) or moves_by_value(state, index))
    turned = turned or led or is_set_off(state, index)
    turned = turned or (state.clause.turned and index == state.clause.start)
    gone = state.clause.subject is not None and (state.link.past or state.items[state.clause.subject.at].mode == PAST_MODE)
    if not state.clause.muted and state.clause.subject is not None and (state.clause.has_value or turned or gone):
        state.topic = state.clause.subject
    if item.cat == c.STRONG:
        state.answers_question = item.val == "?"
        held = state.topic is not None and state.topic.named.indicator.position and item.val is None and item.end - item.start == 1
        state.topic, state.speaker = (state.last_named if state.answers_question else state.topic if held else None), None
        state.frame, state.frame_holds = (state.frame, True) if is_heading(state, index) else (None, False)
    elif (
        not state.frame_holds
        and item.cat == c.WEAK
        and state.frame is not None
        and index
        and state.items[index - 1].cat in {c.FRAME, c.FILL, c.IND}
    ):
        state.frame_holds = state.clause.start == index - 1 or state.items[index - 1].cat != c.IND
    if item.cat == c.STRONG or (item.cat == c.CONJ and item.val not in {"and", "but"}):
        state.listed = None
    state.begin_clause(index + 1)
    state.clause.verb_seen = state.clause.turned = turned
    state.clause.led = led


def is_set_off(state: ReaderState, index: int) -> bool:
    """Recognise `RSI, at 72, is stretched`, `the 200 EMA, 0.4102, caps rallies`, `ADX confirms, above 22`, `RSI, overbought`."""
    subject = state.clause.subject
    if subject is None or state.clause.has_value:
        return False
    after = [item for item in state.items[index + 1 : index + 6] if item.cat not in {c.FILL, c.NOW}][:2]
    cats = [item.cat for item in after]
    bounded = len(after) == 2 and cats[0] == c.CMP and cats[1] in _VALUES and state.link.negation is None
    if not after or not is_bare(state, index):
        return bounded
    was = cats[0] == c.HISTORY and cats[1:] and cats[1] in _VALUES
    alone = cats[0] in _VALUES and (cats[1:2] == [] or cats[1] in {c.WEAK, c.STRONG, c.HISTORY})
    is_reading = cats[0] == c.STATE and state_fits(str(after[0].val), subject, state.table)
    return bounded or bool(was) or alone or is_reading or cats[0] in {c.IT, c.CMP, c.POST}


def is_bare(state: ReaderState, index: int) -> bool:
    """Return whether a comma follows a subject of which nothing was said yet."""
    if (
        state.clause.subject is None
        or state.clause.has_value
        or state.items[index].cat != c.WEAK
        or index - state.clause.subject.at > _SHORT + 1
    ):
        return False
    return all(item.cat in {c.FILL, c.LINK, c.UNKNOWN, c.DIR, c.CMP, c.MEAN} for item in state.items[state.clause.subject.at + 1 : index])


def leads_to_value(state: ReaderState, index: int) -> bool:
    """Recognise `funding, a touch negative at -0.04%`: behind the comma links, and at most one unknown word, before a number."""
    linked, strange = False, 0
    for item in state.items[index + 1 : index + 1 + _LEAD]:
        if item.cat in _VALUES:
            return linked
        linked = linked or item.cat in {c.LINK, c.HEDGE}
        strange += item.cat == c.UNKNOWN
        if item.cat not in {c.FILL, c.LINK, c.HEDGE, c.UNKNOWN, c.NOW, c.STATE} or strange > 1:
            return False
    return False


def moves_by_value(state: ReaderState, index: int) -> bool:
    """Recognise `open interest, off 3.9%`."""
    after = [item.cat for item in state.items[index + 1 : index + 4] if item.cat != c.FILL]
    return len(after) > 1 and after[0] == c.DIR and after[1] in _VALUES


def turns_around(state: ReaderState, index: int) -> bool:
    """Recognise `not 72 but 48.6`, `不是72，而是48.6`: what follows is about the same thing."""
    return any(item.val == "but" or item.cat == c.LINK for item in state.items[index : index + 2])


def is_heading(state: ReaderState, index: int) -> bool:
    """Recognise a line that is nothing but a timeframe: it holds for the lines below it."""
    return (
        state.items[index].val == "\n"
        and index > 0
        and all(item.cat in {c.FRAME, c.FILL, c.LINK, c.STRONG} for item in state.items[max(0, index - 4) : index])
        and any(item.cat == c.FRAME for item in state.items[max(0, index - 4) : index])
    )
