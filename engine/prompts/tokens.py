"""Approximate token counts, without tables that would have to be downloaded."""

import re

_CJK = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")
_CHARACTERS_PER_TOKEN = 3.6  # of English prose with many figures; a little pessimistic on purpose


def count_tokens(text: str) -> int:
    """Return about how many tokens `text` is: one for a CJK character, one for about 3.6 others."""
    wide = len(_CJK.findall(text))
    return wide + -(-(len(text) - wide) * 10 // int(_CHARACTERS_PER_TOKEN * 10))
