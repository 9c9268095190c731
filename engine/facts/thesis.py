"""What would prove an entry wrong, written down when it is made, and whether it has come true. Without I/O.

Given the facts at the entry, gives conditions that a machine can check later:
- level: a close beyond the key level the entry leans on (support for a long, resistance for a short);
- indicator: what stood for the side at the entry no longer does (averages, MACD against its signal); only what did stand for it is taken;
- time: held longer than `PATIENCE` bars.
"""

from typing import Final

from engine.domain.facts import FactSheet
from engine.domain.invalidation import Invalidation, InvalidationCheck, Thesis
from engine.domain.text.language import Language

PATIENCE: Final = 96  # bars of the main timeframe
_PAIRS: Final = (("ema_20", "ema_50"), ("macd", "macd_signal"))


def invalidations_of(sheet: FactSheet, sign: int) -> tuple[Invalidation, ...]:
    """Return what would break the thesis of an entry made on these facts. sign: +1 long, -1 short."""
    found = []
    level = sheet.number("support" if sign > 0 else "resistance")
    if level is not None:
        found.append(Invalidation(kind="level", key="close", relation="below" if sign > 0 else "above", bound=level))
    for one, other in _PAIRS:
        here, there = sheet.number(one), sheet.number(other)
        if here is not None and there is not None and (here - there) * sign > 0:
            found.append(Invalidation(kind="indicator", key=one, relation="below" if sign > 0 else "above", other=other))
    return (*found, Invalidation(kind="time", key="hold_count", relation="above", bound=float(PATIENCE)))


def check_thesis(thesis: Thesis, sheet: FactSheet) -> tuple[InvalidationCheck, ...]:
    """Return each condition, measured on the facts as they are now."""
    return tuple(_checked(each, sheet) for each in thesis.invalidations)


def _checked(condition: Invalidation, sheet: FactSheet) -> InvalidationCheck:
    measured = sheet.number(condition.key)
    against = condition.bound if condition.other is None else sheet.number(condition.other)
    if measured is None or against is None:
        return InvalidationCheck(invalidation=condition, broken=None, measured=measured, against=against)
    broken = measured < against if condition.relation == "below" else measured > against
    return InvalidationCheck(invalidation=condition, broken=broken, measured=measured, against=against)


def thesis_lines(checks: tuple[InvalidationCheck, ...], language: Language) -> str:
    """Return a line for each condition: what would break the thesis, and whether it has."""
    return "\n".join(f"- {condition_text(each, language)}: {_STATE[language][each.broken]}" for each in checks)


_STATE: Final[dict[Language, dict[bool | None, str]]] = {
    "en": {True: "BROKEN", False: "holds", None: "cannot be checked"},
    "zh": {True: "已失效", False: "仍成立", None: "无法核验"},
}
_RELATION: Final[dict[Language, dict[str, str]]] = {
    "en": {"below": "below", "above": "above"},
    "zh": {"below": "低于", "above": "高于"},
}


def condition_text(each: InvalidationCheck, language: Language) -> str:
    """Return a condition and what it is measured at: `close below 61200 (now 60950)`."""
    condition = each.invalidation
    bound = condition.other or f"{condition.bound:g}"
    words = f"{condition.key} {_RELATION[language][condition.relation]} {bound}"
    if each.measured is None:
        return words
    now = f"{each.measured:g}" + (f" / {each.against:g}" if condition.other is not None and each.against is not None else "")
    return f"{words} ({'now' if language == 'en' else '现在'} {now})"
