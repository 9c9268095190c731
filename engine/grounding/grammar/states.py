"""Readings in words: `overbought`, `below the 200 EMA`, `in the red`, and what they are said of.

A reading belongs to the subject of its clause, to the topic before it, or, for a few, to an indicator that goes without saying
(`extreme fear`). A comparison whose object is not written is one with the price.
"""

from engine.grounding.grammar.clause import emit_number_before, emit_state, fellows_of, framed_subject, start_of
from engine.grounding.grammar.fitting import compatible, measure, relate, state_fits
from engine.grounding.grammar.marking import SKIPPED
from engine.grounding.grammar.movements import grows
from engine.grounding.grammar.scopes import WEAK_DEFINITION
from engine.grounding.grammar.state import ReaderState, Subject
from engine.grounding.grammar.subjects import BANDS, ONCE, emit_relation
from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.lists import MEANT, READINGS

_NEAR_STATE = 4
_NEAR_NEGATION = 4
_NEAR_LINE = 6
_BESIDE = 2
_LONGEST_LIST = 30
_LISTED = frozenset({c.AND, c.OPEN, c.CLOSE, c.NUM, c.FILL, c.FRAME})
_MOVES = {"shrinking": -1, "surge": 1}
_PROFITS = {"positive": "in_profit", "negative": "in_loss"}
_PROFIT_KEYS = {"in_profit": "profit_pct", "in_loss": "loss_pct"}
_LEVELS = frozenset({"level", "line", "di"})
_PIERCED = frozenset({"broken", "intact"})
_CROSSED = {"taken": ">", "lost": "<"}
_OPPOSITE = {">": "<", "<": ">"}
_ALONE = {reading.name: reading.alone for reading in READINGS if reading.alone}


def read_postposition(state: ReaderState, index: int, item: Item) -> None:
    """Read `EMA200上方`, `在-DI之上`."""
    line = state.clause.subject
    if line is None and state.clause.turned and state.topic is not None and state.topic.kind == "line":
        line = state.topic  # `the 200 EMA, far beneath us at 1,845`
    bracketed = state.items[index - 1].cat == c.CLOSE or (is_priced(state, index) and item.end - item.start > len("上方"))
    if line is None or (state.clause.has_value and not bracketed) or (state.listed is not None and state.listed[2] == line.at):
        return
    op, ours = str(item.val)[-1], str(item.val).startswith("us")
    denied = any(before.cat == c.NEG for before in state.items[max(state.clause.start, line.at - 3) : line.at])
    if state.link.negation is not None or denied:
        op = "<" if op == ">" else ">"
    left = state.clause.previous if state.clause.previous is not None and compatible(state.clause.previous, line) and not ours else None
    if (
        left is None
        and not ours
        and state.topic is not None
        and state.topic.kind not in {"price", "level"}
        and compatible(state.topic, line)
        and state.topic.at < state.clause.start
    ):
        left = state.topic
    if left is not None and left.kind == "price" and [item.cat for item in state.items[left.at + 1 : line.at]] == [c.AND]:
        return  # `都在现价和成本之上`: the others are above both
    verb, fellows = listed_before(state, line) if left is not None and left.at >= state.clause.start else (0, [])
    if fellows:
        left = line_before(state, verb)
    for fellow in fellows:
        emit_relation_behind(state, left, op, fellow, fellow.at, index)  # `价格位于EMA20、EMA50（98）和EMA200（96）之上`
    if left is None and not ours and line.kind in {"line", "level"} and lies_over_there(state, line, index):
        op = _OPPOSITE[op]
    if left is not None or line.kind in {"line", "level"}:
        at = left.at if left is not None and left.at >= state.clause.start else line.at
        emit_relation_behind(state, left, op, line, at, index)


def listed_before(state: ReaderState, line: Subject) -> tuple[int, list[Subject]]:
    """Return the other lines of a list that ends with `line`, in order, and the verb before it; nothing where it ends no list."""
    found: list[Subject] = []
    for at in range(line.at - 1, max(state.clause.start, line.at - _LONGEST_LIST) - 1, -1):
        item = state.items[at]
        if item.cat == c.IND and isinstance(item.val, NamedIndicator) and item.val.indicator.kind == line.kind:
            found.append(framed_subject(state, item.val, at))
        elif item.cat == c.LINK and state.items[at + 1].cat in {c.IND, c.FRAME}:
            return at, found[::-1] if any(other.cat == c.AND for other in state.items[at : line.at]) else []
        elif item.cat not in _LISTED:
            break
    return 0, []


def line_before(state: ReaderState, verb: int) -> Subject | None:
    """Return the line that a verb is said of; None where it is the price's, named or not."""
    for at in range(verb - 1, state.clause.start - 1, -1):
        item = state.items[at]
        if item.cat == c.IND and isinstance(item.val, NamedIndicator):
            return framed_subject(state, item.val, at) if item.val.indicator.kind == "line" else None
    return None


def lies_over_there(state: ReaderState, line: Subject, index: int) -> bool:
    """Recognise `EMA20在下方托底`: the line is below the price, where `价格在EMA20下方` has the price below the line."""
    between = [item for item in state.items[line.at + 1 : index] if item.cat != c.FILL]
    glued = all(not item.gap for item in state.items[line.at + 1 : index + 1])
    links = [item for item in between if item.cat == c.LINK and item.val is None]
    return glued and bool(links) and all(item in links or (item.cat == c.UNKNOWN and item.end - item.start == 1) for item in between)


def is_priced(state: ReaderState, index: int) -> bool:
    """Recognise `Key support 96,197 has been lost`: only its price is between the level and what is said of it."""
    return bool(state.claims) and state.items[index - 1].cat == c.NUM and state.claims[-1].value_end == state.items[index - 1].end


def emit_relation_behind(state: ReaderState, left: Subject | None, op: str, right: Subject, at: int, index: int) -> None:
    """Emit what a postposition says of `left` and `right`, and make `left` the topic."""
    if state.link.past or state.items[index].mode:
        return
    related = relate(left, op, right, Subject(state.table.named("close"), at))
    if related is not None:
        subject, other, reading = related
        emit_state(state, reading, subject, at, index, index, other=other)
    state.topic = left if left is not None else Subject(state.table.named("close"), at)
    state.listed = op, left, right.at


def read_state(state: ReaderState, index: int, item: Item) -> None:
    """Read a reading in words: say it of its owner, or keep it open until one comes."""
    name = str(item.val)
    if state.items[index - 1].cat == c.VERSUS or (state.link.past and take_profit_before(state, name, index)):
        return  # `falling rather than flat`
    if is_only_near(state, index) or state.link.past or (item.mode and not (item.mode == WEAK_DEFINITION and not state.clause.has_bound)):
        return
    if take_profit_before(state, name, index) or take_crossing(state, name, index):
        return
    name = "broken" if name in _CROSSED else name
    if stands_before_its_name(state, name, index):
        state.clause.open_state = index
        return
    if name in _MOVES and state.clause.subject is not None and (state.clause.subject.kind in {"oi", "flow"} or grows(state.clause.subject)):
        state.link.move, state.clause.words_since_verb = (_MOVES[name], index), 0
        return
    subject = owner_of_state(state, name, index)
    if subject is None:
        state.clause.open_state = index
    elif name == "dominant":
        before = next(
            (at for at in range(index - 1, state.clause.start, -1) if state.items[at].cat not in {c.FILL, c.HEDGE}), state.clause.start
        )
        if state.items[before].cat not in {c.UNKNOWN, c.SPEAKER}:  # `sellers are in charge`, `多方略占优` say it of the sellers
            relate_to_implied(state, subject, ">", index)
    elif name in _PIERCED and subject.kind == "line":
        beyond = BANDS[subject.named.indicator.base]
        emit_relation(state, None, beyond if name == "broken" else _OPPOSITE[beyond], subject, index, index)
    else:
        say_of(state, name, subject, index)


def take_crossing(state: ReaderState, name: str, index: int) -> bool:
    """Recognise `中轨已被跌破`: a line, by the price; a level is broken."""
    line = state.clause.subject if name in _CROSSED and not state.clause.muted else None
    if line is None or line.kind != "line":
        return False
    emit_relation(state, None, _CROSSED[name], line, index, index)
    return True


def stands_before_its_name(state: ReaderState, name: str, index: int) -> bool:
    """Recognise `nor positive funding`, `a negative 1h MACD histogram`: said of what follows, not of what came before."""
    after = next((at for at in range(index + 1, min(index + 3, len(state.items))) if state.items[at].cat != c.FRAME), index)
    named = state.items[after].val
    opens = index == state.clause.start or state.items[index - 1].cat in {c.FILL, c.NEG, c.CONJ, c.LINK, c.AND}
    if not opens or not isinstance(named, NamedIndicator) or (state.clause.subject is not None and state.clause.subject.named == named):
        return False
    return state_fits(name, Subject(named, after), state.table)


def owner_of_state(state: ReaderState, name: str, index: int) -> Subject | None:
    """Return the subject of which the reading is said; None when there is none yet."""
    subject = state.clause.subject if not state.clause.muted else None
    pierced = name in _PIERCED and subject is not None and subject.named.indicator.base in BANDS
    if not pierced and (subject is None or not state_fits(name, subject, state.table)):
        carried = (
            state.topic
            if state.topic is not None and state_fits(name, state.topic, state.table) and state.clause.unknown_words == 0
            else None
        )
        subject = carried if subject is None or carried is not None else None
    base = _ALONE.get(name) or state.table.alone.get(name)
    if subject is None and base is not None and base in state.table and (not state.table[base].position or state.has_position):
        subject = framed_subject(state, state.table.named(base), index)
    return subject


def say_of(state: ReaderState, name: str, subject: Subject, index: int) -> None:
    """Emit a reading of `subject`, or leave it to the number behind it."""
    if subject.named.indicator.position and name in _PROFITS:
        name = _PROFITS[name]
    if name in _PROFIT_KEYS and subject.named.indicator.position and amount_follows(state, index):
        state.take_subject(Subject(state.table.named(_PROFIT_KEYS[name]), index))
        state.clause.verb_seen = True
        return
    say_state(state, MEANT.get(name, name), subject, index)


def amount_follows(state: ReaderState, index: int) -> bool:
    """Recognise `under water by 1.83%`: one statement, and the number makes it."""
    after = (item for item in state.items[index + 1 : index + 4] if item.cat not in {c.FILL, c.HEDGE, c.CMP, c.LINK})
    first = next(after, None)
    number = first.number if first is not None else None
    return number is not None and number.unit == "%"


def take_profit_before(state: ReaderState, name: str, index: int) -> bool:
    """Recognise `already 1.8% in profit`, `1.83% under water`."""
    at, name = state.clause.open_number, _PROFITS.get(name, name)
    if name not in _PROFIT_KEYS or at is None or not state.has_position or state.clause.muted or state.link.negation is not None:
        return False
    number = state.items[at].number
    if number is None or number.unit != "%" or state.items[at].mode or any(item.cat != c.FILL for item in state.items[at + 1 : index]):
        return False
    state.clause.open_number = None
    base = _PROFIT_KEYS[name]
    subject = Subject(state.table.named(ONCE[base] if state.link.past else base), index)  # `at one point we were 2.85% in the green`
    found = measure(subject.named, number, 0, True)
    if found is not None:
        emit_number_before(state, subject, at, index, found.value, found.step)
    return found is not None


def say_state(state: ReaderState, name: str, subject: Subject, index: int) -> None:
    """Emit a reading of `subject` and of those it was said of together with it."""
    start = start_of(state, subject, index)
    near = _BESIDE if name in state.table.alone else _NEAR_NEGATION  # `not meaningful for a loss-making company`
    negated = state.link.negation is not None and index - state.link.negation <= near
    if negated and state.link.negation is not None:
        start = min(start, state.link.negation)
    if state.link.comparison is not None and state.link.comparison == ("<", index - 1):  # `未到超买`
        negated = not negated
    for fellow in fellows_of(state, subject, index, index) if subject.at < index and not name.endswith("align") else ():
        if state_fits(name, fellow, state.table):
            emit_state(state, name, fellow, fellow.at, index, index, negated=negated)
    emit_state(state, name, subject, start, index, index, negated=negated)
    state.topic, state.clause.open_state = subject, None
    state.begin_link()


def is_only_near(state: ReaderState, index: int) -> bool:
    """Recognise `approaching oversold`, `from oversold`: close to it, or past it, but not in it."""
    back = index - 1
    while back >= 0 and index - back <= _NEAR_STATE and state.items[back].cat in {c.FILL, c.LINK}:
        back -= 1
    return back >= 0 and state.items[back].cat in {c.APPROACH, c.HEDGE, c.FROM} and back >= state.clause.start


def relate_to_implied(state: ReaderState, subject: Subject, op: str, at: int) -> None:
    """Read a comparison whose object goes without saying: a level or average with the price, one directional index with the other."""
    if subject.kind != "di":
        if lies_there(state, subject, at):
            op = "<" if op == ">" else ">"
        emit_state(
            state,
            "price_above" if op == ">" else "price_below",
            subject,
            subject.at,
            at,
            at,
            other=Subject(state.table.named("close"), at),
        )
        return
    other = state.table.named("minus_di" if subject.named.indicator.base == "plus_di" else "plus_di")
    emit_relation(state, subject, op, Subject(other, subject.at, subject.frame), at, at)
    after = [item.cat for item in state.items[at + 1 : at + 3]]
    if after == [c.WEAK, c.LINK]:  # `-DI leads, at 36`
        state.take_subject(subject)
        state.topic = subject


def lies_there(state: ReaderState, subject: Subject, at: int) -> bool:
    """Recognise `the 200 SMA lies far above`: the line is above the price, not the price above the line."""
    before = at - 1
    while before > subject.at and state.items[before].cat == c.FILL:
        before -= 1
    distance = state.items[before].mode == SKIPPED or before == state.clause.open_number
    if distance and state.items[before].cat == c.NUM:
        return True  # `Resistance is 2,640.5, about 1.9 ATR above`, `resistance at 2,254.03 is 68.8 above`
    if not subject.at < at <= subject.at + _NEAR_LINE:
        return False
    if state.items[at - 1].cat == c.POST and any(is_its_value(item) for item in state.items[subject.at : at - 1]):
        return True  # `VWAP 108905也在上方压制`
    first = max((position + 1 for position in range(subject.at, at) if is_its_value(state.items[position])), default=subject.at + 1)
    if any(item.cat == c.NEG for item in state.items[first:at]):
        return False
    verbs = [item for item in state.items[first:at] if item.cat == c.LINK]
    return any(verb.end - verb.start > 1 for verb in verbs)


def is_its_value(item: Item) -> bool:
    """Return whether an item is a number that may be the value of the name before it, not a distance."""
    return item.cat == c.NUM and item.mode != SKIPPED


def flush_level(state: ReaderState, index: int) -> None:
    """Read `阻力98,900尚未突破`, `support was taken out, below`: a comparison without an object is with the price."""
    level = state.clause.subject
    if level is None and state.topic is not None and state.topic.kind == "level" and state.clause.unknown_words == 0:
        level = state.topic
    if state.link.comparison is None or level is None or level.kind not in _LEVELS or state.clause.muted or state.link.past:
        return
    if state.listed is not None and state.listed[2] == level.at:
        return  # `上轨在上方压制`: said already
    op, at = state.link.comparison
    if all(item.cat == c.FILL for item in state.items[at + 1 : index]) and not state.items[at].mode:
        relate_to_implied(state, level, op, at)
    state.link.comparison = None
