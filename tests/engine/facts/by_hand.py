"""The indicators once more, from their textbook definitions in plain Python: no TA-Lib, no numpy.

Wilder's averages start at the mean of their first values, exponential ones at the simple mean of their first period.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import sqrt

from engine.domain.market.candles import Candles

Numbers = Sequence[float]


def mean(values: Numbers) -> float:
    return sum(values) / len(values)


def above(a: float, b: float, price: float) -> bool:
    """Whether a is really above b: what a double adds to two equal decimal sums is not."""
    return a - b > 1e-11 * price


def ema(values: Numbers, period: int) -> list[float]:
    """From the bar where the first one exists."""
    line = [mean(values[:period])]
    for value in values[period:]:
        line.append(line[-1] + (value - line[-1]) * 2 / (period + 1))
    return line


def wilder(values: Numbers, period: int) -> list[float]:
    line = [mean(values[:period])]
    for value in values[period:]:
        line.append((line[-1] * (period - 1) + value) / period)
    return line


def rsi(close: Numbers) -> float:
    moves = [b - a for a, b in pairwise(close)]
    up = wilder([max(move, 0.0) for move in moves], 14)[-1]
    down = wilder([max(-move, 0.0) for move in moves], 14)[-1]
    return 100 - 100 / (1 + up / down) if down else 100.0


def true_ranges(high: Numbers, low: Numbers, close: Numbers) -> list[float]:
    return [max(high[i] - low[i], abs(high[i] - close[i - 1]), abs(low[i] - close[i - 1])) for i in range(1, len(close))]


def directional(high: Numbers, low: Numbers, close: Numbers) -> tuple[float, float, float]:
    """+DI, -DI, ADX."""
    plus, minus = [], []
    for i in range(1, len(close)):
        up, down = high[i] - high[i - 1], low[i - 1] - low[i]
        plus.append(up if above(up, down, close[i]) and up > 0 else 0.0)
        minus.append(down if above(down, up, close[i]) and down > 0 else 0.0)
    ranges = wilder(true_ranges(high, low, close), 14)
    ups = [100 * move / spread for move, spread in zip(wilder(plus, 14), ranges, strict=True)]
    downs = [100 * move / spread for move, spread in zip(wilder(minus, 14), ranges, strict=True)]
    dx = [100 * abs(up - down) / (up + down) for up, down in zip(ups, downs, strict=True)]
    return ups[-1], downs[-1], wilder(dx, 14)[-1]


def macd(close: Numbers) -> tuple[float, float, float]:
    slow = ema(close, 26)
    fast = ema(close, 12)[-len(slow) :]
    line = [a - b for a, b in zip(fast, slow, strict=True)]
    signal = ema(line, 9)[-1]
    return line[-1], signal, line[-1] - signal


def bollinger(close: Numbers) -> tuple[float, float, float]:
    middle = mean(close[-20:])
    deviation = sqrt(mean([(value - middle) ** 2 for value in close[-20:]]))
    return middle + 2 * deviation, middle, middle - 2 * deviation


def stochastic(high: Numbers, low: Numbers, close: Numbers) -> tuple[float, float]:
    """Slow %K and %D."""

    def fast(end: int) -> float:
        top, bottom = max(high[end - 14 : end]), min(low[end - 14 : end])
        return 100 * (close[end - 1] - bottom) / (top - bottom)

    def slow(end: int) -> float:
        return mean([fast(end - back) for back in range(3)])

    return slow(len(close)), mean([slow(len(close) - back) for back in range(3)])


def cci(typical: Numbers) -> float:
    middle = mean(typical[-20:])
    return (typical[-1] - middle) / (0.015 * mean([abs(value - middle) for value in typical[-20:]]))


def mfi(typical: Numbers, volume: Numbers) -> float:
    into = out = 0.0
    for i in range(len(typical) - 14, len(typical)):
        if above(typical[i], typical[i - 1], typical[i]):
            into += typical[i] * volume[i]
        elif above(typical[i - 1], typical[i], typical[i]):
            out += typical[i] * volume[i]
    return 100 * into / (into + out)


def obv_trend(close: Numbers, volume: Numbers) -> str:
    net = sum(volume[i] * ((close[i] > close[i - 1]) - (close[i] < close[i - 1])) for i in range(len(close) - 20, len(close)))
    share = net / sum(volume[-20:])
    return "rising" if share > 0.1 else "falling" if share < -0.1 else "flat"


def vwap_since(opened_at: Sequence[int], typical: Numbers, volume: Numbers, since: int) -> float:
    rows = [i for i, opened in enumerate(opened_at) if opened >= since]
    return sum(typical[i] * volume[i] for i in rows) / sum(volume[i] for i in rows)


def all_of(candles: Candles) -> dict[str, float | str]:
    """Every technical fact of these candles but VWAP, the 24 h change and the levels."""
    high, low, close, volume = (getattr(candles, name).tolist() for name in ("high", "low", "close", "volume"))
    typical = [(h + lo + c) / 3 for h, lo, c in zip(high, low, close, strict=True)]
    facts: dict[str, float | str] = {"rsi_14": rsi(close), "cci_20": cci(typical), "mfi_14": mfi(typical, volume)}
    facts |= dict(zip(("plus_di", "minus_di", "adx_14"), directional(high, low, close), strict=True))
    facts |= dict(zip(("macd", "macd_signal", "macd_hist"), macd(close), strict=True))
    facts |= dict(zip(("bb_upper", "bb_middle", "bb_lower"), bollinger(close), strict=True))
    facts |= dict(zip(("stoch_k", "stoch_d"), stochastic(high, low, close), strict=True))
    facts |= {f"ema_{period}": ema(close, period)[-1] for period in (10, 20, 50, 200)}
    facts |= {f"sma_{period}": mean(close[-period:]) for period in (20, 50, 200)}
    facts["atr_14"] = wilder(true_ranges(high, low, close), 14)[-1]
    facts["atr_pct"] = wilder(true_ranges(high, low, close), 14)[-1] / close[-1] * 100
    facts["volume_ratio_20"] = volume[-1] / mean(volume[-20:])
    facts["obv_trend"] = obv_trend(close, volume)
    return facts


def swing_points(high: Numbers, low: Numbers, wing: int = 3) -> list[float]:
    """Highs above all `wing` before and not below any `wing` after, lows likewise: the last 200 bars."""

    def found(values: Numbers, better: Callable[[float, float], bool]) -> list[float]:
        values = values[-200:]
        return [
            values[i]
            for i in range(wing, len(values) - wing)
            if all(better(values[i], v) for v in values[i - wing : i])
            and not any(better(v, values[i]) for v in values[i + 1 : i + wing + 1])
        ]

    return sorted(found(high, lambda a, b: a > b) + found(low, lambda a, b: a < b))
