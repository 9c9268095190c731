"""How alike two markets are: few numbers of a fact sheet that mean the same at any price, and the distance between two sets of them. Pure.

Distances of the price to averages and levels are in ATR; indicators are compared in standard deviations of the present market's own
history, so that no earlier decision is needed to know what is much.
"""

import math
import statistics
from collections.abc import Mapping
from typing import Final

from engine.domain.facts import FactSheet
from engine.domain.market.candles import Candles
from engine.facts.series import indicator_series

_IN_ATR: Final = ("ema_20", "ema_50", "ema_200", "vwap", "support", "resistance", "macd_hist")
_IN_DEVIATIONS: Final = ("rsi_14", "adx_14", "stoch_k", "mfi_14", "volume_ratio_20", "atr_pct")
_HIGHER: Final = "higher."
_FEWEST: Final = 6
_FARTHEST: Final = 4.0  # of one feature: a single level far away says nothing of the rest
_FEWEST_BARS: Final = 60


def features_of(sheet: FactSheet) -> dict[str, float]:
    """Return what markets are compared by, of both timeframes; a fact that is not known is left out."""
    found = _features(sheet, "", "")
    if sheet.timeframe_htf is not None:
        found |= _features(sheet, f"{sheet.timeframe_htf}.", _HIGHER)
    return {key: round(value, 6) for key, value in found.items() if math.isfinite(value)}


def _features(sheet: FactSheet, prefix: str, name: str) -> dict[str, float]:
    price, atr = sheet.number("close"), sheet.number(f"{prefix}atr_14")
    found = {f"{name}{key}": value for key in _IN_DEVIATIONS if (value := sheet.number(f"{prefix}{key}")) is not None}
    if price is None or not atr:
        return found
    for key in _IN_ATR:
        value = sheet.number(f"{prefix}{key}")
        if value is not None:
            found[f"{name}{key}"] = (value if key == "macd_hist" else price - value) / atr
    return found


def deviations_of(candles: Candles, higher: Candles | None) -> dict[str, float]:
    """Return feature -> its standard deviation over the candles at hand, of the indicators; too few candles have none."""
    found: dict[str, float] = {}
    for name, bars in (("", candles), (_HIGHER, higher)):
        if bars is None or len(bars) < _FEWEST_BARS:
            continue
        series = indicator_series(bars)
        for key in _IN_DEVIATIONS:
            known = [value for value in series[key] if value is not None]
            if len(known) >= _FEWEST_BARS and (deviation := statistics.pstdev(known)) > 0:
                found[f"{name}{key}"] = deviation
    return found


def distance(now: Mapping[str, float], then: Mapping[str, float], deviations: Mapping[str, float]) -> float | None:
    """Return how far two markets are apart: root mean square over what both measure, in ATR and standard deviations. None where they share
    too little to say so."""
    squares = []
    for key in now.keys() & then.keys():
        unit = 1.0 if key.removeprefix(_HIGHER) in _IN_ATR else deviations.get(key)
        if unit is not None:
            squares.append(min(_FARTHEST, abs(now[key] - then[key]) / unit) ** 2)
    return round(math.sqrt(math.fsum(squares) / len(squares)), 6) if len(squares) >= _FEWEST else None
