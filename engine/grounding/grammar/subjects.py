"""What a clause speaks of: indicators, the price, the position, pronouns, and what one of them is compared with.

An indicator is either the object of a comparison that is open (`price above EMA50`) or the new subject; a number or a reading that stood
before it (`6x leverage`, `bullish crossover on the MACD`) is taken up then.
"""

from dataclasses import replace

from engine.grounding.grammar.clause import emit_number_before, emit_state, follows_frame, framed_subject, start_of
from engine.grounding.grammar.fitting import compatible, measure, relate, state_fits
from engine.grounding.grammar.movements import flush_direction
from engine.grounding.grammar.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.grammar.state import ReaderState, Subject
from engine.grounding.lexer.item import Item
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c

_PAST_KEYS = frozenset({"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "leverage", "size"})
_LISTING = frozenset({c.AND, c.FILL, c.OPEN, c.CLOSE, c.NUM, c.WEAK})
_PRICES = frozenset({"entry_price", "liquidation_price", "vwap"})
_AFTER_PRONOUN = frozenset({c.LINK, c.NUM, c.RANGE, c.HEDGE, c.FILL, c.NOW, c.PAST, c.CMP, c.NEG, c.SINK, c.COUNT})
_IT = len("it")
_READ_ON = frozenset({"trend", "oscillator", "cci", "signal", "macd", "histogram"})
_NEAR_STATE = 4
_FAR_BACK = 60
BANDS = {"bb_upper": ">", "bb_lower": "<"}
ONCE = {"profit_pct": "mfe_pct", "loss_pct": "mae_pct"}
_FAR = 8
_IS = "is "
_APPOSED = 2
_LONGEST_JOINT = 30  # items; without an end, a sentence that has none costs a square of its length
_ORDER = {"former": -2, "latter": -1}


def read_indicator(state: ReaderState, index: int, item: Item) -> None:
    """Read a name: the object of an open comparison, or the new subject."""
    assert isinstance(item.val, NamedIndicator)
    named = item.val
    if (
        named.indicator.base in ONCE
        and state.clause.subject is not None
        and state.clause.subject.kind == "change"
        and not state.clause.has_value
    ):
        state.link.move = -1 if named.indicator.base == "loss_pct" else 1, index  # `the 24h change is a loss of 4.51%`
        return
    if named.indicator.position and not state.has_position:
        mute_clause(state, index, item)
        return
    if named.indicator.base == "close" and is_change_of_price(state, index):
        return
    if (
        named.indicator.base == "change_24h_pct"
        and state.clause.subject is not None
        and state.clause.subject.kind in {"oi", "volume", "funding"}
    ):
        return
    if (
        state.link.past
        and named.indicator.base in ONCE
        and (state.items[index - 1].cat in {c.PAST, c.FILL} or state.items[index - 1].val == "of")
    ):
        named = state.table.named(ONCE[named.indicator.base])  # `曾经浮盈2.85%`: its best
    subject = framed_subject(state, named, index)
    if take_as_object(state, subject, index):
        return
    take_number_before(state, subject, index)
    flush_direction(state, index)
    negated, moved = state.link.negation, state.link.move
    latest = state.claims[-1] if state.claims else None
    state.take_subject(subject)
    joint = index - 2 if index > 1 and state.items[index - 1].val == "share" else index - 1  # `29.4倍的市盈率`
    if latest is not None and latest.subject.named == named and latest.value_end == state.items[joint].end:
        state.clause.has_value = True  # `surrendered 1.94 points from the top`: its number was read
    if negated is not None and state.items[negated].val == "none" and index - negated <= _NEAR_STATE:
        state.link.negation = negated
    if moved is not None and index - moved[1] <= 2 and subject.kind in {"flow", "oi"}:
        state.link.move = moved
    take_state_before(state, subject, index)


def is_change_of_price(state: ReaderState, index: int) -> bool:
    """Recognise `24小时价格回落1.2%`: the change, not the price."""
    subject = state.clause.subject
    return subject is not None and subject.kind == "change" and not state.clause.has_value and index - subject.at <= _APPOSED


def take_as_object(state: ReaderState, subject: Subject, index: int) -> bool:
    """Recognise `price above EMA50`, `+DI below -DI`, `near the upper band`: the new indicator is what the old one is compared with."""
    if state.listed is not None and is_listed(state, index):
        op, left, _ = state.listed
        if compatible(left, subject) and subject.kind == state.kind_at(state.listed[2]):
            emit_relation(state, left, op, subject, index, index)
            return True
    if state.clause.muted and state.clause.subject is None:
        return False
    if state.link.comparison is not None:
        op, at = state.link.comparison
        left = left_of_comparison(state, subject)
        related = compatible(left, subject) if left is not None else subject.kind in {"line", "level"}
        if related:
            emit_relation(state, left, op, subject, at, index)
        return related
    price = state.clause.subject if state.clause.subject is not None else state.topic
    if (
        price is None
        or price.kind != "price"
        or subject.kind != "line"
        or state.link.hedge is None
        or index - state.link.hedge > _NEAR_STATE
    ):
        return False
    emit_state(state, "price_near", subject, price.at, index, state.link.hedge, other=price)
    state.take_subject(subject)
    return True


def left_of_comparison(state: ReaderState, right: Subject) -> Subject | None:
    """Return what an open comparison compares; None is the price, named or not."""
    if goes_on_comparing(state):
        assert state.listed is not None
        return state.listed[1]
    left = state.clause.subject if state.clause.subject is None or state.clause.subject.named.indicator.base != "side" else None
    if left is None and state.listed is not None and state.listed[2] >= state.clause.start - _FAR:
        return state.listed[1]
    if left is None and state.topic is not None and state.topic.kind != "price" and compatible(state.topic, right):
        return state.topic
    return left


def goes_on_comparing(state: ReaderState) -> bool:
    """Recognise `价格高于EMA20、低于EMA50`: both are said of the price."""
    if state.listed is None or state.clause.subject is None or state.link.comparison is None or not state.link.comparison[1]:
        return False
    return state.listed[2] == state.clause.subject.at and state.items[state.link.comparison[1] - 1].cat == c.AND


def is_listed(state: ReaderState, index: int) -> bool:
    """Recognise `above EMA20 (97,810) and EMA50`: one more of a list, not the subject of something new."""
    assert state.listed is not None
    if index - state.listed[2] > _LONGEST_JOINT:
        return False
    between = state.items[state.listed[2] + 1 : index]
    joined = any(item.cat == c.AND or item.val == "and" for item in between) or any(item.cat == c.FILL for item in between)
    following = state.items[index + 1].cat if index + 1 < len(state.items) else c.STRONG
    return (
        joined
        and all(item.cat in _LISTING or item.val == "and" for item in between)
        and following not in {c.LINK, c.NUM, c.CMP, c.HEDGE, c.STATE, c.DIR, c.RANGE, c.PAST, c.NEG}
    )


def emit_relation(state: ReaderState, left: Subject | None, op: str, right: Subject, at: int, index: int, end: int | None = None) -> None:
    """Emit `left op right` and go on with the right one, whose value may follow."""
    if left is not None and left.kind == right.kind == "line" and state.items[left.at].cat == c.IT:
        left = None  # `it lost the EMA200`: the price did
    if state.link.past or state.items[at].mode in {PAST_MODE, WEAK_DEFINITION}:
        state.take_subject(right)
        return
    if (
        left is not None
        and left.frame is not None
        and right.frame is None
        and right.kind not in {"price", "level"}
        and not follows_frame(state, index)
    ):
        right = replace(right, frame=left.frame)  # `4h %K is above %D`
    related = relate(left, op, right, Subject(state.table.named("close"), at))
    start = start_of(state, left, at) if left is not None else at
    if related is not None:
        subject, other, reading = related
        emit_state(state, reading, subject, start, index if end is None else end, at, other=other)
    topic = left if left is not None else Subject(state.table.named("close"), at)
    state.take_subject(right)
    state.topic = topic
    state.listed = op, left, index


def take_number_before(state: ReaderState, subject: Subject, index: int) -> None:
    """Read `6x leverage`, `33 bars held`, `up 1.85% over 24 hours`, `a 3.1% MFE`."""
    at = state.clause.open_number
    state.clause.open_number = None
    if at is None or (any(item.val == "of" for item in state.items[at + 1 : index]) and not is_amount(state, subject, at, index)):
        return
    if any(item.cat not in {c.FILL, c.LINK, c.FROM, c.DIR, c.CMP} for item in state.items[at + 1 : index]):
        return
    item, base = state.items[at], subject.named.indicator.base
    if base == "mfe_pct" and any(other.cat == c.CMP for other in state.items[at + 1 : index]):
        return  # `1.11% below its peak`
    if item.cat == c.COUNT:
        if base == "hold_count":
            emit_number_before(state, subject, at, index, float(item.count[0]), 1.0)
        return
    number = item.val
    if not isinstance(number, Number) or (state.link.past and base not in _PAST_KEYS) or state.items[at].mode:
        return
    fits = (number.unit == "x" and base == "leverage") or (
        number.unit == "%" and (subject.named.indicator.position or subject.kind in {"change", "oi", "funding"})
    )
    beside = index - at == 1 or (index - at == 2 and state.items[at + 1].val == "share")
    fits = fits or (beside and number.unit in {"", "$"} and base in _PRICES)
    bounded = state.link.comparison is not None and at - state.link.comparison[1] <= _APPOSED
    led = at > 0 and state.items[at - 1].cat == c.LINK and index - at == _APPOSED  # `at 66 the RSI`
    on = led or (index - at <= _APPOSED + 1 and any(item.cat == c.LINK for item in state.items[at + 1 : index]))
    fits = fits or (number.unit == "" and on and subject.kind in _READ_ON)  # `a reading of 72 on the RSI`
    fits = fits or (number.unit == "" and subject.kind in {"trend", "oscillator"} and index - at == 1 and (number.decimals > 0 or bounded))
    fits = fits or (number.unit == "" and subject.kind == "signal" and index - at == 1)
    fits = fits or (number.unit == "" and subject.kind == "mood" and index - at > 1)  # `at 39 on the Fear & Greed scale`
    fits = fits or (number.decimals > 0 and number.unit == "" and base == "drawdown_from_peak_pct" and index - at <= _APPOSED)
    fits = fits or is_said_before(subject, number, index - at)
    fits = fits or (subject.kind == "price" and number.unit in {"", "$"} and index - at == 1 and state.items[at - 1].cat == c.LINK)
    found = (
        measure(subject.named, number, state.link.move[0] if state.link.move is not None and state.link.move[1] < index else 0, True)
        if fits
        else None
    )
    if found is not None:
        emit_number_before(state, subject, at, index, found.value, found.step)


def is_said_before(subject: Subject, number: Number, distance: int) -> bool:
    """Recognise `45.2% gross margin`, `a 22.8x EV/EBITDA`, `$52,340 in cash`, `86万现金`: figures of a company or an account."""
    if subject.kind in {"share", "growth", "weight", "drawdown"}:
        return number.unit == "%" and distance <= _APPOSED
    if subject.kind == "valuation":
        return number.unit == "x" and distance <= _APPOSED
    return subject.named.indicator.base == "account_cash" and number.unit in {"", "$"} and distance <= _APPOSED + 1


def is_amount(state: ReaderState, subject: Subject, at: int, index: int) -> bool:
    """Recognise `3.43% of open profit` is how much there is; `40% of the profit` is a share of it."""
    return at == index - 2 and subject.named.indicator.base in {*ONCE, *ONCE.values(), "account_cash"}


def take_state_before(state: ReaderState, subject: Subject, index: int) -> None:
    """Read `a bullish crossover on the MACD`, `positive funding`."""
    at = state.clause.open_state
    state.clause.open_state = None
    if at is not None and state.items[at].val == "broken" and subject.named.indicator.base in BANDS and index - at <= _NEAR_STATE:
        emit_relation(state, None, BANDS[subject.named.indicator.base], subject, at, index)
        return
    if at is None or index - at > _NEAR_STATE or not state_fits(str(state.items[at].val), subject, state.table):
        return
    if any(item.cat not in {c.FILL, c.LINK, c.FRAME} for item in state.items[at + 1 : index]):
        return
    negated = at > 0 and state.items[at - 1].cat == c.NEG
    emit_state(state, str(state.items[at].val), subject, at - negated, index, at, negated=negated)
    state.topic = subject


def read_pronoun(state: ReaderState, index: int, item: Item) -> None:
    """Read a pronoun: the object of a comparison, or the last thing named as the subject."""
    following = state.items[index + 1] if index + 1 < len(state.items) else None
    ordinal = _ORDER.get(str(item.val))
    if ordinal is not None:
        read_ordinal(state, index, ordinal)
        return
    if take_pronoun_as_object(state, index, following):
        return
    if state.last_named is None or state.clause.subject is not None or following is None:
        return
    if following.cat in _AFTER_PRONOUN or (following.cat == c.DIR and is_moved_pronoun(state, item, index)):
        # `on the 1h it is 58`
        elsewhere = any(before.cat == c.FRAME for before in state.items[max(state.clause.start, index - _FAR) : index])
        own = framed_subject(state, replace(state.last_named.named, frame=None), index)
        state.clause.subject = own if elsewhere else Subject(named_by_now(state, index), index, state.last_named.frame)
        state.clause.muted, state.clause.has_value, state.clause.verb_seen, state.clause.words_since_verb = False, False, True, 0


def is_moved_pronoun(state: ReaderState, item: Item, index: int) -> bool:
    """Recognise `it rose`; `which fell 7.2%`, but not `which adds to the case`."""
    assert state.last_named is not None
    after = state.items[index + 2].cat if index + 2 < len(state.items) else c.STRONG
    moves = state.last_named.kind in {"oi", "change"} or state.last_named.named.indicator.base == "side"
    return moves and (item.end - item.start == _IT or after == c.NUM)


def named_by_now(state: ReaderState, index: int) -> NamedIndicator:
    """Read `It peaked at 2.77%; it is at 1.02% today`: what was its best has become its profit."""
    assert state.last_named is not None
    now = any(item.cat == c.NOW for item in state.items[max(state.clause.start, index - _FAR) : index + _FAR])
    return state.table.named("profit_pct") if now and state.last_named.named.indicator.base in ONCE.values() else state.last_named.named


def read_ordinal(state: ReaderState, index: int, ordinal: int) -> None:
    """Read `the former is at 18.7, the latter at 18.9`: of the last two that were named."""
    names = [at for at in range(max(0, index - _FAR_BACK), index) if state.items[at].cat == c.IND]
    if len(names) < 2:
        return
    named = state.items[names[ordinal]].val
    assert isinstance(named, NamedIndicator)
    meant = framed_subject(state, named, index)
    if state.link.comparison is not None and compatible(state.clause.subject, meant):
        emit_relation(state, state.clause.subject, state.link.comparison[0], meant, state.link.comparison[1], index)
    else:
        state.take_subject(meant)
        state.clause.verb_seen = True


def take_pronoun_as_object(state: ReaderState, index: int, following: Item | None) -> bool:
    """Recognise `VWAP 3,379, price sits below it`, `价格在其下方`: the pronoun is the line that was spoken of."""
    line, price = state.topic, state.clause.subject
    if line is None or line.kind not in {"line", "level"}:
        return False
    if (price is not None and price.kind != "price") or line.at >= (state.clause.start if price is None else price.at):
        return False
    meant = Subject(line.named, index, line.frame)
    if price is not None and following is not None and following.cat == c.POST:
        state.clause.previous, state.clause.subject = price, meant
        return True
    ends = following is None or following.cat in {c.WEAK, c.STRONG, c.CONJ, c.CLOSE}
    if state.link.comparison is None or not ends or state.items[index].val == "truth":
        return False
    emit_relation(state, price, state.link.comparison[0], meant, state.link.comparison[1], index)
    return True


def read_trade(state: ReaderState, index: int, item: Item) -> None:
    """Read a verb of trading: the price is the subject unless there is one."""
    if state.clause.subject is None or state.clause.muted:
        state.take_subject(Subject(state.table.named("close"), index))
    state.clause.verb_seen = True


def read_asset(state: ReaderState, index: int, item: Item) -> None:
    """Read the sheet's own asset: the price is the subject unless there is one."""
    if str(item.val) not in state.own_names:
        return
    if take_amount_held(state, index):
        return
    if state.last_named is not None and is_its_own(state, index):
        state.take_subject(Subject(state.last_named.named, index, state.last_named.frame))
        state.clause.verb_seen = True
        return
    if state.clause.subject is None:
        state.take_subject(Subject(state.table.named("close"), index))


def is_its_own(state: ReaderState, index: int) -> bool:
    """Recognise `ETH's RSI is 48 while BTC's is 62`: of what was named before."""
    after = state.items[index + 1 : index + 3]
    owner = len(after) > 1 and after[0].cat == c.LINK and (after[0].val == "share" or after[0].end - after[0].start == len("'s"))
    return owner and after[0].start == state.items[index].end and after[1].cat in {c.LINK, c.NUM, c.CMP}


def take_amount_held(state: ReaderState, index: int) -> bool:
    """Recognise `2.71 ETH is a small position`, `1.71 BTC open`: a number of the position's own coins."""
    at = state.clause.open_number
    number = state.items[at].number if at is not None else None
    if at is None or at != index - 1 or number is None or number.unit or state.items[at].mode or not state.has_position:
        return False
    if state.clause.muted or (state.clause.subject is not None and not state.clause.subject.named.indicator.position):
        return False  # `volume of 12,345 BTC`
    emit_number_before(state, Subject(state.table.named("size"), index), at, index, number.value, number.step)
    state.clause.open_number = None
    return True


def mute_clause(state: ReaderState, index: int, item: Item) -> None:
    """Read a word whose numbers are not checked: they belong to nothing until the next name."""
    flush_direction(state, index)
    state.clause.subject, state.clause.muted, state.clause.open_number, state.clause.has_value = None, True, None, False
    state.begin_link()


def read_extreme(state: ReaderState, index: int, item: Item) -> None:
    """Read `the high of 98,000` is another price; `RSI is high at 72` is the same RSI."""
    of_a_time = index > 0 and state.items[index - 1].cat in {c.COUNT, c.FRAME}
    if of_a_time or state.clause.subject is None or state.clause.subject.kind in {"price", "line", "level", "volume"}:
        mute_clause(state, index, item)


def read_position(state: ReaderState, index: int, item: Item) -> None:
    """Read a word for the position: it is the subject unless there is one."""
    if state.has_position and state.clause.subject is None:
        state.take_subject(Subject(state.table.named("side"), index))
        state.clause.verb_seen = item.val == "is"


def read_side(state: ReaderState, index: int, item: Item) -> None:
    """Read `long` or `short`: a statement about the position's side, or the position itself."""
    if not state.has_position:
        return
    subject = Subject(state.table.named("side"), index)
    if str(item.val).startswith(_IS):  # `we went short`, `方向为空`: the whole statement in one phrase
        if not state.link.past and not any(before.cat == c.NEG for before in state.items[max(state.clause.start, index - 2) : index]):
            emit_state(state, str(item.val).removeprefix(_IS), subject, index, index, index)
        state.take_subject(subject)
        return
    take_number_before(state, Subject(state.table.named("leverage"), index), index)
    owned = state.clause.subject is not None and state.clause.subject.named.indicator.base == "side" and not state.clause.has_value
    owned = owned and state.clause.subject is not None and (state.clause.verb_seen or state.clause.subject.at == index - 1)
    if owned and state.clause.subject is not None and not state.link.past and state.link.negation is None:
        emit_state(state, str(item.val), state.clause.subject, state.clause.subject.at, index, index)
    state.take_subject(subject)
