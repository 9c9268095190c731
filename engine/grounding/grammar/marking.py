"""What every rule about scopes is built on: the items of a text, their clauses, and a way to mark them."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.grounding.lexer.item import Item
from engine.grounding.words import categories as c

SKIPPED = "skipped"
"""A number that is no value of anything named here: a distance, a share of something, the value of another day. What is around it is
read as if it were not there."""
CLAUSE = frozenset({c.WEAK, c.CONJ, c.OPEN, c.CLOSE})


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
