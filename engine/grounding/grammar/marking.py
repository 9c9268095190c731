"""A way to mark the items of a text, and the rules that need no scopes: ways of speaking, and distances.

`mark_roles` marks what plays another part than a statement about now by its way of speaking (`words/patterns.toml`): derived figures are
skipped, fears are conditions. `mark_distances` marks distances in front of a comparison (`2.3 ATR above the close`, `370 below EMA20`)
and behind a name (`距现价8.1美元`): such a number is the value of nothing that is named; the comparison behind it is one of the name before
with the price. What else is a distance need not be found: `checks/doubts` does not take it for a value.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern, cue_words

SKIPPED = "skipped"
"""A number that is no value of anything named here: a distance, a share of something, the value of another day. What is around it is
read as if it were not there."""
CLAUSE = frozenset({c.WEAK, c.CONJ, c.OPEN, c.CLOSE})
_NUMBERS: Final = frozenset({c.NUM, c.RANGE})
_ENDS: Final = frozenset({c.STRONG, c.WEAK})
_FEW: Final = 10
_MARKED: Final = tuple(
    (cue_pattern(name), mode)
    for name, mode in (
        ("fears", "hyp"),
        ("disproving", "hyp"),
        ("planned", "plan"),
        ("near_level", "other"),
        ("failed", "other"),
        ("crossed", "cross"),
        ("late_past", "other"),
    )
)
_SKIPPED: Final = tuple(cue_pattern(name) for name in ("shares", "with_leverage", "remainders"))
_DERIVED: Final = cue_pattern("derived")
_PRICED: Final = frozenset({"line", "level", "price", "signal"})
_UNITS: Final = cue_words("distance_units")
_AWAY: Final = cue_words("away")
_FROM: Final = cue_words("distant")
_VERBS: Final = cue_words("distance_verbs")
_SMALL: Final = 0.3
_NEAR: Final = 4
_CLAUSE_ENDS: Final = frozenset({c.STRONG, c.WEAK, c.CONJ})


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text whose items get their modes. normal: the normalised text. own: every name of the sheet's own asset, lower case. original:
    gives the original spelling of an item. Ranges of items are [first, last)."""

    items: list[Item]
    normal: str
    own: frozenset[str]
    original: Callable[[Item], str]

    def mark(self, first: int, last: int, mode: str) -> None:
        """Give `mode` to the items that have none yet."""
        for item in self.items[first:last]:
            if not item.mode:
                item.mode = mode

    def word(self, index: int) -> str:
        """Return the item's normalised spelling."""
        item = self.items[index]
        return self.normal[item.start : item.end]

    def clauses(self, first: int, last: int, borders: frozenset[str] = CLAUSE) -> list[tuple[int, int]]:
        """Return the clauses between items of the categories `borders` and sentence ends; empty ones are left out."""
        clauses: list[tuple[int, int]] = []
        start = first
        for index in range(first, last):
            if self.items[index].cat in borders or self.items[index].cat == c.STRONG:
                if index > start:
                    clauses.append((start, index))
                start = index + 1
        if last > start:
            clauses.append((start, last))
        return clauses

    def has(self, first: int, last: int, *cats: str) -> bool:
        """Return whether an item of one of the categories is in the range."""
        return any(self.items[index].cat in cats for index in range(first, last))

    def find(self, first: int, last: int, cat: str) -> int:
        """Return the first item of the category; `last` when there is none."""
        return next((index for index in range(first, last) if self.items[index].cat == cat), last)


def mark_roles(text: MarkedText) -> None:
    """Mark the items of `text` that state nothing about now by the way they are spoken of."""
    starts = [item.start for item in text.items]
    for pattern, mode in _MARKED:
        for first, last in _found(text, starts, pattern):
            text.mark(first, last, mode)
    for pattern in _SKIPPED:
        for first, last in _found(text, starts, pattern):
            _skip(text, first, last)
    for first, _ in _found(text, starts, _DERIVED):
        end = next((at for at in range(first, min(first + _FEW, len(text.items))) if text.items[at].cat in _ENDS), first + _FEW)
        _skip(text, first, min(end, len(text.items)))


def _found(text: MarkedText, starts: Sequence[int], pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the items [first, last) of every place where the pattern is met."""
    return [(max(0, bisect_right(starts, match.start()) - 1), bisect_left(starts, match.end())) for match in pattern.finditer(text.normal)]


def _skip(text: MarkedText, first: int, last: int) -> None:
    for at in range(first, last):
        if text.items[at].cat in _NUMBERS:
            text.mark(at, at + 1, SKIPPED)


def mark_distances(text: MarkedText, price: float | None) -> None:
    """Mark every number that is a distance. price: of the sheet's asset, None where it is not known."""
    for index, item in enumerate(text.items):
        if item.cat not in {c.NUM, c.RANGE} or item.mode:
            continue
        if _in_atr(text, index) or _stands_before_line(text, index, price) or _stands_behind_line(text, index, price):
            text.mark(index, index + 1, SKIPPED)


def _in_atr(text: MarkedText, index: int) -> bool:
    """Recognise `2.3 ATR above`, `1.5 ATR (~12) below`, `2.1个ATR`: a multiple of the range, and what it comes to."""
    at = index + 1
    while at < len(text.items) and text.items[at].cat == c.FILL and at - index <= 2:
        at += 1
    if at < len(text.items) and _kind(text, at) == "atr":
        behind = text.items[at + 1] if at + 1 < len(text.items) else None
        if behind is not None and (behind.cat in {c.NUM, c.LINK} or behind.val == "colon"):
            return False
        text.items[at].cat, text.items[at].val = c.FILL, None
        return True
    opened = index - 2 if text.items[index - 1].cat == c.HEDGE else index - 1
    bracketed = opened >= 1 and text.items[opened].cat in {c.OPEN, c.LINK}
    return bracketed and text.items[opened - 1].cat == c.FILL and text.word(opened - 1) == "atr"


def _stands_before_line(text: MarkedText, index: int, price: float | None) -> bool:
    """Recognise `is 370 above EMA20`, `~$7 above the 200-SMA`, `780 points below price`, `2 % away`."""
    number, at = text.items[index].number, index + 1
    assert number is not None
    measured = at < len(text.items) and text.items[at].cat in {c.FILL, c.UNKNOWN} and text.word(at) in _UNITS
    at += measured
    if at >= len(text.items):
        return False
    away = text.word(at) in _AWAY
    small = price is not None and abs(number.value) < _SMALL * abs(price) and number.unit in {"", "$"}
    if not (away or text.items[at].cat in {c.CMP, c.POST}) or not (measured or number.unit == "%" or (small and _is_said_so(text, index))):
        return False
    behind = next((text.items[later] for later in range(at + 1, min(at + _NEAR, len(text.items))) if text.items[later].cat != c.FILL), None)
    if text.word(at) in {"away", "shy"} or behind is None or behind.cat in _CLAUSE_ENDS:
        return text.word(at) in {"away", "shy"} or number.unit == "%"
    named = behind.val
    if away and (behind.cat == c.IT or (isinstance(named, NamedIndicator) and named.indicator.position)):
        return False  # `up 1.6% from our entry`
    line = isinstance(named, NamedIndicator) and (
        named.indicator.kind in _PRICED or named.indicator.base in {"entry_price", "average_price"}
    )
    return line or behind.cat in {c.IT, c.STOP, c.ASSET, c.PLAN}


def _stands_behind_line(text: MarkedText, index: int, price: float | None) -> bool:
    """Recognise `距现价8.1美元`, `离EMA50还有4.9%`."""
    number, name = text.items[index].number, index - 1
    while name > 0 and text.items[name].cat in {c.FILL, c.LINK, c.HEDGE} and index - name < _NEAR:
        name -= 1
    away = name - 1
    while away > 0 and text.items[away].cat in {c.FILL, c.FRAME} and name - away < _NEAR:
        away -= 1
    if number is None or away < 0 or text.word(away) not in _FROM or _kind(text, name) not in _PRICED:
        return False
    small = price is not None and abs(number.value) < _SMALL * abs(price) and number.unit in {"", "$"}
    return small or number.unit == "%"


def _is_said_so(text: MarkedText, index: int) -> bool:
    """Return whether a bare number is joined as a distance is (`is 370 above`), not as a value (`at 97,380 above`)."""
    joint = index - 1
    while joint > 0 and text.items[joint].cat in {c.HEDGE, c.FILL}:
        joint -= 1
    return index == 0 or (text.items[joint].cat == c.LINK and text.word(joint) in _VERBS)


def _kind(text: MarkedText, index: int) -> str:
    val = text.items[index].val
    return val.indicator.kind if isinstance(val, NamedIndicator) else ""
