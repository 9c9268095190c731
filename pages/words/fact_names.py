"""Names of facts, states and candlestick patterns in English and Chinese, and how facts are measured. A name not listed is shown as its
key, underscores as spaces; a formula as the engine says it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from engine.domain.text.language import Language
from engine.domain.text.word_files import Pair, read_chinese, read_pairs

_FOLDER: Final = Path(__file__).parent
FACTS: Final[Mapping[str, Pair]] = read_pairs(_FOLDER, "facts", "company_facts")
STATES: Final[Mapping[str, Pair]] = read_pairs(_FOLDER, "states")
PATTERNS: Final[Mapping[str, Pair]] = read_pairs(_FOLDER, "patterns")
PERIODS: Final[Mapping[str, Pair]] = read_pairs(_FOLDER, "periods")
"""What is before a key of reported figures."""


def fact_name(key: str, language: Language) -> str:
    """Return `RSI(14)` for `rsi_14`; a timeframe prefix is left to `fact_timeframe`."""
    plain = key.rpartition(".")[2]
    return _of(FACTS, plain, language)


def fact_timeframe(key: str) -> str | None:
    """Return the timeframe a key names, None for one of the main timeframe."""
    return key.rpartition(".")[0] or None


def period_name(period: str, language: Language) -> str:
    """Return `twelve months` for `ttm`; a timeframe is called the same in every language."""
    return PERIODS[period][language == "zh"] if period in PERIODS else period


def state_name(state: str, language: Language) -> str:
    """Return `below its signal` for `dead_cross`."""
    return _of(STATES, state.lower().strip(": "), language)


def pattern_name(name: str, language: Language) -> str:
    """Return `Shooting star` for `shootingstar` or `CDLSHOOTINGSTAR`."""
    return _of(PATTERNS, name.lower().removeprefix("cdl").replace("_", "").replace(" ", ""), language, name)


def _of(table: Mapping[str, Pair], key: str, language: Language, shown: str | None = None) -> str:
    found = table.get(key)
    return found[language == "zh"] if found else (shown or key).replace("_", " ")


CHINESE: Final[Mapping[str, str]] = read_chinese(_FOLDER, "formulas")
_PERIOD = re.compile(r"(?P<what>.+), (?P<period>ttm|annual|quarterly) to (?P<to>\d{4}-\d\d-\d\d)")
_SMOOTHED = re.compile(r", Wilder\b")


def formula_text(formula: str, language: Language) -> str:
    """Return how a fact is measured, in a language."""
    if language != "zh":
        return formula
    if found := _PERIOD.fullmatch(formula):
        return f"{CHINESE.get(found['what'], found['what'])}，{period_name(found['period'], language)}至 {found['to']}"
    return CHINESE.get(formula) or _SMOOTHED.sub("，Wilder 平滑", formula)
