"""A rude provider: one call in ten goes wrong, in every way there is. No decision is lost, and none changes without a word about it.

`python -m tests.benchmarks faults` does the same with 200 decisions for each fault.
"""

from pathlib import Path

import pytest

from tests.benchmarks.faults import FAULTS, decide_under
from tests.flows.test_resume import MakeEngine

DECISIONS = 25  # for each of the eight: 200


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_one_call_in_ten_goes_wrong(make_engine: MakeEngine, candles: Path, name: str) -> None:
    tally = decide_under(name, DECISIONS, candles, make_engine)
    print(tally)
    assert tally.lost == 0
    assert tally.changed_silently == 0
    assert tally.faults > DECISIONS * 8 * 0.03, "the provider was rude"
    assert tally.valid >= DECISIONS * 0.3, "most of it is mended by asking again"
