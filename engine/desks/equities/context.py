"""What the nodes of a run get beside its state."""

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.agents.heard import drawn
from engine.desks.equities.largest_order import OrderBounds, order_bounds
from engine.desks.equities.presets import Preset
from engine.desks.equities.prompts import RESEARCHERS
from engine.desks.equities.request import EquitiesInputs, EquitiesRequest, tool_budget
from engine.domain.change_of_mind import SincePrevious, stance_of
from engine.domain.claims import Claim
from engine.domain.ended import Memory
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import FactSheet
from engine.domain.research.evidence import EvidenceItem
from engine.flows.protocol import RunContext

_SCRIPTED = "scripted"

MemoryReader = Callable[..., list[Memory]]
"""(flow, subject, name, until=, limit=) -> memories dated until then, newest first. Blocking."""


@dataclass(frozen=True)
class EquitiesContext(RunContext[EquitiesRequest, EquitiesInputs]):
    """sheet: what was measured of the company and the account. asked_anew: nodes that a fork asks again. read_memories: None where a run is
    only verified: then nothing may be read that is not recorded. claims: (answer, its parts that state something) -> what it claims.
    since_previous: the decision before, where a limit asks for it. precedents: earlier decisions, where prompts have them."""

    sheet: FactSheet
    preset: Preset
    read_memories: MemoryReader | None = None
    asked_anew: frozenset[str] = field(default_factory=frozenset)
    claims: dict[tuple[str, tuple[tuple[int, int], ...]], tuple[Claim, ...]] = field(default_factory=dict)
    since_previous: SincePrevious | None = None
    precedents: tuple[EvidenceItem, ...] = ()

    @property
    def snapshot(self) -> EquitySnapshot:
        return self.inputs.snapshot

    @property
    def account(self) -> CashAccount:
        return self.inputs.account

    @property
    def bounds(self) -> OrderBounds:
        """What a buy may cost at most, before anybody has named a stop."""
        return order_bounds(self.account, self.snapshot.listing.symbol, self.request.risk)

    @property
    def citable(self) -> tuple[EvidenceItem, ...]:
        """What roles may cite by number: the evidence, then the earlier decisions that they are told of."""
        return (*self.inputs.evidence, *self.precedents)

    @property
    def reads_first(self) -> str:
        """The researcher who is first in what is read of the research debate: by lot, and the same for equal inputs."""
        return drawn(RESEARCHERS, self.access.context)

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

    def reversal_facts(self, action: str) -> int | None:
        """Return how many facts moved since the decision before, where an action (`buy`, `sell`) points the other way; else None."""
        return self.since_previous.facts_for(stance_of({"trader_action": action})) if self.since_previous is not None else None
