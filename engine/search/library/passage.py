"""The part of a text that answers a query best."""

from collections.abc import Iterator
from typing import Final

from engine.search.tokens import tokens

LENGTH: Final = 600
_READ: Final = 400  # parts of a text that are looked at


def best_passage(text: str, wanted: frozenset[str]) -> str:
    """Return the passage of a text that has most of the wanted tokens, the first of equal ones; at most `LENGTH` characters."""
    best, most = "", -1
    for number, passage in enumerate(_passages(text)):
        if number == _READ:
            break
        found = len(wanted.intersection(tokens(passage)))
        if found > most:
            best, most = passage, found
    return best


def _passages(text: str) -> Iterator[str]:
    """Yield paragraphs, short ones joined with what follows, long ones cut."""
    joined = ""
    for paragraph in text.split("\n\n"):
        plain = " ".join(paragraph.lstrip("#").split())
        if joined and len(joined) + len(plain) + 1 > LENGTH:
            yield joined[:LENGTH]
            joined = ""
        joined = f"{joined} {plain}".strip()
        while len(joined) > LENGTH:
            yield joined[:LENGTH]
            joined = joined[LENGTH:].lstrip()
    if joined:
        yield joined
