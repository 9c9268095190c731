"""Approximate token counts, without tables that would have to be downloaded.

Measured with o200k on the prompts of both desks: a fact line has 2.1 characters a token (digits go in threes, and every key has marks),
English prose with figures 3.5, a Chinese character 0.9 tokens. A little pessimistic on purpose: what is counted here holds there.
"""

import re

_CJK = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")
_FACT_LINE = re.compile(r"^(?:[0-9]+[mhdw]\.)?[a-z][a-z0-9_]*+ = [^\n]*+\n?", re.MULTILINE)
_FACT_CHARACTERS, _PROSE_CHARACTERS = 20, 34  # of ten tokens


def count_tokens(text: str) -> int:
    """Return about how many tokens `text` is, seldom less than there are."""
    wide = len(_CJK.findall(text))
    facts = sum(len(line) for line in _FACT_LINE.findall(text))
    prose = max(0, len(text) - wide - facts)
    return wide - (-facts * 10 // _FACT_CHARACTERS) - (-prose * 10 // _PROSE_CHARACTERS)
