"""Words of a text in any language, for full-text search and for BM25 alike.

Latin and other words as they are, without case; Chinese, Japanese and Korean, which have no blanks, as overlapping pairs of characters.
A run of one such character stays as it is.
"""

import re
import unicodedata
from collections.abc import Iterator

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
_RUN = re.compile(f"([{_CJK}]+)|([^\\W_{_CJK}]+)")
_ONE_CJK = re.compile(f"[{_CJK}]")


def runs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each word or run of CJK characters of a text, normalised (NFKC) and without case, and whether it is such a run."""
    for found in _RUN.finditer(unicodedata.normalize("NFKC", text).lower()):
        yield found[0], found[1] is not None


def pairs(run: str) -> list[str]:
    """Return the overlapping pairs of characters of a run; the run itself where it has one."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def tokens(text: str) -> list[str]:
    """Return the tokens of a text in their order."""
    found: list[str] = []
    for run, is_cjk in runs(text):
        found += pairs(run) if is_cjk else [run]
    return found


def is_cjk(text: str) -> bool:
    """Return whether a text is written in CJK characters: at least one letter in five is one."""
    letters = sum(each.isalpha() for each in text)
    return letters > 0 and len(_ONE_CJK.findall(text)) * 5 >= letters
