"""Every threshold of grounding, in one place: what a word means in numbers, and what a share of false claims leads to.

`hallucination_score = 100 * false / (true + false)` over the debate's claims; `analysis_hallucination_score` is the same of the analysts'.
None means that nothing could be checked. Claims that cannot be checked count nowhere; words about an earlier market count as they were when
they were said.
`penalty_pct = min(30, 0.4 * score)`: a score of 25 costs 10 percent of the decider's confidence.
The gate closes when either score is above 70.
"""

from dataclasses import dataclass

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

VOLUME_SURGE = 1.8
VOLUME_SHRINKING = 0.85
VOLUME_AVERAGE = 1.0
VOLUME_SLACK = 0.05


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


RSI_BANDS = {
    "oversold": Band(None, 30, 0.5),
    "overbought": Band(70, None, 0.5),
    "neutral": Band(30, 70, 0.5),
    "above_mid": Band(50, None, 0.5),
    "below_mid": Band(None, 50, 0.5),
}
OSCILLATOR_80_BANDS = {"oversold": Band(None, 20, 0.5), "overbought": Band(80, None, 0.5), "neutral": Band(20, 80, 0.5)}
CHANNEL_BANDS = {
    "oversold": Band(None, -100, 1),
    "overbought": Band(100, None, 1),
    "neutral": Band(-100, 100, 1),
    "positive": Band(0, None),
    "negative": Band(None, 0),
}
ADX_BANDS = {
    "weak_trend": Band(None, 20, 5),
    "moderate_trend": Band(20, 40, 1),
    "strong_trend": Band(25, None, 5),
    "very_strong": Band(50, None, 10),
}
GROWTH_BANDS = {"positive": Band(0, None), "negative": Band(None, 0), "growing": Band(0, None), "shrinking": Band(None, 0)}
SIGN_BANDS = {"positive": Band(0, None), "negative": Band(None, 0)}
FUNDING_BANDS = {"positive": Band(0, None), "negative": Band(None, 0), "neutral": Band(-0.015, 0.015, 0.0005)}
FEAR_BANDS = {
    "extreme_fear": Band(None, 25, 0.5),
    "fear": Band(None, 45, 1),
    "neutral": Band(45, 55, 1),
    "greed": Band(55, None, 1),
    "extreme_greed": Band(75, None, 0.5),
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
