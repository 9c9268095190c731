"""What the nodes of one decision are given beside the state: the snapshot and its facts, the models, a clock, a place for events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from engine.agents.heard import drawn
from engine.desks.decision.paths import Path, path_of
from engine.domain.change_of_mind import SincePrevious
from engine.domain.facts import FactSheet
from engine.domain.honesty import RoleHonesty
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.terms import exact
from engine.domain.orders import OrderSide
from engine.domain.proposal import Figures, OrderPlan
from engine.domain.research.evidence import EvidenceItem
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.run import DecideRequest
from engine.flows.protocol import RunContext
from engine.trading.figures import figures_of


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
class DecisionContext(RunContext[DecideRequest, Snapshot]):
    """Fixed for the length of one run.

    sheet: the facts of the snapshot. risk: the limits, with no more leverage than the market has. chart: the chart as PNG, when vision is
    on; chart_path: where it is kept. said_on: role -> the market its words were about, of words that were taken over and said about another
    market. heard: (node, words) -> what others hear of them. since_previous: the decision before, where a limit asks for it. honesty:
    role -> how often it was wrong before, where that weighs the analysts. precedents: earlier decisions, where prompts have them.
    """

    sheet: FactSheet
    risk: RiskConfig
    chart: bytes | None = None
    chart_path: str | None = None
    said_on: Mapping[Role, Said] = field(default_factory=dict)
    heard: dict[tuple[str, str], str] = field(default_factory=dict)
    since_previous: SincePrevious | None = None
    honesty: Mapping[Role, RoleHonesty] = field(default_factory=dict)
    precedents: tuple[EvidenceItem, ...] = ()

    @property
    def snapshot(self) -> Snapshot:
        return self.inputs

    @property
    def confirms(self) -> bool:
        """Whether a second reader is asked before a claim is struck."""
        return self.request.reader == "confirmed"

    @property
    def corrects_each_turn(self) -> bool:
        """Whether debaters and judge hear the words before them put right."""
        return self.request.correct == "each_turn"

    @property
    def citable(self) -> tuple[EvidenceItem, ...]:
        """What roles may cite by number: the evidence, then the earlier decisions that they are told of."""
        return (*self.snapshot.evidence, *self.precedents)

    @property
    def path(self) -> Path:
        """Entry without a holding, position with one."""
        return path_of(self.snapshot.holding is not None, paid_in_full=self.snapshot.market.nature.paid_in_full)

    @property
    def speaks_first(self) -> Role:
        """The side that is first in what the judge reads: by lot, and the same for equal inputs."""
        return drawn(("bull", "bear"), self.access.context)

    def ordered(self, side: OrderSide, stop: float | None, target: float | None) -> tuple[OrderPlan, Figures] | None:
        """Return a plan as it would be ordered, of one unit, and its figures; None where it has no levels or the market's terms are not
        known."""
        snapshot, terms = self.snapshot, self.snapshot.terms
        if terms is None or stop is None or target is None:
            return None
        plan = OrderPlan(side=side, amount=Decimal(1), stop=terms.price(exact(stop)), target=terms.price(exact(target)))
        atr, bar_s, funding = self.sheet.number("atr_14"), snapshot.timeframe.ms / 1000, snapshot.surroundings.funding_rate
        return plan, figures_of(plan, snapshot.price, terms, atr=atr, bar_s=bar_s, funding_rate=funding)

    @property
    def at(self) -> str:
        """The snapshot's clock as prompts show it."""
        return self.snapshot.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
