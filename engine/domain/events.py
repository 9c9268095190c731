"""What happens in a run, one numbered row each. engine/README.md lists the `data` of every kind."""

from typing import Any, Literal

from pydantic import AwareDatetime, Field, JsonValue

from engine.domain.frozen_model import FrozenModel

EventKind = Literal[
    "run.started",
    "run.resumed",
    "run.stopped",
    "node.started",
    "node.tokens",
    "node.retried",
    "node.finished",
    "node.failed",
    "model.answered",
    "model.planted",
    "tool.called",
    "tool.answered",
    "memory.read",
    "memory.written",
    "grounding.corrected",
    "limits.checked",
    "proposal.filed",
    "run.finished",
]


class Event(FrozenModel):
    """One thing that happened. seq: from 1, without gaps, per run. node: the node's name, None for the run itself.

    kind: an EventKind; the journal of another version may hold one that nobody here knows, and is read all the same.
    """

    seq: int = Field(ge=1)
    run_id: str
    at: AwareDatetime
    kind: str = Field(min_length=1)
    node: str | None = None
    data: dict[str, JsonValue] = Field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the row of an events file."""
        return self.model_dump(mode="json")
