"""Figures of a curve of equity and of a list of trades, with intervals. Pure; numpy alone.

Curves and trades depend on what came before them: their intervals come from the stationary bootstrap of Politis and Romano, which draws
blocks of random length from a ring. Sharpe and Sortino are a year's, without a riskless rate.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Measure = Callable[[Floats], float | None]

RESAMPLES: Final = 2000
LEVEL: Final = 0.95
FEWEST: Final = 10
"""Below so many values no interval is given."""
_YEAR_S: Final = 365.25 * 86_400
_AT_ONCE: Final = 2_000_000  # values resampled at a time: 16 MB


def returns_of(equity: Sequence[float]) -> Floats:
    """Return the relative change from each value to the next; 0 behind an equity of nothing."""
    values = np.asarray(equity, dtype=np.float64)
    before = values[:-1]
    return np.divide(np.diff(values), before, out=np.zeros(len(before)), where=before > 0) if len(values) > 1 else np.zeros(0)


def periods_a_year(instants: Sequence[datetime]) -> float:
    """Return how many steps of a curve a year has."""
    span = (instants[-1] - instants[0]).total_seconds() if len(instants) > 1 else 0.0
    return (len(instants) - 1) * _YEAR_S / span if span > 0 else 0.0


def total_return_pct(returns: Floats) -> float:
    """Return what a curve gained in all."""
    return float(np.prod(1.0 + returns) - 1.0) * 100


def max_drawdown_pct(returns: Floats) -> float:
    """Return the deepest fall from a peak, percent of the peak, 0 or above."""
    worth = np.concatenate(([1.0], np.cumprod(1.0 + returns)))
    return float(np.max(1.0 - worth / np.maximum.accumulate(worth))) * 100


def sharpe(returns: Floats, a_year: float) -> float | None:
    """Return mean over standard deviation; None where nothing moved."""
    spread = float(np.std(returns, ddof=1)) if len(returns) > 1 else 0.0
    return float(np.mean(returns)) / spread * sqrt(a_year) if spread > 1e-15 else None


def sortino(returns: Floats, a_year: float) -> float | None:
    """Return mean over the deviation of losses; None where nothing was lost."""
    loss = sqrt(float(np.mean(np.minimum(returns, 0.0) ** 2))) if len(returns) > 1 else 0.0
    return float(np.mean(returns)) / loss * sqrt(a_year) if loss > 1e-15 else None


def usual_block(n: int) -> float:
    """Return the mean length of a block: the cube root of the number of values, at least 1."""
    return max(1.0, float(round(n ** (1 / 3))))


def stationary_indices(n: int, block: float, resamples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return int64[resamples, n]: positions of blocks whose lengths are geometric with mean `block`, each followed on a ring."""
    begins = rng.random((resamples, n)) < 1.0 / block
    begins[:, 0] = True
    places = np.arange(n)
    since = np.maximum.accumulate(np.where(begins, places, 0), axis=1)  # where the block of each place began
    starts = rng.integers(0, n, (resamples, n))
    return (np.take_along_axis(starts, since, axis=1) + places - since) % n


def resampled(values: Floats, seed: int, block: float | None = None, resamples: int = RESAMPLES) -> Iterator[Floats]:
    """Yield resamples of a series, a few rows of float64[rows, n] at a time: memory does not grow with their number."""
    n = len(values)
    rng, left = np.random.default_rng(seed), resamples
    rows = max(1, _AT_ONCE // n)
    while left > 0:
        count = min(rows, left)
        yield values[stationary_indices(n, block or usual_block(n), count, rng)]
        left -= count


def interval(values: Floats, measure: Measure, seed: int, block: float | None = None) -> tuple[float, float] | None:
    """Return the interval at 95 % of a measure of a series; None for too few values, and where it is hardly ever defined."""
    if len(values) < FEWEST:
        return None
    found = [each for rows in resampled(values, seed, block) for row in rows if (each := measure(row)) is not None]
    if len(found) < RESAMPLES // 2:
        return None
    low, high = np.quantile(np.asarray(found), ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)
