"""Readings in words: `overbought`, `below the 200 EMA`, `in the red`, and what they are said of.

A reading belongs to the subject of its clause, to the topic before it, or, for a few, to an indicator that goes without saying
(`extreme fear`). A comparison whose object is not written is one with the price.
"""

from engine.grounding import categories as c
from engine.grounding.indicators import BY_BASE
from engine.grounding.item import Item
from engine.grounding.measures import measure
from engine.grounding.named import Named
from engine.grounding.relating import ALONE, PLAIN, compatible, relate, state_fits
from engine.grounding.scopes import WEAK_DEFINITION
from engine.grounding.statement import Subject
from engine.grounding.subjects import BANDS, ONCE, Subjects

_PRICE = Named(BY_BASE["close"])
_NEAR_STATE = 4
_NEAR_NEGATION = 4
_NEAR_LINE = 6
_MOVES = {"shrinking": -1, "surge": 1}
_PROFITS = {"positive": "in_profit", "negative": "in_loss"}
_PROFIT_KEYS = {"in_profit": "profit_pct", "in_loss": "loss_pct"}
_LEVELS = frozenset({"level", "line", "di"})
_PIERCED = frozenset({"broken", "intact"})
_CROSSED = {"taken": ">", "lost": "<"}
_OPPOSITE = {">": "<", "<": ">"}


class Readings(Subjects):
    """The third of the grammar that finds readings."""

    def _postposition(self, index: int, item: Item) -> None:
        """`EMA200上方`, `在-DI之上`."""
        line = self.subject
        if line is None and self.turned and self.topic is not None and self.topic.kind == "line":
            line = self.topic  # `the 200 EMA, far beneath us at 1,845`
        bracketed = self.items[index - 1].cat == c.CLOSE or (self._is_priced(index) and item.end - item.start > len("上方"))
        if line is None or (self.filled and not bracketed) or (self.listed is not None and self.listed[2] == line.at):
            return
        op, ours = str(item.val)[-1], str(item.val).startswith("us")
        denied = bracketed and any(before.cat == c.NEG for before in self.items[max(self.clause_start, line.at - 3) : line.at])
        if self.negated is not None or denied:
            op = "<" if op == ">" else ">"
        left = self.before if self.before is not None and compatible(self.before, line) and not ours else None
        if (
            left is None
            and not ours
            and self.topic is not None
            and self.topic.kind not in {"price", "level"}
            and compatible(self.topic, line)
            and self.topic.at < self.clause_start
        ):
            left = self.topic
        if left is not None or line.kind in {"line", "level"}:
            at = left.at if left is not None and left.at >= self.clause_start else line.at
            self._relate_post(left, op, line, at, index)

    def _is_priced(self, index: int) -> bool:
        """`Key support 96,197 has been lost`: between the level and what is said of it stands its price only."""
        return bool(self.found) and self.items[index - 1].cat == c.NUM and self.found[-1].value_end == self.items[index - 1].end

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
        if self.past and self._loose_profit(name, index):
            return
        if self._only_near(index) or self.past or (item.mode and not (item.mode == WEAK_DEFINITION and not self.bounded)):
            return
        if self._loose_profit(name, index) or self._crossed(name, index):
            return
        name = "broken" if name in _CROSSED else name
        if self._before_its_noun(name, index):
            self.waiting_state = index
            return
        if name in _MOVES and self.subject is not None and self.subject.kind in {"oi", "flow"}:
            self.moved, self.loose_words = (_MOVES[name], index), 0
            return
        subject = self._owner(name, index)
        if subject is None:
            self.waiting_state = index
        elif name == "dominant":
            if self.items[index - 1].cat not in {c.UNKNOWN, c.SPEAKER}:  # `sellers are in charge` says it of the sellers
                self._relate_ahead(subject, ">", index)
        elif name in _PIERCED and subject.kind == "line":
            beyond = BANDS[subject.named.indicator.base]
            self._relate(None, beyond if name == "broken" else _OPPOSITE[beyond], subject, index, index)
        else:
            self._say_of(name, subject, index)

    def _crossed(self, name: str, index: int) -> bool:
        """`中轨已被跌破`: a line, by the price; a level is broken."""
        line = self.subject if name in _CROSSED and not self.sunk else None
        if line is None or line.kind != "line":
            return False
        self._relate(None, _CROSSED[name], line, index, index)
        return True

    def _before_its_noun(self, name: str, index: int) -> bool:
        """`a positive histogram`, `nor positive funding`, `a negative 1h MACD histogram`: said of what follows, not of what came before."""
        after = next((at for at in range(index + 1, min(index + 3, len(self.items))) if self.items[at].cat != c.FRAME), index)
        named = self.items[after].val
        opens = index == self.clause_start or self.items[index - 1].cat in {c.FILL, c.NEG, c.CONJ, c.LINK, c.AND}
        if not opens or not isinstance(named, Named) or (self.subject is not None and self.subject.named == named):
            return False
        return state_fits(name, Subject(named, after))

    def _owner(self, name: str, index: int) -> Subject | None:
        """Of what the reading is said."""
        subject = self.subject if not self.sunk else None
        pierced = name in _PIERCED and subject is not None and subject.named.indicator.base in BANDS
        if not pierced and (subject is None or not state_fits(name, subject)):
            carried = self.topic if self.topic is not None and state_fits(name, self.topic) and self.strange_words == 0 else None
            subject = carried if subject is None or carried is not None else None
        base = ALONE.get(name)
        if subject is None and base is not None and (not BY_BASE[base].position or self.has_position):
            subject = self._subject(Named(BY_BASE[base]), index)
        return subject

    def _say_of(self, name: str, subject: Subject, index: int) -> None:
        if subject.named.indicator.position and name in _PROFITS:
            name = _PROFITS[name]
        if name in _PROFIT_KEYS and subject.named.indicator.position and self._how_far_follows(index):
            self._take(Subject(Named(BY_BASE[_PROFIT_KEYS[name]]), index))
            self.sure = True
            return
        self._say_state(PLAIN.get(name, name), subject, index)

    def _how_far_follows(self, index: int) -> bool:
        """`under water by 1.83%`: one statement, and the number makes it."""
        after = (item for item in self.items[index + 1 : index + 4] if item.cat not in {c.FILL, c.HEDGE, c.CMP, c.LINK})
        first = next(after, None)
        number = first.number if first is not None else None
        return number is not None and number.unit == "%"

    def _loose_profit(self, name: str, index: int) -> bool:
        """`already 1.8% in profit`, `1.83% under water`."""
        at, name = self.loose_number, _PROFITS.get(name, name)
        if name not in _PROFIT_KEYS or at is None or not self.has_position or self.sunk or self.negated is not None:
            return False
        number = self.items[at].number
        if number is None or number.unit != "%" or self.items[at].mode or any(item.cat != c.FILL for item in self.items[at + 1 : index]):
            return False
        self.loose_number = None
        base = _PROFIT_KEYS[name]
        subject = Subject(Named(BY_BASE[ONCE[base] if self.past else base]), index)  # `at one point we were 2.85% in the green`
        found = measure(subject.named, number, 0, True)
        if found is not None:
            self._emit_before(subject, at, index, found.value, found.step)
        return found is not None

    def _say_state(self, name: str, subject: Subject, index: int) -> None:
        start = self._start(subject, index)
        negated = self.negated is not None and index - self.negated <= _NEAR_NEGATION
        if negated and self.negated is not None:
            start = min(start, self.negated)
        if self.compared is not None and self.compared == ("<", index - 1):  # `未到超买`
            negated = not negated
        for fellow in self._fellows(subject, index, index) if subject.at < index and not name.endswith("align") else ():
            if state_fits(name, fellow):
                self._emit_state(name, fellow, fellow.at, index, index, index, negated=negated)
        self._emit_state(name, subject, start, index, index, index, negated=negated)
        self.topic, self.waiting_state = subject, None
        self._new_link()

    def _only_near(self, index: int) -> bool:
        """`approaching oversold`, `from oversold`: close to it, or past it, but not in it."""
        back = index - 1
        while back >= 0 and index - back <= _NEAR_STATE and self.items[back].cat in {c.FILL, c.LINK}:
            back -= 1
        return back >= 0 and self.items[back].cat in {c.APPROACH, c.HEDGE, c.FROM} and back >= self.clause_start

    def _relate_ahead(self, subject: Subject, op: str, at: int) -> None:
        """A comparison whose object goes without saying: a level or average with the price, one directional index with the other."""
        if subject.kind != "di":
            if self._lies_there(subject, at):
                op = "<" if op == ">" else ">"
            self._emit_state("price_above" if op == ">" else "price_below", subject, subject.at, at, at, at, other=Subject(_PRICE, at))
            return
        other = Named(BY_BASE["minus_di" if subject.named.indicator.base == "plus_di" else "plus_di"])
        self._relate(subject, op, Subject(other, subject.at, subject.frame), at, at)
        after = [item.cat for item in self.items[at + 1 : at + 3]]
        if after == [c.WEAK, c.LINK]:  # `-DI leads, at 36`
            self._take(subject)
            self.topic = subject

    def _lies_there(self, subject: Subject, at: int) -> bool:
        """`the 200 SMA lies far above`: the line is above the price, not the price above the line."""
        if not subject.at < at <= subject.at + _NEAR_LINE:
            return False
        first = max((place + 1 for place in range(subject.at, at) if self.items[place].cat == c.NUM), default=subject.at + 1)
        if any(item.cat == c.NEG for item in self.items[first:at]):
            return False
        verbs = [item for item in self.items[first:at] if item.cat == c.LINK]
        return any(verb.end - verb.start > 1 for verb in verbs)

    def _flush_level(self, index: int) -> None:
        """`阻力98,900尚未突破`, `support was taken out, below`: a comparison without an object is with the price."""
        level = self.subject
        if level is None and self.topic is not None and self.topic.kind == "level" and self.strange_words == 0:
            level = self.topic
        if self.compared is None or level is None or level.kind not in _LEVELS or self.sunk or self.past:
            return
        op, at = self.compared
        if all(item.cat == c.FILL for item in self.items[at + 1 : index]) and not self.items[at].mode:
            self._relate_ahead(level, op, at)
        self.compared = None
