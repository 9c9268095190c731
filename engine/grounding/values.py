"""What a number is said of: the subject of its clause, the topic before it, a name behind it, or the position.

The number of bars a position is held, a multiple that is its leverage, a percentage that is its profit go without a name of their own.
"""

from engine.grounding import categories as c
from engine.grounding.borders import Borders
from engine.grounding.indicators import BY_BASE
from engine.grounding.item import Item
from engine.grounding.measures import measure
from engine.grounding.named import Named
from engine.grounding.numbers import Number
from engine.grounding.scopes import PAST_MODE
from engine.grounding.statement import Subject

_PROFIT = Named(BY_BASE["profit_pct"])
_PRICE = Named(BY_BASE["close"])
_SHORT = 3
_FAR = 12
_AFTER_BARS = frozenset({c.STRONG, c.WEAK, c.CONJ, c.POSITION, c.LINK})
_EXTREMES = frozenset({"mfe_pct", "mae_pct"})
_SIGNED = frozenset({"in_profit", "in_loss", "positive", "negative"})
_MOVES_OF_PROFIT = _EXTREMES | {"drawdown_from_peak_pct"}
_BESIDE_LEVERAGE = frozenset({"size", "entry_price", "liquidation_price"})


class Values(Borders):
    """The part of the grammar that reads numbers."""

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
        subject = self._spoken_of(number, index)
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

    def _spoken_of(self, number: Number, index: int) -> Subject | None:
        """What a number may be said of: the clause's subject, what the one before was about, or what goes without saying."""
        percent_of_range = self.topic is not None and self._also_in_percent(self.topic, number) and not self.sunk
        if self.subject is None and (self._goes_on(index) or percent_of_range):
            assert self.topic is not None
            self.subject = Subject(self._named_now(self.topic, index, number), self._link_start(index), self.topic.frame)
        subject, listed = self.subject, self.listed[1] if self.listed is not None else None
        if number.unit == "x" and self._is_gearing(number, index):
            self.filled = False
            return Subject(Named(BY_BASE["leverage"]), index)
        if subject is None and (self.moved is not None or number.signed) and self._moves_position(number):
            return Subject(Named(BY_BASE["side"]), self.moved[1] if self.moved is not None else index)
        crosses = subject is not None and subject.kind == "signal" and number.value == 0 and listed is not None
        return listed if crosses else subject  # `MACD is above its signal and above zero`

    def _is_gearing(self, number: Number, index: int) -> bool:
        """`long, entry 0.5262, 12x.`, `2% to the good, at 4x`: where it is of no average, a whole number of times is the leverage."""
        if not self.has_position or number.value % 1 or self.sunk or self.voluminous or not index:
            return False
        topic, before = self.topic, self.items[index - 1].cat
        if self.filled and self.subject is not None and self.subject.named.indicator.base == "hold_count":
            return False  # `held for 14 bars at 5x`: nobody knows of what
        after = next((item for item in self.items[index + 1 : index + 3] if item.cat != c.FILL), None)
        ends = after is None or after.val == "colon" or after.cat in {c.WEAK, c.STRONG, c.CLOSE, c.CONJ}
        owned = topic is not None and topic.named.indicator.position and (self.subject is None or self.subject.named.indicator.position)
        return owned and before in {c.WEAK, c.LINK, c.CONJ} and ends

    def _is_of_what_follows(self, owner: Subject, index: int) -> bool:
        """`-2.18% unrealized, -5.13% at the worst point`: the number stands before its name."""
        if self._opens_with(index) or self._is_on_what_follows(owner, index):
            return True
        if not owner.named.indicator.position or (owner.at >= self.clause_start and self.items[owner.at].cat == c.IND):
            return False
        ahead = [item for item in self.items[index + 1 : index + 5] if item.cat not in {c.FILL, c.LINK}]
        if ahead and ahead[0].cat == c.STATE and ahead[0].val in _SIGNED and self.items[index + 1] is ahead[0]:
            return True  # `bought at 18.878, now 2.18% in the red`
        named = ahead[0].val if ahead and ahead[0].cat == c.IND else None
        if len(ahead) > 1 and ahead[1].cat in {c.NUM, c.RANGE}:
            return False  # `up 1.02% with MAE at 2.6%`: that name has a number of its own
        other = isinstance(named, Named) and named.indicator.base != owner.named.indicator.base
        shared = self.items[index + 1].val == "share" if index + 1 < len(self.items) else False  # `只剩0.6%的浮盈`
        return other and isinstance(named, Named) and (named.indicator.base in _MOVES_OF_PROFIT or (shared and named.indicator.position))

    def _is_on_what_follows(self, owner: Subject, index: int) -> bool:
        """`sentiment is broken, at 22 on the fear index`."""
        after = self.items[index + 1 : index + 4]
        named = next((item for item in after[1:] if item.cat != c.FILL), None)
        here = owner.at >= self.clause_start and self.items[owner.at].cat != c.IT
        return not here and bool(after) and after[0].cat == c.LINK and named is not None and named.cat == c.IND

    def _opens_with(self, index: int) -> bool:
        """`and at 22 the Fear & Greed index is low`: a number right before its name, at the beginning of a clause."""
        if index - self.clause_start > _SHORT:
            return False
        opening = [item for item in self.items[self.clause_start : index] if item.cat != c.CONJ]
        ahead = [item.cat for item in self.items[index + 1 : index + 3]]
        return len(opening) == 1 and opening[0].cat == c.LINK and ahead == [c.FILL, c.IND]

    def _named_now(self, topic: Subject, index: int, number: Number) -> Named:
        """`peaked at +3.4% and now sits at +2.29%`, `entered at 63,827, now +0.6%`: what has become of it is the profit."""
        now = any(item.cat == c.NOW for item in self.items[max(self.clause_start, index - _FAR) : index])
        base = topic.named.indicator.base
        if now and base == "entry_price" and number.unit != "%":
            return _PRICE  # `filled at 701.39, currently 688.3`
        return _PROFIT if now and (base in _EXTREMES or base == "entry_price") else topic.named

    def _is_share(self, owner: Subject, number: Number, index: int) -> bool:
        """`最大浮盈的33%`: a share of it, not its value."""
        return owner.named.indicator.position and number.unit == "%" and self.items[index - 1].val == "share"

    def _moves_position(self, number: Number) -> bool:
        """`Entry 95,200, now up 2.29%`: it is the position that is up."""
        position = self.topic is not None and self.topic.named.indicator.position
        return position and number.unit == "%" and not self.sunk and self.strange_words == 0

    def _number_owner(self, subject: Subject, number: Number, index: int) -> Subject | None:
        """The position itself has no number: an entry price when it comes from somewhere, else its profit."""
        base = subject.named.indicator.base
        if number.unit == "x" and (base == "side" or (self.filled and base in _BESIDE_LEVERAGE)):
            self.filled = False  # `long from 63,827 at 5x`, `size 0.98 at 20x`
            return Subject(Named(BY_BASE["leverage"]), subject.at)
        if base != "side":
            shrunk = base in _EXTREMES and self.towards and self.filled  # `from a peak of 3.43% it shrank to 1.49%`
            return Subject(_PROFIT, subject.at) if shrunk else subject
        if number.unit == "%":
            self.filled = self.filled and self.moved is None
            return Subject(_PROFIT, subject.at) if self.moved is not None or number.signed else None
        if number.unit == "" and index == subject.at + 1 and self._counts_units(subject.at, index):
            return Subject(Named(BY_BASE["size"]), subject.at)
        entered = self.origin or self.sure or self._opens_with_side(subject.at, index)
        priced = entered and self.items[subject.at].cat == c.SIDE and self.items[index - 1].val != "of"
        return Subject(Named(BY_BASE["entry_price"]), subject.at) if priced else None

    def _opens_with_side(self, at: int, index: int) -> bool:
        """`Short 143.20, mark 141.07`: a side and a price are all there is to the clause."""
        following = self.items[index + 1].cat if index + 1 < len(self.items) else c.STRONG
        return at == self.clause_start and index == at + 1 and following in {c.WEAK, c.STRONG}

    def _counts_units(self, at: int, index: int) -> bool:
        """`仓位1.71`, `short 2.71 ETH`: how much is held."""
        following = self.items[index + 1] if index + 1 < len(self.items) else None
        asset = following is not None and following.cat == c.ASSET and str(following.val) in self.own
        return self.items[at].cat == c.POSITION or asset
