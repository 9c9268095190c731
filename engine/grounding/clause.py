"""A clause while it is being read: what was seen so far, and how a statement is made of it.

`subject` is what the clause speaks of, `before` the subject it replaced, `topic` what a clause without a subject goes on about, `last`
what a pronoun means. The link fields say what stands between subject and value. `subjects.py` and `reader.py` fill them; the methods here
decide whether a number belongs to the subject and put statements together.
"""

from dataclasses import replace

from engine.domain.claims import Relation
from engine.grounding import categories as c
from engine.grounding.item import Item
from engine.grounding.named import Named
from engine.grounding.numbers import Number
from engine.grounding.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.statement import Statement, Subject

_PAST_KEYS = frozenset({"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "leverage", "size"})
_MOVED_KEYS = frozenset({"mfe_pct", "mae_pct", "drawdown_from_peak_pct"})
_FRAMELESS = frozenset({"close", "change_24h_pct", "drop_24h_pct", "funding_rate_pct", "fear_greed"})
_COPULA = frozenset({c.LINK, c.FILL, c.NOW, c.THEN})
_LEADING = frozenset({c.FILL, c.NOW, c.THEN, c.CONJ, c.AND})
_SAME_NAME = frozenset({c.FILL, c.FRAME, c.OPEN, c.CLOSE, c.NUM, c.RANGE})
_NEAR_STATE = 4
_FRAME_AFTER = 3
_LONGEST_LIST = 14
_FARTHEST = 30  # items; claims that all begin at one far name would cost a square of the text
_STRANGERS = 2
"""Words nobody knows between a verb and its number: `RSI is a limp 40`."""


class Clause:
    """The state of reading. has_position: whether the sheet knows a position; frame, higher: its timeframes."""

    def __init__(self, items: list[Item], own: frozenset[str], has_position: bool, frame: str, higher: str | None) -> None:
        self.items = items
        self.own = own
        self.has_position = has_position
        self.frame_name = frame
        self.higher = higher
        self.found: list[Statement] = []
        self.last: Subject | None = None
        self.topic: Subject | None = None
        self.speaker: str | None = None
        self.frame: str | None = None
        self.frame_sticky = False
        self.clause_start = 0
        self.turned = False
        self.answering = False
        self.listed: tuple[str, Subject | None, int] | None = None
        self._new_clause(0)

    def _new_clause(self, start: int) -> None:
        self.clause_start = start
        self.subject: Subject | None = None
        self.before: Subject | None = None
        self.sunk = False
        self.loose_words = 0
        self.strange_words = 0
        self.sure = False
        self.led = False
        self.filled = False
        self.loose_number: int | None = None
        self.waiting_state: int | None = None
        self.bounded = False
        self.soft = True
        self.voluminous = False
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

    def _subject(self, named: Named, at: int) -> Subject:
        """The named indicator in the timeframe that holds here."""
        frame = named.frame or self.frame
        loose = named.frame is None and not self.frame_sticky and self.frame is not None and not self._adjacent_frame(at)
        if named.indicator.base in _FRAMELESS or named.indicator.position:
            return Subject(named, at)
        if frame == "htf":
            frame = self.higher or "htf"
        frame = None if frame == self.frame_name else frame
        return Subject(named, at, None, frame) if loose and not self._joined(at) else Subject(named, at, frame)

    def _joined(self, at: int) -> bool:
        """`1h RSI and ADX`: one timeframe for both."""
        back = at - 1
        while back >= 0 and self.items[back].cat in {c.AND, c.FILL}:
            back -= 1
        return (
            0 <= back < at - 1
            and self.items[back].cat == c.IND
            and any(item.cat == c.AND or item.val == "/" for item in self.items[back + 1 : at])
        )

    def _adjacent_frame(self, at: int) -> bool:
        back = at - 1
        while back >= 0 and self.items[back].cat in {c.FILL, c.LINK} and at - back <= _NEAR_STATE:
            back -= 1
        return back >= 0 and self.items[back].cat == c.FRAME

    def _take(self, subject: Subject) -> None:
        """Make it the subject of what follows."""
        self.before, self.subject, self.last, self.sunk = self.subject, subject, subject, False
        self.filled, self.sure, self.loose_words = False, False, 0
        self._new_link()

    def _kind_at(self, index: int) -> str:
        """The kind of the indicator named at `index`."""
        val = self.items[index].val
        return val.indicator.kind if isinstance(val, Named) else ""

    def _emit_number(
        self, subject: Subject, index: int, number: Number, value: float, step: float, base: str | None = None, high: float | None = None
    ) -> None:
        end, post, hedge_after = self._after_number(index, subject)
        op = post or (self.compared[0] if self.compared is not None else "") or number.bound
        relation: Relation = "between" if high is not None else ">" if op == ">" else "<" if op == "<" else "="
        if self._definition(index) and relation != "=":
            return
        subject = self._frame_after(subject, end)
        also = self.before if self.before is not None and self._is_one_level(self.before, subject) else None
        item = self.items[index]
        start = min(self._start(subject, index), self._link_start(index))
        said = Statement(
            subject=subject, start=self.items[start].start, end=self.items[end].end, value_start=item.start, value_end=item.end,
            relation=relation, number=value, high=high, step=step, hedged=self.hedged is not None or hedge_after, base=base, also=also,
            speaker=self.speaker,
        )  # fmt: skip
        fellows = self._fellows(subject, index, end)
        self.found.extend(replace(said, subject=fellow, start=self.items[fellow.at].start, also=None) for fellow in fellows)
        self.found.append(said)
        self.filled, self.sure, self.topic, self.loose_number = True, False, subject, None
        self._new_link()

    def _fellows(self, subject: Subject, index: int, end: int) -> list[Subject]:
        """`RSI, MFI and %K are all above 60`: the others of which the same is said, measured alike."""
        between = self.items[subject.at + 1 : index] if index - subject.at <= _FARTHEST else []
        shared = any(str(item.val) in {"all", "plural"} for item in between)
        own_number = [item.cat for item in self.items[end + 1 : end + 3]]
        if not shared or (len(own_number) == 2 and own_number[0] in {c.AND, c.CONJ} and own_number[1] in {c.NUM, c.RANGE}):
            return []
        found, joined = [], False
        for at in range(subject.at - 1, max(-1, subject.at - _LONGEST_LIST), -1):
            item = self.items[at]
            joined = joined or item.cat == c.AND or item.val == "and"
            if item.cat == c.IND and isinstance(item.val, Named) and not item.mode:
                found.append(self._subject(item.val, at))
            elif item.cat not in {c.AND, c.WEAK, c.FILL, c.FRAME} and item.val != "and":
                break
        return [fellow for fellow in found if fellow.kind == subject.kind] if joined else []

    def _start(self, subject: Subject, index: int) -> int:
        """Where a statement about `subject` begins that ends at `index`: at its name, when that is in this clause and not far."""
        return subject.at if self.clause_start <= subject.at < index and index - subject.at <= _FARTHEST else index

    def _is_one_level(self, first: Subject, second: Subject) -> bool:
        """`resistance at the 200 EMA (64,250)`: an average and a level in one phrase are one price, and the number may be either's.

        Not so where the phrase of the first is over (`EMA50 is rising: resistance stands at 64,250`), nor where only a pronoun brings the
        first in from elsewhere (`Against it stands resistance at 64,250`), unless that very pronoun is the second: `it is resistance`.
        """
        if {first.kind, second.kind} != {"line", "level"}:
            return False
        between = self.items[first.at + 1 : second.at]
        if self.items[first.at].cat == c.IT:
            leading = self.items[self.clause_start : first.at]
            plain = all(item.cat in _COPULA and item.val is None for item in between)
            return plain and bool(between) and all(item.cat in _LEADING for item in leading)
        ends = [at for at, item in enumerate(between) if item.val == "colon" or item.cat == c.OPEN]
        return all(item.cat in _SAME_NAME for item in between[: ends[-1] if ends else 0])

    def _definition(self, index: int) -> bool:
        return self.items[index].mode == WEAK_DEFINITION

    def _after_number(self, index: int, subject: Subject) -> tuple[int, str, bool]:
        """Words after the number that belong to it: `以上`, `左右`; gives the last item, a relation, whether it is approximate."""
        end, post, hedged = index, "", False
        for later in range(index + 1, min(index + 3, len(self.items))):
            item = self.items[later]
            if item.cat == c.POST and not post:
                if subject.kind in {"line", "level"} and item.end - item.start > len("上方"):
                    break  # `VWAP 3,379也在脚下`: where the price is, not how large the number
                end, post = later, str(item.val)
            elif item.cat == c.HEDGE_POST:
                end, hedged = later, True
            elif item.cat != c.FILL:
                break
        return end, post, hedged

    def _frame_after(self, subject: Subject, end: int) -> Subject:
        """`RSI at 46 on the 1h`."""
        for later in range(end + 1, min(end + 1 + _FRAME_AFTER, len(self.items))):
            item = self.items[later]
            if item.cat == c.FRAME:
                following = self.items[later + 1].cat if later + 1 < len(self.items) else c.STRONG
                joined = self.items[later - 1].cat in {c.LINK, c.FILL, c.OPEN} and later > end + 1
                if following == c.IND or not joined or subject.named.indicator.base in _FRAMELESS or subject.named.indicator.position:
                    return subject
                frame = self.higher or "htf" if item.val == "htf" else str(item.val)
                return Subject(subject.named, subject.at, None if frame == self.frame_name else frame)
            if item.cat not in {c.LINK, c.FILL, c.OPEN}:
                break
        return subject

    def _emit_before(self, subject: Subject, at: int, index: int, value: float, step: float) -> None:
        start = self.moved[1] if self.moved is not None and self.moved[1] < at else at
        relation: Relation = "="
        if self.compared is not None and self.compared[1] < at:
            written = self.items[at].number
            turned = value < 0 and written is not None and written.value > 0  # down over 4 %: below -4
            relation = ">" if (self.compared[0] == ">") != turned else "<"
        self.found.append(
            Statement(
                subject=subject, start=self.items[start].start, end=self.items[index].end, value_start=self.items[at].start,
                value_end=self.items[at].end, relation=relation, number=value, step=step, hedged=self.hedged is not None,
                speaker=self.speaker,
            )
        )  # fmt: skip
        self.topic, self.moved = subject, None

    def _emit_state(
        self,
        state: str,
        subject: Subject,
        start: int,
        end: int,
        value_first: int,
        value_last: int,
        *,
        other: Subject | None = None,
        negated: bool = False,
    ) -> None:
        low, high = min(start, value_first), max(end, value_last)
        self.found.append(
            Statement(
                subject=subject, start=self.items[low].start, end=self.items[high].end, value_start=self.items[value_first].start,
                value_end=self.items[value_last].end, state=state, negated=negated, other=other, speaker=self.speaker,
            )
        )  # fmt: skip

    def _link_start(self, index: int) -> int:
        places = [at for at in (self.compared[1] if self.compared else None, self.hedged, self.negated) if at is not None]
        return min([*places, index])

    def _now_at(self, index: int) -> bool:
        back = index - 1
        while back >= self.clause_start and self.items[back].cat in {c.LINK, c.FILL}:
            back -= 1
        return back >= self.clause_start and self.items[back].cat == c.NOW

    def _goes_on(self, index: int) -> bool:
        """Whether a number without a subject goes on about the last topic: `RSI 57.9, above 50`."""
        return (
            self.topic is not None
            and not self.sunk
            and self.strange_words <= self.led
            and (
                self.led
                or self.compared is not None
                or self.hedged is not None
                or self.towards
                or self.answering
                or self._framed(index)
                or self._now_at(index)
                or (self.sure and self.soft)
                or self._exactly(index)
            )
        )

    def _exactly(self, index: int) -> bool:
        """`RSI is overbought, 71.9 to be exact`: a number alone behind a reading in words."""
        said = self.found[-1] if self.found else None
        after = next((item.cat for item in self.items[index + 1 : index + 3] if item.cat != c.FILL), c.STRONG)
        fresh = said is not None and said.relation == "state" and said.end == self.items[self.clause_start - 1].start
        measured = self.topic is not None and self.topic.kind in {"oscillator", "trend", "cci", "mood"}
        return fresh and measured and index == self.clause_start and after in {c.WEAK, c.STRONG, c.CLOSE}

    def _framed(self, index: int) -> bool:
        """`RSI is 26.2 on the 5m and 44.3 on the 15m`."""
        after = [item.cat for item in self.items[index + 1 : index + 4] if item.cat != c.FILL]
        return after[:2] == [c.LINK, c.FRAME] and self.soft and self.strange_words == 0

    def _linked(self, subject: Subject, number: Number) -> bool:
        """Whether the number is joined to the subject closely enough to be its value."""
        indicator = subject.named.indicator
        gone = (self.past or self.items[subject.at].mode == PAST_MODE) and indicator.base not in _PAST_KEYS
        between = self.items[self.negated + 1 : subject.at] if self.negated is not None and self.negated < subject.at else [None]
        beside = all(item is not None and item.cat in {c.FILL, c.FRAME} for item in between)  # `nor the 1h CCI at 28` denies no number
        denied = self.approached or (self.negated is not None and self.compared is None and not beside)
        nameless = indicator.family and subject.named.period is None
        uncounted = indicator.base == "hold_count" and not self.sure and self.items[subject.at + 1].cat != c.COUNT
        if gone or denied or nameless or uncounted or self.loose_words > (_STRANGERS if self.sure else 0):
            return False
        if self.moved is not None and not (self.towards or self.sure or self.compared is not None or indicator.signed):
            return indicator.base in _MOVED_KEYS
        return not self.filled or self.compared is not None or self.towards or self._also_in_percent(subject, number)

    def _also_in_percent(self, subject: Subject, number: Number) -> bool:
        """`ATR 45.99, or 1.35% of the price`: the same again, in percent."""
        return subject.kind == "atr" and number.unit == "%"

    def _is_entry(self) -> bool:
        return self.subject is not None and self.subject.named.indicator.base in {"side", "entry_price"}
