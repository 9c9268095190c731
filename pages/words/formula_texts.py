"""How facts are measured, in Chinese. The engine says it in English, as a formula; one that is not listed here is shown as it says it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from engine.domain.text.language import Language
from engine.domain.text.word_files import read_texts
from pages.words.fact_names import period_name

CHINESE: Final[Mapping[str, str]] = read_texts(Path(__file__).parent / "engine", "zh", "formulas")
_PERIOD = re.compile(r"(?P<what>.+), (?P<period>ttm|annual|quarterly) to (?P<to>\d{4}-\d\d-\d\d)")
_SMOOTHED = re.compile(r", Wilder\b")


def formula_text(formula: str, language: Language) -> str:
    """Return how a fact is measured, in a language."""
    if language != "zh":
        return formula
    if found := _PERIOD.fullmatch(formula):
        return f"{CHINESE.get(found['what'], found['what'])}，{period_name(found['period'], language)}至 {found['to']}"
    return CHINESE.get(formula) or _SMOOTHED.sub("，Wilder 平滑", formula)
