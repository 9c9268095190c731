"""Intervals against what is known of distributions: independent numbers, and numbers of one speech that are all alike."""

import math

import numpy as np
import pytest

from engine.benchmark.resampling import Resampling


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
