"""Token counts of prompts, as a bound that holds without a tokenizer's tables: nothing is installed or downloaded for it.

A text is cut as today's tokenizers cut it before they look anything up: words with the space or mark before them, figures by threes, marks,
line ends. The bound is never below o200k (OpenAI's) for

- figures: up to three digits are one token, and so is a sign, a point, or a space before a digit;
- Chinese: a character of `CHARACTERS` is one token by itself, and no token of o200k reaches from it into part of a neighbour, except from a
  space before it or from an "i" or "pp" behind it; there, and for every other character, its bytes are counted. Two neighbours that make a
  word of `WORDS` are never left apart in the end: one of them is joined with something, and only the two of a pair of `PAIRS` are. Every
  join takes a token off, and as few are counted as can touch every word.

English is measured: one token for the first nine letters of a word and for each nine further. Prompts come out a few percent above o200k in
English and about a tenth in Chinese. A tokenizer with fewer Chinese characters needs more.
"""

import re
from pathlib import Path
from typing import Final

_WIDE: Final = re.compile(r"( ?)([\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]+)(?=(i|pp)?)")
_PIECE: Final = re.compile(r"([^\w\s]|[_ ])?([^\W\d_]+)|\d{1,3}| ?([^\w\s]+|_+)([\r\n]*)|\s*\n|[^\S\n]+(?=\S)|\s+")
_LETTERS, _ALIKE = 9, 2
"""Of a word that is one token, and of a run of one mark; each further so many are another one."""
_ONE_MORE: Final = (
    *("cooldown", "costs", "debt", "doji", "drift", "equity", "fcf", "greed", "htf", "liquidation", "macd", "mae", "mfe", "mfi", "obv"),
    *("risk", "rsi", "sma", "stoch", "ttm", "vwap", "yield"),
)
"""Words in the names of facts and limits that take a token more than their length says."""
_BYTES: Final = 3
"""Of a Chinese character in UTF-8: a token is one byte at least."""


def _pairs(groups: str) -> frozenset[str]:
    """Return pairs of characters. groups: of each first character with every second one."""
    return frozenset(group[0] + second for group in groups.split() for second in group[1:])


_TABLE: Final = (Path(__file__).parent / "chinese_tokens.txt").read_text(encoding="utf-8").split("\n\n")
"""What o200k knows of Chinese, out of its table (part of tiktoken, MIT): the characters and marks that are one token, the pairs of
characters that are one, and the pairs within a longer one. Left out are those of which o200k knows a token with part of a neighbour's
bytes: there a neighbour may take a token more."""
CHARACTERS: Final = frozenset(_TABLE[0]) - {"\n"}
WORDS: Final = _pairs(_TABLE[1])
PAIRS: Final = WORDS | _pairs(_TABLE[2])
"""Every pair within any token."""


def count_tokens(text: str) -> int:
    """Return how many tokens `text` is at most."""
    count = place = 0
    for wide in _WIDE.finditer(text):
        count += _of_pieces(text[place : wide.start()]) + _of_wide(*wide.groups())
        place = wide.end(2)
    return count + _of_pieces(text[place:])


def _of_pieces(text: str) -> int:
    return sum(map(_of_piece, _PIECE.finditer(text)))


def _of_wide(space: str, run: str, behind: str | None) -> int:
    """Return the tokens of a run of Chinese with the space before it."""
    inner = run[bool(space) : len(run) - bool(behind)]
    apart = len(run) - len(inner)  # those that a token may reach into from outside
    return len(space) + apart * _BYTES + sum(1 if each in CHARACTERS else _BYTES for each in inner) - _joins(inner)


def _joins(run: str) -> int:
    """Return how many joins of two neighbours it takes at least until one of every word of a run is joined."""
    joins = touched = 0  # the characters before `touched` are joined or in no word that waits for it
    for at in range(len(run) - 1):
        if at >= touched and run[at : at + 2] in WORDS:
            joins += 1
            touched = at + 3 if run[at + 1 : at + 3] in PAIRS else at + 2  # the later of two joins that touch it touches more words
    return joins


def _of_piece(found: re.Match[str]) -> int:
    before, word, marks, line_end = found.groups()
    if word:
        beside = before is not None and before not in " _"
        return _of_word(word) + beside
    if marks:
        alike = len(set(marks)) == 1
        return (1 + (len(marks) - 1) // _ALIKE if alike else len(marks)) + bool(line_end)
    return 1 + (found[0].startswith("  "))  # the last space of several belongs to what follows, and a figure takes none


def _of_word(word: str) -> int:
    if word.isupper():
        return 1 + (len(word) - 1) // (2 if len(word) <= 3 else 3)
    return 1 + (len(word) - 1) // _LETTERS + (word in _ONE_MORE)
