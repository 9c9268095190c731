"""Worlds without an edge: nothing in them foretells what comes."""

from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.domain.replay import World
from engine.replay.worlds import rank_among, world_of

KINDS = tuple(each for each in get_args(World) if each != "real")


def market(n: int = 3000) -> Candles:
    """A market that trends: what moved it last moves it again."""
    rng, moves = np.random.default_rng(11), np.zeros(n)
    for index in range(1, n):
        moves[index] = 0.3 * moves[index - 1] + rng.normal(0.0002, 0.004)
    close = 100 * np.exp(np.cumsum(moves))
    opened = np.concatenate(([100.0], close[:-1]))
    high, low = np.maximum(opened, close) * 1.001, np.minimum(opened, close) * 0.999
    return Candles(Timeframe.parse("1h"), np.arange(n, dtype=np.int64) * 3_600_000, opened, high, low, close, rng.lognormal(3, 1, n))


def moves_of(candles: Candles) -> NDArray[np.float64]:
    """The log return of every candle from the close before it."""
    return np.diff(np.log(np.concatenate((candles.open[:1], candles.close))))


@pytest.mark.parametrize("kind", KINDS)
def test_a_world_is_sound_and_foretells_nothing(kind: World) -> None:
    real = market()
    made = world_of(real, kind, 1)
    assert made.fault is None
    assert (made.high >= np.maximum(made.open, made.close)).all()
    assert (made.low <= np.minimum(made.open, made.close)).all()
    assert made.opened_at.tolist() == real.opened_at.tolist()
    moves = moves_of(made)
    assert moves.mean() == pytest.approx(0.0, abs=3 * moves.std() / len(moves) ** 0.5)
    assert moves.std() == pytest.approx(moves_of(real).std(), rel=0.08)
    again, other = world_of(real, kind, 1), world_of(real, kind, 2)
    assert again.close.tolist() == made.close.tolist()
    assert other.close.tolist() != made.close.tolist()


def test_a_result_among_worlds() -> None:
    found = rank_among("shuffled", 1.0, [-3.0, 0.5, 1.0, 2.0])
    assert (found.rank, found.is_beyond) == (0.6, False)  # two of four are as good, and the result itself
