"""Where a clause ends: what was pending is said, and what the next one may go on about is settled.

A comma can part a name from its value (`RSI, at 72, is stretched`), so a border is looked at from both sides.
"""

from engine.grounding import categories as c
from engine.grounding.indicators import BY_BASE
from engine.grounding.item import Item
from engine.grounding.named import Named
from engine.grounding.readings import Readings
from engine.grounding.relating import state_fits
from engine.grounding.scopes import PAST_MODE
from engine.grounding.volume import read_volume

_SHORT = 3
_LEAD = 7
_VALUES = frozenset({c.NUM, c.RANGE})


class Borders(Readings):
    """The part of the grammar that reads commas, conjunctions and sentence ends."""

    def _end_clause(self, index: int) -> None:
        self._flush_direction(index)
        self._flush_level(index)
        carried = self.topic is not None and self.topic.kind == "volume" and (self.subject is None or self.subject.kind == "volume")
        if not self.voluminous and not carried:
            return
        volume = read_volume(
            self.items, self.clause_start, index, self._subject(Named(BY_BASE["volume_ratio_20"]), self.clause_start), carried
        )
        if volume:
            start = self.items[self.clause_start].start
            while self.found and self.found[-1].subject.kind == "volume" and self.found[-1].start >= start:
                self.found.pop()
        self.found.extend(volume)

    def _border(self, index: int, item: Item) -> None:
        self._end_clause(index)
        turned = self.negated is not None and self._turns(index)
        led = self._is_bare(index) and (self._leads_to_a_value(index) or self._moves_by_a_value(index))
        turned = turned or led or self._set_off(index)
        turned = turned or (self.turned and index == self.clause_start)
        gone = self.subject is not None and (self.past or self.items[self.subject.at].mode == PAST_MODE)
        if not self.sunk and self.subject is not None and (self.filled or turned or gone):
            self.topic = self.subject
        if item.cat == c.STRONG:
            self.answering = item.val == "?"
            held = self.topic is not None and self.topic.named.indicator.position and item.val is None and item.end - item.start == 1
            self.topic, self.speaker = (self.last if self.answering else self.topic if held else None), None
            self.frame, self.frame_sticky = (self.frame, True) if self._is_heading(index) else (None, False)
        elif (
            not self.frame_sticky
            and item.cat == c.WEAK
            and self.frame is not None
            and index
            and self.items[index - 1].cat in {c.FRAME, c.FILL, c.IND}
        ):
            self.frame_sticky = self.clause_start == index - 1 or self.items[index - 1].cat != c.IND
        if item.cat == c.STRONG or (item.cat == c.CONJ and item.val not in {"and", "but"}):
            self.listed = None
        self._new_clause(index + 1)
        self.sure = self.turned = turned
        self.led = led

    def _set_off(self, index: int) -> bool:
        """`RSI, at 72, is stretched`, `the 200 EMA, 0.4102, caps rallies`, `ADX confirms, above 22`, `RSI, overbought on any reading`."""
        subject = self.subject
        if subject is None or self.filled:
            return False
        after = [item for item in self.items[index + 1 : index + 6] if item.cat not in {c.FILL, c.NOW}][:2]
        cats = [item.cat for item in after]
        bounded = len(after) == 2 and cats[0] == c.CMP and cats[1] in _VALUES and self.negated is None
        if not after or not self._is_bare(index):
            return bounded
        was = cats[0] == c.HISTORY and cats[1:] and cats[1] in _VALUES
        alone = cats[0] in _VALUES and (cats[1:2] == [] or cats[1] in {c.WEAK, c.STRONG, c.HISTORY})
        said = cats[0] == c.STATE and state_fits(str(after[0].val), subject)
        return bounded or bool(was) or alone or said or cats[0] in {c.IT, c.CMP, c.POST}

    def _is_bare(self, index: int) -> bool:
        """Whether a comma follows a subject of which nothing was said yet."""
        if self.subject is None or self.filled or self.items[index].cat != c.WEAK or index - self.subject.at > _SHORT + 1:
            return False
        return all(item.cat in {c.FILL, c.LINK, c.UNKNOWN, c.DIR, c.CMP, c.MEAN} for item in self.items[self.subject.at + 1 : index])

    def _leads_to_a_value(self, index: int) -> bool:
        """`funding, a touch negative at -0.04%`: behind the comma links, and at most one word nobody knows, before a number."""
        linked, strange = False, 0
        for item in self.items[index + 1 : index + 1 + _LEAD]:
            if item.cat in _VALUES:
                return linked
            linked = linked or item.cat in {c.LINK, c.HEDGE}
            strange += item.cat == c.UNKNOWN
            if item.cat not in {c.FILL, c.LINK, c.HEDGE, c.UNKNOWN, c.NOW, c.STATE} or strange > 1:
                return False
        return False

    def _moves_by_a_value(self, index: int) -> bool:
        """`open interest, off 3.9%`."""
        after = [item.cat for item in self.items[index + 1 : index + 4] if item.cat != c.FILL]
        return len(after) > 1 and after[0] == c.DIR and after[1] in _VALUES

    def _turns(self, index: int) -> bool:
        """`not 72 but 48.6`, `不是72，而是48.6`: what follows is about the same thing."""
        return any(item.val == "but" or item.cat == c.LINK for item in self.items[index : index + 2])

    def _is_heading(self, index: int) -> bool:
        """A line that is nothing but a timeframe holds for the lines below it."""
        return (
            self.items[index].val == "\n"
            and index > 0
            and all(item.cat in {c.FRAME, c.FILL, c.LINK, c.STRONG} for item in self.items[max(0, index - 4) : index])
            and any(item.cat == c.FRAME for item in self.items[max(0, index - 4) : index])
        )
