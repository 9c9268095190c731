"""The measured facts of a prompt, as a script finds them, and which way each of them points and how strongly, from -1 (down) to +1 (up).

Speeches of other roles are wrapped in `<said by="bull">` and are cut out first, so that prose cannot pass for a measured fact.
Market reading of the ordinary kind: momentum follows its direction until it is stretched, averages speak for the side price is on, crowded
funding and extreme mood speak against the crowd. Pure. Facts are texts by key, as prompts write them.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from engine.domain.facts import SCALES

Texts = Mapping[str, str]
Get = Callable[..., float]
"""(key, default) -> its value on the timeframe that is looked at; price is always the last one."""

ZONES: Final[Mapping[str, tuple[float, float, float, float]]] = {
    "rsi_14": (30, 0.45, 70, -0.4),
    "mfi_14": (20, 0.4, 80, -0.35),
    "stoch_k": (20, 0.35, 80, -0.35),
    "cci_20": (-100, 0.3, 100, -0.3),
}
"""Oscillator -> (oversold up to, its score there, overbought from, its score there)."""
POSITION_KEYS: Final = ("profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count")
_SAID: Final = re.compile(r"<said by=[^>]*>.*?</said>", re.DOTALL)
_FACT: Final = re.compile(r"^((?:[0-9]+[mhdw]\.)?[a-z][a-z0-9_]*) = (\S+)(?: (bn\b|万亿|亿))?", re.MULTILINE)
_TIMEFRAME: Final = re.compile(r"^([0-9]+[mhdw])\.(.+)$")


def without_speech(text: str) -> str:
    """Return a prompt without what roles said."""
    return _SAID.sub("", text)


def facts_in(text: str) -> dict[str, str]:
    """Return key -> value exactly as the text writes it, large amounts in full. A later line of the same key wins."""
    return {key: f"{float(value) * SCALES[scale]:.0f}" if scale else value for key, value, scale in _FACT.findall(text)}


def number_of(text: str | None) -> float | None:
    """Return the finite number that a text writes; None for a word and for None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def split_key(key: str) -> tuple[str, str]:
    """Return timeframe and bare key: `1h.rsi_14` -> (`1h`, `rsi_14`), `rsi_14` -> (``, `rsi_14`)."""
    found = _TIMEFRAME.match(key)
    return (found[1], found[2]) if found else ("", key)


def is_average(bare: str) -> bool:
    """Return whether a key is of a line through the middle of prices."""
    return bare.startswith(("ema_", "sma_")) or bare in ("vwap", "bb_middle")


def is_stretched(bare: str, value: float | str, beyond: float = 0.0) -> bool:
    """Return whether an oscillator is oversold or overbought. beyond: by how much at least."""
    return bare in ZONES and not isinstance(value, str) and not ZONES[bare][0] - beyond < value < ZONES[bare][2] + beyond


def score(key: str, value: float | str, texts: Texts) -> float:
    """Return which way `value` points, as if it stood under `key`; 0 for what points nowhere or is not understood."""
    frame, bare = split_key(key)
    if isinstance(value, str):
        return {"rising": 0.5, "falling": -0.5}.get(value, 0.0) if bare == "obv_trend" else 0.0
    if is_stretched(bare, value):
        return ZONES[bare][1 if value < ZONES[bare][2] else 3]

    def get(other: str, default: float = 0.0) -> float:
        number = number_of(texts.get(other if other == "close" or not frame else f"{frame}.{other}"))
        return default if number is None else number

    rule = _average if is_average(bare) else _RULES.get(bare)
    return max(-1.0, min(1.0, rule(value, get))) if rule is not None else 0.0


def score_of(key: str, texts: Texts) -> float:
    """Return which way the value points that is known under a key."""
    return score(key, value_of(texts[key]), texts)


def balance(texts: Texts, keys: Iterable[str]) -> float:
    """Return the mean score of the keys, the silent ones counting little; other timeframes weigh 0.8. Patterns are the caller's to add."""
    points = [score_of(key, texts) * (0.8 if split_key(key)[0] else 1.0) for key in keys]
    return sum(points) / sum(max(abs(each), 0.2) for each in points) if points else 0.0


def stay_score(key: str, texts: Texts) -> float:
    """Return what a fact of the position says about staying in it: +1 stay, -1 leave."""
    value, peak = number_of(texts.get(key)), number_of(texts.get("mfe_pct")) or 0.0
    if value is None:
        return 0.0
    if key == "drawdown_from_peak_pct":
        return 0.3 - 1.2 * min(1.0, abs(value) / peak) if peak > 0.2 else -0.1
    gain = {"profit_pct": value / 1.5, "mfe_pct": value / 4, "mae_pct": -abs(value) / 3, "hold_count": -max(0.0, value - 48) / 200}
    return math.tanh(gain.get(key, 0.0))


def value_of(text: str) -> float | str:
    """Return the number a text writes, or its word."""
    number = number_of(text)
    return text if number is None else number


def sign_of(value: float) -> int:
    return (value > 0) - (value < 0)


def _average(value: float, get: Get) -> float:
    close = get("close")
    return math.tanh((close / value - 1) * 100) * 0.8 if close and value else 0.0


def _histogram(value: float, get: Get) -> float:
    size = abs(get("macd", value)) + abs(get("macd_signal"))
    return math.tanh(2.5 * value / size) if size else 0.0


def _band(value: float, get: Get, other: str, side: int) -> float:
    """Return what a Bollinger band says: `side` (+1 the lower one) when price is in its third of the channel."""
    close, width = get("close"), get(other) - value
    if not close or side * width <= 0 or not get(other):
        return 0.0
    return side * max(0.0, 0.3 - (close - value) / width) * 1.5


def _level(value: float, get: Get, side: int) -> float:
    """Return what a level says: `side` (+1 support) the more, the nearer price is; the other way once it is broken."""
    close = get("close")
    if not close:
        return 0.0
    room = side * (close - value) / close * 100
    return side * (-0.4 if room < 0 else 0.5 * math.exp(-room))


def _funding(value: float, _: Get) -> float:
    crowding = value - 0.005  # a little above zero is what perpetuals cost when no one crowds
    return 0.0 if abs(crowding) < 0.01 else -math.tanh(crowding / 0.04) * 0.6


def _move(get: Get) -> float:
    return math.tanh(get("change_24h_pct"))


_RULES: Mapping[str, Callable[[float, Get], float]] = {
    "rsi_14": lambda value, get: (value - 50) / 25,
    "mfi_14": lambda value, get: (value - 50) / 60,
    "stoch_k": lambda value, get: math.tanh((value - get("stoch_d", 50.0)) / 20) * 0.4,
    "cci_20": lambda value, get: value / 250,
    "macd_hist": _histogram,
    "macd": lambda value, get: 0.35 * sign_of(value - get("macd_signal")),
    "macd_signal": lambda value, get: 0.25 * sign_of(get("macd", value) - value),
    "plus_di": lambda value, get: math.tanh((value - get("minus_di", value)) / 15) * 0.7,
    "minus_di": lambda value, get: math.tanh((get("plus_di", value) - value) / 15) * 0.7,
    "bb_lower": lambda value, get: _band(value, get, "bb_upper", 1),
    "bb_upper": lambda value, get: _band(value, get, "bb_lower", -1),
    "support": lambda value, get: _level(value, get, 1),
    "resistance": lambda value, get: _level(value, get, -1),
    "volume_ratio_20": lambda value, get: _move(get) * max(0.0, min(1.0, value - 0.9)) * 0.6,
    "oi_change_pct": lambda value, get: _move(get) * math.tanh(value / 3) * 0.5,
    "fear_greed": lambda value, get: 0.4 if value <= 25 else -0.4 if value >= 75 else (50 - value) / 260,
    "change_24h_pct": lambda value, get: math.tanh(value / 3),
    "funding_rate_pct": _funding,
}
