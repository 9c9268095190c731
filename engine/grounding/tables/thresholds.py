"""Every threshold of grounding: what a word means in numbers (`bands.toml`), and what a share of false claims leads to.

`hallucination_score = 100 * false / (true + false)` over the debate's claims; `analysis_hallucination_score` is the same of the analysts'.
None means that nothing could be checked. Claims that cannot be checked count nowhere; words about an earlier market count as they were when
they were said.
`penalty_pct = min(30, 0.4 * score)`: a score of 25 costs 10 percent of the decider's confidence.
The gate closes when either score is above 70.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.grounding.words.lists import read_file

GATE_SCORE = 70.0
PENALTY_PER_POINT = 0.4
PENALTY_LIMIT_PCT = 30.0

ACCEPTABLE_SCORE = 30.0
"""Up to here a debate's score is called acceptable, up to the gate's high, above it unacceptable."""

HEDGE_FACTOR = 2.0
"""An approximation word ("about") widens the tolerance by this factor."""

NEAR_TRUE = 0.006
NEAR_FALSE = 0.012
"""A price is `near` a line within 0.6 percent of it, and clearly is not beyond 1.2; between the two nobody is convicted."""

BARE_FRACTION_LIMIT = 0.003
"""A funding rate without a percent sign is a fraction up to this size (0.0001 = 0.01 %), above it a percentage."""

HALF = 0.5
"""`gave back half`: the drawdown is at least this share of the maximum favourable excursion."""


@dataclass(frozen=True, slots=True)
class Band:
    """A reading in words as a range of values: true inside [low, high], false beyond `slack` outside of it.

    Between the two the word is a matter of taste: neither true nor false. No bound = open on that side.
    """

    low: float | None = None
    high: float | None = None
    slack: float = 0.0

    def judge(self, value: float) -> bool | None:
        """Return whether `value` has this reading; None where it is a matter of taste."""
        low = float("-inf") if self.low is None else self.low
        high = float("inf") if self.high is None else self.high
        if low <= value <= high:
            return True
        return None if low - self.slack <= value <= high + self.slack else False


BANDS: Final[Mapping[str, Mapping[str, Band]]] = {
    name: {word: Band(**band) for word, band in bands.items()} for name, bands in read_file(Path(__file__).parent / "bands.toml").items()
}


def score_of(false: int, total: int) -> float | None:
    """Return the percentage of the checkable claims that are false; None when nothing could be checked."""
    return 100.0 * false / total if total else None


def penalty_of(score: float | None) -> float:
    """Return the percentage that is taken off the decider's confidence."""
    return min(PENALTY_LIMIT_PCT, PENALTY_PER_POINT * score) if score is not None else 0.0


def after_penalty(confidence: float, penalty_pct: float) -> float:
    """Return the confidence that counts, 0-100. confidence: as it was stated."""
    return round(confidence * (1 - penalty_pct / 100), 2)


def closes_gate(score: float | None) -> bool:
    """Return whether a score, of the debate or of the analysts, is too high to decide on."""
    return score is not None and score > GATE_SCORE
