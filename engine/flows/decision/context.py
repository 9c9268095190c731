"""What the nodes of one decision are given beside the state: the snapshot and its facts, the models, a clock, a place for events."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from langgraph.runtime import Runtime

from engine.agents.access import ModelAccess
from engine.domain.facts import FactSheet
from engine.domain.language import Language
from engine.domain.risk import RiskConfig
from engine.domain.snapshot import Snapshot
from engine.flows.decision.paths import Path, path_of


@dataclass(frozen=True)
class DecisionContext:
    """Fixed for the length of one run.

    sheet: the facts of `snapshot`. clock: aware UTC "now", for timestamps and durations only. chart: the chart as PNG, when vision is on.
    """

    run_id: str
    snapshot: Snapshot
    sheet: FactSheet
    access: ModelAccess
    risk: RiskConfig
    clock: Callable[[], datetime]
    chart: bytes | None = None

    @property
    def path(self) -> Path:
        """Entry without a holding, position with one."""
        return path_of(self.snapshot.holding is not None)

    @property
    def language(self) -> Language:
        """The run's language."""
        return self.access.language

    @property
    def at(self) -> str:
        """The snapshot's clock as prompts show it."""
        return self.snapshot.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")

    def now(self) -> str:
        """A timestamp for the state."""
        return self.clock().isoformat()

    def since(self, started: str) -> float:
        """Milliseconds from an earlier timestamp of the state to now."""
        return round((self.clock() - datetime.fromisoformat(started)).total_seconds() * 1000, 3)


State_contra = TypeVar("State_contra", contravariant=True)


class Node(Protocol[State_contra]):
    """A node of this flow: reads its state and the run's context, gives the fields it changes."""

    async def __call__(self, state: State_contra, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
        """Do the node's work. An exception ends the run in its safe action."""
        ...
