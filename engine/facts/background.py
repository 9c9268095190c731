"""How the market came to where it is: what a decision needs beside one value of each fact.

Given a snapshot and its sheet, gives the last closed candles, some indicators a few bars ago, the volatility against its own past, and the
levels on both sides with their distance. Reads closed candles only, like the sheet. Whatever cannot be measured is left out.
"""

import math
from dataclasses import dataclass

import numpy as np

from engine.domain.facts import FactSheet
from engine.domain.market.candles import Candles
from engine.domain.market.snapshot import Snapshot
from engine.facts.bars import Bars, to_bars
from engine.facts.indicators import average_true_range
from engine.facts.levels import swing_levels
from engine.facts.series import LINES

CANDLES_SHOWN = 12
BARS_AGO = (12, 6, 3)
PAST_KEYS = ("rsi_14", "adx_14", "macd_hist", "volume_ratio_20", "atr_pct")
VOLATILITY_BARS = 20
LEVELS_A_SIDE = 3
_YEAR_MS = 365 * 86_400_000


@dataclass(frozen=True)
class LevelAhead:
    """A swing level. price: quote units. atr: its distance from the last price, in ATR(14) of the main timeframe, >= 0. touches: swing
    points in it."""

    price: float
    atr: float
    touches: int


@dataclass(frozen=True)
class Background:
    """candles: the last closed ones, oldest first. past: key -> its values `BARS_AGO` bars before the last closed candle, oldest first.
    volatility_pct: realised volatility of the last `VOLATILITY_BARS` bars, percent a year; volatility_rank: percent of all earlier windows
    in the snapshot that were calmer. above, below: nearest levels first."""

    candles: Candles
    past: dict[str, tuple[float, ...]]
    volatility_pct: float | None
    volatility_rank: float | None
    above: tuple[LevelAhead, ...]
    below: tuple[LevelAhead, ...]


def background_of(snapshot: Snapshot, sheet: FactSheet) -> Background | None:
    """Return the background of a snapshot; None where its candles cannot be measured."""
    candles, price, atr = snapshot.candles, sheet.number("close"), sheet.number("atr_14")
    if candles.fault is not None or len(candles) <= max(BARS_AGO) or price is None:
        return None
    bars = to_bars(candles)
    volatility, rank = _volatility(candles)
    above, below = _levels(bars, price, atr)
    return Background(
        candles=candles.tail(CANDLES_SHOWN),
        past=_past(bars, sheet),
        volatility_pct=volatility,
        volatility_rank=rank,
        above=above,
        below=below,
    )


def _past(bars: Bars, sheet: FactSheet) -> dict[str, tuple[float, ...]]:
    """Return the past of the indicators that the sheet has: what it could not measure now has no past either."""
    found: dict[str, tuple[float, ...]] = {}
    with np.errstate(all="ignore"):
        for key in PAST_KEYS:
            line = LINES[key](bars) if sheet.number(key) is not None else None
            values = tuple(float(line[-1 - back]) for back in BARS_AGO) if line is not None else ()
            if values and all(math.isfinite(value) for value in values):
                found[key] = values
    return found


def _volatility(candles: Candles) -> tuple[float | None, float | None]:
    returns = np.diff(np.log(candles.close))
    if len(returns) < 2 * VOLATILITY_BARS:
        return None, None
    windows = np.lib.stride_tricks.sliding_window_view(returns, VOLATILITY_BARS).std(axis=1)
    now, earlier = float(windows[-1]), windows[:-1]
    if not now > 0:
        return None, None
    yearly = now * math.sqrt(_YEAR_MS / candles.timeframe.ms) * 100.0
    return yearly, float((earlier < now).mean() * 100.0)


def _levels(bars: Bars, price: float, atr: float | None) -> tuple[tuple[LevelAhead, ...], tuple[LevelAhead, ...]]:
    if atr is None or atr <= 0:
        return (), ()
    levels = [(level.price / bars.scale, level.touches) for level in swing_levels(bars, average_true_range(bars))]
    above = [LevelAhead(at, (at - price) / atr, touches) for at, touches in levels if at > price]
    below = [LevelAhead(at, (price - at) / atr, touches) for at, touches in reversed(levels) if at < price]
    return tuple(above[:LEVELS_A_SIDE]), tuple(below[:LEVELS_A_SIDE])
