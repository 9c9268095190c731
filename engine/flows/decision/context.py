"""What the nodes of one decision are given beside the state: the snapshot and its facts, the models, a clock, a place for events."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from langgraph.runtime import Runtime

from engine.agents.access import ModelAccess
from engine.domain.decision import DebateSide
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.flows.decision.paths import Path, path_of


@dataclass(frozen=True)
class Said:
    """An earlier market that words were about. run_id: whose snapshot it is. at: its instant. sheet: its facts."""

    run_id: str
    snapshot_hash: str
    at: datetime
    sheet: FactSheet

    def to_json(self) -> dict[str, str]:
        """Return the entry of the state."""
        return {"run_id": self.run_id, "snapshot_hash": self.snapshot_hash, "at": self.at.astimezone(UTC).isoformat()}


@dataclass(frozen=True)
class DecisionContext:
    """Fixed for the length of one run.

    sheet: the facts of `snapshot`. clock: aware UTC "now", for timestamps and durations only. chart: the chart as PNG, when vision is on.
    said_on: role -> the market its words were about, of words that were taken over and said about another than `snapshot`. confirms:
    whether a second reader is asked before a claim is struck. corrects_each_turn: whether debaters and judge hear the words before them put
    right. heard: (node, words) -> what others hear of them.
    """

    run_id: str
    snapshot: Snapshot
    sheet: FactSheet
    access: ModelAccess
    risk: RiskConfig
    clock: Callable[[], datetime]
    chart: bytes | None = None
    said_on: Mapping[Role, Said] = field(default_factory=dict)
    confirms: bool = False
    corrects_each_turn: bool = True
    heard: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """Entry without a holding, position with one."""
        return path_of(self.snapshot.holding is not None)

    @property
    def speaks_first(self) -> DebateSide:
        """The side that stands first in what the judge reads: by lot, and the same for equal inputs."""
        return ("bull", "bear")[hashlib.sha256(f"first side {self.access.context}".encode()).digest()[0] % 2]

    @property
    def language(self) -> Language:
        """The run's language."""
        return self.access.language

    @property
    def at(self) -> str:
        """The snapshot's clock as prompts show it."""
        return self.snapshot.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")

    def now(self) -> str:
        """Return a timestamp for the state."""
        return self.clock().isoformat()

    def since(self, started: str) -> float:
        """Return milliseconds from an earlier timestamp of the state to now."""
        return round((self.clock() - datetime.fromisoformat(started)).total_seconds() * 1000, 3)


State_contra = TypeVar("State_contra", contravariant=True)


class Node(Protocol[State_contra]):
    """A node of this flow: reads its state and the run's context, gives the fields it changes."""

    async def __call__(self, state: State_contra, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
        """Do the node's work. An exception ends the run in its safe action."""
        ...
