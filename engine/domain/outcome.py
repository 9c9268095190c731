"""What a decision has come to once its market moved on: the specification's `actual_outcome`."""

from datetime import date
from typing import Any, Literal

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel
from engine.domain.market.instrument import FeedName
from engine.domain.proposal import ProposalState

FollowedBy = Literal["order", "shadow", "none"]
"""order: the position of its filled order. shadow: its plan on paper, from the decision's instant, for what was not ordered. none: there is
nothing to follow."""
ExitReason = Literal["stop", "target", "exit", "expired", "liquidated", "open"]
"""exit: closed by an order, a split or the venue. expired: its order was never filled."""


class PlanOutcome(FrozenModel):
    """What one plan has come to; None where that is not known yet, or cannot be.

    pnl_pct: move of the price from the fill to the exit in the position's direction, after fees, funding and dividends, percent of the
    entry price; of an open position to the last price. r: the same in units of the distance to the first stop. mfe_pct, mae_pct: best (0 or
    above) and worst (0 or below) price on the way, percent of the entry price, before costs. bars: candles of the decision's timeframe that
    began since the fill, up to the one it ended in. buy_and_hold_pct: what holding the market brought from the decision to the exit.
    """

    exit_reason: ExitReason | None = None
    pnl_pct: float | None = None
    r: float | None = None
    mfe_pct: float | None = None
    mae_pct: float | None = None
    bars: int | None = None
    buy_and_hold_pct: float | None = None
    opened_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing of it changes any more."""
        return self.exit_reason not in {None, "open"}


class DecisionOutcome(FrozenModel):
    """What a decision has come to. decided_at: the market's instant. action: in the words of the state. came: of what was followed.
    machine: of the machine's own plan, followed on paper from the decision's instant beside an entry that was filled; None for one that has
    no target, unless a person changed it. as_of: how far the market was known. is_final: it is never computed again. is_entry: whether it
    opened a position, so that it counts in statistics. is_edited: a person changed the plan that was ordered."""

    run_id: str
    decided_at: AwareDatetime
    action: str
    followed: FollowedBy = "none"
    came: PlanOutcome = PlanOutcome()
    machine: PlanOutcome | None = None
    as_of: AwareDatetime | None = None
    is_final: bool = False
    is_entry: bool = False
    is_edited: bool = False

    @property
    def of_machine(self) -> PlanOutcome:
        """What the plan came to as it was decided, whatever a person made of it."""
        return self.machine if self.machine is not None else self.came

    def row(self) -> dict[str, Any]:
        """Return a row of `outcomes --json`."""
        came = self.came
        return {
            "run_id": self.run_id,
            "decided_at": self.decided_at.isoformat(),
            "action": self.action,
            "followed": self.followed,
            **came.model_dump(mode="json", include={"pnl_pct", "r", "mfe_pct", "mae_pct", "bars", "exit_reason", "buy_and_hold_pct"}),
        }

    def state_field(self) -> dict[str, Any]:
        """Return `actual_outcome` of the state."""
        came, machine = self.came, self.machine
        span = came.ended_at - came.opened_at if came.opened_at is not None and came.ended_at is not None else None
        return self.row() | {
            "duration_hours": span.total_seconds() / 3600 if span is not None else None,
            "as_of": self.as_of.isoformat() if self.as_of is not None else None,
            "final": self.is_final,
            "machine": machine.model_dump(mode="json") if machine is not None else None,
        }


AnswerGroup = Literal["blocked", "edited", "handled", "rejected", "expired", "filled", "other"]
ExportForm = Literal["csv", "parquet", "json"]
Sort = Literal["time", "symbol", "confidence", "result", "r"]


class JournalFilter(FrozenModel):
    """Which decisions the journal shows; None = all. feed: the kind of prices. text: words that must all be in the market, the action, the
    model or the id. answer: a proposal's state, `none` for what was not filed. outcome: `gain`, `loss`, or an exit reason. sort: the column
    it is ordered by; what has no value there comes last."""

    symbol: str | None = None
    desk: str | None = None
    model: str | None = None
    feed: FeedName | None = None
    action: str | None = None
    answer: str | None = None
    outcome: str | None = None
    text: str = ""
    sort: Sort = "time"
    descending: bool = True


class JournalLine(FrozenModel):
    """A decision in the journal. created_at: of its run. desk: the flow's name. action: in the words of the state. confidence: 0-100.
    answer: the state of its proposal, None where it was not filed. has_run: whether the run can still be opened; false once it was pruned.
    claims, false_claims: of the run, None where nothing was checked. known: what it has come to, None before its market was looked at."""

    run_id: str
    created_at: AwareDatetime
    symbol: str
    desk: str
    model: str | None
    timeframe: str | None
    action: str | None
    confidence: float | None
    answer: ProposalState | None
    has_run: bool = True
    claims: int | None = None
    false_claims: int | None = None
    known: DecisionOutcome | None = None

    @property
    def came(self) -> PlanOutcome:
        """What it has come to, as far as that is known."""
        return self.known.came if self.known is not None else PlanOutcome()

    @property
    def is_edited(self) -> bool:
        """Whether a person changed the plan that was ordered."""
        return self.known is not None and self.known.is_edited


class FoundLines(FrozenModel):
    """One page of the journal. total: how many lines there are on all pages."""

    lines: tuple[JournalLine, ...]
    total: int


class Total(FrozenModel):
    """What entries whose outcome is final came to in all, in R. n: how many. right: how many gained. low, high: interval at 95 % of a total
    of so many entries, by the normal distribution; None below two."""

    n: int = 0
    r: float = 0.0
    right: int = 0
    low: float | None = None
    high: float | None = None


class JournalSummary(FrozenModel):
    """All decisions at a glance. begins, ends: when the first and the last of their runs began. nothing_to_follow: those that ordered
    nothing; final: of the others, those whose outcome does not change any more; still_open: those whose outcome does. orders: entries whose
    order was filled; plans: every entry as the machine decided it. days: (date, R of orders that ended on it, R of plans), oldest first."""

    decisions: int = 0
    begins: AwareDatetime | None = None
    ends: AwareDatetime | None = None
    nothing_to_follow: int = 0
    final: int = 0
    still_open: int = 0
    orders: Total = Total()
    plans: Total = Total()
    days: tuple[tuple[date, float, float], ...] = ()


class PersonGroup(FrozenModel):
    """What one kind of answer was worth. answer: `blocked` (by the limits), `edited`, `handled` (filled as proposed, but later, with levels
    that were moved, or closed before its plan was over), `rejected`, `expired`, `filled` (as its plan went), or `other`. n: entries whose
    outcome is final. machine_r: what the machine's plans came to in all, in R. person_r: what the account got instead, 0 where nothing was
    ordered."""

    answer: AnswerGroup
    n: int
    machine_r: float
    person_r: float

    @property
    def worth(self) -> float:
        """What the answers brought or cost against the machine's plans, R."""
        return self.person_r - self.machine_r
