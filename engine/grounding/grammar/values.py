"""What a number is said of: the subject of its clause, the topic before it, a name behind it, or the position.

The number of bars a position is held, a multiple that is its leverage, a percentage that is its profit go without a name of their own.
"""

from engine.grounding.grammar.clause import (
    emit_number,
    goes_on_with_topic,
    is_entry,
    is_linked,
    is_present_at,
    is_same_in_percent,
    start_of_link,
)
from engine.grounding.grammar.fitting import measure
from engine.grounding.grammar.scopes import PAST_MODE
from engine.grounding.grammar.state import ReaderState, Subject
from engine.grounding.lexer.item import Item
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c

_SHORT = 3
_FAR = 12
_AFTER_BARS = frozenset({c.STRONG, c.WEAK, c.CONJ, c.POSITION, c.LINK, c.SIDE})
_EXTREMES = frozenset({"mfe_pct", "mae_pct"})
_SIGNED = frozenset({"in_profit", "in_loss", "positive", "negative"})
_MOVES_OF_PROFIT = _EXTREMES | {"drawdown_from_peak_pct"}
_BESIDE_LEVERAGE = frozenset({"size", "entry_price", "liquidation_price"})


def read_count(state: ReaderState, index: int, item: Item) -> None:
    """Read `33 bars`: the time a position has been held, nothing else."""
    count, noun = item.count
    if noun not in {"bar", "period"} or not state.has_position:
        return
    if is_time_in_trade(state, index):
        compared = state.link.comparison
        state.take_subject(Subject(state.table.named("hold_count"), index))
        state.link.comparison = compared
    if state.clause.subject is not None and state.clause.subject.named.indicator.base == "hold_count" and not state.clause.has_value:
        emit_number(state, state.clause.subject, index, Number(float(count), integer=count), float(count), 1.0)
    else:
        state.clause.open_number = index


def is_time_in_trade(state: ReaderState, index: int) -> bool:
    """Recognise `44 candles in`, `after 41 bars in the trade`."""
    after = [item.cat for item in state.items[index + 1 : index + 5] if item.cat != c.FILL]
    if index and (state.items[index - 1].val == "since entry" or (state.items[index - 1].val == "entry" and after[:1] != [c.HISTORY])):
        return True
    ahead = state.items[index + 1 : index + 3]
    if len(ahead) > 1 and ahead[0].cat == c.CONJ and (ahead[1].val == "entry" or _is_entry_name(ahead[1])):
        return True  # `30 bars since entry`
    if index + 1 < len(state.items) and state.items[index + 1].val == "old":
        return True
    if index and state.items[index - 1].val == "after" and (not after or after[0] in _AFTER_BARS):
        return True
    if (
        state.clause.subject is not None
        and state.items[state.clause.subject.at].cat == c.SIDE
        and state.clause.subject.at == index - 1
        and not state.link.past
    ):
        return True  # `short 78 bars`
    return after[:1] == [c.LINK] and (len(after) == 1 or after[1] in {c.STRONG, c.WEAK, c.CONJ, c.POSITION}) and not state.link.past


def _is_entry_name(item: Item) -> bool:
    return isinstance(item.val, NamedIndicator) and item.val.indicator.base == "entry_price"


def is_amount(state: ReaderState, owner: Subject, index: int) -> bool:
    """Recognise `the loss is 476 USDT on 0.35 BTC`: how much of the asset, no percentage."""
    behind = state.items[index + 1].cat if index + 1 < len(state.items) else c.STRONG
    number = state.items[index].number
    return owner.named.indicator.unit == "percent" and behind == c.ASSET and number is not None and number.unit == ""


def read_value(state: ReaderState, index: int, item: Item) -> None:
    """Read a number or a range: emit it of its owner, or keep it open for a name behind it."""
    number = item.number
    assert number is not None
    if state.link.from_seen and not is_entry(state):
        state.link.from_seen = False
        return
    if (
        state.topic is None
        and state.last_named is not None
        and state.items[state.last_named.at].mode == PAST_MODE
        and is_present_at(state, index)
    ):
        state.topic = state.last_named  # `Last week RSI was 48. Today: 24.`
    subject = subject_of_number(state, number, index)
    state.clause.verb_seen = state.clause.verb_seen or item.cat == c.RANGE
    owner = owner_of_number(state, subject, number, index) if subject is not None else None
    if owner is None or not is_linked(state, owner, number) or is_share(state, owner, number, index) or is_amount(state, owner, index):
        state.clause.open_number = None if state.clause.muted and subject is None else index
        return
    if is_of_next_name(state, owner, index):
        state.clause.open_number = index
        return
    direction = (
        state.link.move[0] if state.link.move is not None and not state.link.to_seen else 0
    )  # where it went to is written with its own sign
    sure = state.clause.verb_seen or state.link.comparison is not None
    found = measure(owner.named, number, direction, sure)
    high = measure(owner.named, item.high, direction, sure) if item.high is not None else None
    if found is None or (item.high is not None and high is None):
        state.clause.open_number = index
        return
    if found.base == "change_1d_pct" and not is_of_the_day(state, index):
        return
    if state.link.comparison is not None and found.value < 0 < number.value:
        state.link.comparison = "<" if state.link.comparison[0] == ">" else ">", state.link.comparison[1]  # down over 4 %: below -4
    emit_number(state, owner, index, number, found.value, found.step, found.base, high.value if high is not None else None)


def is_of_the_day(state: ReaderState, index: int) -> bool:
    """Return whether a change of the price is not one over another time: `up 12% year to date`, `年内上涨28%`, `up 40% in three months`."""
    near = state.items[max(state.clause.start, index - _SHORT - 1) : index + _SHORT + 2]
    ends = next((at for at, item in enumerate(near) if at > index - state.clause.start and item.cat in {c.WEAK, c.STRONG}), len(near))
    return not any(item.cat in {c.FRAME, c.COUNT, c.HISTORY} and str(item.val) != state.main_frame for item in near[:ends])


def subject_of_number(state: ReaderState, number: Number, index: int) -> Subject | None:
    """Return what a number may be said of: the clause's subject, what the one before was about, or what goes without saying."""
    percent_of_range = state.topic is not None and is_same_in_percent(state, state.topic, number) and not state.clause.muted
    if state.clause.subject is None and (goes_on_with_topic(state, index) or percent_of_range):
        assert state.topic is not None
        state.clause.subject = Subject(named_now(state, state.topic, index, number), start_of_link(state, index), state.topic.frame)
    subject, listed = state.clause.subject, state.listed[1] if state.listed is not None else None
    if number.unit == "x" and is_leverage(state, number, index):
        state.clause.has_value = False
        return Subject(state.table.named("leverage"), index)
    if subject is None and (state.link.move is not None or number.signed) and moves_position(state, number):
        return Subject(state.table.named("side"), state.link.move[1] if state.link.move is not None else index)
    crosses = subject is not None and subject.kind == "signal" and number.value == 0 and listed is not None
    return listed if crosses else subject  # `MACD is above its signal and above zero`


def is_leverage(state: ReaderState, number: Number, index: int) -> bool:
    """Recognise `long, entry 0.5262, 12x.`, `2% to the good, at 4x`: where it is of no average, a whole number of times is the leverage."""
    if not state.has_position or number.value % 1 or state.clause.muted or state.clause.names_volume or not index:
        return False
    topic, before = state.topic, state.items[index - 1].cat
    if state.clause.has_value and state.clause.subject is not None and state.clause.subject.named.indicator.base == "hold_count":
        return False  # `held for 14 bars at 5x`: of what is not known
    after = next((item for item in state.items[index + 1 : index + 3] if item.cat != c.FILL), None)
    ends = after is None or after.val == "colon" or after.cat in {c.WEAK, c.STRONG, c.CLOSE, c.CONJ}
    owned = (
        topic is not None
        and topic.named.indicator.position
        and (state.clause.subject is None or state.clause.subject.named.indicator.position)
    )
    return owned and before in {c.WEAK, c.LINK, c.CONJ} and ends


def is_of_next_name(state: ReaderState, owner: Subject, index: int) -> bool:
    """Recognise `-2.18% unrealized, -5.13% at the worst point`: the number comes before its name."""
    if opens_with_number(state, index) or is_on_next_name(state, owner, index):
        return True
    if not owner.named.indicator.position or (owner.at >= state.clause.start and state.items[owner.at].cat == c.IND):
        return False
    ahead = [item for item in state.items[index + 1 : index + 5] if item.cat not in {c.FILL, c.LINK}]
    if ahead and ahead[0].cat == c.STATE and ahead[0].val in _SIGNED and state.items[index + 1] is ahead[0]:
        return True  # `bought at 18.878, now 2.18% in the red`
    named = ahead[0].val if ahead and ahead[0].cat == c.IND else None
    if len(ahead) > 1 and ahead[1].cat in {c.NUM, c.RANGE}:
        return False  # `up 1.02% with MAE at 2.6%`: that name has a number of its own
    other = isinstance(named, NamedIndicator) and named.indicator.base != owner.named.indicator.base
    shared = state.items[index + 1].val == "share" if index + 1 < len(state.items) else False  # `只剩0.6%的浮盈`
    return (
        other and isinstance(named, NamedIndicator) and (named.indicator.base in _MOVES_OF_PROFIT or (shared and named.indicator.position))
    )


def is_on_next_name(state: ReaderState, owner: Subject, index: int) -> bool:
    """Recognise `sentiment is broken, at 22 on the fear index`."""
    after = state.items[index + 1 : index + 4]
    named = next((item for item in after[1:] if item.cat != c.FILL), None)
    here = owner.at >= state.clause.start and state.items[owner.at].cat != c.IT
    return not here and bool(after) and after[0].cat == c.LINK and named is not None and named.cat == c.IND


def opens_with_number(state: ReaderState, index: int) -> bool:
    """Recognise `and at 22 the Fear & Greed index is low`: a number right before its name, at the beginning of a clause."""
    if index - state.clause.start > _SHORT:
        return False
    opening = [item for item in state.items[state.clause.start : index] if item.cat != c.CONJ]
    ahead = [item.cat for item in state.items[index + 1 : index + 3]]
    return len(opening) == 1 and opening[0].cat == c.LINK and ahead == [c.FILL, c.IND]


def named_now(state: ReaderState, topic: Subject, index: int, number: Number) -> NamedIndicator:
    """Read `peaked at +3.4% and now sits at +2.29%`, `entered at 63,827, now +0.6%`: what has become of it is the profit."""
    now = any(item.cat == c.NOW for item in state.items[max(state.clause.start, index - _FAR) : index])
    base = topic.named.indicator.base
    if now and base == "entry_price" and number.unit != "%":
        return state.table.named("close")  # `filled at 701.39, currently 688.3`
    return state.table.named("profit_pct") if now and (base in _EXTREMES or base == "entry_price") else topic.named


def is_share(state: ReaderState, owner: Subject, number: Number, index: int) -> bool:
    """Recognise `最大浮盈的33%`: a share of it, not its value."""
    return owner.named.indicator.position and number.unit == "%" and state.items[index - 1].val == "share"


def moves_position(state: ReaderState, number: Number) -> bool:
    """Recognise `Entry 95,200, now up 2.29%`: it is the position that is up."""
    position = state.topic is not None and state.topic.named.indicator.position
    return position and number.unit == "%" and not state.clause.muted and state.clause.unknown_words == 0


def owner_of_number(state: ReaderState, subject: Subject, number: Number, index: int) -> Subject | None:
    """Return the subject whose value the number is, or None.

    The position itself has none: what comes from somewhere is its entry price, else it is its profit.
    """
    base = subject.named.indicator.base
    if number.unit == "x" and (base == "side" or (state.clause.has_value and base in _BESIDE_LEVERAGE)):
        state.clause.has_value = False  # `long from 63,827 at 5x`, `size 0.98 at 20x`
        return Subject(state.table.named("leverage"), subject.at)
    if base != "side":
        shrunk = base in _EXTREMES and state.link.to_seen and state.clause.has_value  # `from a peak of 3.43% it shrank to 1.49%`
        return Subject(state.table.named("profit_pct"), subject.at) if shrunk else subject
    if number.unit == "%":
        state.clause.has_value = state.clause.has_value and state.link.move is None
        return Subject(state.table.named("profit_pct"), subject.at) if state.link.move is not None or number.signed else None
    if number.unit == "" and index == subject.at + 1 and counts_coins(state, subject.at, index):
        return Subject(state.table.named("size"), subject.at)
    entered = state.link.from_seen or state.clause.verb_seen or opens_with_side(state, subject.at, index)
    priced = entered and state.items[subject.at].cat == c.SIDE and state.items[index - 1].val != "of"
    return Subject(state.table.named("entry_price"), subject.at) if priced else None


def opens_with_side(state: ReaderState, at: int, index: int) -> bool:
    """Recognise `Short 143.20, mark 141.07`: a side and a price are all there is to the clause."""
    following = state.items[index + 1].cat if index + 1 < len(state.items) else c.STRONG
    return at == state.clause.start and index == at + 1 and following in {c.WEAK, c.STRONG}


def counts_coins(state: ReaderState, at: int, index: int) -> bool:
    """Recognise `仓位1.71`, `short 2.71 ETH`: how much is held."""
    following = state.items[index + 1] if index + 1 < len(state.items) else None
    asset = following is not None and following.cat == c.ASSET and str(following.val) in state.own_names
    return state.items[at].cat == c.POSITION or asset
