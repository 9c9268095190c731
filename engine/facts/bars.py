"""Candles made fit for measuring: in numbers TA-Lib can be trusted with.

Given closed candles without a fault (`Candles.fault`), gives `Bars`. Never repairs a candle: one NaN makes TA-Lib's RSI return 0.0 for
every later bar, so a broken column makes every fact of its timeframe missing.
Two things are put right, both by scaling alone:
- Wilder's directional movement and the money flow depend on whether two sums of prices are equal, and 0.1 + 0.2 is not 0.3 in a double.
  Prices that lie on a decimal grid, as an exchange's do, are measured in whole ticks, where sums are exact and a tie is a tie.
- TA-Lib takes any difference below 1e-14 for zero, and a money flow below 1.0 for none, which is wrong for a coin that costs 1e-9.
  Prices on no grid, and volumes, are scaled by a power of two, which is exact.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.candles import Candles

Column = NDArray[np.float64]
_SCALED_EXPONENT = 10  # a value lies in [512, 1024) after scaling by a power of two
_MOST_DECIMALS = 22  # larger powers of ten are not exact
_MOST_TICKS = 1e11  # the rounding allowed below is then still far less than a tick
_ROUNDING = 1e-14  # relative: a decimal price is stored, and scaled, with an error of 2e-16 each


class Unmeasurable(Exception):
    """A value has no meaning on these bars; the message says why. Caught within this package."""


@dataclass(frozen=True, eq=False)
class Bars:
    """Sound candles as float64[n] columns: prices times `scale`, volumes times a factor of their own (ratios stay what they are)."""

    candles: Candles
    scale: float
    open: Column
    high: Column
    low: Column
    close: Column
    typical: Column
    volume: Column

    def __len__(self) -> int:
        return len(self.close)


def to_bars(candles: Candles) -> Bars:
    """Return the columns of sound candles (`Candles.fault` is None), scaled."""
    prices = [getattr(candles, name) for name in ("open", "high", "low", "close")]
    scale = _whole_ticks(prices)
    if scale is None:
        scale = _power_of_two(float(candles.close[-1]))
        opened, high, low, close = (column * scale for column in prices)
    else:
        opened, high, low, close = (np.rint(column * scale) for column in prices)
    volume = candles.volume * _power_of_two(float(candles.volume[-20:].max()))
    return Bars(candles, scale, opened, high, low, close, (high + low + close) / 3.0, volume)


def _whole_ticks(columns: list[Column]) -> float | None:
    """Return the smallest power of ten that makes every price a whole number, None when there is none within a double's exact reach."""
    highest = max(float(column.max()) for column in columns)
    sample = columns[3][-16:]
    for decimals in range(_MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if highest * scale > _MOST_TICKS:
            return None
        if _whole(sample * scale) and all(_whole(column * scale) for column in columns):
            return scale
    return None


def _whole(scaled: Column) -> bool:
    return bool((np.abs(scaled - np.rint(scaled)) <= _ROUNDING * scaled).all())


def _power_of_two(value: float) -> float:
    """Return the power of two that brings a positive value into [512, 1024); 1 for zero."""
    return math.ldexp(1.0, _SCALED_EXPONENT - math.frexp(value)[1]) if value > 0 else 1.0
