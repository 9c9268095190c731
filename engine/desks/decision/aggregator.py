"""The consensus of the analysts: pure numbers, no model.

Each reporting analyst pushes its direction by weight x confidence; the pushes, scaled to add up to 1, are `weighted_scores`. The consensus
is the strongest direction (a tie is NEUTRAL). Its confidence is the weighted mean confidence of the analysts that agree with it, times
(1 - the share that argues for the opposite direction). Key levels are the measured swing levels; where the market shows none, the weighted
median of the levels the analysts named on the right side of the price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.domain.opinion import AgentReport, Direction

MINIMUM_REPORTS = 2
_OPPOSITE = {Direction.LONG: Direction.SHORT, Direction.SHORT: Direction.LONG}


@dataclass(frozen=True)
class Consensus:
    """What the analysts agree on. scores: keys `long`, `short`, `neutral`, adding up to 1. confidence: 0-100."""

    direction: Direction
    confidence: float
    scores: Mapping[str, float]


def consensus_of(reports: Sequence[AgentReport], weights: Mapping[str, float]) -> Consensus:
    """Return the consensus of the analysts that did not abstain; without any it is NEUTRAL with confidence 0."""
    votes = [
        (report.direction, report.confidence, weights[report.agent])
        for report in reports
        if not report.abstained and report.direction is not None and report.confidence is not None
    ]
    pushes = {direction: sum(weight * confidence for d, confidence, weight in votes if d is direction) for direction in Direction}
    total = sum(pushes.values())
    if total <= 0:
        return Consensus(Direction.NEUTRAL, 0.0, {"long": 0.0, "short": 0.0, "neutral": 1.0})
    shares = {direction: push / total for direction, push in pushes.items()}
    strongest = max(shares.values())
    leaders = [direction for direction, share in shares.items() if abs(share - strongest) < 1e-9]
    direction = leaders[0] if len(leaders) == 1 else Direction.NEUTRAL
    agreeing = [(confidence, weight) for d, confidence, weight in votes if d is direction]
    weight_sum = sum(weight for _, weight in agreeing)
    mean = sum(confidence * weight for confidence, weight in agreeing) / weight_sum if weight_sum > 0 else 0.0
    against = shares.get(_OPPOSITE.get(direction, direction), 0.0) if direction in _OPPOSITE else 0.0
    return Consensus(direction, round(mean * (1 - against), 1), _rounded(shares))


def key_level(measured: float | None, named: Sequence[tuple[float, float]], price: float, side: int) -> float | None:
    """Return one key level.

    measured: the swing level of the fact sheet. named: (level, weight) of the analysts. side: -1 support (below the price), +1 resistance.
    """
    if measured is not None:
        return measured
    right = sorted((level, weight) for level, weight in named if level > 0 and (level - price) * side > 0)
    half = sum(weight for _, weight in right) / 2
    for level, weight in right:
        half -= weight
        if half <= 0:
            return level
    return None


def _rounded(shares: Mapping[Direction, float]) -> dict[str, float]:
    """Return four decimals that still add up to exactly 1: the remainder goes to the largest."""
    scores = {direction.value.lower(): round(share, 4) for direction, share in shares.items()}
    largest = max(scores, key=lambda name: scores[name])
    others = sum(share for name, share in scores.items() if name != largest)
    return scores | {largest: round(1 - others, 4)}
