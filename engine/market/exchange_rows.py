"""Rows of candles as a venue answers them, checked before anything believes them. Pure.

Given rows `[time, open, high, low, close, volume]`, gives columns in the order of time. A row that is not six finite numbers, stands twice
or cannot be true is BadMarketData with the row; nothing is repaired.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from engine.domain.errors import BadMarketData
from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.market.instants import say


def read_rows(rows: object, timeframe: Timeframe, source: str) -> Candles:
    """Return the rows as candles, oldest first, perhaps none, perhaps with gaps. source: who answered what, for messages. Raises
    BadMarketData."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise BadMarketData(f"{source}: the answer is no list of rows")
    for number, row in enumerate(rows, 1):
        if not _is_numbers(row):
            raise BadMarketData(f"{source}: row {number} of {len(rows)} is no candle: {str(row)[:80]}")
    table = np.array([row[:6] for row in rows], dtype=np.float64).reshape(-1, 6)
    table = table[np.argsort(table[:, 0], kind="stable")]  # some venues answer newest first
    candles = Candles(timeframe, table[:, 0].astype(np.int64), *(table[:, column].copy() for column in range(1, 6)))
    _check(candles, table[:, 0], source)
    return candles


def _is_numbers(row: object) -> bool:
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) < 6:
        return False
    return all(isinstance(cell, (int, float)) and not isinstance(cell, bool) and isfinite(cell) for cell in row[:6])


def _check(candles: Candles, times: NDArray[np.float64], source: str) -> None:
    stamps, timeframe = candles.opened_at, candles.timeframe
    prices = np.stack([candles.open, candles.high, candles.low, candles.close])
    rules = (
        ((times != stamps) | ((stamps - timeframe.floor(0)) % timeframe.ms != 0), f"is not where a {timeframe} candle opens"),
        (np.r_[False, np.diff(stamps) == 0][: len(stamps)], "stands twice"),
        (prices.min(axis=0, initial=np.inf) <= 0, "has a price that is not above zero"),
        (candles.high < candles.low, "has a high below its low"),
        (
            (candles.high < prices.max(axis=0, initial=-np.inf)) | (candles.low > prices.min(axis=0, initial=np.inf)),
            "leaves its high and low",
        ),
        (candles.volume < 0, "has a negative volume"),
    )
    for broken, fault in rules:
        if broken.any():
            index = int(np.argmax(broken))
            raise BadMarketData(f"{source}: the candle of {say(int(stamps[index]))} {fault}")
