"""A task that failed, what may be done about it, and what the rule does. Pure."""

from dataclasses import dataclass

from engine.domain.plan.results import DecidedBy, NextStep
from engine.domain.text.reason import Reason


@dataclass(frozen=True)
class FailedTask:
    """A task without a usable result. confidence: of a result below the threshold, or None. retries: made so far.
    is_final: another attempt cannot do better. can_replan: the factor may still be planned anew."""

    factor: str
    task: str
    tool: str
    error: str
    confidence: float | None
    retries: int
    max_retries: int
    is_final: bool
    can_replan: bool

    @property
    def allowed(self) -> tuple[NextStep, ...]:
        """What may be done, in the order in which the rule tries it."""
        steps: tuple[tuple[NextStep, bool], ...] = (
            ("retry", self.retries < self.max_retries and not self.is_final),
            ("replan", self.can_replan),
            ("skip", True),
        )
        return tuple(step for step, may in steps if may)


@dataclass(frozen=True)
class ReasonedStep:
    """What is to be done. confidence: 0 to 1, how sure that is. by: who decided. ms: what it took. text: all that a model said."""

    decision: NextStep
    reason: str
    confidence: float
    by: DecidedBy
    ms: float = 0.0
    text: str = ""


def decide_by_rule(case: FailedTask) -> ReasonedStep:
    """Return the first step that is allowed: try again, then plan anew, then give up."""
    step = case.allowed[0]
    why = {
        "retry": Reason("attempt_of", n=case.retries + 2, of=case.max_retries + 1),
        "replan": Reason("another_attempt_gives_the_same" if case.is_final else "no_attempts_left_may_replan"),
        "skip": Reason("another_attempt_gives_the_same" if case.is_final else "no_attempts_left"),
    }[step]
    return ReasonedStep(step, why, {"retry": 0.7, "replan": 0.6, "skip": 0.9}[step], "heuristic")
