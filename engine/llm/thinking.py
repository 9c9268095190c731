"""Drops what a reasoning model thinks aloud: `<think>...</think>` and the like of it, whichever tags its makers chose.

Given an answer piece by piece, gives the pieces without the thoughts, as soon as they are certain. Never holds back more than an
unfinished tag, never looks twice at a character. A thought that is not closed goes on to the end of the answer: half a thought is not an
answer. Thoughts do not nest; any closing tag ends any thought.

Some templates open the thought in the prompt, so that the answer has its end alone: a closing tag that nothing opened ends a thought that
began with the answer, and what was given of it is taken back. A second one is text.
"""

import re
from collections.abc import Iterator
from typing import Final

_PAIRS: Final = ("think", "thinking", "thought", "reasoning")
_OPENING: Final = (*(f"<{name}>" for name in _PAIRS), "[THINK]", "◁think▷", "<|channel|>analysis", "<|channel|>commentary")
_CLOSING: Final = (*(f"</{name}>" for name in _PAIRS), "[/THINK]", "◁/think▷", "<|channel|>final")
_NOISE: Final = ("<|start|>assistant", "<|message|>", "<|end|>", "<|return|>")
"""What frames the channels of an answer; no part of it."""
_ALL: Final = (*_OPENING, *_CLOSING, *_NOISE)
_LONGEST: Final = max(map(len, _ALL))
_CASED: Final = ("[THINK]", "[/THINK]")  # `[think]` may be a heading
_BEGINNINGS: Final = frozenset(tag[:length] for tag in _CASED for length in range(1, len(tag)))
_BEGINNINGS_OF_ANY_CASE: Final = frozenset(tag[:length].lower() for tag in set(_ALL) - set(_CASED) for length in range(1, len(tag)))
_MAY_BEGIN: Final = re.compile("[<[◁]")


def _any_of(tags: tuple[str, ...]) -> str:
    return "|".join(f"(?-i:{re.escape(tag)})" if tag in _CASED else re.escape(tag) for tag in tags)


_TAG: Final = re.compile(
    f"(?=[<[◁])(?:(?P<open>{_any_of(_OPENING)})|(?P<close>{_any_of(_CLOSING)})|(?P<noise>{_any_of(_NOISE)}))", re.IGNORECASE | re.ASCII
)


class ThinkFilter:
    """One answer's filter: `feed` every piece in order, then `finish` once. thinks: a thought has been seen. retracted: what had been given
    before the last `feed` was a thought, and is no part of the answer."""

    def __init__(self, *, begins_thinking: bool = False) -> None:
        """begins_thinking: answers of this model begin within a thought that nothing opens. Then nothing is given before its end is there,
        or the answer is over without one."""
        self.thinks = self.retracted = False
        self._inside = False
        self._held = ""  # what may become a tag
        self._waits = begins_thinking
        self._waiting: list[str] = []

    def feed(self, piece: str) -> str:
        """Return the text that `piece` makes certain; the start of a possible tag at its end is held until the next piece."""
        data, at, kept = self._held + piece, 0, list[str]()
        self.retracted = False
        for tag in _TAG.finditer(data):
            if not self._inside:
                kept.append(data[at : tag.start()])
            kept = self._after(tag.lastgroup, tag[0], kept)
            at = tag.end()
        cut = _unfinished_tag(data, at)
        self._held = data[cut:]
        if not self._inside:
            kept.append(data[at:cut])
        return self._given("".join(kept))

    def finish(self) -> str:
        """Return what was held back and proved to be no thought. The filter is spent afterwards."""
        rest = "" if self._inside else "".join(self._waiting) + self._held
        self._held, self._waits, self._waiting = "", False, []
        return rest

    def _after(self, kind: str | None, tag: str, kept: list[str]) -> list[str]:
        """Return what is kept of the text up to a tag."""
        if kind == "open":
            self._inside = self.thinks = True
        elif kind == "close" and self._inside:
            self._inside = False
        elif kind == "close" and not self.thinks:
            self.thinks = True
            self.retracted, self._waits, self._waiting = not self._waits, False, []
            return []
        elif kind == "close":
            kept.append(tag)
        return kept

    def _given(self, text: str) -> str:
        if not self._waits:
            held, self._waiting = "".join(self._waiting), []
            return held + text
        self._waiting.append(text)
        self._waits = not self.thinks  # one that opens its thoughts after all
        return "" if self._waits else self._given("")


def thoughts(text: str) -> list[tuple[int, int]]:
    """Ranges of the thoughts in a whole text, tags included, end exclusive."""
    return list(_dropped(text))


def _dropped(text: str) -> Iterator[tuple[int, int]]:
    opened: int | None = None
    seen = False
    spans: list[tuple[int, int]] = []
    for tag in _TAG.finditer(text):
        kind = tag.lastgroup
        if kind == "open" and opened is None:
            opened, seen = tag.start(), True
        elif kind == "close" and opened is not None:
            spans.append((opened, tag.end()))
            opened = None
        elif kind == "close" and not seen:
            spans, seen = [(0, tag.end())], True
        elif kind == "noise" and opened is None:
            spans.append(tag.span())
    yield from spans
    if opened is not None:
        yield opened, len(text)


def _unfinished_tag(data: str, start: int) -> int:
    """Return where a tag that is cut off by the end of `data` begins, or len(data)."""
    for found in _MAY_BEGIN.finditer(data, max(start, len(data) - _LONGEST + 1)):
        if _begins_a_tag(data[found.start() :]):
            return found.start()
    return len(data)


def _begins_a_tag(tail: str) -> bool:
    return tail in _BEGINNINGS or tail.lower() in _BEGINNINGS_OF_ANY_CASE
