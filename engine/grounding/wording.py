"""The truth in words, in both languages: `RSI: 45.2 (neutral, between 30 and 70)`.

Given a key and the sheet, gives the indicator's name, its value as it is written everywhere, and what that value is called. Used by the
corrected text and by the report, so that the same fact reads the same in both.
"""

from collections.abc import Mapping

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.domain.language import Language
from engine.grounding.indicator import Indicator
from engine.grounding.indicators import BY_BASE
from engine.grounding.named import Named
from engine.grounding.statement import Subject
from engine.grounding.states import order_of

_SIGNED_KEYS = frozenset({"oi_change_pct", "change_24h_pct", "profit_pct"})

_STATE_WORDS: Mapping[str, tuple[str, str]] = {
    "oversold": ("oversold", "超卖"),
    "overbought": ("overbought", "超买"),
    "neutral": ("neutral", "中性"),
    "weak_trend": ("weak trend", "弱趋势"),
    "moderate_trend": ("moderate trend strength", "中等趋势强度"),
    "strong_trend": ("strong trend", "强趋势"),
    "very_strong": ("very strong trend", "极强趋势"),
    "golden_cross": ("above its signal line, golden cross", "高于信号线, 金叉"),
    "dead_cross": ("below its signal line, dead cross", "低于信号线, 死叉"),
    "positive": ("positive", "正值"),
    "negative": ("negative", "负值"),
    "extreme_fear": ("extreme fear", "极度恐惧"),
    "fear": ("fear", "恐惧"),
    "greed": ("greed", "贪婪"),
    "extreme_greed": ("extreme greed", "极度贪婪"),
    "bullish_align": ("bullish alignment", "多头排列"),
    "bearish_align": ("bearish alignment", "空头排列"),
    "mixed": ("mixed order", "排列交错"),
    "rising": ("rising", "上升"),
    "falling": ("falling", "下降"),
    "flat": ("flat", "走平"),
    "long": ("long", "多单"),
    "short": ("short", "空单"),
}
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
    "oi_change_pct.positive": ("positions being added", "多头增持"),
    "oi_change_pct.negative": ("positions being closed", "持仓减少"),
    "profit_pct.positive": ("in profit", "浮盈"),
    "profit_pct.negative": ("in loss", "浮亏"),
}


def indicator_of(key: str) -> tuple[Indicator | None, str, int | None]:
    """The table's entry for a canonical key, its timeframe prefix (perhaps empty) and its period."""
    frame, _, bare = key.rpartition(".")
    if bare in BY_BASE:
        return BY_BASE[bare], frame, None
    base, _, period = bare.rpartition("_")
    indicator = BY_BASE.get(base)
    return (indicator, frame, int(period)) if indicator is not None and period.isdigit() else (None, frame, None)


def name_of(key: str, language: Language) -> str:
    """What the key is called: `RSI`, `EMA200`, `1h RSI`; the period where it is not the usual one."""
    indicator, frame, period = indicator_of(key)
    if indicator is None:
        return key
    name = indicator.label[0 if language == "en" else 1]
    suffix = str(period) if period is not None and period != indicator.period else ""
    return f"{frame} {name}{suffix}" if frame else f"{name}{suffix}"


def value_of(key: str, sheet: FactSheet, language: Language) -> str | None:
    """The value as it is written, unit included; None when the fact is missing."""
    indicator, frame, _ = indicator_of(key)
    if indicator is not None and indicator.kind == "alignment":
        order = _order(f"{frame}." if frame else "", sheet)
        return _state(order, language) if order is not None else None
    text = sheet.text(key)
    if text is None or indicator is None:
        return text
    if sheet.number(key) is None:
        return _state(text, language)
    sign = "+" if key in _SIGNED_KEYS and not text.startswith("-") else ""
    return f"{sign}{text}{'%' if indicator.unit == 'percent' else 'x' if indicator.base in {'volume_ratio_20', 'leverage'} else ''}"


def reading_of(key: str, sheet: FactSheet, language: Language) -> str:
    """What the value is called, empty when there is no word for it."""
    indicator, frame, _ = indicator_of(key)
    value = sheet.number(key)
    if indicator is None or value is None:
        return ""
    prefix = f"{frame}." if frame else ""
    if indicator.kind in {"line", "level"}:
        return _beside(value, sheet, language)
    if key in {"drawdown_from_peak_pct"}:
        return _share(value, sheet, language)
    if indicator.base == "macd":
        return _signal(value, prefix, sheet, language)
    order: tuple[str, ...] = (
        ("positive", "negative")
        if indicator.base in {"oi_change_pct", "profit_pct", "change_24h_pct", "macd_hist", "macd_signal"}
        else _ORDER
    )
    if indicator.kind == "funding":
        order = ("neutral", "positive", "negative")
    name = next((state for state in order if state in indicator.bands and indicator.bands[state].judge(value)), None)
    if name is None:
        return ""
    words = _DETAIL.get(f"{indicator.base}.{name}") or _STATE_WORDS.get(name, (name, name))
    return words[0 if language == "en" else 1]


def line_of(key: str, sheet: FactSheet, language: Language) -> str | None:
    """`RSI: 45.2 (neutral zone, between 30 and 70)`; None when the fact is missing."""
    value = value_of(key, sheet, language)
    if value is None:
        return None
    reading = reading_of(key, sheet, language)
    return f"{name_of(key, language)}: {value}" + (f" ({reading})" if reading else "")


def truth_of(claim: Claim, sheet: FactSheet, language: Language) -> str:
    """What is true instead of a false claim: `RSI=45.2 (neutral)`, `EMA200=2.476 (price 2.418 below it)`."""
    value = value_of(claim.key, sheet, language) or str(claim.actual)
    reading = reading_of(claim.key, sheet, language)
    return f"{name_of(claim.key, language)}={value}" + (f" ({reading})" if reading else "")


def _state(name: str, language: Language) -> str:
    return _STATE_WORDS.get(name, (name, name))[0 if language == "en" else 1]


def _order(prefix: str, sheet: FactSheet) -> str | None:
    fast, middle, slow = (sheet.number(f"{prefix}ema_{period}") for period in (20, 50, 200))
    return order_of(fast, middle, slow) if fast is not None and middle is not None and slow is not None else None


def _beside(value: float, sheet: FactSheet, language: Language) -> str:
    price = sheet.number("close")
    if price is None:
        return ""
    above = price >= value
    if language == "en":
        return f"price {sheet.text('close')} {'above' if above else 'below'} it"
    return f"价格{sheet.text('close')}在其{'上方' if above else '下方'}"


def _signal(value: float, prefix: str, sheet: FactSheet, language: Language) -> str:
    first = _DETAIL["macd.positive" if value >= 0 else "macd.negative"]
    signal = sheet.number(f"{prefix}macd_signal")
    index = 0 if language == "en" else 1
    if signal is None:
        return first[index]
    cross = "golden_cross" if value > signal else "dead_cross"
    return f"{_state('positive' if value >= 0 else 'negative', language)}, {_state(cross, language)}"


def _share(value: float, sheet: FactSheet, language: Language) -> str:
    best = sheet.number("mfe_pct")
    if best is None or best <= 0:
        return ""
    share = round(100 * abs(value) / best)
    return f"{share}% of the best gain given back" if language == "en" else f"回吐最大浮盈的{share}%"


def subject_of(key: str) -> Subject | None:
    """A key as a subject of statements, for tests and displays."""
    indicator, frame, period = indicator_of(key)
    return Subject(Named(indicator, period), 0, frame or None) if indicator is not None else None
