"""A text into sentences with the documents they cite, in either language, with offsets of the text as it is; and what a text is about: its
terms. Linear in its length."""

import re
from dataclasses import dataclass
from typing import Final

_MARK = r"[\[［【]\s*\d{1,3}(?:\s*[,，、;\-–]\s*\d{1,3})*\s*[\]］】]"
CITATION = re.compile(_MARK)
"""`[1]`, `[1, 2]`, `[1-3]`, `【1】`."""
_END = re.compile(rf"(?:[.!?]+(?=[\"'”’)\s\[［【]|\Z)|[。！？]+|\n+)[\"'”’）)」』]*(?:[ \t]*{_MARK})*[.。]?")
_ABBREVIATIONS = frozenset(
    re.findall(r"[\w.]+", "mr mrs ms dr vs inc corp co ltd no approx ca fig eg ie e.g i.e u.s u.k st al")
    + re.findall(r"\w+", "jan feb mar apr jun jul aug sep sept oct nov dec")
)
_LAST_WORD = re.compile(r"[^\W\d_](?:[\w.]{0,10})\Z")
_LARGEST_RANGE = 50
_WORD: Final = re.compile(r"[a-z][a-z0-9]+|[\u4e00-\u9fff]+", re.IGNORECASE)
_STOP: Final = frozenset(
    re.findall(r"\w+", "the and for are was were what how why when which does this that with from into its has have is it of to in on")
)


@dataclass(frozen=True)
class Sentence:
    """start, end: offsets in the whole text, without white space around it. citations: numbers it cites, each once, in order."""

    text: str
    start: int
    end: int
    citations: tuple[int, ...]


def split_sentences(text: str) -> list[Sentence]:
    """Return every sentence that has a letter or a digit outside its citations. A citation behind a full stop belongs to the sentence
    before it."""
    found, begin = [], 0
    for match in _END.finditer(text):
        if text[match.start()] == "." and _is_abbreviation(text, begin, match):
            continue
        found.append(_sentence(text, begin, match.end()))
        begin = match.end()
    found.append(_sentence(text, begin, len(text)))
    return [each for each in found if each is not None]


def cited(text: str) -> tuple[int, ...]:
    """Return the numbers that a text cites, each once, in order."""
    numbers: list[int] = []
    for mark in CITATION.findall(text):
        for piece in re.split(r"[,，、;]", mark[1:-1]):
            first, *rest = (int(each) for each in re.findall(r"\d+", piece))
            last = rest[-1] if rest and first <= rest[-1] <= first + _LARGEST_RANGE else first
            numbers += range(first, last + 1)
    return tuple(dict.fromkeys(numbers))


def without_citations(text: str) -> str:
    """Return the text with blanks instead of citations: offsets stay what they are."""
    return CITATION.sub(lambda mark: " " * len(mark[0]), text)


def _sentence(text: str, start: int, end: int) -> Sentence | None:
    piece = text[start:end]
    if not any(char.isalnum() for char in without_citations(piece)):
        return None
    start += len(piece) - len(piece.lstrip())
    return Sentence(piece.strip(), start, start + len(piece.strip()), cited(piece))


def _is_abbreviation(text: str, begin: int, stop: re.Match[str]) -> bool:
    """Return whether a full stop ends `Inc.`, `U.S.`, or a number of a list (`1. `), and the text goes on."""
    if stop.end() == len(text) or len(stop[0].rstrip("\"'”’")) > 1:
        return False
    before = text[max(begin, stop.start() - 12) : stop.start()]
    if text[begin : stop.start()].strip().isdigit() and len(text[begin : stop.start()].strip()) <= 2:
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    known = word[0].lower() in _ABBREVIATIONS
    return known or (len(word[0]) == 1 and word[0].isupper() and word[0].isascii() and word[0] != "I")


def terms(text: str) -> frozenset[str]:
    """Return the terms of a text, without the words that say nothing of it."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if word.isascii():
            found.add(word.removesuffix("s") if len(word) > 3 else word)
        else:
            found |= {word[at : at + 2] for at in range(max(len(word) - 1, 1))}
    return frozenset(found - _STOP)
