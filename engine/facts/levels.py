"""Key support and resistance from swing points.

Given bars, the ATR and the last price, gives the nearest significant level on each side. The rule, in order:
1. A swing high is a bar whose high is the highest of 3 bars on each side (the first of equals), a swing low likewise, among the last 200
   closed bars; the newest 3 bars cannot be one yet, so a level never changes when it is looked at again later.
2. Highs and lows together (a broken resistance becomes a support) are sorted by price and grouped: a group starts at its lowest point and
   takes every point within half an ATR above it. The level is the mean of its group.
3. A level touched at least twice is significant. Support is the nearest significant level below the price, resistance the nearest above;
   where one side has none, the nearest level touched once takes its place.
4. Where a side has no swing point at all (a new high, a new low) there is no level, and the reason says so.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.facts.bars import Bars, Column, Unmeasurable
from engine.facts.indicators import Indicator, average_true_range

LOOKBACK = 200
WING = 3
GROUP_ATR = 0.5
_EQUAL = 1e-12  # a level at the price itself is on neither side, in every money: rounding does not decide
_FORMULA = f"nearest level of swing points, {WING} bars each side, last {LOOKBACK} bars, grouped within {GROUP_ATR} ATR(14)"


@dataclass(frozen=True)
class Level:
    """A price that the market turned at. touches: swing points in its group."""

    price: float
    touches: int


def swing_levels(bars: Bars, atr: float) -> tuple[Level, ...]:
    """Return all levels of the last 200 bars, lowest first. atr: in the same scaled prices as the bars, >= 0."""
    high, low = bars.high[-LOOKBACK:], bars.low[-LOOKBACK:]
    if len(high) < 2 * WING + 1:
        return ()
    points = np.sort(np.concatenate([high[_peaks(high)], low[_peaks(-low)]]))
    levels: list[Level] = []
    start = 0
    while start < len(points):
        stop = int(np.searchsorted(points, points[start] + GROUP_ATR * atr, side="right"))
        # a mean may round past the points it is taken of
        price = min(max(float(points[start:stop].mean()), float(points[start])), float(points[stop - 1]))
        levels.append(Level(price, stop - start))
        start = stop
    return tuple(levels)


def level_indicators(price: float | None) -> tuple[Indicator, Indicator]:
    """Return support and resistance as entries like those of the table; beside the bars they need the last price (None: not known)."""
    return (
        Indicator("support", "price", _FORMULA, partial(_support, price), LOOKBACK),
        Indicator("resistance", "price", _FORMULA, partial(_resistance, price), LOOKBACK),
    )


def _support(price: float | None, bars: Bars) -> float:
    below = [
        level for level in reversed(swing_levels(bars, average_true_range(bars))) if level.price / bars.scale < _known(price) * (1 - _EQUAL)
    ]
    return _key(below, "below")


def _resistance(price: float | None, bars: Bars) -> float:
    above = [level for level in swing_levels(bars, average_true_range(bars)) if level.price / bars.scale > _known(price) * (1 + _EQUAL)]
    return _key(above, "above")


def _known(price: float | None) -> float:
    if price is None:
        raise Unmeasurable("the last price is not known")
    return price


def _key(nearest_first: list[Level], side: str) -> float:
    if not nearest_first:
        raise Unmeasurable(f"no swing point {side} the price in the last {LOOKBACK} bars")
    return next((level for level in nearest_first if level.touches >= 2), nearest_first[0]).price


def _peaks(column: Column) -> NDArray[np.intp]:
    """Return positions whose value is above all of the 3 before and not below any of the 3 after."""
    windows = sliding_window_view(column, 2 * WING + 1)
    middle = windows[:, WING]
    found = (middle > windows[:, :WING].max(axis=1)) & (middle >= windows[:, WING + 1 :].max(axis=1))
    return np.flatnonzero(found) + WING
