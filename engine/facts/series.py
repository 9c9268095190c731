"""Indicator lines for the chart: the same measures as the sheet's, over every candle.

Gives one list per line with a value for each candle, None where the line cannot be known: in the warm-up of its period, where the
mathematics says 0/0 (a market that did not move, no volume), and everywhere in candles that are broken. Never fills a hole.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import talib
from numpy.typing import NDArray

from engine.domain.market.candles import Candles
from engine.facts.bars import Bars, Column, to_bars
from engine.facts.indicators import DAY_MS

Line = Callable[[Bars], Column]
Flags = NDArray[np.bool_]
_SMA = talib.MA_Type.SMA  # type: ignore[attr-defined]  # exported, but not listed in the types


def _ema(period: int, bars: Bars) -> Column:
    return talib.EMA(bars.close, period) / bars.scale


def _sma(period: int, bars: Bars) -> Column:
    return talib.SMA(bars.close, period) / bars.scale


def _atr(bars: Bars) -> Column:
    return talib.ATR(bars.high, bars.low, bars.close, 14) / bars.scale


def _atr_pct(bars: Bars) -> Column:
    return _atr(bars) * bars.scale / bars.close * 100.0


def _rsi(bars: Bars) -> Column:
    changed = np.flatnonzero(np.diff(bars.close))
    line = talib.RSI(bars.close, 14)
    line[: changed[0] + 1 if len(changed) else None] = np.nan  # 0/0 until the close has changed once
    return line


def _directional(function: Callable[..., Column], bars: Bars) -> Column:
    moved = np.flatnonzero(bars.high != bars.low)
    line = function(bars.high, bars.low, bars.close, 14)
    line[: moved[0] + 1 if len(moved) else None] = np.nan
    return line


def _macd(part: int, bars: Bars) -> Column:
    return talib.MACD(bars.close, 12, 26, 9)[part] / bars.scale


def _bollinger(part: int, bars: Bars) -> Column:
    return talib.BBANDS(bars.close, 20, 2.0, 2.0)[part] / bars.scale


def _stochastic(part: int, bars: Bars) -> Column:
    raw_still = talib.MAX(bars.high, 14) == talib.MIN(bars.low, 14)
    line = talib.STOCH(bars.high, bars.low, bars.close, 14, 3, _SMA, 3, _SMA)[part]
    return _unless(_any(raw_still, 3 if part == 0 else 5), line)


def _cci(bars: Bars) -> Column:
    still = talib.MAX(bars.typical, 20) == talib.MIN(bars.typical, 20)
    return _unless(still, talib.CCI(bars.high, bars.low, bars.close, 20))


def _mfi(bars: Bars) -> Column:
    moved = np.concatenate([[0.0], bars.volume[1:] * (np.diff(bars.typical) != 0)])
    return _unless(talib.MAX(moved, 14) <= 0, talib.MFI(bars.high, bars.low, bars.close, bars.volume, 14))


def _volume_ratio(bars: Bars) -> Column:
    return _unless(~(talib.MAX(bars.volume, 20) > 0), bars.volume / talib.SMA(bars.volume, 20))


def _vwap(bars: Bars) -> Column:
    """Return summed over the day so far, or over 20 bars where a bar is a day or longer."""
    amount = bars.typical * bars.volume
    if bars.candles.timeframe.ms >= DAY_MS:
        sums, volumes = talib.SUM(amount, 20), talib.SUM(bars.volume, 20)
    else:
        day = bars.candles.opened_at // DAY_MS
        first = np.searchsorted(day, day)
        sums, volumes = (_since(np.cumsum(column), first) for column in (amount, bars.volume))
        volumes[(day == day[0]) & (bars.candles.opened_at[0] % DAY_MS != 0)] = 0.0  # a day that began before the candles
    return _unless(~(volumes > 0), sums / volumes) / bars.scale


def _since(sums: Column, first: NDArray[np.intp]) -> Column:
    before: Column = np.where(first > 0, sums[first - 1], 0.0)
    return sums - before


def _any(flags: Flags, window: int) -> Flags:
    """Return whether any of the last `window` flags was set."""
    found = flags.copy()
    for back in range(1, window):
        found[back:] |= flags[:-back]
    return found


def _unless(unknown: Flags, line: Column) -> Column:
    line[unknown] = np.nan
    return line


LINES: Mapping[str, Line] = {
    **{f"ema_{period}": partial(_ema, period) for period in (10, 20, 50, 200)},
    **{f"sma_{period}": partial(_sma, period) for period in (20, 50, 200)},
    **{f"bb_{name}": partial(_bollinger, part) for part, name in enumerate(("upper", "middle", "lower"))},
    "vwap": _vwap,
    "rsi_14": _rsi,
    "adx_14": partial(_directional, talib.ADX),
    "plus_di": partial(_directional, talib.PLUS_DI),
    "minus_di": partial(_directional, talib.MINUS_DI),
    **{name: partial(_macd, part) for part, name in enumerate(("macd", "macd_signal", "macd_hist"))},
    "atr_14": _atr,
    "atr_pct": _atr_pct,
    "volume_ratio_20": _volume_ratio,
    "stoch_k": partial(_stochastic, 0),
    "stoch_d": partial(_stochastic, 1),
    "cci_20": _cci,
    "mfi_14": _mfi,
}
"""Key of the sheet -> its line, in the candles' own prices."""


def indicator_series(candles: Candles, htf: Candles | None = None) -> dict[str, list[float | None]]:
    """Return every line of `LINES`, each as long as `candles`.

    htf: candles of the higher timeframe; their lines are under keys with its prefix (`1h.rsi_14`), at every candle the value of the last
    bar that was closed when the candle was.
    """
    found = {key: _plain(line) for key, line in _lines(candles).items()}
    if htf is None or len(htf) == 0 or len(candles) == 0:
        return found
    last = np.searchsorted(htf.opened_at + htf.timeframe.ms, candles.opened_at + candles.timeframe.ms, side="right") - 1
    for key, line in _lines(htf).items():
        found[f"{htf.timeframe}.{key}"] = _plain(np.where(last >= 0, line[last], np.nan))
    return found


def _lines(candles: Candles) -> dict[str, Column]:
    if candles.fault is not None:
        return {key: np.full(len(candles), np.nan) for key in LINES}
    bars = to_bars(candles)
    with np.errstate(all="ignore"):
        return {key: line(bars) for key, line in LINES.items()}


def _plain(line: Column) -> list[float | None]:
    return [value if known else None for value, known in zip(line.tolist(), np.isfinite(line).tolist(), strict=True)]
