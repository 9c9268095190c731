"""Indicator lines for the chart: the same measures as the sheet's, over every candle.

Given closed candles, gives one list per line with a value for each candle, None where the line cannot be known: in the warm-up of its
period, and everywhere in candles that are broken. Never fills a hole.
"""

import numpy as np
import talib

from engine.domain.candles import Candles
from engine.facts.bars import Column, broken, to_bars

SERIES = ("ema_20", "ema_50", "ema_200", "rsi_14")


def indicator_series(candles: Candles) -> dict[str, list[float | None]]:
    """ema_20, ema_50, ema_200 (prices) and rsi_14 (0-100), each as long as the candles."""
    if broken(candles) is not None:
        return {name: [None] * len(candles) for name in SERIES}
    bars = to_bars(candles)
    lines = {f"ema_{period}": _plain(talib.EMA(bars.close, period) / bars.scale) for period in (20, 50, 200)}
    # RSI is 0/0 until the close has changed once
    changed = np.flatnonzero(np.diff(bars.close))
    rsi = talib.RSI(bars.close, 14)
    rsi[: changed[0] + 1 if len(changed) else None] = np.nan
    return lines | {"rsi_14": _plain(rsi)}


def _plain(line: Column) -> list[float | None]:
    return [value if known else None for value, known in zip(line.tolist(), np.isfinite(line).tolist(), strict=True)]
