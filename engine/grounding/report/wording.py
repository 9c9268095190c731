"""The truth in words, in both languages: `RSI: 45.2 (neutral, between 30 and 70)`.

Given a key, gives the indicator's name, its value as it is written everywhere, and what that value is called. Used by the corrected text
and by the record of a debate, so that the same fact reads the same in both.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.grounding.checks.verdict import order_of
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable
from engine.grounding.words.lists import READINGS

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


_SIGNED_KEYS = frozenset({"oi_change_pct", "change_24h_pct", "profit_pct"})

_LABELS = {reading.name: reading.label for reading in READINGS if reading.label[0]}
_ORDER = (
    "extreme_fear",
    "extreme_greed",
    "very_strong",
    "weak_trend",
    "moderate_trend",
    "strong_trend",
    "oversold",
    "overbought",
    "neutral",
    "fear",
    "greed",
)
_DETAIL: Mapping[str, tuple[str, str]] = {
    "rsi.oversold": ("oversold zone, below 30", "超卖区域, 30以下"),
    "rsi.overbought": ("overbought zone, above 70", "超买区域, 70以上"),
    "rsi.neutral": ("neutral zone, between 30 and 70", "中性区域, 30-70之间"),
    "macd.positive": ("positive, bullish signal", "正值, 看多信号"),
    "macd.negative": ("negative, bearish signal", "负值, 看空信号"),
    "oi_change_pct.positive": ("positions being added", "增仓（持仓量增加）"),
    "oi_change_pct.negative": ("positions being closed", "持仓减少"),
    "profit_pct.positive": ("in profit", "浮盈"),
    "profit_pct.negative": ("in loss", "浮亏"),
}


def name_of_key(key: str, language: Language, table: IndicatorTable) -> str:
    """Return what a key is called: `RSI`, `EMA200`, `1h RSI`; the period where it is not the usual one."""
    indicator, frame, period = table.find(key)
    if indicator is None:
        return key
    name = indicator.label[0 if language == "en" else 1]
    suffix = str(period) if period is not None and period != indicator.period else ""
    return f"{frame} {name}{suffix}" if frame else f"{name}{suffix}"


@dataclass(frozen=True)
class FactWording:
    """Facts as they are written. sheet: where the values come from; table: what its keys mean; language: of names and readings."""

    sheet: FactSheet
    language: Language
    table: IndicatorTable

    def name(self, key: str) -> str:
        """Return what the key is called."""
        return name_of_key(key, self.language, self.table)

    def value(self, key: str) -> str | None:
        """Return the value as it is written, unit included; None when the fact is missing."""
        indicator, frame, _ = self.table.find(key)
        if indicator is not None and indicator.kind == "alignment":
            order = self._order(f"{frame}." if frame else "")
            return self._state(order) if order is not None else None
        text = self.sheet.text(key)
        if text is None or indicator is None:
            return text
        number = self.sheet.number(key)
        if number is None:
            return self._state(text)
        written = company_text(indicator, number, self.language)
        if written is not None:
            return written
        sign = "+" if key in _SIGNED_KEYS and not text.startswith("-") else ""
        return f"{sign}{text}{'%' if indicator.unit == 'percent' else 'x' if indicator.base in {'volume_ratio_20', 'leverage'} else ''}"

    def reading(self, key: str) -> str:
        """Return what the value is called, empty when there is no word for it."""
        indicator, frame, _ = self.table.find(key)
        value = self.sheet.number(key)
        if indicator is None or value is None:
            return ""
        prefix = f"{frame}." if frame else ""
        if indicator.kind in {"line", "level"}:
            return self._beside(value)
        if key in {"drawdown_from_peak_pct"}:
            return self._share(value)
        if indicator.base == "macd":
            return self._signal(value, prefix)
        order: tuple[str, ...] = (
            ("positive", "negative")
            if indicator.base in {"oi_change_pct", "profit_pct", "change_24h_pct", "change_1d_pct", "macd_hist", "macd_signal"}
            else (*_ORDER, *self.table.kinds)
        )
        if indicator.kind == "funding":
            order = ("neutral", "positive", "negative")
        name = next((state for state in order if state in indicator.bands and indicator.bands[state].judge(value)), None)
        if name is None:
            return ""
        words = _DETAIL.get(f"{indicator.base}.{name}")
        return words[0 if self.language == "en" else 1] if words is not None else self._state(name)

    def line(self, key: str) -> str | None:
        """Read `RSI: 45.2 (neutral zone, between 30 and 70)`; None when the fact is missing."""
        value = self.value(key)
        if value is None:
            return None
        reading = self.reading(key)
        return f"{self.name(key)}: {value}" + (f" ({reading})" if reading else "")

    def truth(self, claim: Claim) -> str:
        """Return what is true instead of a false claim: `RSI=45.2 (neutral)`, `EMA200=2.476 (price 2.418 below it)`."""
        value = self.value(claim.key) or str(claim.actual)
        reading = self.reading(claim.key)
        return f"{self.name(claim.key)}={value}" + (f" ({reading})" if reading else "")

    def _state(self, name: str) -> str:
        words = _LABELS.get(name) or self.table.labels.get(name, (name, name))
        return words[0 if self.language == "en" else 1]

    def _order(self, prefix: str) -> str | None:
        fast, middle, slow = (self.sheet.number(f"{prefix}ema_{period}") for period in (20, 50, 200))
        return order_of(fast, middle, slow) if fast is not None and middle is not None and slow is not None else None

    def _beside(self, value: float) -> str:
        price = self.sheet.number("close")
        if price is None:
            return ""
        above = price >= value
        if self.language == "en":
            return f"price {self.sheet.text('close')} {'above' if above else 'below'} it"
        return f"价格{self.sheet.text('close')}在其{'上方' if above else '下方'}"

    def _signal(self, value: float, prefix: str) -> str:
        first = _DETAIL["macd.positive" if value >= 0 else "macd.negative"]
        signal = self.sheet.number(f"{prefix}macd_signal")
        index = 0 if self.language == "en" else 1
        if signal is None:
            return first[index]
        cross = "golden_cross" if value > signal else "dead_cross"
        return f"{self._state('positive' if value >= 0 else 'negative')}, {self._state(cross)}"

    def _share(self, value: float) -> str:
        best = self.sheet.number("mfe_pct")
        if best is None or best <= 0:
            return ""
        share = round(100 * abs(value) / best)
        return f"{share}% of the best gain given back" if self.language == "en" else f"回吐最大浮盈的{share}%"
