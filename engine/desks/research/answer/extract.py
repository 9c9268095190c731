"""Sentences picked out of documents: what is answered without a model's answer, and what the scripted model answers with. Pure.

A sentence is worth as much as the question's words are in it, more with a number in it, and nothing where it reads like an instruction
or was cut off.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.text.visible import one_line, shortened
from engine.grounding.cited.numbers import numbers_of
from engine.grounding.cited.sentences import split_sentences, terms, without_citations
from engine.prompts.instruction_text import reads_like_an_instruction

_SHORTEST, _LONGEST, _MOST_TEXT = 12, 320, 6000
_LATER = 0.95
"""What a document is worth less than the one before it."""


@dataclass(frozen=True)
class Picked:
    """n: the document's number. text: one sentence of it, as it is there, on one line and without marks that look like citations."""

    n: int
    text: str


def pick_sentences(question: str, texts: Sequence[str], most: int = 5) -> list[Picked]:
    """Return the best sentences, in the order of their documents; at most two of one. texts: of the documents, from number 1."""
    wanted = terms(question)
    scored: list[tuple[float, int, int, str]] = []
    seen: set[str] = set()
    for n, text in enumerate(texts, 1):
        fresh = {each[2]: each for each in sorted(_scored(shortened(text, _MOST_TEXT), wanted)) if each[2] not in seen}
        own = sorted(fresh.values(), reverse=True)[:2]
        seen |= {each[2] for each in own}
        scored += [(score * _LATER**n, n, place, sentence) for score, place, sentence in own]
    best = sorted([each for each in scored if each[0] > 0] or scored, reverse=True)[:most]
    return [Picked(n, sentence) for _, n, _, sentence in sorted(best, key=lambda each: (each[1], each[2]))]


def _scored(text: str, wanted: frozenset[str]) -> list[tuple[float, int, str]]:
    found = []
    for sentence in split_sentences(text):
        clean = " ".join(one_line(without_citations(sentence.text)).split())
        if not _SHORTEST <= len(clean) <= _LONGEST or clean.endswith("…") or reads_like_an_instruction(clean):
            continue
        share = len(terms(clean) & wanted) / len(wanted) if wanted else 0.0
        found.append((share + (0.15 if numbers_of(clean) else 0.0), -sentence.start, clean))
    return found
