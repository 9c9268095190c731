"""Approximate token counts, without tables that would have to be downloaded.

Text is cut as the tokenizers of today cut it before they look anything up: words, figures by threes, marks, line ends. Measured with
o200k on the prompts of both desks in either language: 2 percent below to 9 above what there is, of the executor's 4 to 7 above.
"""

import re

_WIDE = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]+")
_PIECE = re.compile(r"([^\W\d_]+)|\d{1,3}|[^\w\s]+|_+|\n+|[^\S\n]{2,}")
_LETTERS = 6
"""Of a word that is one token; a longer one is two."""
_TENTHS_A_CHARACTER = 8
"""Of a Chinese character."""


def count_tokens(text: str) -> int:
    """Return about how many tokens `text` is, seldom less than there are."""
    wide = sum(map(len, _WIDE.findall(text)))
    pieces = sum(1 + (len(word) - 1) // _LETTERS if word else 1 for word in _PIECE.findall(_WIDE.sub(" ", text)))
    return pieces - (-wide * _TENTHS_A_CHARACTER // 10)
