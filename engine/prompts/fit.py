"""Making a prompt fit: whole sentences and whole parts go, the least important first; nothing is cut in the middle."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.prompts.tokens import count_tokens

_SENTENCE = re.compile(r"(?<=[.!?。！？；])\s+|(?<=[。！？；])|\n+")


@dataclass(frozen=True)
class Part:
    """One part of a prompt. importance: higher stays longer. keep: never dropped nor shortened."""

    text: str
    importance: int = 0
    keep: bool = False


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, without empty ones. A decimal point ends no sentence."""
    return [piece.strip() for piece in _SENTENCE.split(text) if piece and piece.strip()]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences and lines of a text stand, in code points, without the space between them."""
    ends = [(found.start(), found.end()) for found in _SENTENCE.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    return [(start, end) for start, end in zip(starts, [*(start for start, _ in ends), len(text)], strict=True) if text[start:end].strip()]


def shorten(text: str, budget: int) -> str:
    """Return the leading whole sentences of `text` within `budget` tokens, as they are; '' when not even the first fits."""
    if count_tokens(text) <= budget:
        return text.strip()
    kept = ""
    for ending in _SENTENCE.finditer(text):
        longer = text[: ending.start()].strip()
        if count_tokens(longer) > budget:
            break
        kept = longer
    return kept


def fit(parts: Sequence[Part], budget: int, join: Callable[[Sequence[str]], str] = "\n\n".join) -> str:
    """Join the parts in their order within `budget` tokens, dropping whole parts, the least important first.

    budget: tokens. Parts marked `keep` stay even when they alone are over it: the caller sizes them. Empty parts are left out.
    """
    kept = [part for part in parts if part.text]
    while count_tokens(join([part.text for part in kept])) > budget:
        droppable = [part for part in kept if not part.keep]
        if not droppable:
            break
        kept.remove(min(reversed(droppable), key=lambda part: part.importance))
    return join([part.text for part in kept])
