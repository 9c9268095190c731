"""What every rule about scopes stands on: the items of a text, their clauses, and a way to mark them."""

from collections.abc import Callable

from engine.grounding import categories as c
from engine.grounding.item import Item

CLAUSE = frozenset({c.WEAK, c.CONJ, c.OPEN, c.CLOSE})


class Marker:
    """own: every name of the sheet's own asset. original: gives the original spelling of an item."""

    def __init__(self, items: list[Item], text: str, own: frozenset[str], original: Callable[[Item], str]) -> None:
        self.items = items
        self.text = text
        self.own = own
        self.original = original
        self.shouting = False

    def _set(self, first: int, last: int, mode: str) -> None:
        for item in self.items[first:last]:
            if not item.mode:
                item.mode = mode

    def _word(self, index: int) -> str:
        item = self.items[index]
        return self.text[item.start : item.end]

    def _clauses(self, first: int, last: int, borders: frozenset[str] = CLAUSE) -> list[tuple[int, int]]:
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

    def _has(self, start: int, end: int, *cats: str) -> bool:
        return any(self.items[index].cat in cats for index in range(start, end))

    def _next(self, start: int, end: int, cat: str) -> int:
        return next((index for index in range(start, end) if self.items[index].cat == cat), end)
