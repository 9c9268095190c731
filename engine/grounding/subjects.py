"""What a clause speaks of: indicators, the price, the position, pronouns, and what one of them is compared with.

An indicator is either the object of a comparison that is open (`price above EMA50`) or the new subject; a number or a reading that stood
before it (`6x leverage`, `bullish crossover on the MACD`) is taken up then.
"""

from dataclasses import replace

from engine.grounding import categories as c
from engine.grounding.clause import Clause
from engine.grounding.indicators import BY_BASE
from engine.grounding.item import Item
from engine.grounding.measures import measure
from engine.grounding.named import Named
from engine.grounding.numbers import Number
from engine.grounding.relating import compatible, relate, state_fits
from engine.grounding.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.statement import Subject

_PAST_KEYS = frozenset({"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "leverage", "size"})
_LISTING = frozenset({c.AND, c.FILL, c.OPEN, c.CLOSE, c.NUM, c.WEAK})
_PRICE = Named(BY_BASE["close"])
_PRICES = frozenset({"entry_price", "liquidation_price", "vwap"})
_AFTER_PRONOUN = frozenset({c.LINK, c.NUM, c.RANGE, c.HEDGE, c.FILL, c.NOW, c.PAST, c.CMP, c.NEG, c.SINK, c.COUNT})
_IT = len("it")
_READ_ON = frozenset({"trend", "oscillator", "cci", "signal", "macd", "histogram"})
_NEAR_STATE = 4
_FAR_BACK = 60
BANDS = {"bb_upper": ">", "bb_lower": "<"}
ONCE = {"profit_pct": "mfe_pct", "loss_pct": "mae_pct"}
_FAR = 8
_APPOSED = 2
_ORDER = {"former": -2, "latter": -1}


class Subjects(Clause):
    """The half of the grammar that finds subjects and objects."""

    def _indicator(self, index: int, item: Item) -> None:
        assert isinstance(item.val, Named)
        named = item.val
        if named.indicator.base in ONCE and self.subject is not None and self.subject.kind == "change" and not self.filled:
            self.moved = -1 if named.indicator.base == "loss_pct" else 1, index  # `the 24h change is a loss of 4.51%`
            return
        if named.indicator.position and not self.has_position:
            self._sink(index, item)
            return
        if named.indicator.base == "close" and self._is_change_of_price(index):
            return
        if named.indicator.base == "change_24h_pct" and self.subject is not None and self.subject.kind in {"oi", "volume", "funding"}:
            return
        if (
            self.past
            and named.indicator.base in ONCE
            and (self.items[index - 1].cat in {c.PAST, c.FILL} or self.items[index - 1].val == "of")
        ):
            named = Named(BY_BASE[ONCE[named.indicator.base]])  # `曾经浮盈2.85%`: its best
        subject = self._subject(named, index)
        if self._object(subject, index):
            return
        self._number_before(subject, index)
        self._flush_direction(index)
        negated, moved = self.negated, self.moved
        said = self.found[-1] if self.found else None
        self._take(subject)
        if said is not None and said.subject.named == named and said.value_end == self.items[index - 1].end:
            self.filled = True  # `surrendered 1.94 points from the top`: its number was read
        if negated is not None and self.items[negated].val == "none" and index - negated <= _NEAR_STATE:
            self.negated = negated
        if moved is not None and index - moved[1] <= 2 and subject.kind in {"flow", "oi"}:
            self.moved = moved
        self._state_before(subject, index)

    def _is_change_of_price(self, index: int) -> bool:
        """`24小时价格回落1.2%`: the change, not the price."""
        subject = self.subject
        return subject is not None and subject.kind == "change" and not self.filled and index - subject.at <= _APPOSED

    def _object(self, subject: Subject, index: int) -> bool:
        """`price above EMA50`, `+DI below -DI`, `near the upper band`: the new indicator is what the old one is compared with."""
        if self.listed is not None and self._is_listed(index):
            op, left, _ = self.listed
            if compatible(left, subject) and subject.kind == self._kind_at(self.listed[2]):
                self._relate(left, op, subject, index, index)
                return True
        if self.sunk and self.subject is None:
            return False
        if self.compared is not None:
            op, at = self.compared
            left = self._left(subject)
            related = compatible(left, subject) if left is not None else subject.kind in {"line", "level"}
            if related:
                self._relate(left, op, subject, at, index)
            return related
        price = self.subject if self.subject is not None else self.topic
        if price is None or price.kind != "price" or subject.kind != "line" or self.hedged is None or index - self.hedged > _NEAR_STATE:
            return False
        self._emit_state("price_near", subject, price.at, index, self.hedged, self.hedged, other=price)
        self._take(subject)
        return True

    def _left(self, right: Subject) -> Subject | None:
        """What an open comparison compares; None is the price, named or not."""
        if self._goes_on_comparing():
            assert self.listed is not None
            return self.listed[1]
        left = self.subject if self.subject is None or self.subject.named.indicator.base != "side" else None
        if left is None and self.listed is not None and self.listed[2] >= self.clause_start - _FAR:
            return self.listed[1]
        if left is None and self.topic is not None and self.topic.kind != "price" and compatible(self.topic, right):
            return self.topic
        return left

    def _goes_on_comparing(self) -> bool:
        """`价格高于EMA20、低于EMA50`: both are said of the price."""
        if self.listed is None or self.subject is None or self.compared is None or not self.compared[1]:
            return False
        return self.listed[2] == self.subject.at and self.items[self.compared[1] - 1].cat == c.AND

    def _is_listed(self, index: int) -> bool:
        """`above EMA20 (97,810) and EMA50`: one more of a list, not the subject of something new."""
        assert self.listed is not None
        between = self.items[self.listed[2] + 1 : index]
        joined = any(item.cat == c.AND or item.val == "and" for item in between) or any(item.cat == c.FILL for item in between)
        following = self.items[index + 1].cat if index + 1 < len(self.items) else c.STRONG
        return (
            joined
            and all(item.cat in _LISTING or item.val == "and" for item in between)
            and following not in {c.LINK, c.NUM, c.CMP, c.HEDGE, c.STATE, c.DIR, c.RANGE, c.PAST, c.NEG}
        )

    def _relate(self, left: Subject | None, op: str, right: Subject, at: int, index: int, end: int | None = None) -> None:
        """Emit `left op right` and go on with the right one, whose value may follow."""
        if left is not None and left.kind == right.kind == "line" and self.items[left.at].cat == c.IT:
            left = None  # `it lost the EMA200`: the price did
        if self.past or self.items[at].mode in {PAST_MODE, WEAK_DEFINITION}:
            self._take(right)
            return
        related = relate(left, op, right, Subject(_PRICE, at))
        start = self._start(left, at) if left is not None else at
        if related is not None:
            subject, other, state = related
            self._emit_state(state, subject, start, index if end is None else end, at, at, other=other)
        topic = left if left is not None else Subject(_PRICE, at)
        self._take(right)
        self.topic = topic
        self.listed = op, left, index

    def _number_before(self, subject: Subject, index: int) -> None:
        """`6x leverage`, `33 bars held`, `up 1.85% over 24 hours`, `a 3.1% MFE`."""
        at = self.loose_number
        self.loose_number = None
        if at is None or (any(item.val == "of" for item in self.items[at + 1 : index]) and not self._is_amount(subject, at, index)):
            return
        if any(item.cat not in {c.FILL, c.LINK, c.FROM, c.DIR, c.CMP} for item in self.items[at + 1 : index]):
            return
        item, base = self.items[at], subject.named.indicator.base
        if base == "mfe_pct" and any(other.cat == c.CMP for other in self.items[at + 1 : index]):
            return  # `1.11% below its peak`
        if item.cat == c.COUNT:
            if base == "hold_count":
                self._emit_before(subject, at, index, float(item.count[0]), 1.0)
            return
        number = item.val
        if not isinstance(number, Number) or (self.past and base not in _PAST_KEYS) or self.items[at].mode:
            return
        fits = (number.unit == "x" and base == "leverage") or (
            number.unit == "%" and (subject.named.indicator.position or subject.kind in {"change", "oi", "funding"})
        )
        beside = index - at == 1 or (index - at == 2 and self.items[at + 1].val == "share")
        fits = fits or (beside and number.unit in {"", "$"} and base in _PRICES)
        bounded = self.compared is not None and at - self.compared[1] <= _APPOSED
        led = at > 0 and self.items[at - 1].cat == c.LINK and index - at == _APPOSED  # `at 66 the RSI`
        on = led or (index - at <= _APPOSED + 1 and any(item.cat == c.LINK for item in self.items[at + 1 : index]))
        fits = fits or (number.unit == "" and on and subject.kind in _READ_ON)  # `a reading of 72 on the RSI`
        fits = fits or (
            number.unit == "" and subject.kind in {"trend", "oscillator"} and index - at == 1 and (number.decimals > 0 or bounded)
        )
        fits = fits or (number.unit == "" and subject.kind == "signal" and index - at == 1)
        fits = fits or (number.unit == "" and subject.kind == "mood" and index - at > 1)  # `at 39 on the Fear & Greed scale`
        fits = fits or (number.decimals > 0 and number.unit == "" and base == "drawdown_from_peak_pct" and index - at <= _APPOSED)
        fits = fits or (subject.kind == "price" and number.unit in {"", "$"} and index - at == 1 and self.items[at - 1].cat == c.LINK)
        found = (
            measure(subject.named, number, self.moved[0] if self.moved is not None and self.moved[1] < index else 0, True) if fits else None
        )
        if found is not None:
            self._emit_before(subject, at, index, found.value, found.step)

    def _is_amount(self, subject: Subject, at: int, index: int) -> bool:
        """`3.43% of open profit` is how much there is; `40% of the profit` is a share of it."""
        return at == index - 2 and subject.named.indicator.base in {*ONCE, *ONCE.values()}

    def _state_before(self, subject: Subject, index: int) -> None:
        """`a bullish crossover on the MACD`, `positive funding`."""
        at = self.waiting_state
        self.waiting_state = None
        if at is not None and self.items[at].val == "broken" and subject.named.indicator.base in BANDS and index - at <= _NEAR_STATE:
            self._relate(None, BANDS[subject.named.indicator.base], subject, at, index)
            return
        if at is None or index - at > _NEAR_STATE or not state_fits(str(self.items[at].val), subject):
            return
        if any(item.cat not in {c.FILL, c.LINK, c.FRAME} for item in self.items[at + 1 : index]):
            return
        negated = at > 0 and self.items[at - 1].cat == c.NEG
        self._emit_state(str(self.items[at].val), subject, at - negated, index, at, at, negated=negated)
        self.topic = subject

    def _flush_direction(self, index: int) -> None:
        """`OBV is falling`: a direction no number came after."""
        if self.moved is None or self.subject is None or self.filled or self.sunk or self.past:
            return
        direction, at = self.moved
        if self.negated is not None and self.negated < at:  # `rising without follow-through` is rising
            return
        if self.subject.kind in {"flow", "oi"} and not self.items[at].mode and self.loose_number is None:
            self._emit_state(
                "rising" if direction > 0 else "falling", self.subject, min(self.subject.at, at), max(self.subject.at, at), at, at
            )
            self.topic = self.subject
        self.moved = None

    def _pronoun(self, index: int, item: Item) -> None:
        following = self.items[index + 1] if index + 1 < len(self.items) else None
        place = _ORDER.get(str(item.val))
        if place is not None:
            self._ordinal(index, place)
            return
        if self._pronoun_object(index, following):
            return
        if self.last is None or self.subject is not None or following is None:
            return
        if following.cat in _AFTER_PRONOUN or (following.cat == c.DIR and self._is_moved(item, index)):
            # `on the 1h it is 58`
            elsewhere = any(before.cat == c.FRAME for before in self.items[max(self.clause_start, index - _FAR) : index])
            own = self._subject(replace(self.last.named, frame=None), index)
            self.subject = own if elsewhere else Subject(self._by_now(index), index, self.last.frame)
            self.sunk, self.filled, self.sure, self.loose_words = False, False, True, 0

    def _is_moved(self, item: Item, index: int) -> bool:
        """`it rose`; `which fell 7.2%`, but not `which adds to the case`."""
        assert self.last is not None
        after = self.items[index + 2].cat if index + 2 < len(self.items) else c.STRONG
        moves = self.last.kind in {"oi", "change"} or self.last.named.indicator.base == "side"
        return moves and (item.end - item.start == _IT or after == c.NUM)

    def _by_now(self, index: int) -> Named:
        """`It peaked at 2.77%; it is at 1.02% today`: what was its best has become its profit."""
        assert self.last is not None
        now = any(item.cat == c.NOW for item in self.items[max(self.clause_start, index - _FAR) : index + _FAR])
        return Named(BY_BASE["profit_pct"]) if now and self.last.named.indicator.base in ONCE.values() else self.last.named

    def _ordinal(self, index: int, place: int) -> None:
        """`the former is at 18.7, the latter at 18.9`: of the last two that were named."""
        names = [at for at in range(max(0, index - _FAR_BACK), index) if self.items[at].cat == c.IND]
        if len(names) < 2:
            return
        named = self.items[names[place]].val
        assert isinstance(named, Named)
        meant = self._subject(named, index)
        if self.compared is not None and compatible(self.subject, meant):
            self._relate(self.subject, self.compared[0], meant, self.compared[1], index)
        else:
            self._take(meant)
            self.sure = True

    def _pronoun_object(self, index: int, following: Item | None) -> bool:
        """`VWAP 3,379, price sits below it`, `价格在其下方`: the pronoun is the line that was spoken of."""
        line, price = self.topic, self.subject
        if line is None or line.kind not in {"line", "level"}:
            return False
        if (price is not None and price.kind != "price") or line.at >= (self.clause_start if price is None else price.at):
            return False
        meant = Subject(line.named, index, line.frame)
        if price is not None and following is not None and following.cat == c.POST:
            self.before, self.subject = price, meant
            return True
        ends = following is None or following.cat in {c.WEAK, c.STRONG, c.CONJ, c.CLOSE}
        if self.compared is None or not ends or self.items[index].val == "truth":
            return False
        self._relate(price, self.compared[0], meant, self.compared[1], index)
        return True

    def _trades(self, index: int, item: Item) -> None:
        if self.subject is None or self.sunk:
            self._take(Subject(_PRICE, index))
        self.sure = True

    def _asset(self, index: int, item: Item) -> None:
        if str(item.val) not in self.own:
            return
        if self._holds_so_much(index):
            return
        if self.subject is None:
            self._take(Subject(_PRICE, index))

    def _holds_so_much(self, index: int) -> bool:
        """`2.71 ETH is a small position`, `1.71 BTC open`: a number of the position's own coins."""
        at = self.loose_number
        number = self.items[at].number if at is not None else None
        if at is None or at != index - 1 or number is None or number.unit or self.items[at].mode or not self.has_position:
            return False
        if self.sunk or (self.subject is not None and not self.subject.named.indicator.position):
            return False  # `volume of 12,345 BTC`
        self._emit_before(Subject(Named(BY_BASE["size"]), index), at, index, number.value, number.step)
        self.loose_number = None
        return True

    def _sink(self, index: int, item: Item) -> None:
        self._flush_direction(index)
        self.subject, self.sunk, self.loose_number, self.filled = None, True, None, False
        self._new_link()

    def _extreme(self, index: int, item: Item) -> None:
        """`the high of 98,000` is another price; `RSI is high at 72` is the same RSI."""
        of_a_time = index > 0 and self.items[index - 1].cat in {c.COUNT, c.FRAME}
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
        owned = self.subject is not None and self.subject.named.indicator.base == "side" and not self.filled
        owned = owned and self.subject is not None and (self.sure or self.subject.at == index - 1)
        if owned and self.subject is not None and not self.past and self.negated is None:
            self._emit_state(str(item.val), self.subject, self.subject.at, index, index, index)
        self._take(subject)
