"""The grammar: from items to statements, one pass from left to right.

A sentence is read as a subject (an indicator, the price, the position, a pronoun), what joins it to a value (a verb, `=`, a comparison,
an approximation), and the value: a number, a range, another indicator, or a reading in words. Clause borders end what was pending;
a clause without a subject of its own goes on with the last one (`RSI 57.9, above 50`). Nothing is judged here.

One method per category of item (`categories.py` says what they mean); an item whose mode says that it states nothing about now is
read only for the pronouns that may follow it.
"""

from collections.abc import Callable
from dataclasses import replace

from engine.grounding import categories as c
from engine.grounding.borders import Borders
from engine.grounding.indicators import BY_BASE
from engine.grounding.item import Item
from engine.grounding.measures import measure
from engine.grounding.named import Named
from engine.grounding.numbers import Number
from engine.grounding.quotations import SLIP
from engine.grounding.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.statement import Statement, Subject

_SOFT = frozenset({c.FILL, c.LINK, c.NOW, c.OPEN, c.AND, c.HEDGE, c.THEN, c.NUM, c.RANGE})
_NAMING = frozenset({c.IND, c.STATE})
_BORDERS = frozenset({c.WEAK, c.CONJ, c.STRONG})
_PROFIT = Named(BY_BASE["profit_pct"])
_ENDS = frozenset({c.WEAK, c.STRONG, c.CONJ, c.CLOSE, c.AND})
_LEAD = 7
_SHORT = 3
_AFTER_BARS = frozenset({c.STRONG, c.WEAK, c.CONJ, c.POSITION, c.LINK})
_EXTREMES = frozenset({"mfe_pct", "mae_pct"})
_MOVES_OF_PROFIT = _EXTREMES | {"drawdown_from_peak_pct"}
_NEAR_NEGATION = 4


class Reader(Borders):
    """Reads the items of one text; see `Clause` for the arguments."""

    def __init__(self, items: list[Item], own: frozenset[str], has_position: bool, frame: str, higher: str | None) -> None:
        super().__init__(items, own, has_position, frame, higher)
        self.handlers: dict[str, Callable[[int, Item], None]] = {
            c.IND: self._indicator, c.NUM: self._number, c.RANGE: self._number, c.COUNT: self._count, c.FRAME: self._frame,
            c.CMP: self._comparison, c.POST: self._postposition, c.STATE: self._state, c.IT: self._pronoun, c.SINK: self._sink,
            c.TRADE: self._trades, c.ASSET: self._asset, c.POSITION: self._position, c.SIDE: self._side, c.SPEAKER: self._speaks,
            c.DIR: self._direction, c.UNKNOWN: self._unknown, c.WEAK: self._border, c.CONJ: self._border, c.STRONG: self._border,
            c.PIPE: self._pipe, c.FUZZY: self._extreme, c.CLOSE: self._closes, c.VERSUS: self._versus,
        }  # fmt: skip

    def read(self) -> list[Statement]:
        """All statements, in reading order."""
        for index, item in enumerate(self.items):
            if item.mode and item.mode not in {PAST_MODE, WEAK_DEFINITION} and item.cat not in _BORDERS:
                self._silent(index, item)
                continue
            handler = self.handlers.get(item.cat)
            if handler is not None:
                handler(index, item)
            else:
                self._word(index, item)
            if item.cat == c.MEAN or (item.cat in _NAMING and self._kind_at(index) == "volume"):
                self.voluminous = True
            if item.cat not in _SOFT:
                self.soft = self.soft and item.cat in _BORDERS
        self._end_clause(len(self.items))
        return self.found

    def _silent(self, index: int, item: Item) -> None:
        """An item that states nothing: it may still be what a later `it` means."""
        if item.mode == SLIP:
            self.filled = True
            return
        self._flush_direction(index)
        if item.cat == c.IND:
            assert isinstance(item.val, Named)
            self.last = self._subject(item.val, index)
            self.topic = self.last if item.mode in {PAST_MODE, "def"} else self.topic
        if item.cat == c.FRAME:
            self._frame(index, item)
        self.subject, self.sunk, self.loose_number, self.waiting_state = None, True, None, None
        self._new_link()

    def _word(self, index: int, item: Item) -> None:
        match item.cat:
            case c.LINK | c.SAY:
                self.sure = True
                self.loose_words = 0
            case c.PAST:
                self.past, self.sure, self.loose_words = True, True, 0
            case c.HEDGE | c.APPROACH:
                self.hedged, self.loose_words, self.approached = index, 0, item.cat == c.APPROACH
            case c.IF if item.val == "once":  # `a short that once showed 3.4% of profit`
                self.past = True
            case c.NEG if not self._answers(index):
                self.negated = index
            case c.REJECT if self.subject is None:  # `the bear says 28; in fact 49.9`
                self.topic = self.last or self.topic
            case c.TO:
                self._arrives()
            case c.FROM:
                self.origin = True
            case c.BETWEEN:
                self.waiting_state = index
            case c.HEDGE_POST:
                self._close_by(index)

    def _arrives(self) -> None:
        """`out of the teens to 27.9`: what was left is denied, where it went to is not."""
        left = self.negated is not None and self.items[self.negated].val == "out"
        self.negated = None if left else self.negated
        self.towards, self.sure, self.loose_words = True, True, 0

    def _answers(self, index: int) -> bool:
        """`No: ADX is 31.9`."""
        after = self.items[index + 1] if index + 1 < len(self.items) else None
        return index == self.clause_start and after is not None and (after.cat == c.WEAK or after.val == "colon")

    def _close_by(self, index: int) -> None:
        """`价格在EMA20附近`."""
        line, price = self.subject, self.before
        if (
            line is not None
            and line.kind == "line"
            and price is not None
            and price.kind == "price"
            and not self.filled
            and index - line.at <= 2
            and not (self.items[index].mode or self.past or self.negated is not None)
        ):
            self._emit_state("price_near", line, price.at, index, index, index, other=price)

    def _unknown(self, index: int, item: Item) -> None:
        if item.val == "off" and index + 1 < len(self.items) and self.items[index + 1].cat == c.NUM:  # `open interest, off 3.9%`
            self._direction(index, replace(item, val=-1))
            return
        self.sure = self.sure or self._is_apposed(index)
        self.loose_words += 1
        self.strange_words += 1

    def _is_apposed(self, index: int) -> bool:
        """`CCI a modest -58`, `RSI a washed-out 26`: an article between the name and what is said of it."""
        subject = self.subject
        return subject is not None and not self.filled and subject.at == index - 2 and self.items[index - 1].val == "article"

    def _direction(self, index: int, item: Item) -> None:
        assert isinstance(item.val, int)
        if self._turns_back(index, item.val):
            return
        self.moved = item.val, index
        self.loose_words = 0
        self._ahead(index, item.val)

    def _turns_back(self, index: int, direction: int) -> bool:
        """`open interest 3.3% lower`: the direction of a number that was read just now."""
        said = self.found[-1] if self.found else None
        number = self.items[index - 1].number if index else None
        if said is None or number is None or number.signed or said.value_end != self.items[index - 1].end or said.number is None:
            return False
        if said.subject.kind not in {"oi", "change"} or said.relation != "=":
            return False
        self.found[-1] = replace(said, number=abs(said.number) * direction, end=self.items[index].end)
        return True

    def _ahead(self, index: int, direction: int) -> None:
        """`we're 1.49% ahead`, `the position is 2% down`: a number of the position before its direction."""
        at, subject = self.loose_number, self.subject or self.topic
        number = self.items[at].number if at is not None else None
        after = self.items[index + 1].cat if index + 1 < len(self.items) else c.STRONG
        mine = subject is not None and subject.named.indicator.base == "side"
        if at == index - 1 and at is not None and number is not None and number.unit == "%" and mine and after in _ENDS and not self.past:
            value = abs(number.value) * direction
            self._emit_before(Subject(_PROFIT, at), at, index, value, number.step)
            self.loose_number = None

    def _comparison(self, index: int, item: Item) -> None:
        op = str(item.val)
        if self.negated is not None and index - self.negated <= _NEAR_NEGATION:
            op = "<" if op == ">" else ">"
            self.negated = None
        self.compared, self.loose_words, self.bounded = (op, index), 0, True

    def _versus(self, index: int, item: Item) -> None:
        self.subject, self.sunk = None, True
        self._new_link()

    def _closes(self, index: int, item: Item) -> None:
        self._flush_direction(index)
        self._new_link()

    def _speaks(self, index: int, item: Item) -> None:
        says = any(later.cat in {c.SAY, c.ENDORSE} for later in self.items[index + 1 : index + 5])
        self.speaker = str(item.val) if says else self.speaker
        self.subject, self.sunk = None, False

    def _pipe(self, index: int, item: Item) -> None:
        if self.filled or self.sunk:
            self._border(index, Item(c.WEAK, None, item.start, item.end, item.gap))
        else:
            self.sure = True
            self.loose_words = 0

    def _frame(self, index: int, item: Item) -> None:
        self.frame = str(item.val)
        before = self.items[index - 1] if index else None
        after = self.items[index + 1] if index + 1 < len(self.items) else None
        charted = after is not None and after.val == "chart"
        if charted:
            after = self.items[index + 2] if index + 2 < len(self.items) else None
        signed = after is not None and after.cat == c.LINK and after.val in {None, "colon"} and after.end - after.start == 1
        set_off = after is not None and (after.cat == c.WEAK or signed or (charted and after.cat == c.OPEN))
        subject = self.subject
        if subject is not None and not self.filled and not (after is not None and after.cat == c.IND):
            self.subject = self._subject(subject.named, subject.at) if subject.frame is None else subject
        back = index - 1
        while back >= self.clause_start and self.items[back].cat == c.FILL:
            back -= 1
        leads = self._introduces(index) or (
            charted and (back < self.clause_start or self.items[back].cat == c.LINK)
        )  # `on the hourly chart RSI is ... and ADX ...`
        self.frame_sticky = (
            set_off or leads or (before is not None and before.cat == c.LINK and not (after is not None and after.cat == c.IND))
        )

    def _introduces(self, index: int) -> bool:
        """`On the hourly the picture darkens: RSI 32.9, ADX 22`: up to a colon nothing is stated."""
        for item in self.items[index + 1 : index + 1 + _LEAD]:
            if item.val == "colon":
                return True
            if item.cat in {c.IND, c.NUM, c.RANGE, c.WEAK, c.STRONG}:
                return False
        return False

    def _count(self, index: int, item: Item) -> None:
        """`33 bars`: the time a position has been held, nothing else."""
        count, noun = item.count
        if noun not in {"bar", "period"} or not self.has_position:
            return
        if self._in_the_trade(index):
            compared = self.compared
            self._take(Subject(Named(BY_BASE["hold_count"]), index))
            self.compared = compared
        if self.subject is not None and self.subject.named.indicator.base == "hold_count" and not self.filled:
            self._emit_number(self.subject, index, Number(float(count), integer=count), float(count), 1.0)
        else:
            self.loose_number = index

    def _in_the_trade(self, index: int) -> bool:
        """`44 candles in`, `after 41 bars in the trade`."""
        after = [item.cat for item in self.items[index + 1 : index + 5] if item.cat != c.FILL]
        if index + 1 < len(self.items) and self.items[index + 1].val == "old":
            return True
        if index and self.items[index - 1].val == "after" and (not after or after[0] in _AFTER_BARS):
            return True
        if self.subject is not None and self.items[self.subject.at].cat == c.SIDE and self.subject.at == index - 1 and not self.past:
            return True  # `short 78 bars`
        return after[:1] == [c.LINK] and (len(after) == 1 or after[1] in {c.STRONG, c.WEAK, c.CONJ, c.POSITION}) and not self.past

    def _number(self, index: int, item: Item) -> None:
        number = item.number
        assert number is not None
        if self.origin and not self._is_entry():
            self.origin = False
            return
        if self.topic is None and self.last is not None and self.items[self.last.at].mode == PAST_MODE and self._now_at(index):
            self.topic = self.last  # `Last week RSI was 48. Today: 24.`
        percent_of_range = self.topic is not None and self._also_in_percent(self.topic, number) and not self.sunk
        if self.subject is None and (self._goes_on(index) or percent_of_range):
            assert self.topic is not None
            self.subject = Subject(self._named_now(self.topic, index, number), self._link_start(index), self.topic.frame)
        subject = self.subject
        if subject is None and (self.moved is not None or number.signed) and self._moves_position(number):
            subject = Subject(Named(BY_BASE["side"]), self.moved[1] if self.moved is not None else index)
        if (
            subject is not None
            and subject.kind == "signal"
            and number.value == 0
            and self.listed is not None
            and self.listed[1] is not None
        ):
            subject = self.listed[1]  # `MACD is above its signal and above zero`
        self.sure = self.sure or item.cat == c.RANGE
        owner = self._number_owner(subject, number, index) if subject is not None else None
        if owner is None or not self._linked(owner, number) or self._is_share(owner, number, index):
            self.loose_number = None if self.sunk and subject is None else index
            return
        if self._is_of_what_follows(owner, index):
            self.loose_number = index
            return
        direction = self.moved[0] if self.moved is not None and not self.towards else 0  # where it went to is written with its own sign
        sure = self.sure or self.compared is not None
        found = measure(owner.named, number, direction, sure)
        high = measure(owner.named, item.high, direction, sure) if item.high is not None else None
        if found is None or (item.high is not None and high is None):
            self.loose_number = index
            return
        if self.compared is not None and found.value < 0 < number.value:
            self.compared = "<" if self.compared[0] == ">" else ">", self.compared[1]  # down over 4 %: below -4
        self._emit_number(owner, index, number, found.value, found.step, found.base, high.value if high is not None else None)

    def _is_of_what_follows(self, owner: Subject, index: int) -> bool:
        """`-2.18% unrealized, -5.13% at the worst point`: the number stands before its name."""
        if self._opens_with(index):
            return True
        if not owner.named.indicator.position or (owner.at >= self.clause_start and self.items[owner.at].cat == c.IND):
            return False
        ahead = [item for item in self.items[index + 1 : index + 5] if item.cat not in {c.FILL, c.LINK}]
        named = ahead[0].val if ahead and ahead[0].cat == c.IND else None
        return isinstance(named, Named) and named.indicator.base in _MOVES_OF_PROFIT and named.indicator.base != owner.named.indicator.base

    def _opens_with(self, index: int) -> bool:
        """`and at 22 the Fear & Greed index is low`: a number right before its name, at the beginning of a clause."""
        if index - self.clause_start > _SHORT:
            return False
        opening = [item for item in self.items[self.clause_start : index] if item.cat != c.CONJ]
        ahead = [item.cat for item in self.items[index + 1 : index + 3]]
        return len(opening) == 1 and opening[0].cat == c.LINK and ahead == [c.FILL, c.IND]

    def _named_now(self, topic: Subject, index: int, number: Number) -> Named:
        """`peaked at +3.4% and now sits at +2.29%`, `entered at 63,827, now +0.6%`: what has become of it is the profit."""
        now = any(item.cat == c.NOW for item in self.items[self.clause_start : index])
        base = topic.named.indicator.base
        return _PROFIT if now and (base in _EXTREMES or (base == "entry_price" and number.unit == "%")) else topic.named

    def _is_share(self, owner: Subject, number: Number, index: int) -> bool:
        """`最大浮盈的33%`: a share of it, not its value."""
        return owner.named.indicator.position and number.unit == "%" and self.items[index - 1].val == "share"

    def _moves_position(self, number: Number) -> bool:
        """`Entry 95,200, now up 2.29%`: it is the position that is up."""
        position = self.topic is not None and self.topic.named.indicator.position
        return position and number.unit == "%" and not self.sunk and self.strange_words == 0
