"""All words of the grammar as one tree.

The words themselves are in the table of indicators (names, and readings of its own) and in `words/`; what a word does follows from its
category. In the tree of tokens the longest phrase wins; of two entries with the same phrase the earlier one does. A new way of speaking is
a new phrase in one of the lists.

The notation of a word list: phrases separated by `;`, `{a,b}` for alternatives (they nest, and an empty one makes a word optional). A
phrase with alternatives means many, some a hundred thousand. None of them is ever written out: a phrase is asked for the units (a Latin
word, a number, a Chinese character, a sign) it can begin with, and for the rest of it behind each. So the tree grows where it is walked:
a text meets a few hundred of its branches, and there are more than a hundred thousand.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c
from engine.grounding.words.lists import ASSETS, LINKS, READINGS, SCOPES

LexiconEntry = tuple[str, object]
_SIGNS: Final = ((";。!", c.STRONG), ("([【{〔", c.OPEN), (")]】}〕", c.CLOSE), ("|", c.PIPE), ("/_\"'#%$^@\\", c.FILL))
_UNIT = re.compile(r"[0-9]+(?:\.[0-9]+)?|[a-z]+|[^\s]")


class Branch:
    """What may follow the units so far. entry: of the phrase that ends here, None where none does.

    Safe to be walked by several threads: two that grow the same branch put the same things there.
    """

    __slots__ = ("_rests", "_ways", "entry")

    def __init__(self, rests: Iterable[tuple[str, LexiconEntry]]) -> None:
        """rests: what is left of every phrase that has come here, with its entry; the earlier ones win."""
        self._rests = tuple(rests)
        self._ways: dict[str, Branch] | None = None
        self.entry: LexiconEntry | None = next((entry for rest, entry in self._rests if may_be_empty(rest)), None)

    @property
    def ways(self) -> "dict[str, Branch]":
        """Return a mapping: next token -> branch."""
        if self._ways is None:
            found: dict[str, dict[tuple[str, int], tuple[str, LexiconEntry]]] = {}
            for phrase, entry in self._rests:
                for unit, rest in beginnings(phrase):
                    found.setdefault(unit, {}).setdefault((rest, id(entry)), (rest, entry))
            self._ways = {unit: Branch(rests.values()) for unit, rests in found.items()}
        return self._ways


@cache
def tree(table: IndicatorTable) -> Branch:
    """Return all words that a text is read with: the table's and those every text knows."""
    root = Branch((phrase, entry) for words, entry in _lists(table) for phrase in phrases(words))
    for signs, category in _SIGNS:
        for sign in signs:
            branch = root.ways.setdefault(sign, Branch(()))
            branch.entry = branch.entry or (category, "/" if sign == "/" else None)
    return root


def _lists(table: IndicatorTable) -> Iterator[tuple[str, LexiconEntry]]:
    for category, payload, words in table.words:
        yield words, (category, payload)
    for indicator in table.indicators:
        yield f"{indicator.names};{indicator.base}", (c.IND, indicator)
    for reading in (*table.readings, *READINGS):
        yield reading.words, (c.STATE, reading.name)
    for category, payload, words in (*LINKS, *SCOPES):
        yield words, (category, payload)
    for phrase in phrases(ASSETS):
        yield phrase, (c.ASSET, phrase)


def phrases(text: str) -> list[str]:
    """Return the phrases of a word list, with their alternatives."""
    return [item.strip() for item in text.split(";") if item.strip()]


def beginnings(phrase: str) -> Iterator[tuple[str, str]]:
    """Return every unit the phrase can begin with, and what is left of the phrase behind it."""
    start = phrase.find("{")
    plain = phrase if start < 0 else phrase[:start]
    unit = _UNIT.search(plain)
    if unit is not None and (start < 0 or not _may_go_on(unit.group(), plain[unit.end() :])):
        yield unit.group(), phrase[unit.end() :]
    elif start >= 0:
        for chosen in _chosen(phrase, start):
            yield from beginnings(chosen)


def may_be_empty(phrase: str) -> bool:
    """Return whether the phrase can stand for no unit at all."""
    start = phrase.find("{")
    if (phrase if start < 0 else phrase[:start]).strip():
        return False
    return start < 0 or any(may_be_empty(chosen) for chosen in _chosen(phrase, start))


def _may_go_on(unit: str, behind: str) -> bool:
    """Return whether an alternative that follows can make the unit longer (`climb{s,ed}`). behind: plain text between the two."""
    if unit[0].isdigit():
        return behind in {"", "."}
    return not behind and unit.isascii() and unit.isalpha()


def _chosen(phrase: str, start: int) -> Iterator[str]:
    """Return the phrase with each of its first alternatives in place of all of them. start: where those begin."""
    depth, at, piece, parts = 0, start, start + 1, []
    while True:
        char = phrase[at]
        depth += (char == "{") - (char == "}")
        if depth == 0 or (depth == 1 and char == ","):
            parts.append(phrase[piece:at])
            piece = at + 1
        if depth == 0:
            break
        at += 1
    for part in parts:
        yield phrase[:start] + part + phrase[at + 1 :]
