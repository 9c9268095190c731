"""Which parts of an answer are prose, and where its closing block begins. Pure; ranges are code points of the text as given."""

from collections import deque
from collections.abc import Collection

from engine.desks.decision.paths import role_at
from engine.desks.decision.reading.keys import VOTE_KEYS, keys_of
from engine.desks.decision.reading.sections import json_answer, json_story_spans, sections
from engine.llm.blocks import Span, closing_block, visible
from engine.llm.thinking import thoughts


def closing_block_start(text: str, node: str | None = None) -> int:
    """Return where the closing block begins, its heading included, in code points, or len(text)."""
    block = closing_block(text, keys_of(role_at(node)) if node else VOTE_KEYS)
    return block[0] if block else len(text)


def claim_spans(text: str, node: str) -> tuple[Span, ...]:
    """Return the ranges of what was said in a node that are read for claims: (start, end) in code points, in order, end exclusive.

    Everything but thoughts and the closing block; of an executor's form what is before it and its narrative sections.
    """
    role = role_at(node)
    keys = keys_of(role)
    if role != "executor":
        prose = _prose(text, len(text), keys)
    elif json_answer(visible(text)):
        prose = json_story_spans(text)
    else:
        prose = []
        for part in sections(text):
            if part.name is None:
                prose += _prose(text, part.end, keys)
            elif part.narrative:
                prose.append((part.start, part.end))
    return tuple(span for span in _without(prose, thoughts(text)) if text[slice(*span)].strip())


def _prose(text: str, end: int, keys: Collection[str]) -> list[Span]:
    """Return what is before and behind the closing block of text[:end]."""
    block = closing_block(text[:end], keys)
    return [(0, block[0]), (block[1], end)] if block else [(0, end)]


def _without(spans: Collection[Span], holes: Collection[Span]) -> list[Span]:
    """Return the spans without the holes; both in order and without overlaps."""
    kept: list[Span] = []
    waiting = deque(holes)
    for start, end in spans:
        at = start
        while waiting and waiting[0][0] < end:
            if at < waiting[0][0]:
                kept.append((at, waiting[0][0]))
            at = max(at, waiting[0][1])
            if waiting[0][1] > end:
                break
            waiting.popleft()
        if at < end:
            kept.append((at, end))
    return kept
