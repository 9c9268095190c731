"""Calibration against known distributions and published values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.calibration import Calibration, Cases
from engine.domain.interval import wilson
from engine.outcomes.calibration import calibration_of


@pytest.mark.parametrize(
    ("k", "n", "interval"),
    # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3 (score): 81/263, 15/148, 0/20, 1/29
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))],
)
def test_intervals_are_those_of_the_literature(k: int, n: int, interval: tuple[float, float]) -> None:
    assert wilson(k, n) == pytest.approx(interval, abs=1e-4)


def cases(*drawn: tuple[float, bool]) -> list[Cases]:
    """One case each."""
    return [Cases(stated, 1, int(hit)) for stated, hit in drawn]


def test_few_cases_are_too_few() -> None:
    none, few = calibration_of([]), calibration_of([Cases(70.0, n=29, hits=29)])
    assert none == Calibration(n=0)
    assert (few.n, few.enough, few.calibrated(70.0)) == (29, False, None)
    assert few.skill is None, "where all gained, nothing can be better than the base rate"
    enough = calibration_of([Cases(70.0, n=30, hits=20)])
    assert (enough.enough, enough.calibrated(79.9), enough.calibrated(80.0)) == (True, pytest.approx(66.6667), None)


@pytest.mark.parametrize(
    ("drawn", "brier", "skill"),
    [
        # the example of scikit-learn's `brier_score_loss`, whose score is 0.0375; half of it came true
        ([(10.0, False), (90.0, True), (80.0, True), (30.0, False)], 0.0375, 1 - 0.0375 / 0.25),
        ([(80.0, True), (60.0, False), (90.0, True), (30.0, False)], (0.2**2 + 0.6**2 + 0.1**2 + 0.3**2) / 4, 0.5),
        ([(100.0, False), (0.0, True)], 1.0, -3.0),
        ([(75.0, True), (75.0, True), (75.0, True), (75.0, False)], 0.1875, 0.0),  # always the base rate
    ],
)
def test_scores_published_and_worked_out_by_hand(drawn: list[tuple[float, bool]], brier: float, skill: float) -> None:
    found = calibration_of(cases(*drawn))
    assert (found.brier, found.skill) == (pytest.approx(brier), pytest.approx(skill))


def test_the_skill_of_forecasts_of_rain() -> None:
    """12,402 forecasts of precipitation in the United States, winter of 1980/81 (Murphy and Daan 1985; Wilks, Statistical Methods in the
    Atmospheric Sciences, table 7.2): the sum of reliability and uncertainty less resolution, each worked out by its own formula, is the
    score."""
    stated = (0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    shares = (0.4112, 0.0671, 0.1833, 0.0986, 0.0616, 0.0366, 0.0303, 0.0275, 0.0245, 0.0220, 0.0170, 0.0203)
    rained = (0.006, 0.019, 0.059, 0.150, 0.277, 0.377, 0.511, 0.587, 0.723, 0.799, 0.934, 0.933)
    numbers = [round(share * 12_402) for share in shares]
    found = calibration_of([Cases(float(s), n, round(n * o)) for s, n, o in zip(stated, numbers, rained, strict=True)])
    assert found.base_rate == pytest.approx(16.2, abs=0.05)
    base = sum(share * o for share, o in zip(shares, rained, strict=True))
    reliability = sum(share * (s / 100 - o) ** 2 for share, s, o in zip(shares, stated, rained, strict=True))
    resolution = sum(share * (o - base) ** 2 for share, o in zip(shares, rained, strict=True))
    assert found.skill == pytest.approx((resolution - reliability) / (base * (1 - base)), abs=1e-3)
    assert (found.bins[0].begins, found.bins[0].n) == (0.0, numbers[0] + numbers[1])


@pytest.mark.full
def test_a_forecaster_who_is_right_about_himself_lies_on_the_diagonal() -> None:
    """Stated p, hit with probability p: the Brier score is the mean of p (1 - p), which is 1/6 where p is spread evenly."""
    rng = np.random.default_rng(11)
    stated = rng.uniform(0, 100, 40_000)
    found = calibration_of(cases(*((float(p), bool(u < p)) for p, u in zip(stated, rng.uniform(0, 100, 40_000), strict=True))))
    assert found.brier == pytest.approx(1 / 6, abs=0.005)
    assert found.skill == pytest.approx(1 / 3, abs=0.02)
    assert sum(each.low <= each.stated <= each.high for each in found.bins) >= 8
    boaster = calibration_of(cases(*((90.0, bool(u < 50)) for u in rng.uniform(0, 100, 4000))))
    assert boaster.skill is not None
    assert boaster.skill < -0.5
    assert boaster.calibrated(95.0) == pytest.approx(50, abs=3)


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), min_size=1, max_size=200))
def test_every_case_is_in_one_bin(drawn: list[tuple[float, bool]]) -> None:
    found = calibration_of(cases(*drawn))
    assert sum(each.n for each in found.bins) == found.n == len(drawn)
    assert all(each.begins <= each.stated <= each.ends and each.low <= each.hit_rate <= each.high for each in found.bins)
    assert 0 <= (found.brier or 0) <= 1
