"""Intervals by resampling whole speeches: numbers that one speech states are not independent of each other.

Given counts by speech, gives shares with 95 % intervals (percentile bootstrap). Where nothing or everything is hit there is nothing to
resample; Wilson's interval stands in. The same counts give the same intervals on every machine and with every release of numpy: the
generator is the legacy one, whose stream is frozen.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.domain.frozen_model import FrozenModel
from engine.domain.interval import wilson

DRAWS: Final = 2000
SEED: Final = 20261127
_ENDS: Final = (2.5, 97.5)
Floats = NDArray[np.float64]


class Share(FrozenModel):
    """value: hits of n, times the scale; None where n is 0. low, high: its 95 % interval. n: what it is a share of."""

    value: float | None
    low: float | None
    high: float | None
    n: int


NOTHING: Final = Share(value=None, low=None, high=None, n=0)


class Resampling:
    """Draws of `count` speeches with replacement, the same for everything that is counted in them."""

    def __init__(self, count: int) -> None:
        shares = np.full(max(count, 1), 1 / max(count, 1))
        self._weights: Floats = np.random.RandomState(SEED).multinomial(count, shares, DRAWS).astype(np.float64)[:, :count]

    def drawn(self, hits: Sequence[int], counted: Sequence[int]) -> Floats:
        """Return the share of every draw, NaN of those in which nothing was counted. hits, counted: by speech."""
        part, whole = (self._weights @ np.asarray(each, dtype=np.float64) for each in (hits, counted))
        found: Floats = np.divide(part, whole, out=np.full(DRAWS, np.nan), where=whole > 0)
        return found

    def share(self, hits: Sequence[int], counted: Sequence[int], scale: int = 1) -> Share:
        """Return the share with its interval. hits, counted: by speech."""
        part, whole = sum(hits), sum(counted)
        if not whole:
            return NOTHING
        if part in (0, whole):
            return of_ends(part / whole, wilson(part, whole), whole, scale)
        return of_ends(part / whole, interval_of(self.drawn(hits, counted)), whole, scale)


def measured_elsewhere(hits: int, misses: int) -> Floats:
    """Return draws of a share that was counted once, in independent cases."""
    return np.asarray(np.random.RandomState(SEED + 1 + hits).beta(hits + 0.5, misses + 0.5, DRAWS), dtype=np.float64)


def of_ends(value: float, ends: tuple[float, float], n: int, scale: int = 1) -> Share:
    """Return a share as it is written: four digits behind the point."""
    low, high = ends
    return Share(value=round(scale * value, 4), low=round(scale * low, 4), high=round(scale * high, 4), n=n)


def interval_of(draws: Floats) -> tuple[float, float]:
    """Return the 95 % interval of draws."""
    low, high = np.nanpercentile(draws, _ENDS)
    return float(low), float(high)
