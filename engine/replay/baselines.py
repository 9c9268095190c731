"""What holding the market and a rule that thinks nothing would have brought, at the instants of a replay; and which kind of market it was.

Pure. Given closes of the main timeframe, those before the replay included, gives curves that begin at 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.candles import Candles

EMA_BARS: Final = 200
REGIME_BARS: Final = 50
TREND: Final = 0.3
"""Of the way that prices went in `REGIME_BARS`, the share that was net progress from which on a market counts as rising or falling."""
REGIMES: Final = ("rising", "falling", "sideways")
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PastMarket:
    """The market that was replayed. candles: of the main timeframe, from before the first decision to the end. closes: int64[n], UTC
    milliseconds at which each was known. dividends: (UTC milliseconds
    of the ex-date, amount in the shares of the last candle). fee: fraction of the value that a trade costs one way. in_sessions: whether it
    is an exchange's, with sessions."""

    candles: Candles
    closes: NDArray[np.int64]
    fee: float
    in_sessions: bool = False
    dividends: tuple[tuple[int, float], ...] = ()

    def at(self, instants: Sequence[datetime]) -> NDArray[np.int64]:
        """Return the position of the last candle that was closed at each instant, -1 before the first."""
        return self.closes.searchsorted(np.asarray(_ms(instants)), side="right") - 1


def buy_and_hold(market: PastMarket, instants: Sequence[datetime]) -> Floats:
    """Return what one unit bought at the first instant is worth at each, dividends included, without costs."""
    prices = market.candles.close[np.maximum(market.at(instants), 0)]
    ms = np.asarray(_ms(instants))
    paid = np.zeros(len(prices))
    for ex_date, amount in market.dividends:
        if ex_date > ms[0]:
            paid += np.where(ms >= ex_date, amount, 0.0)
    return np.asarray((prices + paid) / prices[0])


def above_average(market: PastMarket, instants: Sequence[datetime]) -> Floats:
    """Return the worth of a rule: long while the close is above its EMA, flat below, decided at the same instants, with fees."""
    places, closes = np.maximum(market.at(instants), 0), market.candles.close
    long = (closes > _ema(closes, EMA_BARS))[places]
    prices = closes[places]
    worth = np.ones(len(prices))
    value, held = 1.0, False
    for index in range(len(prices)):
        if index and held:
            value *= prices[index] / prices[index - 1]
        if bool(long[index]) != held and index < len(prices) - 1:
            value, held = value * (1 - market.fee), not held
        worth[index] = value
    return worth


def regimes(market: PastMarket, instants: Sequence[datetime]) -> list[str]:
    """Return which kind of market it was at each instant, by what was known then."""
    closes, found = market.candles.close, list[str]()
    for place in market.at(instants).tolist():
        seen = closes[max(0, place - REGIME_BARS) : place + 1]
        way = float(np.abs(np.diff(seen)).sum())
        net = float(seen[-1] - seen[0]) if len(seen) else 0.0
        trends = way > 0 and abs(net) / way >= TREND
        found.append("sideways" if not trends else "rising" if net > 0 else "falling")
    return found


def _ema(closes: Floats, bars: int) -> Floats:
    """Return the exponential average, which begins at the first close."""
    weight, values = 2.0 / (bars + 1), np.empty(len(closes))
    last = float(closes[0]) if len(closes) else 0.0
    for index, close in enumerate(closes.tolist()):
        last += weight * (close - last)
        values[index] = last
    return values


def _ms(instants: Sequence[datetime]) -> list[int]:
    return [int(each.timestamp() * 1000) for each in instants]
