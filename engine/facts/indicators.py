"""The table of indicators: one entry is one canonical key, how it is measured and what it is called.

Given checked bars of one timeframe, an entry gives its value on the last closed bar. A new indicator is one more line of `INDICATORS`.
Nothing here reads a forming candle, and nothing invents a value: where the mathematics says 0/0 (a market that did not move, no volume)
TA-Lib answers 0, and a claim would be judged against a number no one measured; these entries raise `Unmeasurable` instead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import talib

from engine.domain.facts import Unit
from engine.domain.market.timeframe import MINUTE_MS
from engine.facts.bars import Bars, Column, Unmeasurable

DAY_MS = 1440 * MINUTE_MS
_SMA = talib.MA_Type.SMA  # type: ignore[attr-defined]  # exported, but not listed in the types
OBV_WINDOW, OBV_FLAT = 20, 0.1
_WILDER_MEMORY = 100  # after so many bars a Wilder average of period 14 has forgotten all but 0.06 % of what came before


@dataclass(frozen=True)
class Indicator:
    """One indicator of the sheet.

    measure: bars -> value on the last bar, in scaled prices where the unit is a price; raises Unmeasurable. window: how many bars it looks
    at; recursive averages look at all. main_only: not repeated for the higher timeframe.
    """

    key: str
    unit: Unit
    formula: str
    measure: Callable[[Bars], float | str]
    window: int | Callable[[Bars], int] = len
    main_only: bool = False

    def used(self, bars: Bars) -> int:
        """Return how many of these bars the value depends on."""
        return self.window if isinstance(self.window, int) else self.window(bars)


def _tail(column: Column, window: int) -> Column:
    """Return the window alone: TA-Lib keeps running sums, which would carry rounding from bars long gone."""
    return np.ascontiguousarray(column[-window:])


def _moved(bars: Bars, window: int) -> None:
    if float(bars.high[-window:].max()) == float(bars.low[-window:].min()):
        raise Unmeasurable(f"the price did not move in the last {window} bars")


def _typical_moved(bars: Bars, window: int) -> None:
    part = bars.typical[-window:]
    if float(part.max()) == float(part.min()):
        raise Unmeasurable(f"the typical price did not move in the last {window} bars")


def _traded(volume: Column, what: str) -> None:
    if float(volume.sum()) <= 0:
        raise Unmeasurable(f"no volume in {what}")


def _change_24h(bars: Bars) -> float:
    opened, step = bars.candles.opened_at, bars.candles.timeframe
    if step.ms > DAY_MS or DAY_MS % step.ms:
        raise Unmeasurable(f"24 hours are not a whole number of {step} bars")
    wanted = int(opened[-1]) - DAY_MS
    row = int(np.searchsorted(opened, wanted))
    if row >= len(opened) or int(opened[row]) != wanted:
        raise Unmeasurable(f"the {step} candles hold no bar 24 hours before the last one")
    return (float(bars.close[-1]) / float(bars.close[row]) - 1.0) * 100.0


def _rsi(bars: Bars) -> float:
    closes = bars.close[-_WILDER_MEMORY:]
    if float(closes.max()) == float(closes.min()):
        raise Unmeasurable(f"the close did not change in the last {_WILDER_MEMORY} bars")
    return float(talib.RSI(bars.close, 14)[-1])


def _directional(function: Callable[..., Column], bars: Bars) -> float:
    _moved(bars, _WILDER_MEMORY)
    return float(function(bars.high, bars.low, bars.close, 14)[-1])


def _macd(part: int, bars: Bars) -> float:
    return float(talib.MACD(bars.close, 12, 26, 9)[part][-1])


def _ema(period: int, bars: Bars) -> float:
    return float(talib.EMA(bars.close, period)[-1])


def _sma(period: int, bars: Bars) -> float:
    return float(bars.close[-period:].mean())


def _bollinger(part: int, bars: Bars) -> float:
    return float(talib.BBANDS(_tail(bars.close, 20), 20, 2.0, 2.0)[part][-1])


def _session(bars: Bars) -> int:
    """Return bars of the VWAP: those that opened since 00:00 UTC of the last bar's day, or 20 where a bar is a day or longer."""
    if bars.candles.timeframe.ms >= DAY_MS:
        return 20
    opened = bars.candles.opened_at
    midnight = int(opened[-1]) // DAY_MS * DAY_MS
    if int(opened[0]) > midnight:
        raise Unmeasurable(f"the {bars.candles.timeframe} candles begin after 00:00 UTC of the last bar's day")
    return len(opened) - int(np.searchsorted(opened, midnight))


def _vwap(bars: Bars) -> float:
    count = _session(bars)
    typical, volume = bars.typical[-count:], bars.volume[-count:]
    _traded(volume, "the bars of the VWAP")
    return float(np.dot(typical, volume) / volume.sum())


def average_true_range(bars: Bars) -> float:
    """ATR(14), Wilder, in the bars' scaled prices."""
    return float(talib.ATR(bars.high, bars.low, bars.close, 14)[-1])


def _atr_pct(bars: Bars) -> float:
    return average_true_range(bars) / float(bars.close[-1]) * 100.0


def _volume_ratio(bars: Bars) -> float:
    _traded(bars.volume[-20:], "the last 20 bars")
    return float(bars.volume[-1] / bars.volume[-20:].mean())


def _stochastic(part: int, bars: Bars) -> float:
    # every one of the 3 (or, for %D, 5) raw values that are averaged needs a range of its own
    for back in range(3 if part == 0 else 5):
        stop = len(bars) - back
        if float(bars.high[stop - 14 : stop].max()) == float(bars.low[stop - 14 : stop].min()):
            raise Unmeasurable("the price did not move in 14 bars of the stochastic's window")
    high, low, close = (_tail(column, 18) for column in (bars.high, bars.low, bars.close))
    return float(talib.STOCH(high, low, close, 14, 3, _SMA, 3, _SMA)[part][-1])


def _cci(bars: Bars) -> float:
    _typical_moved(bars, 20)
    return float(talib.CCI(_tail(bars.high, 20), _tail(bars.low, 20), _tail(bars.close, 20), 20)[-1])


def _mfi(bars: Bars) -> float:
    _typical_moved(bars, 15)
    moved = np.diff(bars.typical[-15:]) != 0
    _traded(bars.volume[-14:][moved], "the bars of the last 14 in which the typical price moved")
    high, low, close, volume = (_tail(column, 15) for column in (bars.high, bars.low, bars.close, bars.volume))
    return float(talib.MFI(high, low, close, volume, 14)[-1])


def _obv_trend(bars: Bars) -> str:
    """OBV's change over the last 20 bars as a share of their volume: above +10 % rising, below -10 % falling, else flat."""
    _traded(bars.volume[-OBV_WINDOW:], f"the last {OBV_WINDOW} bars")
    obv = talib.OBV(_tail(bars.close, OBV_WINDOW + 1), _tail(bars.volume, OBV_WINDOW + 1))
    share = float(obv[-1] - obv[0]) / float(bars.volume[-OBV_WINDOW:].sum())
    if abs(share) <= OBV_FLAT:
        return "flat"
    return "rising" if share > 0 else "falling"


INDICATORS: tuple[Indicator, ...] = (
    Indicator("change_24h_pct", "percent", "last closed close against the close 24 h before", _change_24h, 2, main_only=True),
    Indicator("rsi_14", "index", "RSI(14), Wilder", _rsi),
    Indicator("adx_14", "index", "ADX(14), Wilder", partial(_directional, talib.ADX)),
    Indicator("plus_di", "index", "+DI(14), Wilder", partial(_directional, talib.PLUS_DI)),
    Indicator("minus_di", "index", "-DI(14), Wilder", partial(_directional, talib.MINUS_DI)),
    Indicator("macd", "macd", "MACD(12,26,9), EMA(12) - EMA(26)", partial(_macd, 0)),
    Indicator("macd_signal", "macd", "MACD(12,26,9), EMA(9) of the MACD line", partial(_macd, 1)),
    Indicator("macd_hist", "macd", "MACD(12,26,9), macd - signal, not doubled", partial(_macd, 2)),
    *(Indicator(f"ema_{period}", "price", f"EMA({period})", partial(_ema, period)) for period in (10, 20, 50, 200)),
    *(Indicator(f"sma_{period}", "price", f"SMA({period})", partial(_sma, period), period) for period in (20, 50, 200)),
    Indicator("bb_upper", "price", "BB(20,2), upper, population deviation", partial(_bollinger, 0), 20),
    Indicator("bb_middle", "price", "BB(20,2), middle", partial(_bollinger, 1), 20),
    Indicator("bb_lower", "price", "BB(20,2), lower, population deviation", partial(_bollinger, 2), 20),
    Indicator("vwap", "price", "VWAP of typical prices, from 00:00 UTC (20 bars for 1d and longer)", _vwap, _session),
    # "macd" is the unit of a difference of prices: four digits, where the price step would round a small ATR away
    Indicator("atr_14", "macd", "ATR(14), Wilder", average_true_range),
    Indicator("atr_pct", "percent", "ATR(14) / last closed close", _atr_pct),
    Indicator("volume_ratio_20", "ratio", "volume / SMA(volume, 20)", _volume_ratio, 20),
    Indicator("stoch_k", "index", "slow stochastic (14,3,3), %K, SMA", partial(_stochastic, 0), 16),
    Indicator("stoch_d", "index", "slow stochastic (14,3,3), %D, SMA", partial(_stochastic, 1), 18),
    Indicator("cci_20", "index", "CCI(20)", _cci, 20),
    Indicator("mfi_14", "index", "MFI(14)", _mfi, 15),
    Indicator("obv_trend", "word", "OBV change over 20 bars / their volume, flat within 10 %", _obv_trend, OBV_WINDOW + 1),
)
