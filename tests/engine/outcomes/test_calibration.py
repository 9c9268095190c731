"""Calibration against known distributions and published values."""

import pytest

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
