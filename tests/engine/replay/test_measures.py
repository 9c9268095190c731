"""Figures of a curve against values worked out by hand."""

import pytest

from engine.replay.measures import (
    max_drawdown_pct,
    returns_of,
    sharpe,
    sortino,
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
