"""Intervals against what is known of distributions: independent numbers, numbers of one speech that are all alike, and coverage."""

import itertools
import math

import numpy as np
import pytest

from engine.benchmark.resampling import NOTHING, Resampling
from engine.domain.interval import wilson


def half_width(hits: list[int], counted: list[int]) -> float:
    share = Resampling(len(hits)).share(hits, counted)
    assert share.low is not None
    assert share.high is not None
    return (share.high - share.low) / 2


def test_independent_numbers_have_the_interval_of_a_binomial() -> None:
    chosen = np.random.RandomState(1)
    hits = chosen.binomial(10, 0.2, 400).tolist()
    assert half_width(hits, [10] * 400) == pytest.approx(1.96 * math.sqrt(0.2 * 0.8 / 4000), rel=0.1)


def test_numbers_that_are_wrong_together_make_it_wider_by_the_root_of_their_count() -> None:
    chosen = np.random.RandomState(2)
    together = (10 * chosen.binomial(1, 0.2, 400)).tolist()
    assert half_width(together, [10] * 400) == pytest.approx(1.96 * math.sqrt(0.2 * 0.8 / 400), rel=0.1)


@pytest.mark.full
def test_it_holds_the_truth_nineteen_times_of_twenty() -> None:
    """Speeches of 3 to 15 numbers, each with a rate of its own around 0.2."""
    chosen, held, trials = np.random.RandomState(3), 0, 120
    for _ in range(trials):
        counted = chosen.randint(3, 16, 80)
        hits = chosen.binomial(counted, chosen.beta(2, 8, 80))
        share = Resampling(80).share(hits.tolist(), counted.tolist())
        held += (share.low or 0.0) <= 0.2 <= (share.high or 0.0)
    assert 0.9 <= held / trials <= 0.985


def test_nothing_and_everything_have_the_interval_of_wilson() -> None:
    assert Resampling(0).share([], []) == NOTHING
    none = Resampling(3).share([0, 0, 0], [5, 5, 5])
    assert (none.value, none.low, none.high) == (0.0, 0.0, round(wilson(0, 15)[1], 4))
    every = Resampling(2).share([4, 4], [4, 4], 100)
    assert (every.value, every.low) == (100.0, round(100 * wilson(8, 8)[0], 4))


def test_few_speeches_have_the_interval_of_every_possible_draw() -> None:
    """All 256 draws of four speeches, each as likely as any other."""
    hits, counted = [1, 0, 2, 1], [4, 3, 5, 2]
    every = [sum(hits[at] for at in draw) / sum(counted[at] for at in draw) for draw in itertools.product(range(4), repeat=4)]
    low, high = np.percentile(every, [2.5, 97.5])
    share = Resampling(4).share(hits, counted)
    assert share.value == round(4 / 14, 4)
    assert share.low == pytest.approx(low, abs=0.01)
    assert share.high == pytest.approx(high, abs=0.01)
    assert Resampling(4).share(hits, counted) == share
