"""What a text is about: its words in lower case, and pairs of Chinese characters."""

import re
from typing import Final

_WORD: Final = re.compile(r"[a-z][a-z0-9]+|[\u4e00-\u9fff]+", re.IGNORECASE)
_STOP: Final = frozenset(
    re.findall(r"\w+", "the and for are was were what how why when which does this that with from into its has have is it of to in on")
)


def terms(text: str) -> frozenset[str]:
    """Return the terms of a text, without the words that say nothing of it."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if word.isascii():
            found.add(word.removesuffix("s") if len(word) > 3 else word)
        else:
            found |= {word[at : at + 2] for at in range(max(len(word) - 1, 1))}
    return frozenset(found - _STOP)
