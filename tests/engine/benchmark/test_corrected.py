"""The share of false numbers that is put right for the reader's mistakes, against simulated speeches whose truth is known."""

import numpy as np
import pytest

from engine.benchmark.figures import corrected
from engine.benchmark.reader import Counted, ReaderMeasure
from engine.benchmark.resampling import Resampling

SPEECHES, STATED = 300, 7
OF_FALSE, OF_TRUE = 0.95, 0.008
"""Shares of the false and of the true numbers that the simulated reader strikes, of those it judges."""


def measured(dice: np.random.Generator) -> ReaderMeasure:
    """The simulated reader on labelled texts in which 42 of 100 claims are false, as many as there are."""
    false, true = 1_000, 1_400
    hit, accused = int(dice.binomial(false, OF_FALSE)), int(dice.binomial(true, OF_TRUE))
    total = Counted(hit=hit, missed=false - hit, passed=false - hit, alarm=accused, accused=accused, upheld=true - accused)
    return ReaderMeasure(texts=700, claims=false + true, total=total, languages={}, kinds={})


@pytest.mark.full
@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2, 0.6])
def test_it_is_unbiased_however_many_are_false(rate: float) -> None:
    """One in five numbers is not judged at all. A reader that strikes 8 true ones of 1,000 nearly doubles a rate of 1 in 100."""
    dice, found, within, plain = np.random.default_rng(7), list[float](), 0, list[float]()
    for _ in range(60):
        judged = dice.binomial(STATED, 0.8, SPEECHES)
        false = dice.binomial(judged, rate)
        struck = dice.binomial(false, OF_FALSE) + dice.binomial(judged - false, OF_TRUE)
        share = corrected((struck.tolist(), judged.tolist()), Resampling(SPEECHES), measured(dice))
        assert share.value is not None
        assert share.low is not None
        assert share.high is not None
        found.append(share.value / 100)
        plain.append(struck.sum() / judged.sum())
        within += share.low <= 100 * rate <= share.high
    error = float(np.std(found)) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(rate, abs=4 * error)
    assert within >= 0.85 * len(found)
    if rate == 0.01:
        assert np.mean(plain) > 1.5 * rate, "what was struck says too much here"
