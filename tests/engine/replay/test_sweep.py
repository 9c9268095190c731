"""What the best of several tries is worth."""

from math import sqrt

import pytest

from engine.replay.sweep import deflated_sharpe


def test_the_deflated_ratio_of_the_authors_own_example() -> None:
    """Bailey and Lopez de Prado (2014), section "A numerical example": 100 tries, five years of days, a Sharpe of 2.5 a year."""
    luck, probability = deflated_sharpe(2.5 / sqrt(250), 1250, -3.0, 10.0, 0.5 / 250, 100)
    assert luck == pytest.approx(0.1132, abs=5e-5)
    assert probability == pytest.approx(0.9004, abs=5e-4)
