"""Large sums, multiples and counts as people write them: `385.7 billion`, `2.12万亿`, `29.4x`, `120`.

Given an indicator of a company or an account and its value; gives the text, None where the plain number is written as it is everywhere.
"""

from engine.domain.text.language import Language
from engine.grounding.tables.indicator import IndicatorSpec

_SCALES: dict[Language, tuple[tuple[float, str], ...]] = {
    "en": ((1e12, " trillion"), (1e9, " billion"), (1e6, " million")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}
_DIGITS = 4


def company_text(indicator: IndicatorSpec, value: float, language: Language) -> str | None:
    """Return the value as it is written; rounded to four digits, far inside every tolerance."""
    if indicator.kind == "amount":
        return _sum_text(value, language)
    if indicator.kind == "valuation":
        return f"{value:.{_DIGITS}g}{'x' if language == 'en' else '倍'}"
    if indicator.kind == "shares":
        return f"{value:g}" if abs(value) < _SCALES["en"][-1][0] else f"{value:.0f}"
    return f"{value:.2f}" if indicator.kind == "per_share" and abs(value) >= 1 else None


def _sum_text(value: float, language: Language) -> str:
    for scale, word in _SCALES[language]:
        if abs(value) >= scale:
            return f"{value / scale:.{_DIGITS}g}{word}"
    return f"{value:.0f}"
