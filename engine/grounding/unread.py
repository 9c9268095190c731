"""What was left out of a reading: the parts of a text that name an indicator or a figure and belong to no claim.

Given a text and its claims, gives those parts and, where the grammar knows it, why they state nothing about now. Uses the very functions of
`reading.py`. Pure.
"""

from collections.abc import Iterable, Sequence
from typing import Final, cast, get_args

from engine.domain.checked_text import UnreadPart, WhyUnread
from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.grounding.grammar.marking import CLAUSE
from engine.grounding.lexer.item import Item
from engine.grounding.lexer.lexer import read_items
from engine.grounding.lexer.normal import NormalText, normalise
from engine.grounding.passes.sequence import apply_passes
from engine.grounding.reading import understand
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c

_FIGURES: Final = frozenset({c.NUM, c.RANGE, c.FUZZY})
_NAMES: Final = frozenset({c.IND, c.STATE})
_BORDERS: Final = CLAUSE | {c.STRONG}
_KNOWN: Final = frozenset(get_args(WhyUnread)) - {""}


def unread_parts(text: str, claims: Sequence[Claim], sheet: FactSheet, table: IndicatorTable) -> tuple[UnreadPart, ...]:
    """Return the clauses without a claim that name an indicator or a figure, and of other clauses the figures that belong to no claim, in
    reading order. claims: of the whole text."""
    normal = normalise(text)
    items = apply_passes(read_items(normal.text, table), table)
    if not items:
        return ()
    understand(items, normal, text, sheet, table)
    found = []
    for clause in _clauses(items):
        if not any(_is_read(item, normal, claims) for item in clause):
            named = [item for item in clause if item.cat in _FIGURES | _NAMES]
            found += [_part(clause, named, normal, text)] if named else []
        else:
            left = (item for item in clause if item.cat in _FIGURES and not _is_read(item, normal, claims))
            found += [_part([item], [item], normal, text) for item in left]
    return tuple(found)


def _clauses(items: Iterable[Item]) -> list[list[Item]]:
    """Return the clauses of a text, without what divides them."""
    clauses: list[list[Item]] = [[]]
    for item in items:
        if item.cat in _BORDERS:
            clauses.append([])
        elif item.end > item.start:  # a pass may put in items that nobody wrote
            clauses[-1].append(item)
    return [clause for clause in clauses if clause]


def _is_read(item: Item, normal: NormalText, claims: Sequence[Claim]) -> bool:
    start, end = normal.original(item.start, item.end)
    return any(start < claim.end and claim.start < end for claim in claims)


def _part(clause: Sequence[Item], named: Sequence[Item], normal: NormalText, text: str) -> UnreadPart:
    start, end = normal.original(clause[0].start, clause[-1].end)
    why = next((mode for item in named if (mode := item.mode.rstrip("?")) in _KNOWN), "")
    return UnreadPart(start, end, text[start:end], cast(WhyUnread, why))
