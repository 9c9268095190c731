"""Figures of a curve against values worked out by hand, and intervals against distributions whose answer is known."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from engine.replay.measures import (
    FEWEST,
    interval,
    max_drawdown_pct,
    periods_a_year,
    returns_of,
    sharpe,
    sortino,
    stationary_indices,
    total_return_pct,
)


def test_a_curve_by_hand() -> None:
    """100 -> 110 -> 99 -> 108.9: +10 %, -10 %, +10 %."""
    returns = returns_of([100.0, 110.0, 99.0, 108.9])
    assert returns.tolist() == pytest.approx([0.1, -0.1, 0.1])
    assert total_return_pct(returns) == pytest.approx(8.9)
    assert max_drawdown_pct(returns) == pytest.approx(10.0)
    # mean 1/30, deviation with n - 1: sqrt((2 * (1/15)^2 + (2/15)^2) / 2) = sqrt(1/75)
    assert sharpe(returns, 4.0) == pytest.approx(1 / 30 / (1 / 75) ** 0.5 * 2)
    # losses alone: sqrt(0.01 / 3)
    assert sortino(returns, 4.0) == pytest.approx(1 / 30 / (0.01 / 3) ** 0.5 * 2)


def test_what_never_moved_has_no_ratio() -> None:
    flat = returns_of([100.0] * 5)
    assert (sharpe(flat, 1.0), sortino(flat, 1.0), max_drawdown_pct(flat)) == (None, None, 0.0)
    assert (returns_of([5.0]).size, returns_of([1.0, 0.0, 0.0]).tolist()) == (0, [-1.0, 0.0])


def test_a_year_of_hours() -> None:
    begins = datetime(2025, 1, 1, tzinfo=UTC)
    assert periods_a_year([begins + timedelta(hours=hour) for hour in range(50)]) == pytest.approx(365.25 * 24)
    assert periods_a_year([begins]) == 0.0


def test_blocks_have_the_length_that_was_asked_for() -> None:
    """A place follows the one before it on the ring unless a block begins: with probability 1 - 1/block, and by chance 1 in n."""
    n, block = 400, 8.0
    drawn = stationary_indices(n, block, 500, np.random.default_rng(1))
    follows = np.mean((drawn[:, 1:] - drawn[:, :-1]) % n == 1)
    assert follows == pytest.approx(1 - 1 / block + 1 / block / n, abs=0.003)
    counts = np.bincount(drawn.ravel(), minlength=n)
    assert drawn.min() == 0
    assert drawn.max() == n - 1
    assert counts.std() / counts.mean() < 0.2  # every place is drawn about as often as any other


@pytest.mark.full
def test_the_interval_of_a_mean_covers_it_as_often_as_it_says() -> None:
    """Of 120 samples of a normal distribution the true mean lies in the interval of about 95 %: 87 % to 100 %, 4 sigma."""
    rng, hits = np.random.default_rng(4), 0
    for seed in range(120):
        low, high = interval(rng.normal(0.3, 1.0, 80), lambda row: float(np.mean(row)), seed, block=1.0) or (9.0, 9.0)
        hits += low <= 0.3 <= high
    assert 0.87 * 120 <= hits < 120


@pytest.mark.full
def test_blocks_widen_the_interval_of_values_that_follow_each_other() -> None:
    """Of an autoregressive series with coefficient 0.8 the mean is 3 times as uncertain as of independent values: blocks see it."""
    rng, values = np.random.default_rng(2), np.zeros(2000)
    for index in range(1, len(values)):
        values[index] = 0.8 * values[index - 1] + rng.normal()

    def width(block: float) -> float:
        low, high = interval(values, lambda row: float(np.mean(row)), 5, block=block) or (0.0, 0.0)
        return high - low

    assert width(40.0) / width(1.0) == pytest.approx(3.0, rel=0.3)


def test_an_interval_is_the_same_for_the_same_seed_and_none_of_too_few() -> None:
    values = np.random.default_rng(3).normal(size=50)
    first, again = (interval(values, total_return_pct, 7) for _ in range(2))
    assert first == again
    assert interval(values[: FEWEST - 1], total_return_pct, 7) is None
