"""Markets for the tests of facts: generated candles on a tick grid, real ones, and snapshots made of them."""

import csv
import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from engine.domain.holding import Holding
from engine.domain.market.candles import COLUMNS, Candle, Candles
from engine.domain.market.instrument import Market, Surroundings
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe

START_MS = 1_700_006_400_000  # 2023-11-15 00:00 UTC
M15, H1 = Timeframe.parse("15m"), Timeframe.parse("1h")


def random_candles(seed: int, count: int, timeframe: Timeframe = M15, *, price: float = 1000.0, start: int = START_MS) -> Candles:
    """A random walk with ties (prices on a grid), changing volatility, quiet bars and bars without volume."""
    rng = np.random.default_rng(seed)
    spread = price * 0.004 * np.exp(0.4 * rng.standard_normal(count))
    close = np.maximum(price + np.cumsum(rng.standard_normal(count) * spread), price * 0.05)
    opened = np.concatenate([[price], close[:-1]])
    high = np.maximum(opened, close) + np.abs(rng.standard_normal(count)) * spread * (rng.random(count) < 0.8)
    low = np.maximum(np.minimum(opened, close) - np.abs(rng.standard_normal(count)) * spread * (rng.random(count) < 0.8), price * 0.01)
    volume = rng.integers(0, 500, count).astype(np.float64)
    grid = price / 2000.0
    columns = (np.round(column / grid) * grid for column in (opened, high, low, close))
    return Candles(timeframe, start + timeframe.ms * np.arange(count, dtype=np.int64), *columns, volume)


def recorded_candles(folder: Path, name: str, timeframe: Timeframe, count: int, skip: int = 0) -> Candles:
    """The last `count` candles of a recorded file, `skip` from its end."""
    with gzip.open(folder / name, "rt") as file:
        rows = list(csv.DictReader(file))
    rows = rows[len(rows) - count - skip : len(rows) - skip]
    return Candles.from_columns(timeframe, {key: [float(row[key]) for row in rows] for key in ("timestamp", *COLUMNS)})


def change(candles: Candles, **columns: Callable[[np.ndarray], np.ndarray]) -> Candles:
    """Candles with some columns replaced by a function of a copy of them."""
    kept = {name: getattr(candles, name).copy() for name in COLUMNS}
    new = {name: columns[name](kept[name]) if name in columns else kept[name] for name in COLUMNS}
    return Candles(candles.timeframe, candles.opened_at, *(new[name] for name in COLUMNS))


def first_bars(candles: Candles, count: int) -> Candles:
    """The oldest `count` candles."""
    return Candles(candles.timeframe, candles.opened_at[:count], *(getattr(candles, name)[:count] for name in COLUMNS))


def times(candles: Candles, factor: float) -> Candles:
    """The same market in other money."""
    return change(candles, **{name: lambda column: column * factor for name in ("open", "high", "low", "close")})


def snapshot(
    candles: Candles,
    htf: Candles | None = None,
    *,
    forming: Candle | None = None,
    around: Surroundings | None = None,
    holding: Holding | None = None,
    at_ms: int | None = None,
) -> Snapshot:
    """A snapshot at the close of the last candle, or at `at_ms`."""
    at = at_ms if at_ms is not None else candles.closed_at
    return Snapshot(
        market=Market.parse("BTC/USDT:USDT"),
        venue="test",
        feed="recorded",
        at=datetime.fromtimestamp(at / 1000, UTC),
        candles=candles,
        candles_htf=htf,
        forming=forming,
        forming_htf=None,
        surroundings=around or Surroundings(),
        holding=holding,
    )
