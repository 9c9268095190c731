"""All words of the grammar as one tree, and the notation they are written in.

The words themselves stand in `indicators.py` (names), `words_states.py` (readings), `words_links.py` and `words_scopes.py`; what a word
does is said by its category. A word list is text: phrases separated by `;`, `{a,b}` for alternatives (they nest, and an empty one makes a
word optional). In the tree of units (a Latin word, a number, a Chinese character, a sign) the longest phrase wins; of two entries with the
same phrase the earlier one does. A new way of speaking is a new phrase in one of the lists.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.grounding import categories as c
from engine.grounding.indicators import INDICATORS
from engine.grounding.words_links import LINKS
from engine.grounding.words_scopes import SCOPES
from engine.grounding.words_states import ASSETS, STATES

Entry = tuple[str, object]
Tree = dict[str, object]
LEAF: Final = "\0"

_UNIT = re.compile(r"[0-9]+(?:\.[0-9]+)?|[a-z]+|[^\s]")


def expand(text: str) -> Iterator[str]:
    """Every phrase that `text` with its `{a,b}` alternatives stands for."""
    start = text.find("{")
    if start < 0:
        yield text
        return
    depth, at, parts, piece = 0, start, [], start + 1
    while True:
        char = text[at]
        depth += (char == "{") - (char == "}")
        if depth == 0 or (depth == 1 and char == ","):
            parts.append(text[piece:at])
            piece = at + 1
        if depth == 0:
            break
        at += 1
    for part in parts:
        yield from expand(text[:start] + part + text[at + 1 :])


def phrases(text: str) -> Iterator[str]:
    """The phrases of a word list."""
    for item in text.split(";"):
        if item.strip():
            yield from expand(item.strip())


@cache
def tree() -> Tree:
    """All words as one tree: unit -> subtree, LEAF -> entry. An earlier entry of the same phrase wins."""
    root: Tree = {}
    for indicator in INDICATORS:
        for phrase in phrases(indicator.names + ";" + indicator.base):
            _plant(root, phrase, (c.IND, indicator))
    for name, words in STATES:
        for phrase in phrases(words):
            _plant(root, phrase, (c.STATE, name))
    for category, payload, words in (*LINKS, *SCOPES):
        for phrase in phrases(words):
            _plant(root, phrase, (category, payload))
    for phrase in phrases(ASSETS):
        _plant(root, phrase, (c.ASSET, phrase))
    for signs, category in ((";。!", c.STRONG), ("([【{〔", c.OPEN), (")]】}〕", c.CLOSE), ("|", c.PIPE), ("/_\"'#%$^@\\", c.FILL)):
        for sign in signs:
            _plant(root, sign, (category, "/" if sign == "/" else None))
    return root


def _plant(root: Tree, phrase: str, entry: Entry) -> None:
    node = root
    for unit in _UNIT.findall(phrase):
        node = node.setdefault(unit, {})  # type: ignore[assignment]
    if node is not root:
        node.setdefault(LEAF, entry)
