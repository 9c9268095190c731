"""A fact sheet made of plain values, as files and other programs hold them: `{"timeframe": "15m", "close": 97380, "rsi_14": 48.6, ...}`.

Given names and values; gives a sheet that says nothing about bars and formulas. What is no finite number where one is needed is missing:
a claim about it is unverifiable, never false.
"""

import math
from collections.abc import Mapping

from engine.domain.errors import BadInput
from engine.domain.facts import Fact, FactSheet, FactValue
from engine.domain.market.timeframe import Timeframe
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable

_ABOUT = ("symbol", "timeframe")
_MISSING = "no finite number was given"


def plain_sheet(facts: Mapping[str, object], table: IndicatorTable) -> FactSheet:
    """Return the sheet of these facts; `table` says what their keys mean.

    facts: canonical keys (`rsi_14`, `1h.ema_200`) with numbers, words where the key has words (`obv_trend`, `side`), None for missing
    ones; besides `symbol` and `timeframe`. Texts such as "NaN" in place of a number are missing ones. Raises BadInput naming a key whose
    value is of no such kind.
    """
    about = {name: facts.get(name) for name in _ABOUT}
    for name, value in about.items():
        if value is not None and not isinstance(value, str):
            raise BadInput(f"fact {name} must be a text")
    made = {key: _fact(key, value, table) for key, value in facts.items() if key not in _ABOUT}
    frame = str(about["timeframe"] or "")
    return FactSheet(str(about["symbol"] or ""), frame, _higher(frame, made), made)


def _fact(key: str, value: object, table: IndicatorTable) -> Fact:
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise BadInput(f"fact {key[:40]} must be a number, a text or null")
    indicator, frame, _ = table.find(key)
    known = _known(value, indicator)
    unit = indicator.unit if indicator is not None else "amount"
    return Fact(key=key, value=known, unit=unit, timeframe=frame or None, missing=_MISSING if known is None else None)


def _known(value: str | int | float | None, indicator: IndicatorSpec | None) -> FactValue:
    has_words = indicator is None or indicator.unit == "word"
    if isinstance(value, str):
        return value.strip().lower() if has_words else None
    if value is None or (indicator is not None and has_words):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer of more than 308 digits
        return None
    return number if math.isfinite(number) else None


def _higher(frame: str, facts: Mapping[str, Fact]) -> str | None:
    """Return the shortest longer timeframe that has facts."""
    main = _length(frame)
    others = ((_length(name), name) for name in {key.rpartition(".")[0] for key in facts} - {""})
    longer = [(length, name) for length, name in others if length is not None and (main is None or length > main)]
    return min(longer)[1] if longer else None


def _length(name: str) -> int | None:
    try:
        return Timeframe.parse(name).ms
    except BadInput:
        return None
