"""Drops what a reasoning model thinks aloud: `<think>...</think>` and `<thinking>...</thinking>`.

Given an answer piece by piece, gives the pieces without the thoughts, as soon as they are certain. Never holds back more than an
unfinished tag, never looks twice at a character, never takes a lone closing tag for anything but text. A thought that is not closed goes
on to the end of the answer: half a thought is not an answer. Thoughts do not nest; either closing tag ends either thought.
"""

import re

_OPEN = re.compile(r"<think(?:ing)?>", re.IGNORECASE | re.ASCII)
_CLOSE = re.compile(r"</think(?:ing)?>", re.IGNORECASE | re.ASCII)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.ASCII | re.DOTALL)
_LONGEST_TAG = len("</thinking>")


class ThinkFilter:
    """One answer's filter: `feed` every piece in order, then `finish` once."""

    def __init__(self) -> None:
        self._inside = False
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return the text that `piece` makes certain; the start of a possible tag at its end is held until the next piece."""
        data, at, kept = self._held + piece, 0, []
        while True:
            tag = (_CLOSE if self._inside else _OPEN).search(data, at)
            if tag is None:
                break
            if not self._inside:
                kept.append(data[at : tag.start()])
            self._inside = not self._inside
            at = tag.end()
        cut = _unfinished_tag(data, at, "</thinking>" if self._inside else "<thinking>")
        self._held = data[cut:]
        if not self._inside:
            kept.append(data[at:cut])
        return "".join(kept)

    def finish(self) -> str:
        """Return what was held back and proved to be no tag. The filter is spent afterwards."""
        rest = "" if self._inside else self._held
        self._held = ""
        return rest


def thoughts(text: str) -> list[tuple[int, int]]:
    """Ranges of the thoughts in a whole text, tags included, end exclusive."""
    return [found.span() for found in _THOUGHT.finditer(text)]


def drop_thinking(text: str) -> str:
    """Return a whole text without its thoughts."""
    return _THOUGHT.sub("", text)


def _unfinished_tag(data: str, start: int, tag: str) -> int:
    """Return where a tag that is cut off by the end of `data` begins; len(data) when there is none."""
    found = data.rfind("<", max(start, len(data) - _LONGEST_TAG + 1))
    if found < 0:
        return len(data)
    tail = data[found:].lower()
    return found if tag.startswith(tail) or tag.replace("ing", "").startswith(tail) else len(data)
