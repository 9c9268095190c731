"""What a factor needs of a planner: a whole plan for a question, or one whose factor of the same name avoids what failed."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from engine.domain.plan.plan import DecompositionPlan, FactorPlan

PlannedBy = Literal["given", "model", "heuristic"]


@dataclass(frozen=True)
class Replanning:
    """Why a factor is planned anew. task: whose error it is. node: in which a model is asked."""

    factor: FactorPlan
    task: str
    error: str
    node: str


@dataclass(frozen=True)
class MadePlan:
    """A plan and how it came about. text: all that a model said. ms: how long it took. warnings: why it is not a model's, for example."""

    plan: DecompositionPlan
    by: PlannedBy
    text: str = ""
    ms: float = 0.0
    warnings: tuple[str, ...] = field(default=())


class Planner(Protocol):
    """Makes plans."""

    async def decompose(self, question: str, replanning: Replanning | None = None) -> MadePlan:
        """Return a plan. replanning: the factor to be planned anew; only the factor of its name is taken. Raises a TribunalError."""
        ...
