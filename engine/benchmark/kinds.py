"""What a number is about, in a few kinds: what a model gets wrong differs between price levels, averages and oscillators."""

from typing import Final

from engine.grounding.tables.table import IndicatorTable

KINDS: Final = ("price", "average", "oscillator", "flow", "position", "company", "account", "other")
_OF_SPEC: Final = {
    **dict.fromkeys(("price", "line", "channel", "level", "atr", "atr_pct", "change", "former_price"), "price"),
    **dict.fromkeys(("oscillator", "trend", "di", "macd", "signal", "histogram", "cci"), "oscillator"),
    **dict.fromkeys(("volume", "flow", "funding", "oi", "mood"), "flow"),
    **dict.fromkeys(("account", "shares", "weight", "drawdown"), "account"),
    **dict.fromkeys(("valuation", "share", "growth", "per_share", "balance", "amount"), "company"),
    "alignment": "average",
    "position": "position",
}


def kind_of(key: str, table: IndicatorTable) -> str:
    """Return one of `KINDS` for a canonical key, with or without its timeframe."""
    indicator, _, _ = table.find(key)
    if indicator is None:
        return "other"
    if indicator.kind == "line" and indicator.family:
        return "average"
    return _OF_SPEC.get(indicator.kind, "other")


def indicator_of(key: str, table: IndicatorTable) -> str:
    """Return the key without its timeframe and its period: `1h.ema_200` -> `ema`."""
    indicator, _, _ = table.find(key)
    return indicator.base if indicator is not None else key
