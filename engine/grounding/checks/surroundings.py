"""One claim in its surroundings: the clause and the sentence of its value, what else the text states, and what it was written like.

What the doubts look at. Windows are bounded, so that a sentence without an end is read in linear time.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.domain.facts import FactSheet
from engine.grounding.checks.verdict import CheckResult, check
from engine.grounding.grammar.state import RawClaim
from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.lists import SPOKEN_FRAMES

_WINDOW: Final = 40
_LONGEST_WORDS: Final = 60
_BORDERS: Final = frozenset({c.STRONG, c.WEAK, c.CONJ})
VALUES: Final = frozenset({c.NUM, c.RANGE})
JOINTS: Final = frozenset({c.FILL, c.TRADE, c.LINK, c.HEDGE, c.OPEN, c.CLOSE, c.PIPE, c.FRAME, c.NOW, c.HEDGE_POST, c.FUZZY})
_ENDS: Final = frozenset({c.WEAK, c.STRONG, c.CLOSE, c.PIPE, c.CONJ, c.AND, c.LINK, c.OPEN})
_STRANGE: Final = frozenset({c.UNKNOWN, c.SINK, c.MODAL, c.IF, c.HISTORY, c.ASSET, c.NUM})
_NAMES: Final = frozenset({c.IND, c.POSITION, c.SIDE, c.STATE, c.DIR, c.TRADE})
OTHERS: Final = frozenset({c.UNKNOWN, c.IND, c.ASSET, c.SINK})
PROFITS: Final = frozenset({"profit_pct", "loss_pct"})
COUNTED: Final = frozenset({"shares_held", "position_weight_pct", "average_price", "account_total_value"})
ROUNDED: Final = 1 + 1e-9
FEW: Final = 4
NEARBY: Final = 30
HIGHER: Final = "htf"
"""The higher timeframe, where a text does not say which."""
FAR_PRICE: Final = 2.0
"""How many times the price a number may be, or the price it, to be taken for a price."""


@dataclass(frozen=True)
class ReadItems:
    """A text as it was read. items: with their modes. normal: the normalised text. original: gives the original spelling of an item.
    claims: what is stated in it; results: what the facts say of each of them, in the same order. read: how many claims take their number
    from an item. confirmed: how many true equations there are of a key, by whom they are quoted from. true: items of the values of
    all true claims. frames: items that name a timeframe, and which."""

    items: Sequence[Item]
    normal: str
    original: Callable[[Item], str]
    claims: Sequence[RawClaim]
    results: Sequence[CheckResult]
    sheet: FactSheet
    table: IndicatorTable
    read: Counter[int] = field(init=False)
    confirmed: dict[tuple[str, str | None], int] = field(init=False)
    true: Sequence[int] = field(init=False)
    frames: Sequence[tuple[int, str]] = field(init=False)

    def __post_init__(self) -> None:
        numeric = [raw for raw in self.claims if raw.relation != "state"]
        confirmed: dict[tuple[str, str | None], int] = defaultdict(int)
        for raw, result in zip(self.claims, self.results, strict=True):
            if result.verdict == "true" and raw.relation == "=":
                confirmed[result.key, raw.speaker] += 1
        object.__setattr__(self, "read", Counter(raw.at for raw in numeric))
        object.__setattr__(self, "confirmed", confirmed)
        places = (raw.at for raw, result in zip(self.claims, self.results, strict=True) if result.verdict == "true")
        object.__setattr__(self, "true", sorted(places))
        words = (SPOKEN_FRAMES.get(self.normal[item.start : item.end], "") for item in self.items)
        named = (str(item.val) if item.cat == c.FRAME else word for item, word in zip(self.items, words, strict=True))
        object.__setattr__(self, "frames", [(at, frame) for at, frame in enumerate(named) if frame])

    def frames_in(self, first: int, last: int) -> Sequence[tuple[int, str]]:
        """Return what names a timeframe from one item to another."""
        return self.frames[bisect_left(self.frames, (first, "")) : bisect_left(self.frames, (last, ""))]

    def holds_in(self, frame: str, raw: RawClaim) -> bool:
        """Return whether a claim is true of another timeframe; a number without a word for `about` only where it is the fact, rounded."""
        named = (self.sheet.timeframe_htf or frame) if frame == HIGHER else frame
        own = None if named == self.sheet.timeframe else named
        other = raw.other if raw.other is None or raw.other.kind == "price" else replace(raw.other, frame=own)
        found = check(replace(raw, subject=replace(raw.subject, frame=own), other=other), self.sheet, self.table)
        if raw.relation != "=" or raw.hedged or raw.number is None or not isinstance(found.actual, float):
            return found.verdict == "true"
        return abs(raw.number - found.actual) <= raw.step / 2 * ROUNDED


@dataclass(frozen=True)
class ReadClaim:
    """One claim in its surroundings, [first, last) in items. clause, sentence: what its value is in. at: its value; name: its
    subject."""

    text: ReadItems
    raw: RawClaim
    result: CheckResult
    clause: tuple[int, int]
    sentence: tuple[int, int]

    @property
    def at(self) -> int:
        return self.raw.at

    @property
    def name(self) -> int:
        return self.raw.subject.at

    @property
    def indicator(self) -> IndicatorSpec:
        return self.raw.subject.named.indicator

    @property
    def is_number(self) -> bool:
        return self.raw.relation != "state"

    @property
    def is_implied(self) -> bool:
        """Return whether the name was put in by a pass: `120 shares`, `23% of the account`."""
        item = self.text.items[self.name]
        return item.cat == c.IND and item.end == item.start

    @property
    def is_named(self) -> bool:
        """Return whether the subject is named in this very clause."""
        item = self.text.items[self.name]
        names = item.cat in _NAMES or (item.cat == c.ASSET and self.indicator.base == "size")
        return self.clause[0] <= self.name < self.clause[1] and names and item.end > item.start

    @property
    def between(self) -> range:
        """Return the items between subject and value."""
        return range(min(self.name, self.at) + 1, max(self.name, self.at)) if abs(self.name - self.at) <= _WINDOW else range(0)

    def item(self, index: int) -> Item:
        return self.text.items[index]

    def word(self, index: int) -> str:
        item = self.text.items[index]
        return self.text.normal[item.start : item.end]

    def is_price(self, index: int) -> bool:
        named = self.item(index).val
        return isinstance(named, NamedIndicator) and named.indicator.base == "close"

    def words(self, first: int, last: int) -> str:
        """Return the items [first, last) as they are written."""
        found = "".join((" " if self.item(at).gap and at > first else "") + self.text.original(self.item(at)) for at in range(first, last))
        return found.strip()[:_LONGEST_WORDS]

    def is_confirmed_since(self, place: int) -> bool:
        """Return whether something that is true was stated between an item and the value: what the text speaks of there is ours and now."""
        at = bisect_right(self.text.true, place)
        return at < len(self.text.true) and self.text.true[at] < self.at

    def first(self, places: range, *cats: str) -> int | None:
        return next((at for at in places if self.item(at).cat in cats), None)

    def behind(self) -> int | None:
        """Return the first item of the clause behind the value that says something."""
        return next((at for at in range(self.at + 1, self.clause[1]) if self.item(at).cat != c.FILL), None)


def read_around(text: ReadItems, raw: RawClaim, result: CheckResult) -> ReadClaim:
    """Return a claim with its surroundings."""
    return ReadClaim(text, raw, result, _around(text.items, raw.at, _BORDERS), _around(text.items, raw.at, frozenset({c.STRONG})))


def _around(items: Sequence[Item], at: int, borders: frozenset[str]) -> tuple[int, int]:
    first, last = at, at + 1
    while first > 0 and items[first - 1].cat not in borders and at - first < _WINDOW:
        first -= 1
    while last < len(items) and items[last].cat not in borders and last - at < _WINDOW:
        last += 1
    return first, last


def is_plain(reading: ReadClaim, joints: frozenset[str] = JOINTS) -> bool:
    """Return whether only linking words surround subject and value: `RSI is 48.`, `the 1h ADX (31)`. joints: categories that
    may stand between them."""
    if not reading.is_named or not reading.is_number or reading.name > reading.at:
        return False
    if any(reading.item(at).cat not in joints for at in reading.between):
        return False
    begins = max((at + 1 for at in range(reading.clause[0], reading.name) if reading.item(at).val == "colon"), default=reading.clause[0])
    if any(reading.item(at).cat in _STRANGE and reading.word(at).isalnum() for at in range(begins, reading.name)):
        return False
    behind = next(
        (item.cat for item in reading.text.items[reading.at + 1 : reading.at + FEW] if item.cat not in {c.FILL, c.HEDGE_POST}), c.STRONG
    )
    return behind in _ENDS
