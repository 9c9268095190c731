"""What the best of several tries is worth."""

from datetime import UTC, datetime, timedelta
from math import sqrt

import numpy as np
import pytest

from engine.domain.replay import Baselines, ReplayReport
from engine.replay.sweep import deflated_sharpe, make_sweep_report


def test_the_deflated_ratio_of_the_authors_own_example() -> None:
    """Bailey and Lopez de Prado (2014), section "A numerical example": 100 tries, five years of days, a Sharpe of 2.5 a year."""
    luck, probability = deflated_sharpe(2.5 / sqrt(250), 1250, -3.0, 10.0, 0.5 / 250, 100)
    assert luck == pytest.approx(0.1132, abs=5e-5)
    assert probability == pytest.approx(0.9004, abs=5e-4)


def replayed(returns: "np.ndarray") -> ReplayReport:  # type: ignore[type-arg]
    began = datetime(2025, 1, 1, tzinfo=UTC)
    worth = 10_000 * np.concatenate(([1.0], np.cumprod(1 + returns)))
    a_year = sqrt(365.25)
    return ReplayReport(
        replay_id="r", symbol="BTC/USDT", desk="decision", decisions=len(returns), trades=(),
        equity=tuple((began + timedelta(days=day), float(value)) for day, value in enumerate(worth)),
        return_pct=float(worth[-1] / 100 - 100), max_drawdown_pct=0.0,
        sharpe=float(np.mean(returns) / np.std(returns, ddof=1)) * a_year, sortino=None, hit_rate=None, expectancy_r=None, costs=0.0,
        exposure_pct=0.0, turnover=0.0, intervals={}, baselines=Baselines(buy_and_hold=None, naive=None), warnings=(), decisions_per_s=1.0,
    )  # fmt: skip


@pytest.mark.full
def test_the_best_of_many_tries_without_an_edge_is_seldom_called_more_than_luck() -> None:
    """Of 200 sweeps of 20 random walks each, and then of ones in which one try has a strong edge."""
    rng, said, real = np.random.default_rng(5), list[float](), list[float]()
    settings = [{"depth": str(number)} for number in range(20)]
    keys = {"depth": tuple(str(number) for number in range(20))}
    for _ in range(200):
        walks = rng.normal(0.0, 0.01, (20, 120))
        found = make_sweep_report("s", keys, settings, [replayed(each) for each in walks])
        assert found.deflated is not None
        said.append(found.deflated.probability)
        assert found.best == max(range(20), key=lambda place: found.rows[place].sharpe or 0.0)
        walks[7] += 0.008
        edge = make_sweep_report("s", keys, settings, [replayed(each) for each in walks])
        assert edge.best == 7
        assert edge.deflated is not None
        real.append(edge.deflated.probability)
    assert np.mean(np.asarray(said) > 0.95) <= 0.05
    assert np.median(said) == pytest.approx(0.5, abs=0.1), "luck is what the best of them shows in the middle"
    assert np.mean(np.asarray(real) > 0.95) > 0.9
