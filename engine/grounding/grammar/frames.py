"""Timeframes: of one name, of the rest of a sentence, or of everything below a heading."""

from dataclasses import replace

from engine.grounding.grammar.clause import framed_subject
from engine.grounding.grammar.raw_claim import Subject
from engine.grounding.grammar.state import ReaderState
from engine.grounding.lexer.item import Item
from engine.grounding.words import categories as c

_LEAD = 7
_AFTER_FRAME = frozenset({c.LINK, c.NUM, c.RANGE, c.CMP, c.HEDGE, c.PAST, c.PIPE, c.NEG})
_SHORT = 3


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
