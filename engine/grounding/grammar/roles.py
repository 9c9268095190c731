"""Marks what plays another part than a statement about now, by the ways of speaking in `words/patterns.toml`: derived figures are skipped,
fears are conditions."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from engine.grounding.grammar.marking import SKIPPED, MarkedText
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern

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
