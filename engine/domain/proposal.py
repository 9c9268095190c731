"""A decision sized into an order, waiting for a person's answer."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from engine.domain.account_ref import AccountRef
from engine.domain.decision import Signal
from engine.domain.equity.listing import Listing
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import Holding, InstrumentKind
from engine.domain.invalidation import Invalidation
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import OrderSide
from engine.domain.risk import LimitCheck, RiskConfig
from engine.domain.text.reason import Reason, Said, printed

ProposalState = Literal[
    "pending", "approved", "edited", "rejected", "expired", "superseded", "blocked", "sent", "filled", "failed", "unknown"
]
WAITING: tuple[ProposalState, ...] = ("pending", "edited")
IN_FLIGHT: tuple[ProposalState, ...] = ("approved", "sent", "unknown")
REFUSED: tuple[ProposalState, ...] = ("rejected", "expired", "blocked")
MAY_BECOME: dict[ProposalState, tuple[ProposalState, ...]] = {
    "pending": ("approved", "edited", "rejected", "expired", "superseded", "blocked"),
    "edited": ("approved", "edited", "rejected", "expired", "superseded", "blocked"),
    "approved": ("sent", "failed"),
    "sent": ("filled", "failed", "unknown"),
    "unknown": ("filled", "failed"),
}
"""What a state may turn into; every other one stays as it is for ever."""


_AFTERWARDS = frozenset({"proposal_id", "did_it_matter", "stability", "warnings", "execution_record", "reasons"})
"""Fields of a final state that come into it when the proposal has been filed."""
_WHEN = frozenset({"created_at", "completed_at", *(f"{stage}_timestamp" for stage in ("analysis", "debate", "grounding", "executor"))})
"""Fields of a final state that say when its run was played; `*_ms`, at any depth, says how long something took."""
_TIMELESS = "2:"
"""Begins every context hash: it covers the state without times and durations."""


def context_hash(decided: Mapping[str, Any]) -> str:
    """Return the hash of a final state: the corrected record, every word and every number it was decided with, but not when that was or how
    long it took. `2:` and sha256, hexadecimal."""
    ground = _timeless({key: printed(value) for key, value in decided.items() if key not in _WHEN | _AFTERWARDS})
    return _TIMELESS + hashlib.sha256(json.dumps(ground, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _timeless(each) for key, each in value.items() if not str(key).endswith("_ms")}
    return [_timeless(each) for each in value] if isinstance(value, list | tuple) else value


class OrderPlan(FrozenModel):
    """What would be ordered: the part of a proposal that a person may change.

    amount: base units, or shares. leverage: x, None for an order that takes risk away and for shares. stop, target: quote units, None =
    unchanged. limit: of an order for shares that is good for one session, currency; None = at market. protects: nothing is traded: the stop
    and target of the position that is held become these; side is that of the position, amount its size.
    """

    side: OrderSide
    amount: Decimal = Field(gt=0)
    reduce_only: bool = False
    leverage: int | None = Field(default=None, ge=1, le=125)
    stop: Decimal | None = None
    target: Decimal | None = None
    limit: Decimal | None = None
    protects: bool = False


class Figures(FrozenModel):
    """What a plan costs and risks. All in quote units but for the ratios and percentages.

    price: what it is measured at. fees: of entry and exit. slippage: estimate of both. funding: what holding until the target is expected
    to cost (negative: to bring). loss_at_stop, gain_at_target: after costs; None without that level, or with it on the wrong side of the
    price. reward_risk: from price, stop and target; reward_risk_net: after costs. liquidation: a price, None where nothing can be
    liquidated.
    """

    price: Decimal
    notional: Decimal
    margin: Decimal
    fees: Decimal
    slippage: Decimal
    funding: Decimal
    loss_at_stop: Decimal | None = None
    gain_at_target: Decimal | None = None
    reward_risk: float | None = None
    reward_risk_net: float | None = None
    liquidation: Decimal | None = None
    liquidation_distance_pct: float | None = None


class Basis(FrozenModel):
    """What a proposal rests on, for ever. market_clock: the instant its prices are of; None = the market's own present.

    account: the broker's own name for it. price: last price of the snapshot. atr: average true range at T, None where it is not known.
    holding: the position it was decided with. calibrated_confidence: percent of earlier decisions of this confidence that gained, where the
    entry was sized by it. instrument: what would be ordered. listing, moment: of shares, the company and the clock it
    was decided at; None for contracts. Shares have the timeframe `1d` and no funding. reversal_facts: how many facts had moved since the
    decision before, where this one points the other way and there is a limit for that; else None.
    """

    run_id: str
    snapshot_hash: str
    context_hash: str
    place: AccountRef
    account: str
    symbol: str
    timeframe: str
    timeframe_htf: str | None = None
    snapshot_at: AwareDatetime
    market_clock: AwareDatetime | None = None
    price: float
    atr: float | None = None
    funding_rate: float | None = None
    action: Signal
    adjustment_pct: float | None = None
    confidence: float
    calibrated_confidence: float | None = None
    holding: Holding | None = None
    risk: RiskConfig
    terms: MarketTerms
    thesis: str = ""
    invalidations: tuple[Invalidation, ...] = ()
    instrument: InstrumentKind = "contract"
    listing: Listing | None = None
    moment: TradingMoment | None = None
    reversal_facts: int | None = None


class Planned(FrozenModel):
    """What a decision would be ordered as, whether that was asked for or not. decided_at: the market's instant. basis, plan: None where it
    orders nothing. adds: to a position that was held already."""

    decided_at: AwareDatetime
    basis: Basis | None = None
    plan: OrderPlan | None = None
    adds: bool = False


class Signature(FrozenModel):
    """Someone's yes to exactly one version of a proposal."""

    who: str
    at: AwareDatetime
    hash: str


class Lifted(FrozenModel):
    """A lock that a person lifted, with a reason. It is this very lock: measured anew, it locks again."""

    lock: Said
    who: str
    at: AwareDatetime
    why: Said


class Proposal(FrozenModel):
    """One proposal as it is. machine: the plan as it was sized. plan: as it would be ordered now. figures, limits: of `plan`.

    order_ids: client ids of the orders that were written for it, in the order they were. why: the reason of
    the last change; of a filled one, at which price.
    """

    id: str
    basis: Basis
    created_at: AwareDatetime
    expires_at: AwareDatetime
    state: ProposalState
    machine: OrderPlan
    machine_figures: Figures
    plan: OrderPlan
    figures: Figures
    limits: tuple[LimitCheck, ...] = ()
    signatures: tuple[Signature, ...] = ()
    signers_needed: int = Field(default=1, ge=1, le=2)
    lifted: tuple[Lifted, ...] = ()
    order_ids: tuple[str, ...] = ()
    changed_at: AwareDatetime
    changed_by: str
    why: Said = ""

    @property
    def hash(self) -> str:
        """What a signature is under: snapshot, corrected context and order (`limit` and `protects` where it has them). sha256,
        hexadecimal."""
        order = self.plan.model_dump(mode="json")
        for name, usual in (("limit", None), ("protects", False)):
            if order[name] == usual:
                del order[name]
        signed = {
            "id": self.id,
            "snapshot": self.basis.snapshot_hash,
            "context": self.basis.context_hash,
            "account": self.basis.account,
            "symbol": self.basis.symbol,
            "action": self.basis.action.value,
            "order": order,
        }
        return hashlib.sha256(json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    @property
    def is_of_run(self) -> bool:
        """Whether it is what its run decided; else it changes the stop and target of the position that this run opened."""
        return not self.plan.protects

    @property
    def is_waiting(self) -> bool:
        """Whether it can still be answered."""
        return self.state in WAITING

    def as_at(self, now: datetime) -> "Proposal":
        """Return how it is at an instant: one that waits has expired when its time is over, written down already or not."""
        if not self.is_waiting or now < self.expires_at:
            return self
        over = {"state": "expired", "changed_at": self.expires_at, "changed_by": "clock", "why": Reason("nobody_answered_in_time")}
        return self.model_copy(update=over)

    @property
    def is_edited(self) -> bool:
        """Whether a person has changed the machine's plan."""
        return self.plan != self.machine


@dataclass(frozen=True)
class NewProposal:
    """A proposal that is to be filed with the end of its run. supersede: waiting ones of the same market, whose place it takes. unattended:
    it is approved without a person."""

    proposal: Proposal
    supersede: tuple[Proposal, ...] = ()
    unattended: bool = False
