"""How word lists are written: phrases separated by `;`, `{a,b}` for alternatives (they nest, and an empty one makes a word optional).

A phrase with alternatives stands for many, some for a hundred thousand. None of them is ever written out: a phrase is asked for the units
(a Latin word, a number, a Chinese character, a sign) it can begin with, and for what is left of it behind each. Pure.
"""

import re
from collections.abc import Iterator

_UNIT = re.compile(r"[0-9]+(?:\.[0-9]+)?|[a-z]+|[^\s]")


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
    """Return whether nothing has to be said for it."""
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
