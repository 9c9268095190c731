"""Worlds without an edge: prices like a market's own that nothing before them foretells. Pure.

    shuffled    the market's own candles, in blocks of random order: each once
    bootstrap   blocks of them drawn with replacement (stationary bootstrap)
    simulated   a random walk with the same volatility

In all of them the mean log return is taken out: neither a rule nor holding is expected to gain. A desk that gains in them was lucky, or has
been fitted to the shape of their candles. Given a seed the same world comes out.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.candles import Candles
from engine.domain.replay import World, WorldsRank
from engine.replay.measures import stationary_indices, usual_block

BEYOND: Final = 0.05
"""The rank up to which a result counts as more than chance."""


def world_of(real: Candles, kind: World, seed: int) -> Candles:
    """Return candles of another world at the same instants, from the same first price. real: evenly spaced, at least two; kind: not
    `real`."""
    rng = np.random.default_rng([seed, ["shuffled", "bootstrap", "simulated"].index(kind)])
    n = len(real)
    before = np.concatenate((real.open[:1], real.close[:-1]))
    shapes = np.log(np.stack((real.open, real.high, real.low, real.close)) / before)  # each candle against the close before it
    if kind == "simulated":
        moves = rng.normal(0.0, float(np.std(shapes[3], ddof=1)), n)
        shapes = shapes[:, rng.permutation(n)]
        shapes = shapes - shapes[3] + moves  # wicks of real candles around another close
        shapes[0] = 0.0
        order = np.arange(n)
    else:
        order = _shuffled(n, rng) if kind == "shuffled" else stationary_indices(n, usual_block(n), 1, rng)[0]
        shapes = shapes[:, order]
    shapes[1:] -= np.mean(shapes[3])
    shapes[1], shapes[2] = np.max(shapes, axis=0), np.min(shapes, axis=0)
    begins = np.log(float(real.open[0])) + np.concatenate(([0.0], np.cumsum(shapes[3])[:-1]))
    opened, high, low, close = np.exp(shapes + begins)
    return Candles(real.timeframe, real.opened_at, opened, high, low, close, real.volume[order])


def _shuffled(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the positions of a series with its blocks in another order."""
    block = int(usual_block(n))
    offset = int(rng.integers(0, block))
    ring = (np.arange(n) + offset) % n
    blocks = [ring[start : start + block] for start in range(0, n, block)]
    return np.concatenate([blocks[each] for each in rng.permutation(len(blocks))])


def rank_among(kind: World, real_pct: float, worlds_pct: Sequence[float]) -> WorldsRank:
    """Return the rank of a result among those of worlds without an edge: returns in percent."""
    as_good = sum(each >= real_pct for each in worlds_pct)
    rank = (as_good + 1) / (len(worlds_pct) + 1)
    returns = tuple(round(float(each), 6) for each in worlds_pct)
    return WorldsRank(kind=kind, n=len(returns), returns=returns, rank=round(rank, 6), is_beyond=rank <= BEYOND)
