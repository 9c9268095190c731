"""All words of the grammar as one tree.

The words themselves are in the table of indicators (names, and readings of its own) and in `words/`; what a word does follows from its
category. In the tree of tokens the longest phrase wins; of two entries with the same phrase the earlier one does. A new way of speaking is
a new phrase in one of the lists.

The notation of a word list: phrases separated by `;`, `{a,b}` for alternatives (they nest, and an empty one makes a word optional). A
phrase with alternatives means many, some a hundred thousand. None of them is ever written out: a phrase is asked for the units (a Latin
word, a number, a Chinese character, a sign) it can begin with, and for the rest of it behind each. So the tree grows where it is walked:
a text meets a few hundred of its branches, and there are more than a hundred thousand.

`TokenReader` walks the tree over the tokens of a text, and is the one way an item is added.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from engine.grounding.lexer.item import Item
from engine.grounding.lexer.numbers import Number
from engine.grounding.lexer.tokens import spell_out, split_tokens
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c
from engine.grounding.words.lists import ASSETS, LINKS, READINGS, SCOPES

LexiconEntry = tuple[str, object]
_SIGNS: Final = ((";。!", c.STRONG), ("([【{〔", c.OPEN), (")]】}〕", c.CLOSE), ("|", c.PIPE), ("/_\"'#%$^@\\", c.FILL))
_UNIT = re.compile(r"[0-9]+(?:\.[0-9]+)?|[a-z]+|[^\s]")
_RUNS = frozenset({c.OPEN, c.CLOSE, c.STRONG, c.WEAK, c.FILL, c.NEG})
_LONGEST_PHRASE = 16


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


class TokenReader:
    """tokens: the whole text. items: what was made of the tokens so far. root: the words it is read with. line_start: its offset."""

    def __init__(self, text: str, table: IndicatorTable) -> None:
        self.tokens = spell_out(split_tokens(text))
        self.items: list[Item] = []
        self.root = tree(table)
        self.line_start = 0

    def put(self, cat: str, val: object, at: int, after: int) -> int:
        """Append an item made of tokens[at:after]; give `after`. A row of the same sign is one item."""
        first, last = self.tokens[at], self.tokens[after - 1]
        items = self.items
        if (
            cat in _RUNS
            and items
            and items[-1].cat == cat
            and items[-1].val is val
            and after - at == 1
            and first.text == self.tokens[at - 1].text
        ):
            items[-1].end = last.end  # a row of the same sign is one
            return after
        items.append(Item(cat, val, first.start, last.end, first.gap))
        return after

    def put_unknown(self, at: int) -> int:
        """Append an unknown token; signs and characters that touch are one item. Returns the index behind it."""
        unit = self.tokens[at]
        last = self.items[-1] if self.items else None
        if last is not None and last.cat == c.UNKNOWN and not unit.gap and unit.kind == "c" and last.end == unit.start:
            last.end = unit.end
            return at + 1
        return self.put(c.UNKNOWN, unit.text, at, at + 1)

    def match(self, at: int) -> tuple[LexiconEntry, int] | None:
        """Return the entry of the longest phrase that begins here and the index behind it; None when none does."""
        branch: Branch | None = self.root
        found: tuple[LexiconEntry, int] | None = None
        index, count = at, len(self.tokens)
        while branch is not None and index < count and index - at < _LONGEST_PHRASE:
            branch = branch.ways.get(self.tokens[index].text)
            index += 1
            if branch is not None and branch.entry is not None and not self._takes_sign(at, index):
                found = branch.entry, index
        return found

    def _takes_sign(self, at: int, after: int) -> bool:
        """Return whether a phrase would swallow the sign of the number behind it (`为负72`)."""
        return self.tokens[after - 1].text == "负" and after - at > 1 and self.is_counted(after)

    def put_phrase(self, at: int) -> int:
        """Append the longest phrase that begins here; give the index behind it, 0 when none does."""
        found = self.match(at)
        if found is None:
            return 0
        (cat, val), after = found
        if cat == c.ZERO:
            return self.put(c.NUM, Number(val, "x") if isinstance(val, float) else Number(0.0), at, after)
        return self.put(cat, val, at, after)

    def is_counted(self, at: int) -> bool:
        """Return whether a number begins here: digits, or `万分之三`."""
        return at < len(self.tokens) and (self.tokens[at].kind == "n" or self.tokens[at].text in {"百", "千", "万"})
