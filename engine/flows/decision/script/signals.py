"""How a measured value reads: which way it points and how strongly, from -1 (down) to +1 (up).

Given a key, a value and the record it stands in; gives a score. Market reading of the ordinary kind: momentum follows its direction until
it is stretched, averages speak for the side price is on, crowded funding and extreme mood speak against the crowd. Pure.
"""

import math
from collections.abc import Callable, Mapping

from engine.flows.decision.script.record import Record, split_key

Score = Callable[[float, "Reading"], float]


class Reading:
    """A record seen from one timeframe: sibling keys resolve to the same timeframe, price always to the last one."""

    def __init__(self, record: Record, timeframe: str) -> None:
        self._record = record
        self._prefix = f"{timeframe}." if timeframe else ""

    def number(self, key: str) -> float | None:
        """Return the value under `key` on this timeframe."""
        return self._record.number(key if key == "close" else self._prefix + key)

    def number_or(self, key: str, default: float) -> float:
        """Return the value under `key`, `default` when it is missing."""
        value = self.number(key)
        return default if value is None else value


def score(key: str, value: float | str, record: Record) -> float:
    """Return which way `value` points, as if it stood in the record under `key`; 0 for what points nowhere or is not understood."""
    timeframe, bare = split_key(key)
    if isinstance(value, str):
        return {"rising": 0.5, "falling": -0.5}.get(value, 0.0) if bare == "obv_trend" else 0.0
    rule = _average if bare.startswith(("ema_", "sma_")) else _RULES.get(bare)
    return max(-1.0, min(1.0, rule(value, Reading(record, timeframe)))) if rule is not None else 0.0


def balance(record: Record, keys: list[str]) -> float:
    """Return the mean score of the keys, the silent ones counting little; other timeframes weigh 0.8. Patterns are the caller's to add."""
    total = weight = 0.0
    for key in keys:
        points = score(key, record.values[key], record) * (0.8 if split_key(key)[0] else 1.0)
        total += points
        weight += max(abs(points), 0.2)
    return total / weight if weight else 0.0


def stay_score(key: str, record: Record) -> float:
    """Return what a fact of the position says about staying in it: +1 stay, -1 leave."""
    value, peak = record.number(key), record.number("mfe_pct") or 0.0
    if value is None:
        return 0.0
    if key == "drawdown_from_peak_pct":
        return 0.3 - 1.2 * min(1.0, abs(value) / peak) if peak > 0.2 else -0.1
    gain = {"profit_pct": value / 1.5, "mfe_pct": value / 4, "mae_pct": -abs(value) / 3, "hold_count": -max(0.0, value - 48) / 200}
    return math.tanh(gain.get(key, 0.0))


def _average(value: float, reading: Reading) -> float:
    close = reading.number("close")
    return math.tanh((close / value - 1) * 100) * 0.8 if close and value else 0.0


def _rsi(value: float, reading: Reading) -> float:
    if value <= 30:
        return 0.45
    return -0.4 if value >= 70 else (value - 50) / 25


def _money_flow(value: float, reading: Reading) -> float:
    if value <= 20:
        return 0.4
    return -0.35 if value >= 80 else (value - 50) / 60


def _histogram(value: float, reading: Reading) -> float:
    size = abs(reading.number_or("macd", value)) + abs(reading.number_or("macd_signal", 0.0))
    return math.tanh(2.5 * value / size) if size else 0.0


def _line(value: float, reading: Reading) -> float:
    gap = value - reading.number_or("macd_signal", 0.0)
    return 0.35 * math.copysign(1.0, gap) if gap else 0.0


def _signal_line(value: float, reading: Reading) -> float:
    line = reading.number("macd")
    return 0.0 if line is None or line == value else math.copysign(0.25, line - value)


def _plus(value: float, reading: Reading) -> float:
    return math.tanh((value - reading.number_or("minus_di", value)) / 15) * 0.7


def _minus(value: float, reading: Reading) -> float:
    return math.tanh((reading.number_or("plus_di", value) - value) / 15) * 0.7


def _stochastic(value: float, reading: Reading) -> float:
    if value <= 20:
        return 0.35
    return -0.35 if value >= 80 else math.tanh((value - reading.number_or("stoch_d", 50.0)) / 20) * 0.4


def _cci(value: float, reading: Reading) -> float:
    if value <= -100:
        return 0.3
    return -0.3 if value >= 100 else value / 250


def _lower_band(value: float, reading: Reading) -> float:
    close, upper = reading.number("close"), reading.number("bb_upper")
    if close is None or upper is None or upper <= value:
        return 0.0
    return max(0.0, 0.3 - (close - value) / (upper - value)) * 1.5


def _upper_band(value: float, reading: Reading) -> float:
    close, lower = reading.number("close"), reading.number("bb_lower")
    if close is None or lower is None or value <= lower:
        return 0.0
    return -max(0.0, 0.3 - (value - close) / (value - lower)) * 1.5


def _support(value: float, reading: Reading) -> float:
    close = reading.number("close")
    if not close:
        return 0.0
    room = (close - value) / close * 100
    return -0.4 if room < 0 else 0.5 * math.exp(-room)


def _resistance(value: float, reading: Reading) -> float:
    close = reading.number("close")
    if not close:
        return 0.0
    room = (value - close) / close * 100
    return 0.4 if room < 0 else -0.5 * math.exp(-room)


def _volume(value: float, reading: Reading) -> float:
    move = reading.number_or("change_24h_pct", 0.0)
    return math.tanh(move) * max(0.0, min(1.0, value - 0.9)) * 0.6


def _interest(value: float, reading: Reading) -> float:
    return math.tanh(reading.number_or("change_24h_pct", 0.0)) * math.tanh(value / 3) * 0.5


def _mood(value: float, reading: Reading) -> float:
    if value <= 25:
        return 0.4
    return -0.4 if value >= 75 else (50 - value) / 260


def _funding(value: float, reading: Reading) -> float:
    crowding = value - 0.005  # a little above zero is what perpetuals cost when nobody crowds
    return 0.0 if abs(crowding) < 0.01 else -math.tanh(crowding / 0.04) * 0.6


_RULES: Mapping[str, Score] = {
    "rsi_14": _rsi,
    "mfi_14": _money_flow,
    "macd_hist": _histogram,
    "macd": _line,
    "macd_signal": _signal_line,
    "plus_di": _plus,
    "minus_di": _minus,
    "stoch_k": _stochastic,
    "cci_20": _cci,
    "bb_lower": _lower_band,
    "bb_upper": _upper_band,
    "bb_middle": _average,
    "vwap": _average,
    "support": _support,
    "resistance": _resistance,
    "volume_ratio_20": _volume,
    "oi_change_pct": _interest,
    "fear_greed": _mood,
    "change_24h_pct": lambda value, reading: math.tanh(value / 3),
    "funding_rate_pct": _funding,
}
