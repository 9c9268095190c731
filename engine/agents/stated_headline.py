"""The lines behind an answer that state its headline (`headline`, `deciding`, `against`), and what of them may be shown. Pure.

A headline is at most four words without a digit. The figure that decides is never taken from its line: each desk reads it out of what it
has measured or found. A sentence against the answer is kept only where the sources that it cites hold it.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from engine.domain.research.document import Document
from engine.domain.text.visible import one_line
from engine.grounding.cited.statements import check_answer
from engine.llm.values import is_nothing

MOST_WORDS, MOST_SIGNS = 4, 14
"""Of a headline with spaces between its words, and of one without."""
_STATED: Final = re.compile(r"^[\s>*_`\-]{0,6}(headline|deciding|against)[\s*_`]{0,6}[:：][ \t]*(.*)$", re.IGNORECASE | re.MULTILINE)
_DIGIT: Final = re.compile(r"\d")


def take_stated(text: str) -> tuple[str, dict[str, str]]:
    """Return a model's text without the lines that state a headline, and what they state: the last of each."""
    stated = {found[1].lower(): one_line(found[2]).strip(" *_`\"'“”") for found in _STATED.finditer(text)}
    return _STATED.sub("", text).rstrip(), {key: value for key, value in stated.items() if value and not is_nothing(value)}


def headline_words(stated: str) -> str:
    """Return the words of a headline, "" for ones that are none: too many, or with a digit."""
    words = stated.strip(" .。!！")
    is_short = len(words.split()) <= MOST_WORDS if words.isascii() else len(words) <= MOST_SIGNS
    return words if is_short and not _DIGIT.search(words) else ""


def held_against(stated: str, documents: Sequence[Document]) -> dict[str, Any] | None:
    """Return the sentence that speaks against an answer, as a checked statement; None without one, or if its sources do not support it.
    documents: as they are cited, from 1."""
    checked = check_answer(stated, documents) if stated else []
    if len(checked) != 1 or not checked[0].citations or checked[0].status == "unsupported":
        return None
    return checked[0].model_dump(mode="json")
