"""What the nodes of a run get beside its state."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from engine.agents.access import ModelAccess
from engine.domain.ended import Memory
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import FactSheet
from engine.domain.text.language import Language
from engine.flows.fusion.inputs import FusionInputs
from engine.flows.fusion.presets.preset import Preset
from engine.flows.fusion.request import FusionRequest, tool_budget

_SCRIPTED = "scripted"

MemoryReader = Callable[..., list[Memory]]
"""(flow, subject, name, until=, limit=) -> memories dated until then, newest first. Blocking."""


@dataclass(frozen=True)
class FusionContext:
    """sheet: what was measured of the company and the account. asked_anew: nodes that a fork asks again. read_memories: None where a run is
    only verified: then nothing may be read that is not recorded. heard: (analyst, report) -> what others hear of it."""

    run_id: str
    request: FusionRequest
    inputs: FusionInputs
    sheet: FactSheet
    preset: Preset
    access: ModelAccess
    clock: Callable[[], datetime]
    read_memories: MemoryReader | None = None
    asked_anew: frozenset[str] = field(default_factory=frozenset)
    heard: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def snapshot(self) -> EquitySnapshot:
        """What was known of the company."""
        return self.inputs.snapshot

    @property
    def account(self) -> CashAccount:
        """How the account stood."""
        return self.inputs.account

    @property
    def language(self) -> Language:
        """The run's language."""
        return self.access.language

    @property
    def corrects_each_turn(self) -> bool:
        """Whether reports and memories are heard put right, and fallen points are marked."""
        return self.request.correct == "each_turn"

    @property
    def scripted(self) -> bool:
        """Whether no model is asked: summaries are then made by picking sentences."""
        return self.request.model == _SCRIPTED

    @property
    def tool_limit(self) -> int:
        """Executed tool calls after which an analyst's branch is ended: as asked for, else what the depth allows."""
        return self.request.tool_calls or tool_budget(self.request.depth)

    @property
    def dated(self) -> str:
        """The moment as memories are dated by: ISO 8601 UTC, which sorts as time does."""
        return self.snapshot.moment.known_at.isoformat()

    def now(self) -> str:
        """Return a timestamp for the state."""
        return self.clock().isoformat()

    def since(self, started: str) -> float:
        """Milliseconds from an earlier timestamp of the state to now."""
        return round((self.clock() - datetime.fromisoformat(started)).total_seconds() * 1000, 3)
