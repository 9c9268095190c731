"""All words of the grammar as one tree.

The words themselves stand in the table of indicators (names, and readings of its own) and in `words/`, in the notation of
`notation.py`; what a word does is said by its category. In the tree of tokens the longest phrase wins; of two entries with the same
phrase the earlier one does. A new way of speaking is a new phrase in one of the lists.

The tree grows where it is walked: a text meets a few hundred of its branches, and there are more than a hundred thousand.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from engine.grounding.lexer.notation import beginnings, may_be_empty, phrases
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c
from engine.grounding.words.links import LINKS
from engine.grounding.words.scopes import SCOPES
from engine.grounding.words.states import ASSETS, STATES

LexiconEntry = tuple[str, object]
_SIGNS: Final = ((";。!", c.STRONG), ("([【{〔", c.OPEN), (")]】}〕", c.CLOSE), ("|", c.PIPE), ("/_\"'#%$^@\\", c.FILL))


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
    for indicator in table.indicators:
        yield f"{indicator.names};{indicator.base}", (c.IND, indicator)
    for reading in table.readings:
        yield reading.words, (c.STATE, reading.name)
    for name, words in STATES:
        yield words, (c.STATE, name)
    for category, payload, words in (*LINKS, *SCOPES):
        yield words, (category, payload)
    for phrase in phrases(ASSETS):
        yield phrase, (c.ASSET, phrase)
