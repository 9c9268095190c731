"""The smallest pieces of a normalised text: a Latin word, a run of digits, one Chinese character, one sign, a line end."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<n>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|(?<![0-9a-z.])\.[0-9]+)|(?P<w>[a-z]+)|(?P<l>\n)|(?P<c>[^\s])"
)


@dataclass(slots=True)
class Token:
    """kind: `n` digits, `w` Latin word, `c` any other character, `l` line end. gap: white space precedes it. start, end: offsets in
    the normalised text."""

    kind: str
    text: str
    start: int
    end: int
    gap: bool


def split_tokens(text: str) -> list[Token]:
    """Return all tokens of a normalised text, in order; white space other than line ends is only remembered as a gap."""
    tokens: list[Token] = []
    add = tokens.append
    last = -1
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        add(Token(match.lastgroup or "c", match[0], start, end, start != last))
        last = end
    return tokens
