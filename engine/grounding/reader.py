"""The grammar: from items to statements, one pass from left to right.

A sentence is read as a subject (an indicator, the price, the position, a pronoun), what joins it to a value (a verb, `=`, a comparison,
an approximation), and the value: a number, a range, another indicator, or a reading in words. Clause borders end what was pending;
a clause without a subject of its own goes on with the last one (`RSI 57.9, above 50`). Nothing is judged here.

One method per category of item (`lexicon.py` says what belongs to which); an item whose mode says that it states nothing about now is
read only for the pronouns that may follow it.
"""

from collections.abc import Callable

from engine.domain.claims import Relation
from engine.grounding import lexicon as lx
from engine.grounding.compose import Named
from engine.grounding.indicators import BY_BASE
from engine.grounding.lexer import Item
from engine.grounding.measures import measure
from engine.grounding.numbers import Number
from engine.grounding.relating import ALONE, compatible, relate, state_fits
from engine.grounding.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.statement import Statement, Subject
from engine.grounding.volume import read_volume

_PAST_KEYS = frozenset({"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "leverage", "size"})
_FRAMELESS = frozenset({"close", "change_24h_pct", "funding_rate_pct", "fear_greed"})
_BORDERS = frozenset({lx.WEAK, lx.CONJ, lx.STRONG})
_SOFT = frozenset({lx.FILL, lx.LINK, lx.NOW, lx.OPEN, lx.AND, lx.HEDGE, lx.CONJ})
_LISTING = frozenset({lx.AND, lx.FILL, lx.OPEN, lx.CLOSE, lx.NUM, lx.WEAK})
_PRICE = Named(BY_BASE["close"])
_NEAR_STATE = 4
_NEAR_NEGATION = 4
_FRAME_AFTER = 3


class Reader:
    """Reads the items of one text. has_position: whether the sheet knows a position; frames: its main and higher timeframe."""

    def __init__(self, items: list[Item], own: frozenset[str], has_position: bool, frame: str, higher: str | None, proposes: bool = False) -> None:
        self.items = items
        self.own = own
        self.has_position = has_position
        self.frame_name = frame
        self.higher = higher
        self.proposes = proposes
        self.found: list[Statement] = []
        self.last: Subject | None = None
        self.topic: Subject | None = None
        self.speaker: str | None = None
        self.frame: str | None = None
        self.frame_sticky = False
        self.clause_start = 0
        self.turned = False
        self.listed: tuple[str, Subject | None, int] | None = None
        self._new_clause(0)
        self.handlers: dict[str, Callable[[int, Item], None]] = {
            lx.IND: self._indicator, lx.NUM: self._number, lx.RANGE: self._number, lx.COUNT: self._count, lx.FRAME: self._frame,
            lx.CMP: self._comparison, lx.POST: self._postposition, lx.STATE: self._state, lx.IT: self._pronoun, lx.SINK: self._sink,
            lx.TRADE: self._trades, lx.ASSET: self._asset, lx.POSITION: self._position, lx.SIDE: self._side, lx.SPEAKER: self._speaks,
            lx.DIR: self._direction, lx.UNKNOWN: self._unknown, lx.WEAK: self._border, lx.CONJ: self._border, lx.STRONG: self._border,
            lx.PIPE: self._pipe, lx.FUZZY: self._extreme, lx.CLOSE: self._closes, lx.VERSUS: self._versus,
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
        self._end_clause(len(self.items))
        return self.found

    # State of a clause.

    def _new_clause(self, start: int) -> None:
        self.clause_start = start
        self.subject: Subject | None = None
        self.before: Subject | None = None
        self.sunk = False
        self.loose_words = 0
        self.strange_words = 0
        self.sure = False
        self.filled = False
        self.loose_number: int | None = None
        self.waiting_state: int | None = None
        self.bounded = False
        self._new_link()

    def _new_link(self) -> None:
        self.compared: tuple[str, int] | None = None
        self.negated: int | None = None
        self.hedged: int | None = None
        self.moved: tuple[int, int] | None = None
        self.origin = False
        self.towards = False
        self.past = False
        self.approached = False

    def _end_clause(self, index: int) -> None:
        self._flush_direction(index)
        self._flush_level(index)
        volume = read_volume(self.items, self.clause_start, index, self._subject(Named(BY_BASE["volume_ratio_20"]), self.clause_start))
        if volume:
            start = self.items[self.clause_start].start
            while self.found and self.found[-1].subject.kind == "volume" and self.found[-1].start >= start:
                self.found.pop()
        self.found.extend(volume)

    def _subject(self, named: Named, at: int) -> Subject:
        """The named indicator in the timeframe that holds here."""
        frame, loose = named.frame or self.frame, named.frame is None and not self.frame_sticky and self.frame is not None and not self._adjacent_frame(at)
        if named.indicator.base in _FRAMELESS or named.indicator.position:
            return Subject(named, at)
        if frame == "htf":
            frame = self.higher or "htf"
        return Subject(named, at, None if frame == self.frame_name else frame, loose)

    def _adjacent_frame(self, at: int) -> bool:
        back = at - 1
        while back >= 0 and self.items[back].cat in {lx.FILL, lx.LINK} and at - back <= _NEAR_STATE:
            back -= 1
        return back >= 0 and self.items[back].cat == lx.FRAME

    def _silent(self, index: int, item: Item) -> None:
        """An item that states nothing: it may still be what a later `it` means."""
        if item.cat == lx.IND:
            assert isinstance(item.val, Named)
            self.last = self._subject(item.val, index)
        if item.cat == lx.FRAME:
            self._frame(index, item)
        self.subject, self.sunk, self.loose_number, self.waiting_state = None, True, None, None
        self._new_link()

    # Words between a subject and its value.

    def _word(self, index: int, item: Item) -> None:
        match item.cat:
            case lx.LINK | lx.SAY:
                self.sure = True
                self.loose_words = 0
            case lx.PAST:
                self.past, self.sure, self.loose_words = True, True, 0
            case lx.HEDGE | lx.APPROACH:
                self.hedged, self.loose_words, self.approached = index, 0, item.cat == lx.APPROACH
            case lx.NEG:
                self.negated = index
            case lx.TO:
                self.towards, self.sure, self.loose_words = True, True, 0
            case lx.FROM:
                self.origin = True
            case lx.BETWEEN:
                self.waiting_state = index
            case lx.HEDGE_POST:
                self._close_by(index)

    def _close_by(self, index: int) -> None:
        """`价格在EMA20附近`."""
        line, price = self.subject, self.before
        if line is not None and line.kind == "line" and price is not None and price.kind == "price" and not self.filled and index - line.at <= 2:
            if not self.items[index].mode and not self.past and self.negated is None:
                self._emit_state("price_near", line, price.at, index, index, index, other=price)

    def _unknown(self, index: int, item: Item) -> None:
        self.loose_words += 1
        self.strange_words += 1
        self.listed = None

    def _direction(self, index: int, item: Item) -> None:
        assert isinstance(item.val, int)
        self.moved = item.val, index
        self.loose_words = 0

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
        self._new_link()

    def _speaks(self, index: int, item: Item) -> None:
        says = any(later.cat in {lx.SAY, lx.ENDORSE} for later in self.items[index + 1 : index + 5])
        self.speaker = str(item.val) if says else self.speaker
        self.subject, self.sunk = None, False

    def _border(self, index: int, item: Item) -> None:
        self._end_clause(index)
        turned = self.negated is not None and self._turns(index)
        turned = turned or self._set_off(index)
        turned = turned or (self.turned and index == self.clause_start)
        if not self.sunk and self.subject is not None and (self.filled or turned):
            self.topic = self.subject
        if item.cat == lx.STRONG:
            self.topic, self.speaker = None, None
            self.frame, self.frame_sticky = (self.frame, True) if self._is_heading(index) else (None, False)
        elif not self.frame_sticky and item.cat == lx.WEAK and self.frame is not None and index and self.items[index - 1].cat in {lx.FRAME, lx.FILL, lx.IND}:
            self.frame_sticky = self.clause_start == index - 1 or self.items[index - 1].cat != lx.IND
        if item.cat == lx.STRONG or (item.cat == lx.CONJ and item.val != "and"):
            self.listed = None
        self._new_clause(index + 1)
        self.sure = self.turned = turned

    def _set_off(self, index: int) -> bool:
        """`RSI, at 72, is stretched`."""
        after = [item.cat for item in self.items[index + 1 : index + 3]]
        bare = self.items[index].cat == lx.WEAK and self.subject is not None and self.subject.at == index - 1
        return bare and len(after) == 2 and after[0] in {lx.LINK, lx.HEDGE} and after[1] in {lx.NUM, lx.RANGE}

    def _turns(self, index: int) -> bool:
        """`not 72 but 48.6`, `不是72，而是48.6`: what follows is about the same thing."""
        return any(item.val == "but" for item in self.items[index : index + 2])

    def _is_heading(self, index: int) -> bool:
        """A line that is nothing but a timeframe holds for the lines below it."""
        return self.items[index].val == "\n" and index > 0 and all(
            item.cat in {lx.FRAME, lx.FILL, lx.LINK, lx.STRONG} for item in self.items[max(0, index - 4) : index]
        ) and any(item.cat == lx.FRAME for item in self.items[max(0, index - 4) : index])

    def _pipe(self, index: int, item: Item) -> None:
        if self.filled or self.sunk:
            self._border(index, Item(lx.WEAK, None, item.start, item.end, item.gap))
        else:
            self.sure = True
            self.loose_words = 0

    def _frame(self, index: int, item: Item) -> None:
        self.frame = str(item.val)
        before = self.items[index - 1] if index else None
        after = self.items[index + 1] if index + 1 < len(self.items) else None
        set_off = after is not None and (after.cat == lx.WEAK or (after.cat == lx.LINK and after.val is None and after.end - after.start == 1))
        subject = self.subject
        if subject is not None and not self.filled and not (after is not None and after.cat == lx.IND):
            self.subject = self._subject(subject.named, subject.at) if subject.frame is None else subject
        self.frame_sticky = set_off or (before is not None and before.cat == lx.LINK and not (after is not None and after.cat == lx.IND))

    # Subjects.

    def _indicator(self, index: int, item: Item) -> None:
        assert isinstance(item.val, Named)
        named = item.val
        if named.indicator.position and not self.has_position:
            self._sink(index, item)
            return
        if named.indicator.base == "change_24h_pct" and self.subject is not None and self.subject.kind in {"oi", "volume", "funding"}:
            return
        subject = self._subject(named, index)
        if self._object(subject, index):
            return
        self._number_before(subject, index)
        self._flush_direction(index)
        negated, moved = self.negated, self.moved
        self._take(subject)
        if negated is not None and self.items[negated].val == "none" and index - negated <= _NEAR_STATE:
            self.negated = negated
        if moved is not None and index - moved[1] <= 2 and subject.kind in {"flow", "oi"}:
            self.moved = moved
        self._state_before(subject, index)

    def _take(self, subject: Subject) -> None:
        """Make it the subject of what follows."""
        self.before, self.subject, self.last, self.sunk = self.subject, subject, subject, False
        self.filled, self.sure, self.loose_words = False, False, 0
        self._new_link()

    def _object(self, subject: Subject, index: int) -> bool:
        """`price above EMA50`, `+DI below -DI`, `near the upper band`: the new indicator is what the old one is compared with."""
        if self.listed is not None and self._is_listed(index):
            op, left, _ = self.listed
            if compatible(left, subject) and subject.kind == self.items_kind(self.listed[2]):
                self._relate(left, op, subject, index, index)
                return True
        if self.sunk and self.subject is None:
            return False
        if self.compared is not None:
            op, at = self.compared
            left = self.subject if self.subject is None or self.subject.named.indicator.base != "side" else None
            if left is None and self.topic is not None and compatible(self.topic, subject) and self.topic.kind != "price":
                left = self.topic
            if left is not None and not compatible(left, subject):
                left = None if subject.kind in {"line", "level"} and left.kind in {"price"} else left
            if left is None and subject.kind not in {"line", "level"}:
                return False
            if left is not None and not compatible(left, subject):
                return False
            self._relate(left, op, subject, at, index)
            return True
        if self.hedged is not None and self.subject is not None and self.subject.kind == "price" and subject.kind == "line" and index - self.hedged <= _NEAR_STATE:
            self._emit_state("price_near", subject, self.subject.at, index, self.hedged, self.hedged, other=self.subject)
            self._take(subject)
            return True
        return False

    def _is_listed(self, index: int) -> bool:
        """`above EMA20 (97,810) and EMA50`: one more of a list, not the subject of something new."""
        assert self.listed is not None
        between = self.items[self.listed[2] + 1 : index]
        joined = any(item.cat == lx.AND or item.val == "and" for item in between) or any(item.cat == lx.FILL for item in between)
        following = self.items[index + 1].cat if index + 1 < len(self.items) else lx.STRONG
        return (
            joined
            and all(item.cat in _LISTING or item.val == "and" for item in between)
            and following not in {lx.LINK, lx.NUM, lx.CMP, lx.HEDGE, lx.STATE, lx.DIR, lx.RANGE, lx.PAST, lx.NEG}
        )

    def items_kind(self, index: int) -> str:
        """The kind of the indicator named at `index`."""
        val = self.items[index].val
        return val.indicator.kind if isinstance(val, Named) else ""

    def _relate(self, left: Subject | None, op: str, right: Subject, at: int, index: int, end: int | None = None) -> None:
        """Emit `left op right` and go on with the right one, whose value may follow."""
        if self.past or self.items[at].mode in {PAST_MODE, WEAK_DEFINITION}:
            self._take(right)
            return
        related = relate(left, op, right, Subject(_PRICE, at))
        start = min(left.at if left is not None and left.at >= self.clause_start else at, at)
        if related is not None:
            subject, other, state = related
            self._emit_state(state, subject, start, index if end is None else end, at, at, other=other)
        topic = left if left is not None else Subject(_PRICE, at)
        self._take(right)
        self.topic = topic
        self.listed = op, left, index

    def _pronoun(self, index: int, item: Item) -> None:
        following = self.items[index + 1] if index + 1 < len(self.items) else None
        if self.last is None or self.subject is not None or following is None:
            return
        if following.cat in {lx.LINK, lx.NUM, lx.RANGE, lx.HEDGE, lx.FILL, lx.NOW, lx.PAST, lx.CMP, lx.NEG, lx.SINK, lx.COUNT}:
            self.subject = Subject(self.last.named, index, self.last.frame)
            self.sunk, self.filled, self.sure, self.loose_words = False, False, True, 0

    def _trades(self, index: int, item: Item) -> None:
        if self.subject is None or self.sunk:
            self._take(Subject(_PRICE, index))
        self.sure = True

    def _asset(self, index: int, item: Item) -> None:
        if str(item.val) in self.own and self.subject is None:
            self._take(Subject(_PRICE, index))

    def _sink(self, index: int, item: Item) -> None:
        self._flush_direction(index)
        self.subject, self.sunk, self.loose_number, self.filled = None, True, None, False
        self._new_link()

    def _extreme(self, index: int, item: Item) -> None:
        """`the high of 98,000` is another price; `RSI is high at 72` is the same RSI."""
        of_a_time = index > 0 and self.items[index - 1].cat in {lx.COUNT, lx.FRAME}
        if of_a_time or self.subject is None or self.subject.kind in {"price", "line", "level", "volume"}:
            self._sink(index, item)

    def _position(self, index: int, item: Item) -> None:
        if self.has_position and self.subject is None:
            self._take(Subject(Named(BY_BASE["side"]), index))
            self.sure = item.val == "is"

    def _side(self, index: int, item: Item) -> None:
        if not self.has_position:
            return
        subject = Subject(Named(BY_BASE["side"]), index)
        self._number_before(Subject(Named(BY_BASE["leverage"]), index), index)
        owned = self.subject is not None and self.subject.named.indicator.base == "side" and self.sure and not self.filled
        if owned and self.subject is not None and not self.past:
            self._emit_state(str(item.val), self.subject, self.subject.at, index, index, index)
        self._take(subject)

    # Values.

    def _count(self, index: int, item: Item) -> None:
        """`33 bars`: the time a position has been held, nothing else."""
        count, noun = item.val  # type: ignore[misc]
        if noun not in {"bar", "period"} or not self.has_position:
            return
        if self.subject is not None and self.subject.named.indicator.base == "hold_count" and not self.filled:
            self._emit_number(self.subject, index, Number(float(count), integer=count), float(count), 1.0)
        else:
            self.loose_number = index

    def _number(self, index: int, item: Item) -> None:
        number = item.val[0] if item.cat == lx.RANGE else item.val  # type: ignore[index]
        assert isinstance(number, Number)
        if self.origin and not self._is_entry():
            self.origin = False
            return
        if self.subject is None and self._goes_on():
            assert self.topic is not None
            self.subject = Subject(self.topic.named, self._link_start(index), self.topic.frame)
        subject = self.subject
        if subject is None:
            self.loose_number = None if self.sunk else index
            if self.moved is None or number.unit != "%" or self.topic is None or not self.topic.named.indicator.position or self.strange_words:
                return
            subject = Subject(Named(BY_BASE["side"]), self.moved[1])
        subject = self._number_owner(subject, number, index)
        if subject is None or not self._linked(subject, number):
            self.loose_number = index
            return
        direction = self.moved[0] if self.moved is not None else 0
        found = measure(subject.named, number, direction, self.sure)
        if found is None:
            self.loose_number = index
            return
        if item.cat == lx.RANGE:
            high = measure(subject.named, item.val[1], direction, self.sure)  # type: ignore[index]
            if high is not None:
                self._emit_number(subject, index, number, found.value, found.step, found.base, high.value)
            return
        self._emit_number(subject, index, number, found.value, found.step, found.base)

    def _is_entry(self) -> bool:
        return self.subject is not None and self.subject.named.indicator.base in {"side", "entry_price"}

    def _number_owner(self, subject: Subject, number: Number, index: int) -> Subject | None:
        """The position itself has no number: an entry price when it comes from somewhere, else its profit."""
        if subject.named.indicator.base != "side":
            return subject
        if number.unit == "%":
            self.filled = self.filled and self.moved is None
            return Subject(Named(BY_BASE["profit_pct"]), subject.at) if self.moved is not None else None
        if number.unit == "x":
            return Subject(Named(BY_BASE["leverage"]), subject.at)
        if (self.origin or self.sure) and self.items[subject.at].cat == lx.SIDE and self.items[index - 1].val != "of":
            return Subject(Named(BY_BASE["entry_price"]), subject.at)
        return None

    def _goes_on(self) -> bool:
        """Whether a number without a subject goes on about the last topic: `RSI 57.9, above 50`."""
        return self.topic is not None and not self.sunk and self.strange_words == 0 and (
            self.compared is not None or (self.hedged is not None) or (self.sure and self.clause_only(_SOFT))
        )

    def clause_only(self, cats: frozenset[str]) -> bool:
        """Whether nothing but such items stands in the clause before the number."""
        return all(item.cat in cats | {lx.NUM, lx.RANGE} for item in self.items[self.clause_start : self._clause_now()])

    def _clause_now(self) -> int:
        index = self.clause_start
        while index < len(self.items) and self.items[index].cat not in {lx.NUM, lx.RANGE}:
            index += 1
        return index

    def _link_start(self, index: int) -> int:
        places = [at for at in (self.compared[1] if self.compared else None, self.hedged, self.negated) if at is not None]
        return min([*places, index])

    def _linked(self, subject: Subject, number: Number) -> bool:
        """Whether the number is joined to the subject closely enough to be its value."""
        base = subject.named.indicator.base
        if (self.past or self.items[subject.at].mode == PAST_MODE) and base not in _PAST_KEYS:
            return False
        if self.proposes and base in {"leverage", "size"}:
            return False
        if self.approached or (self.negated is not None and self.compared is None):
            return False
        if self.moved is not None and not self.towards and not self.sure and self.compared is None and not subject.named.indicator.signed:
            return base in {"mfe_pct", "mae_pct", "drawdown_from_peak_pct"}
        if self.filled and self.compared is None and not self.towards:
            return False
        if subject.named.indicator.period is None and subject.named.indicator.family and subject.named.period is None:
            return False
        return self.loose_words == 0

    def _emit_number(self, subject: Subject, index: int, number: Number, value: float, step: float, base: str | None = None, high: float | None = None) -> None:
        item = self.items[index]
        end, post, hedge_after = self._after_number(index)
        op = post or (self.compared[0] if self.compared is not None else "") or number.bound
        relation: Relation = "between" if high is not None else ">" if op == ">" else "<" if op == "<" else "="
        if self._definition(index) and relation != "=":
            return
        subject = self._frame_after(subject, end)
        start = min(subject.at if subject.at >= self.clause_start else index, self._link_start(index))
        also = self.before if self.before is not None and {self.before.kind, subject.kind} == {"line", "level"} else None
        self.found.append(
            Statement(
                subject=subject, start=self.items[start].start, end=self.items[end].end, value_start=item.start, value_end=item.end,
                relation=relation, number=value, high=high, step=step, hedged=self.hedged is not None or hedge_after, base=base, also=also,
                speaker=self.speaker,
            )
        )  # fmt: skip
        self.filled, self.sure, self.topic, self.loose_number = True, False, subject, None
        self._new_link()

    def _definition(self, index: int) -> bool:
        return self.items[index].mode == WEAK_DEFINITION

    def _after_number(self, index: int) -> tuple[int, str, bool]:
        """Words after the number that belong to it: `以上`, `左右`; gives the last item, a relation, whether it is approximate."""
        end, post, hedged = index, "", False
        for later in range(index + 1, min(index + 3, len(self.items))):
            item = self.items[later]
            if item.cat == lx.POST and not post:
                end, post = later, str(item.val)
            elif item.cat == lx.HEDGE_POST:
                end, hedged = later, True
            elif item.cat != lx.FILL:
                break
        return end, post, hedged

    def _frame_after(self, subject: Subject, end: int) -> Subject:
        """`RSI at 46 on the 1h`."""
        for later in range(end + 1, min(end + 1 + _FRAME_AFTER, len(self.items))):
            item = self.items[later]
            if item.cat == lx.FRAME:
                following = self.items[later + 1].cat if later + 1 < len(self.items) else lx.STRONG
                joined = self.items[later - 1].cat in {lx.LINK, lx.FILL, lx.OPEN} and later > end + 1
                if following == lx.IND or not joined or subject.named.indicator.base in _FRAMELESS or subject.named.indicator.position:
                    return subject
                frame = self.higher or "htf" if item.val == "htf" else str(item.val)
                return Subject(subject.named, subject.at, None if frame == self.frame_name else frame)
            if item.cat not in {lx.LINK, lx.FILL, lx.OPEN}:
                break
        return subject

    def _number_before(self, subject: Subject, index: int) -> None:
        """`6x leverage`, `33 bars held`, `up 1.85% over 24 hours`, `a 3.1% MFE`."""
        at = self.loose_number
        self.loose_number = None
        if at is None or any(item.cat not in {lx.FILL, lx.LINK, lx.FROM, lx.DIR, lx.CMP} for item in self.items[at + 1 : index]):
            return
        item, base = self.items[at], subject.named.indicator.base
        if item.cat == lx.COUNT:
            count = item.val[0]  # type: ignore[index]
            if base == "hold_count":
                self._emit_before(subject, at, index, float(count), 1.0)
            return
        number = item.val
        if not isinstance(number, Number) or (self.past and base not in _PAST_KEYS) or self.items[at].mode:
            return
        fits = (number.unit == "x" and base == "leverage" and not self.proposes) or (number.unit == "%" and (subject.named.indicator.position or subject.kind in {"change", "oi"}))
        fits = fits or (number.decimals > 0 and number.unit == "" and subject.kind == "oscillator" and index - at == 1)
        found = measure(subject.named, number, self.moved[0] if self.moved is not None and self.moved[1] < at else 0, True) if fits else None
        if found is not None:
            self._emit_before(subject, at, index, found.value, found.step)

    def _emit_before(self, subject: Subject, at: int, index: int, value: float, step: float) -> None:
        start = self.moved[1] if self.moved is not None and self.moved[1] < at else at
        relation: Relation = "="
        if self.compared is not None and self.compared[1] < at:
            relation = ">" if self.compared[0] == ">" else "<"
        self.found.append(
            Statement(
                subject=subject, start=self.items[start].start, end=self.items[index].end, value_start=self.items[at].start,
                value_end=self.items[at].end, relation=relation, number=value, step=step, hedged=self.hedged is not None, speaker=self.speaker,
            )
        )  # fmt: skip
        self.topic, self.moved = subject, None

    # Readings in words.

    def _postposition(self, index: int, item: Item) -> None:
        """`EMA200上方`, `在-DI之上`."""
        line = self.subject
        if line is None or self.filled or (self.listed is not None and self.listed[2] == line.at):
            return
        op = str(item.val)
        if self.negated is not None:
            op = "<" if op == ">" else ">"
        left = self.before if self.before is not None and compatible(self.before, line) else None
        if left is None and self.topic is not None and self.topic.kind != "price" and compatible(self.topic, line) and self.topic.at < self.clause_start:
            left = self.topic
        if left is not None or line.kind in {"line", "level"}:
            at = left.at if left is not None and left.at >= self.clause_start else line.at
            self._relate_post(left, op, line, at, index)

    def _relate_post(self, left: Subject | None, op: str, right: Subject, at: int, index: int) -> None:
        if self.past or self.items[index].mode:
            return
        related = relate(left, op, right, Subject(_PRICE, at))
        if related is not None:
            subject, other, state = related
            self._emit_state(state, subject, at, index, index, index, other=other)
        self.topic = left if left is not None else Subject(_PRICE, at)
        self.listed = op, left, right.at

    def _state(self, index: int, item: Item) -> None:
        name = str(item.val)
        if self._only_near(index) or self.past or (item.mode and not (item.mode == WEAK_DEFINITION and not self.bounded)):
            return
        subject = self.subject if not self.sunk else None
        if subject is None or not state_fits(name, subject):
            carried = self.topic if self.topic is not None and state_fits(name, self.topic) and self.strange_words == 0 else None
            subject = carried if subject is None or carried is not None else None
        if subject is None and name in ALONE and not (self.sunk and name not in ALONE):
            base = ALONE[name]
            if not BY_BASE[base].position or self.has_position:
                subject = self._subject(Named(BY_BASE[base]), index)
        if subject is None:
            self.waiting_state = index
            return
        self._say_state(name, subject, index)

    def _say_state(self, name: str, subject: Subject, index: int) -> None:
        start = subject.at if self.clause_start <= subject.at < index else index
        negated = self.negated is not None and index - self.negated <= _NEAR_NEGATION
        if negated and self.negated is not None:
            start = min(start, self.negated)
        self._emit_state(name, subject, start, index, index, index, negated=negated)
        self.topic, self.waiting_state = subject, None
        self._new_link()

    def _only_near(self, index: int) -> bool:
        """`approaching oversold`, `from oversold`: close to it, or past it, but not in it."""
        back = index - 1
        while back >= 0 and index - back <= _NEAR_STATE and self.items[back].cat in {lx.FILL, lx.LINK}:
            back -= 1
        return back >= 0 and self.items[back].cat in {lx.APPROACH, lx.HEDGE, lx.FROM} and back >= self.clause_start

    def _state_before(self, subject: Subject, index: int) -> None:
        """`a bullish crossover on the MACD`, `positive funding`."""
        at = self.waiting_state
        self.waiting_state = None
        if at is None or index - at > _NEAR_STATE or not state_fits(str(self.items[at].val), subject):
            return
        if any(item.cat not in {lx.FILL, lx.LINK, lx.FRAME} for item in self.items[at + 1 : index]):
            return
        negated = at > 0 and self.items[at - 1].cat == lx.NEG
        self._emit_state(str(self.items[at].val), subject, at - negated, index, at, at, negated=negated)
        self.topic = subject

    def _flush_direction(self, index: int) -> None:
        """`OBV is falling`: a direction no number came after."""
        if self.moved is None or self.subject is None or self.filled or self.sunk or self.past or self.negated is not None:
            return
        direction, at = self.moved
        if self.subject.kind in {"flow", "oi"} and not self.items[at].mode and self.loose_number is None:
            self._emit_state("rising" if direction > 0 else "falling", self.subject, min(self.subject.at, at), max(self.subject.at, at), at, at)
            self.topic = self.subject
        self.moved = None

    def _flush_level(self, index: int) -> None:
        """`阻力98,900尚未突破`, `support was taken out, below`: a comparison without an object is with the price."""
        level = self.subject
        if self.compared is None or level is None or level.kind != "level" or self.sunk or self.past:
            return
        op, at = self.compared
        if at == index - 1 and not self.items[at].mode:
            state = "price_above" if op == ">" else "price_below"
            self._emit_state(state, level, level.at, at, at, at, other=Subject(_PRICE, at))
        self.compared = None

    def _emit_state(self, state: str, subject: Subject, start: int, end: int, value_first: int, value_last: int, *, other: Subject | None = None, negated: bool = False) -> None:
        low, high = min(start, value_first), max(end, value_last)
        self.found.append(
            Statement(
                subject=subject, start=self.items[low].start, end=self.items[high].end, value_start=self.items[value_first].start,
                value_end=self.items[value_last].end, state=state, negated=negated, other=other, speaker=self.speaker,
            )
        )  # fmt: skip
