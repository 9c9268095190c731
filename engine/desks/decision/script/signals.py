"""How a measured value reads: which way it points and how strongly, from -1 (down) to +1 (up), and the word that is true of it.

Market reading of the ordinary kind: momentum follows its direction until it is stretched, averages speak for the side price is on, crowded
funding and extreme mood speak against the crowd. Pure.
"""

import math
from collections.abc import Callable, Iterable, Mapping

from engine.desks.decision.script.record import Record, split_key

Get = Callable[[str], float | None]
"""Key -> its value on the timeframe that is looked at; price is always the last one."""

ZONES: Mapping[str, tuple[float, float, float, float]] = {
    "rsi_14": (30, 0.45, 70, -0.4),
    "mfi_14": (20, 0.4, 80, -0.35),
    "stoch_k": (20, 0.35, 80, -0.35),
    "cci_20": (-100, 0.3, 100, -0.3),
}
"""Oscillator -> (oversold at, its score there, overbought at, its score there)."""

_Bands = tuple[tuple[float, float, str], ...]
_INF = math.inf


def _zone(key: str, margin: float) -> _Bands:
    low, _, high, _ = ZONES[key]
    return (
        (-_INF, low - margin, "oversold"),
        (low + 3 * margin, high - 3 * margin, "mid_zone"),
        (high + margin, _INF, "overbought"),
    )


_BANDS: Mapping[str, _Bands] = {
    "rsi_14": _zone("rsi_14", 0.7),
    "mfi_14": _zone("mfi_14", 0.7),
    "stoch_k": _zone("stoch_k", 0.7),
    "cci_20": _zone("cci_20", 5),
    "adx_14": ((-_INF, 17, "weak_trend"), (27, _INF, "strong_trend")),
    "macd_hist": ((-_INF, 0, "negative"), (0, _INF, "positive")),
    "funding_rate_pct": ((-_INF, -0.001, "negative"), (0.001, _INF, "positive")),
    "fear_greed": ((-1, 24.5, "extreme_fear"), (26.5, 43.5, "fear"), (56.5, 73.5, "greed"), (75.5, 101, "extreme_greed")),
    "volume_ratio_20": ((-_INF, 0.9, "below_average"), (1.1, _INF, "above_average")),
    "profit_pct": ((-_INF, -0.1, "in_loss"), (0.1, _INF, "in_profit")),
}
"""Key -> bands of values and the word that is true between their ends. They leave a margin to the bounds that claims are checked by: a word
that would be true only just is not said."""


def state_of(key: str, record: Record) -> tuple[str, tuple[str, ...]] | None:
    """Return the word that is clearly true of a key's value, if there is one, and the other keys it rests on."""
    frame, bare = split_key(key)
    value, get, prefix = record.number(key), _getter(record, frame), f"{frame}." if frame else ""
    word: str | None = None
    needs: tuple[str, ...] = ()
    if value is None:
        return None
    if bare.startswith(("ema_", "sma_")) or bare == "vwap":
        needs, close = ("close",), get("close")
        if close is not None and value > 0 and abs(close / value - 1) >= 0.007:
            word = "price_above" if close > value else "price_below"
    elif bare == "macd":
        needs, signal = (f"{prefix}macd_signal", f"{prefix}macd_hist"), get("macd_signal")
        if signal is not None and abs(value - signal) > 0.05 * max(abs(value), abs(signal)):
            word = "over_signal" if value > signal else "under_signal"
    elif bare == "drawdown_from_peak_pct":
        needs, peak = ("mfe_pct", "profit_pct"), get("mfe_pct") or 0.0
        share = abs(value) / peak if peak >= 0.5 else 0.5
        word = "gave_back_half" if share > 0.56 else "kept_half" if share < 0.44 else None
    else:
        word = next((word for low, high, word in _BANDS.get(bare, ()) if low < value < high), None)
    return (word, needs) if word is not None else None


def score(key: str, value: float | str, record: Record) -> float:
    """Return which way `value` points, as if it stood in the record under `key`; 0 for what points nowhere or is not understood."""
    frame, bare = split_key(key)
    if isinstance(value, str):
        return {"rising": 0.5, "falling": -0.5}.get(value, 0.0) if bare == "obv_trend" else 0.0
    if bare in ZONES:
        low, rebound, high, setback = ZONES[bare]
        if not low < value < high:
            return rebound if value <= low else setback
    rule = _average if is_average(bare) else _RULES.get(bare)
    return max(-1.0, min(1.0, rule(value, _getter(record, frame)))) if rule is not None else 0.0


def balance(record: Record, keys: Iterable[str]) -> float:
    """Return the mean score of the keys, the silent ones counting little; other timeframes weigh 0.8. Patterns are the caller's to add."""
    total = weight = 0.0
    for key in keys:
        points = score_of(key, record) * (0.8 if split_key(key)[0] else 1.0)
        total += points
        weight += max(abs(points), 0.2)
    return total / weight if weight else 0.0


def score_of(key: str, record: Record) -> float:
    """Return which way the value points that the record has under a key."""
    number = record.number(key)
    return score(key, record.texts[key] if number is None else number, record)


def stay_score(key: str, record: Record) -> float:
    """Return what a fact of the position says about staying in it: +1 stay, -1 leave."""
    value, peak = record.number(key), record.number("mfe_pct") or 0.0
    if value is None:
        return 0.0
    if key == "drawdown_from_peak_pct":
        return 0.3 - 1.2 * min(1.0, abs(value) / peak) if peak > 0.2 else -0.1
    gain = {"profit_pct": value / 1.5, "mfe_pct": value / 4, "mae_pct": -abs(value) / 3, "hold_count": -max(0.0, value - 48) / 200}
    return math.tanh(gain.get(key, 0.0))


def is_average(bare: str) -> bool:
    """Return whether a key is of a line through the middle of prices."""
    return bare.startswith(("ema_", "sma_")) or bare in ("vwap", "bb_middle")


def _getter(record: Record, frame: str) -> Get:
    return lambda key: record.number(key if key == "close" or not frame else f"{frame}.{key}")


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _average(value: float, get: Get) -> float:
    close = get("close")
    return math.tanh((close / value - 1) * 100) * 0.8 if close and value else 0.0


def _histogram(value: float, get: Get) -> float:
    size = abs(_or(get("macd"), value)) + abs(_or(get("macd_signal"), 0.0))
    return math.tanh(2.5 * value / size) if size else 0.0


def _signal_line(value: float, get: Get) -> float:
    line = get("macd")
    return 0.0 if line is None or line == value else math.copysign(0.25, line - value)


def _line(value: float, get: Get) -> float:
    gap = value - _or(get("macd_signal"), 0.0)
    return math.copysign(0.35, gap) if gap else 0.0


def _band(value: float, get: Get, other: str, side: int) -> float:
    """Return what a Bollinger band says: `side` (+1 the lower one) when price is in its third of the channel."""
    close, end = get("close"), get(other)
    if close is None or end is None or side * (end - value) <= 0:
        return 0.0
    return side * max(0.0, 0.3 - (close - value) / (end - value)) * 1.5


def _level(value: float, get: Get, side: int) -> float:
    """Return what a level says: `side` (+1 support) the more, the nearer price is; the other way once it is broken."""
    close = get("close")
    if not close:
        return 0.0
    room = side * (close - value) / close * 100
    return side * (-0.4 if room < 0 else 0.5 * math.exp(-room))


def _mood(value: float, get: Get) -> float:
    return 0.4 if value <= 25 else -0.4 if value >= 75 else (50 - value) / 260


def _funding(value: float, get: Get) -> float:
    crowding = value - 0.005  # a little above zero is what perpetuals cost when no one crowds
    return 0.0 if abs(crowding) < 0.01 else -math.tanh(crowding / 0.04) * 0.6


def _move(get: Get) -> float:
    return math.tanh(_or(get("change_24h_pct"), 0.0))


_RULES: Mapping[str, Callable[[float, Get], float]] = {
    "rsi_14": lambda value, get: (value - 50) / 25,
    "mfi_14": lambda value, get: (value - 50) / 60,
    "stoch_k": lambda value, get: math.tanh((value - _or(get("stoch_d"), 50.0)) / 20) * 0.4,
    "cci_20": lambda value, get: value / 250,
    "macd_hist": _histogram,
    "macd": _line,
    "macd_signal": _signal_line,
    "plus_di": lambda value, get: math.tanh((value - _or(get("minus_di"), value)) / 15) * 0.7,
    "minus_di": lambda value, get: math.tanh((_or(get("plus_di"), value) - value) / 15) * 0.7,
    "bb_lower": lambda value, get: _band(value, get, "bb_upper", 1),
    "bb_upper": lambda value, get: _band(value, get, "bb_lower", -1),
    "support": lambda value, get: _level(value, get, 1),
    "resistance": lambda value, get: _level(value, get, -1),
    "volume_ratio_20": lambda value, get: _move(get) * max(0.0, min(1.0, value - 0.9)) * 0.6,
    "oi_change_pct": lambda value, get: _move(get) * math.tanh(value / 3) * 0.5,
    "fear_greed": _mood,
    "change_24h_pct": lambda value, get: math.tanh(value / 3),
    "funding_rate_pct": _funding,
}
