"""The fact sheet of a market: 1,000 bars in each of two timeframes, everything measured, patterns included."""

import time
from collections.abc import Iterator

import numpy as np

from engine.domain.market.candles import Candles
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.facts.sheet import build_sheet
from tests.benchmarks.measured import Measured
from tests.engine.facts.markets import random_candles, snapshot

BARS = 1000
SHEETS = 60


def measure() -> Iterator[Measured]:
    """Each sheet of another market, so that nothing measured before can help."""
    markets = [_market(seed) for seed in range(SHEETS + 1)]
    build_sheet(markets.pop())
    taken = []
    for market in markets:
        began = time.perf_counter()
        sheet = build_sheet(market)
        taken.append((time.perf_counter() - began) * 1000)
        assert sheet.number("rsi_14") is not None
    yield Measured(f"facts of 2 x {BARS:,} bars", "ms", taken, 10, "minimum")


def _market(seed: int) -> Snapshot:
    """15m and 1h candles that close together."""
    quarters, hours = Timeframe.parse("15m"), Timeframe.parse("1h")
    main = random_candles(seed, BARS, quarters, start=1_700_006_400_000 // hours.ms * hours.ms)
    higher = random_candles(seed + 10_000, BARS, hours)
    shifted = main.closed_at // hours.ms * hours.ms - hours.ms * np.arange(BARS, 0, -1, dtype=np.int64)
    columns = (higher.open, higher.high, higher.low, higher.close, higher.volume)
    return snapshot(main, Candles(hours, shifted, *columns))
