"""A rude provider: one call in ten goes wrong, in every way there is. No decision is lost, and none changes without a word about it.

`python -m tests.benchmarks faults` does the same with 200 decisions for each fault.
"""

from pathlib import Path

import pytest

from tests.benchmarks.faults import FAULTS, decide_under
from tests.flows.test_resume import MakeEngine

DECISIONS = 25  # for each of the eight: 200
TIME_IS_SPENT = ("hang", "drip")
"""Faults that last until the call's deadline: the role has no time left to be asked again. A decision survives them where they met an
analyst, who abstains; four of its eight calls have to be answered."""

pytestmark = pytest.mark.full


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_one_call_in_ten_goes_wrong(make_engine: MakeEngine, candles: Path, name: str) -> None:
    """Of decisions whose faults are not mended, 0.9 ** 4 = 66 % would be valid."""
    tally = decide_under(name, DECISIONS, candles, make_engine)
    print(tally)
    assert tally.lost == 0
    assert tally.changed_silently == 0
    assert tally.faults > DECISIONS * 8 * 0.05, "the provider was rude"
    if name in TIME_IS_SPENT:
        assert tally.valid >= DECISIONS * 0.4, "an analyst's silence does not spoil a decision"
    else:
        assert tally.valid >= DECISIONS * 0.88, "what went wrong is mended by asking again"
