"""How far a result can be relied on: checks of what was really read, each 0 to 1 with its reason. Pure.

confidence = freshness x coverage x agreement x shape, of those that could be made. freshness: 1 up to the age that is usual for such data,
from there linearly to 0 at four times that age. coverage: what was found of what was asked for. agreement: how near two sources, or two
readings of one, are to each other; not made where there is only one. shape: 1, or less by every value that cannot be.
"""

from collections.abc import Sequence
from datetime import datetime
from math import isfinite

from engine.domain.plan.results import QualityCheck

_TOO_OLD = 4.0


def freshness(newest: datetime, at: datetime, usual_s: float) -> QualityCheck:
    """Return the check of an age. usual_s: seconds that such data are usually old at most."""
    age = max(0.0, (at - newest).total_seconds())
    over = (age / usual_s - 1) / (_TOO_OLD - 1) if usual_s > 0 else 0.0
    return QualityCheck(name="freshness", score=_unit(1 - over), reason=f"newest {_span(age)} old, usual up to {_span(usual_s)}")


def coverage(found: int, asked: int, what: str) -> QualityCheck:
    """Return the check of how much there is. what: is counted, in the plural."""
    return QualityCheck(name="coverage", score=_unit(found / asked if asked else 0.0), reason=f"{found} of {asked} {what}")


def agreement(one: float, other: float, free_pct: float, what: str) -> QualityCheck:
    """Return the check of two readings of one value. free_pct: how far apart they may be, in percent; ten times that is 0."""
    apart = abs(one - other) / max(abs(one), abs(other), 1e-300) * 100
    score = 1 - (apart - free_pct) / (9 * free_pct)
    return QualityCheck(name="agreement", score=_unit(score), reason=f"{what}: {apart:.3g} % apart")


def shape(values: Sequence[float], low: float, high: float, what: str) -> QualityCheck:
    """Return the check that every value is a number between two bounds."""
    good = sum(isfinite(value) and low <= value <= high for value in values)
    return QualityCheck(
        name="shape", score=_unit(good / len(values) if values else 0.0), reason=f"{good} of {len(values)} {what} are possible"
    )


def judged(name: str, score: float, reason: str) -> QualityCheck:
    """Return a check whose score was worked out elsewhere."""
    return QualityCheck.model_validate({"name": name, "score": _unit(score), "reason": reason})


def _unit(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)


def _span(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.0f} s"
