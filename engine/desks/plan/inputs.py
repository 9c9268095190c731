"""Everything a plan's run is about: what was asked, of what, and the instant after which nothing is known. Frozen before a model is asked.

What tools read is not part of it: that is in the run's log, reading by reading.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.domain.inputs import HashedInputs
from engine.domain.plan.plan import DecompositionPlan


@dataclass(frozen=True, eq=False)
class PlanInputs(HashedInputs):
    """Implements `Inputs`. at: aware UTC. plan: what was given, None = it is made of the question. factor: the only one to work through."""

    question: str
    symbol: str
    feed: str
    at: datetime
    threshold: float
    max_retries: int
    plan: DecompositionPlan | None = None
    factor: str | None = None

    kind = "plan"

    def to_json(self) -> Mapping[str, Any]:
        """Return plain JSON; `from_json` gives equal inputs back."""
        return {
            "question": self.question,
            "symbol": self.symbol,
            "feed": self.feed,
            "at": self.at.isoformat(),
            "threshold": self.threshold,
            "max_retries": self.max_retries,
            "plan": self.plan.model_dump(mode="json") if self.plan is not None else None,
            "factor": self.factor,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "PlanInputs":
        """Return the inverse of `to_json`. Raises KeyError, TypeError or ValueError for anything else."""
        plan = data["plan"]
        return cls(
            question=str(data["question"]),
            symbol=str(data["symbol"]),
            feed=str(data["feed"]),
            at=datetime.fromisoformat(data["at"]),
            threshold=float(data["threshold"]),
            max_retries=int(data["max_retries"]),
            plan=DecompositionPlan.model_validate(plan) if plan is not None else None,
            factor=data["factor"],
        )
