"""The price of one simulated coin, as a pure function of (seed, coin, time).

Nothing is walked from an origin. An era of 128 days is a bridge between two anchors drawn from its number alone; inside it, segments of
8 days are trends or ranges and days differ in spread (restless days come together). A day is a bridge of 1,440 minutes between its two
anchors. So any window costs what it holds, and every timeframe is a sum of the same minutes. Prices are whole ticks and volumes whole
lots: adding them up is exact.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.draws import draws_of
from engine.market.simulated_coins import Coin

DAY_MS = 86_400_000
MINUTES = 1440
LOTS = 1000  # lots in one coin
_ERA = 128  # days
_SEGMENT = 8  # days
_DAILY = 0.024  # spread of an ordinary day's log return
_DRIFT = {"up": 0.009, "down": -0.009, "range": 0.0}
_MINUTE = np.arange(MINUTES)
_SESSION = 1.0 + 0.35 * np.sin((_MINUTE - 540) / MINUTES * 2 * np.pi)  # quiet Asian night, busy American afternoon

Ticks = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TickBars:
    """Candles in whole ticks and lots. columns: int64[n] each, open, high, low, close in ticks, volume in lots."""

    columns: tuple[Ticks, Ticks, Ticks, Ticks, Ticks]

    def merged(self, parts: int) -> "TickBars":
        """Return each `parts` bars as one; the number of bars must be a multiple of it."""
        opened, high, low, close, lots = (column.reshape(-1, parts) for column in self.columns)
        return TickBars((opened[:, 0], high.max(axis=1), low.min(axis=1), close[:, -1], lots.sum(axis=1)))

    def cut(self, start: int, stop: int) -> "TickBars":
        """Return bars [start:stop] by position."""
        opened, high, low, close, lots = (column[start:stop] for column in self.columns)
        return TickBars((opened, high, low, close, lots))


def joined(pieces: list[TickBars]) -> TickBars:
    """Return bars one after another."""
    opened, high, low, close, lots = (np.concatenate([piece.columns[k] for piece in pieces]) for k in range(5))
    return TickBars((opened, high, low, close, lots))


@dataclass(frozen=True, eq=False)
class _Era:
    """log_price: float64[129], at the start of each day and at the end. spread: float64[128], of each day."""

    log_price: NDArray[np.float64]
    spread: NDArray[np.float64]


class CoinPath:
    """The history of one coin under one seed. day: days since 1970-01-01 UTC."""

    def __init__(self, seed: int, coin: Coin) -> None:
        self.coin = coin
        self._name = f"{seed}|{coin.base}"
        self._era = lru_cache(64)(self._make_era)
        self.minutes = lru_cache(128)(self._make_minutes)
        self.hours = lru_cache(4096)(self._make_hours)

    def draws(self, stream: str, index: int) -> np.random.Generator:
        """Return random numbers that depend on nothing but seed, coin, stream and index."""
        return draws_of(self._name, stream, index)

    def log_price(self, day: int) -> float:
        """Return the natural logarithm of the price at 00:00 UTC of the day."""
        return float(self._era(day // _ERA).log_price[day % _ERA])

    def price_at(self, ms: int) -> float:
        """Return the price, quote units, at the open of the minute that contains `ms` (UTC milliseconds)."""
        return float(self.minutes(ms // DAY_MS).columns[0][ms % DAY_MS // 60_000]) / self.coin.ticks

    def _anchor(self, era: int) -> float:
        return float(np.log(self.coin.price) + 0.17 * self.coin.restless * self.draws("anchor", era).uniform(-1, 1))

    def _make_era(self, era: int) -> _Era:
        draws = self.draws("era", era)
        kinds = draws.choice(["up", "down", "range"], size=_ERA // _SEGMENT, p=[0.35, 0.3, 0.35])
        restless = np.empty(_ERA)
        level = 0.0
        for day, shock in enumerate(draws.standard_normal(_ERA)):
            level = 0.85 * level + 0.18 * shock
            restless[day] = level
        calm = np.repeat(np.where(kinds == "range", 0.8, 1.0), _SEGMENT)
        spread = _DAILY * self.coin.restless * calm * np.exp(restless)
        steps = spread * draws.standard_normal(_ERA)
        for number, kind in enumerate(kinds):
            segment = steps[number * _SEGMENT : (number + 1) * _SEGMENT]
            if kind == "range":
                segment -= 0.8 * segment.mean()  # a range comes back to where it began
            segment += _DRIFT[str(kind)] * self.coin.restless
        start, end = self._anchor(era), self._anchor(era + 1)
        path = np.r_[0.0, np.cumsum(steps)]
        return _Era(start + path + (end - start - path[-1]) * np.linspace(0, 1, _ERA + 1), spread)

    def _make_minutes(self, day: int) -> TickBars:
        """Return the 1,440 minutes of a day: open, high, low, close in ticks, volume in lots."""
        era = self._era(day // _ERA)
        start, end = era.log_price[day % _ERA], era.log_price[day % _ERA + 1]
        draws = self.draws("day", day)
        shape = _SESSION * np.exp(np.interp(_MINUTE, np.arange(0, MINUTES + 1, 120), 0.4 * draws.standard_normal(13)))
        sigma = era.spread[day % _ERA] * shape / np.sqrt(np.square(shape).sum())
        steps = sigma * draws.standard_normal(MINUTES) * np.exp(0.3 * draws.standard_normal(MINUTES) - 0.09)
        share = np.cumsum(np.square(sigma))
        path = np.r_[0.0, np.cumsum(steps)]
        path[1:] += (end - start - path[-1]) * share / share[-1]
        before, after = start + path[:-1], start + path[1:]
        reach = np.square(after - before)
        top = (before + after + np.sqrt(reach - 2 * np.square(sigma) * np.log1p(-draws.random(MINUTES)))) / 2
        bottom = (before + after - np.sqrt(reach - 2 * np.square(sigma) * np.log1p(-draws.random(MINUTES)))) / 2
        edges, high, low = (np.rint(np.exp(log) * self.coin.ticks).astype(np.int64) for log in (start + path, top, bottom))
        opened, close = edges[:-1], edges[1:]
        stir = np.abs(after - before) / sigma
        coins = self.coin.turnover / np.exp(start) * shape * (0.5 + 0.6 * stir) * np.exp(0.45 * draws.standard_normal(MINUTES))
        lots = np.maximum(1, np.rint(coins * LOTS)).astype(np.int64)
        return TickBars((opened, np.maximum(high, np.maximum(opened, close)), np.minimum(low, np.minimum(opened, close)), close, lots))

    def _make_hours(self, day: int) -> TickBars:
        return self.minutes(day).merged(60)

    def within_minute(self, minute: int, second: int) -> TickBars:
        """Return the minute (counted from 1970) as far as it has come after `second` of it, 0-59. At 59 it is the closed candle.

        Its way is a walk second by second that starts at the open, touches the high and the low and ends at the close.
        """
        opened, high, low, close, lots = (int(column[minute % MINUTES]) for column in self.minutes(minute // MINUTES).columns)
        draws = self.draws("minute", minute)
        first, second_turn = sorted(draws.choice(np.arange(1, 59), size=2, replace=False).tolist())
        turns = (high, low) if draws.random() < 0.5 else (low, high)
        walk = np.interp(np.arange(60), [0, first, second_turn, 59], [opened, *turns, close])
        walk = np.clip(np.rint(walk + draws.standard_normal(60) * (high - low) * 0.12), low, high).astype(np.int64)
        walk[[0, first, second_turn, 59]] = (opened, *turns, close)
        traded = np.cumsum(draws.exponential(size=60))
        done = lots if second >= 59 else int(lots * traded[second] / traded[-1])
        seen = walk[: second + 1]
        return TickBars(tuple(np.array([value], dtype=np.int64) for value in (opened, seen.max(), seen.min(), seen[-1], done)))  # type: ignore[arg-type]
