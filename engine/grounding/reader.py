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
from engine.grounding.indicators import BY_BASE
from engine.grounding.item import Item
from engine.grounding.named import Named
from engine.grounding.quotations import SLIP
from engine.grounding.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.statement import Statement, Subject
from engine.grounding.values import Values

_SOFT = frozenset({c.FILL, c.LINK, c.NOW, c.OPEN, c.AND, c.HEDGE, c.THEN, c.NUM, c.RANGE})
_NAMING = frozenset({c.IND, c.STATE})
_BORDERS = frozenset({c.WEAK, c.CONJ, c.STRONG})
_PROFIT = Named(BY_BASE["profit_pct"])
_ENDS = frozenset({c.WEAK, c.STRONG, c.CONJ, c.CLOSE, c.AND})
_LEAD = 7
_SHORT = 3
_NEAR_NEGATION = 4


class Reader(Values):
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
        if item.cat in {c.SIDE, c.POSITION} and self.has_position and item.mode == "question":
            self.last = Subject(Named(BY_BASE["side"]), index)
        if item.cat == c.FRAME:
            self._frame(index, item)
        self.subject, self.sunk, self.loose_number, self.waiting_state = None, True, None, None
        self._new_link()

    def _word(self, index: int, item: Item) -> None:
        match item.cat:
            case c.LINK | c.SAY:
                self.sure = True
                self.loose_words = 0
            case c.PAST | c.IF if item.cat == c.PAST or item.val == "once":  # `a short that once showed 3.4% of profit`
                self.past, self.sure, self.loose_words = True, True, 0
            case c.HEDGE | c.APPROACH:
                self.hedged, self.loose_words, self.approached = index, 0, item.cat == c.APPROACH
            case c.NEG if not self._answers(index):
                self.negated = index
            case c.REJECT if self.subject is None:  # `the bear says 28; in fact 49.9`
                self.topic = self.last or self.topic
            case c.TO:
                self._arrives(index)
            case c.FROM:
                self.origin = True
            case c.BETWEEN:
                self.waiting_state = index
            case c.HEDGE_POST:
                self._close_by(index)

    def _arrives(self, index: int) -> None:
        """`out of the teens to 27.9`: what was left is denied, where it went to is not."""
        before = self.items[max(0, index - 3) : index]
        if before and before[-1].cat == c.NUM and self.moved is None and all(item.cat != c.FROM for item in before):
            return  # `the debate goes to the bear, 58 to 42`
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
        following = self.items[index + 1] if index + 1 < len(self.items) else None
        after = following.cat if following is not None and following.val != "after" else c.STRONG
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
        self._flush_direction(index)
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
            self.subject = self._in_frame(subject, index) if subject.frame is None else subject
        back = index - 1
        while back >= self.clause_start and self.items[back].cat == c.FILL:
            back -= 1
        leads = (
            self._introduces(index)
            or self._is_spoken_of(index)
            or (charted and (back < self.clause_start or self.items[back].cat == c.LINK))
        )  # `on the hourly chart RSI is ... and ADX ...`
        self.frame_sticky = (
            set_off or leads or (before is not None and before.cat == c.LINK and not (after is not None and after.cat == c.IND))
        )

    def _is_spoken_of(self, index: int) -> bool:
        """`The daily still backs us with an RSI of 52`: the timeframe itself is the subject."""
        after = self.items[index + 1 : index + 3]
        opens = index - self.clause_start <= _SHORT and all(item.cat in {c.FILL, c.CONJ} for item in self.items[self.clause_start : index])
        return opens and len(after) == 2 and after[0].cat in {c.UNKNOWN, c.FILL, c.LINK} and after[1].cat in {c.UNKNOWN, c.LINK, c.SAY}

    def _in_frame(self, subject: Subject, index: int) -> Subject:
        """`ADX on the daily chart is 22`: the timeframe behind the name is its own; without a preposition it may be another's."""
        before = next((item for item in reversed(self.items[subject.at + 1 : index]) if item.cat != c.FILL), None)
        own = self._subject(subject.named, subject.at)
        return replace(own, frame=own.frame or own.nearby, nearby=None) if before is not None and before.cat == c.LINK else own

    def _introduces(self, index: int) -> bool:
        """`On the hourly the picture darkens: RSI 32.9, ADX 22`: up to a colon nothing is stated."""
        for item in self.items[index + 1 : index + 1 + _LEAD]:
            if item.val == "colon":
                return True
            if item.cat in {c.IND, c.NUM, c.RANGE, c.WEAK, c.STRONG}:
                return False
        return False
