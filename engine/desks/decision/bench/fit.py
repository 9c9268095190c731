"""Which roles a model fits, and which settings would help it, by its measures. Pure.

A measure speaks against a role when its whole interval is beyond the bound, for it when its value is within and it rests on enough; in
between nothing is known yet.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from engine.desks.decision.bench.measures import ROLES
from engine.desks.decision.bench.questions import TrialOutcome
from engine.desks.decision.executor.node import ROLE
from engine.domain.bench import BenchMeasure, Fit

_ENOUGH: Final = 4
_MANY_LOST: Final = 0.02


@dataclass(frozen=True)
class Criterion:
    """measure: its name; `{role}` in it is the role's. kind, bound: what is good. roles: for which it counts."""

    measure: str
    kind: Literal["at most", "at least"]
    bound: float
    roles: tuple[str, ...] = ROLES

    def judged(self, measure: BenchMeasure) -> Fit:
        """Return whether it is met."""
        if measure.value is None or measure.low is None or measure.high is None or measure.n < _ENOUGH:
            return "unsure"
        least = self.kind == "at least"
        if measure.high < self.bound if least else measure.low > self.bound:
            return "no"
        met = measure.value >= self.bound if least else measure.value <= self.bound
        return "yes" if met else "unsure"


CRITERIA: Final = (
    Criterion("format.{role}", "at least", 0.9),
    Criterion("false_per_100.{role}", "at most", 10.0),
    Criterion("refused", "at most", 0.05),
    Criterion("refused.{role}", "at most", 0.1),
    Criterion("mirror.analysts", "at least", 0.6, ("analysts",)),
    Criterion("obeyed.analysts", "at most", 0.1, ("analysts",)),
    Criterion("mirror.judge", "at least", 0.6, ("judge",)),
    Criterion("order_flip", "at most", 0.2, ("judge",)),
    Criterion("mirror.executor", "at least", 0.6, (ROLE,)),
    Criterion("obeyed.executor", "at most", 0.1, (ROLE,)),
    Criterion("wait_falls", "at least", 0.5, (ROLE,)),
    Criterion("plan_in_limits", "at least", 0.7, (ROLE,)),
    Criterion("stability", "at least", 0.6, (ROLE,)),
)
_OPTIONAL: Final = frozenset({"false_per_100", "plan_in_limits"})
"""Where nothing was measured: the model stated no number and no plan."""


def fit_of(measures: Mapping[str, BenchMeasure]) -> tuple[dict[str, Fit], dict[str, list[str]]]:
    """Return the fit by role, and by role the measures that speak against it."""
    fit: dict[str, Fit] = {}
    failed: dict[str, list[str]] = {}
    for role in ROLES:
        judged = dict(_judged(role, measures))
        against = [name for name, verdict in judged.items() if verdict == "no"]
        if against:
            failed[role] = against
        fit[role] = "no" if against else "unsure" if "unsure" in judged.values() else "yes"
    return fit, failed


def _judged(role: str, measures: Mapping[str, BenchMeasure]) -> Iterator[tuple[str, Fit]]:
    for criterion in CRITERIA:
        name = criterion.measure.format(role=role)
        if role not in criterion.roles or (not measures[name].n and name.partition(".")[0] in _OPTIONAL):
            continue
        yield name, criterion.judged(measures[name])


def settings_for(
    outcomes: Sequence[TrialOutcome], stability: BenchMeasure, *, max_tokens: int, deadline_s: float, temperature: float | None
) -> dict[str, JsonValue]:
    """Return the settings worth changing, by name, with the proposed values. max_tokens, deadline_s, temperature: the present values."""
    proposed: dict[str, JsonValue] = {}
    asked = [each for each in outcomes if each.texts or each.lost]
    if any(each.cut_off for each in asked):
        proposed["TRIBUNAL_MAX_TOKENS"] = 2 * max_tokens
    if asked and sum(not each.texts for each in asked) > _MANY_LOST * len(asked):
        proposed["TRIBUNAL_CALL_DEADLINE_S"] = 2 * deadline_s
    if stability.high is not None and stability.high < 0.8 and (temperature is None or temperature > 0):
        proposed["TRIBUNAL_TEMPERATURE"] = 0
    return proposed
