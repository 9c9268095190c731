"""Prices in shares of one day, and the traces that splits and dividends leave in raw prices. Pure arithmetic."""

from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction

import numpy as np

from engine.domain.equity.share_events import Split
from engine.domain.market.candles import Candles

DAY_MS = 86_400_000
_EPOCH = date(1970, 1, 1)
_LEAST_JUMP = 1.8  # smaller ones happen without a split
_MOST_DENOMINATOR = 100
_COMMON_RATIOS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 100.0)
_NEAR = 0.12  # how far one night may move the price besides


def day_ms(day: date) -> int:
    """Return UTC milliseconds of 00:00 of a date: where its daily candle opens."""
    return (day - _EPOCH).days * DAY_MS


def day_of(ms: int) -> date:
    """Return the date of a daily candle."""
    return _EPOCH + timedelta(days=int(ms) // DAY_MS)


def in_shares_of(candles: Candles, splits: Iterable[Split], day: date) -> Candles:
    """Return the candles with every split up to `day` applied to the prices and volumes before it."""
    factor = np.ones(len(candles))
    for split in splits:
        if split.date <= day:
            factor[candles.opened_at < day_ms(split.date)] *= split.ratio
    opened, high, low, close = (column / factor for column in (candles.open, candles.high, candles.low, candles.close))
    return Candles(candles.timeframe, candles.opened_at.copy(), opened, high, low, close, candles.volume * factor)


def split_ratio(raw: float) -> float:
    """Return the ratio that was meant: the simplest fraction within a ten-thousandth, as factors of seven digits carry it."""
    simple = Fraction(raw).limit_denominator(_MOST_DENOMINATOR)
    return float(simple) if simple > 0 and abs(float(simple) / raw - 1.0) < 1e-4 else raw


def unexplained_jump(candles: Candles, splits: Iterable[Split]) -> tuple[int, float] | None:
    """Return the first candle whose open lies as far from the close before it as a split would put it, and that split's ratio; None when
    the known splits explain every jump."""
    whole = in_shares_of(candles, splits, date.max)
    if len(whole) < 2:
        return None
    ratio = whole.close[:-1] / whole.open[1:]
    for index in np.flatnonzero((ratio >= _LEAST_JUMP) | (ratio <= 1 / _LEAST_JUMP)):
        seen = float(ratio[index])
        near = min((*_COMMON_RATIOS, *(1 / each for each in _COMMON_RATIOS)), key=lambda each: abs(seen / each - 1.0))
        if abs(seen / near - 1.0) <= _NEAR:
            return int(index) + 1, near
    return None
