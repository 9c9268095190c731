"""The headline of an answer out of documents: at most four words, and the one figure that decides, out of a sentence of the answer that its
documents hold. None without such a figure. Pure.

`scripted_closing` is what the scripted model states: the words of the question that a sentence says again directly before its figure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from engine.agents.stated_headline import MOST_SIGNS, MOST_WORDS, headline_words, take_stated
from engine.domain.research.dossier import DossierStatement
from engine.grounding.cited.numbers import numbers_of
from engine.grounding.cited.sentences import split_sentences, terms, without_citations

_FIGURE: Final = re.compile(r"\[?(\d{1,3})\]?[\s:：·]+(.+)")
_HEADING: Final = re.compile(r"\n\s*[\[【](?:Answer|回答)[\]】]\s*\Z", re.IGNORECASE)
_CLOSING: Final = re.compile(r"^\s*[\[【](?:Answer|回答)[\]】]", re.IGNORECASE | re.MULTILINE)
_SPACED: Final = re.compile(r"[A-Za-z0-9][\w/-]*")
_UNSPACED: Final = re.compile(r"[^\u4e00-\u9fff]+")
_COMPARES: Final = re.compile(r"\b(?:above|below|over|under|than|least|most)\b|[高低大小多少]于|超过|不足|[以之][上下]", re.IGNORECASE)
_LEAST_SIGNS, _NEAR = 3, 6


@dataclass(frozen=True)
class FoundHeadline:
    """words: the answer. n: the document that holds the figure. value: the figure, as the answer states it."""

    words: str
    n: int
    value: str

    def to_json(self) -> dict[str, Any]:
        """Return its fields."""
        return asdict(self)


def answer_and_stated(text: str) -> tuple[str, dict[str, str]]:
    """Return the answer without its closing lines, and what they state."""
    answer, stated = take_stated(text)
    return _HEADING.sub("", answer).strip(), stated


def length_of_answer(text: str) -> int:
    """Return where the closing lines begin in a text that is being written; its length while there are none."""
    found = _CLOSING.search(text)
    return len(text[: found.start()].rstrip()) if found is not None else len(text)


def found_headline(stated: Mapping[str, str], statements: Sequence[DossierStatement]) -> FoundHeadline | None:
    """Return the headline that was stated, where a supported statement has its figure out of the document that it names; else None."""
    words, named = headline_words(stated.get("headline", "")), _FIGURE.search(stated.get("deciding", ""))
    figures = numbers_of(named[2]) if named is not None else []
    if not words or named is None or len(figures) != 1:
        return None
    for statement in statements:
        for number in statement.numbers if statement.status == "supported" else ():
            if int(named[1]) in number.found_in and number.value == figures[0].number.value:
                return FoundHeadline(words, int(named[1]), number.text)
    return None


def scripted_closing(question: str, answer: str, heading: str) -> str:
    """Return closing lines for an answer that was picked out of documents; "" where no sentence states a figure of what the question asks
    about."""
    for sentence in split_sentences(answer):
        for found in numbers_of(sentence.text) if sentence.citations else ():
            before = without_citations(sentence.text[: found.start])
            words = _said_again(question, before)
            if words and _is_about(before, words):
                figure = sentence.text[found.start : found.end]
                return f"\n\n{heading}\nheadline: {words}\ndeciding: {sentence.citations[0]} {figure}\nagainst: none\n"
    return ""


def _is_about(before: str, words: str) -> bool:
    """Return whether a figure is of these words: what is between is a word or two, and compares nothing. before: up to the figure."""
    between = before[before.lower().rfind(words.lower()) + len(words) :]
    return not _COMPARES.search(between) and (len(terms(between)) <= 1 if words.isascii() else len(between) <= _NEAR)


def _said_again(question: str, sentence: str) -> str:
    """Return the longest run of words that both have, as the question writes it; "" without two words, or three signs, of any meaning."""
    if question.isascii():
        asked = _SPACED.findall(question)
        run = _longest([each.lower() for each in asked], [each.lower() for each in _SPACED.findall(sentence)])
        words = [word for word in asked[run] if not word[0].isdigit()]
        while words and not terms(words[0]):
            words.pop(0)
        while words and not terms(words[-1]):
            words.pop()
        said = " ".join(words[:MOST_WORDS])
        return said[:1].upper() + said[1:] if len(words) > 1 and said.lower() in sentence.lower() else ""
    runs = [part[_longest(part, sentence)] for part in _UNSPACED.split(question) if part]
    longest = max(runs, key=len, default="")[:MOST_SIGNS]
    return longest if len(longest) >= _LEAST_SIGNS else ""


def _longest(one: Sequence[str], other: Sequence[str]) -> slice:
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return slice(match.a, match.a + match.size)
