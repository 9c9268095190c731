"""Longer candles out of shorter ones: pure arithmetic on columns.

Only complete candles come out: one whose every part is present. Nothing is filled in.
"""

import numpy as np

from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe


def aggregate(candles: Candles, timeframe: Timeframe) -> Candles:
    """Return the complete candles of `timeframe` inside evenly spaced `candles`; the ones cut off at either end are left out.

    The timeframe must be one that theirs `divides`.
    """
    parts = timeframe.ms // candles.timeframe.ms
    if parts == 1 or len(candles) == 0:
        return Candles(timeframe, candles.opened_at, candles.open, candles.high, candles.low, candles.close, candles.volume)
    anchor = timeframe.floor(0)
    opens = anchor + (candles.opened_at - anchor) // timeframe.ms * timeframe.ms
    starts = np.flatnonzero(np.r_[True, opens[1:] != opens[:-1]])
    sizes = np.diff(np.r_[starts, len(candles)])
    whole = sizes == parts
    starts_whole = starts[whole]
    return Candles(
        timeframe,
        opens[starts_whole],
        candles.open[starts_whole],
        np.maximum.reduceat(candles.high, starts)[whole],
        np.minimum.reduceat(candles.low, starts)[whole],
        candles.close[starts_whole + parts - 1],
        np.add.reduceat(candles.volume, starts)[whole],
    )
