"""Changing the stop or the target of an open position: measured for the caller, and filed as a proposal that a person signs.

A person's proposal goes the way of every other one: limits, signatures, a last look, then the broker. It trades nothing: it puts the new
levels in place before the old ones go. It refers to the run that opened the position, so that its argument is shown beside it.
"""

import asyncio
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from engine.approvals.approval_service import Preview
from engine.approvals.deps import ApprovalDeps
from engine.approvals.filing import signers_needed
from engine.approvals.holdings import Holdings
from engine.approvals.live_conditions import read_live_conditions
from engine.approvals.locks import locks
from engine.approvals.own_position import own_position
from engine.domain.decision import Signal
from engine.domain.errors import BadInput, NotAllowed
from engine.domain.orders import Position
from engine.domain.proposal import Basis, Figures, OrderPlan, Proposal
from engine.domain.text.reason import Reason
from engine.instruments.given_values import level_of
from engine.instruments.measuring import adds_risk, breaches, measure
from engine.trading.figures import plan_figures
from engine.trading.protocol import Broker


@dataclass(frozen=True)
class WantedLevels:
    """Levels that someone wants of a position; None = as it is. stop, target: quote units. account: where several hold the market."""

    symbol: str
    stop: float | None = None
    target: float | None = None
    account: str | None = None


@dataclass(frozen=True)
class LevelsDraft:
    """A change of levels that is not filed. proposal: as it would be. preview: what it would mean. now: what the position comes to with the
    levels it has, at the same price."""

    proposal: Proposal
    preview: Preview
    now: Figures


class ProtectionService:
    """Files changes of levels. On the engine's loop."""

    def __init__(self, deps: ApprovalDeps, holdings: Holdings) -> None:
        self._deps, self._holdings, self._proposal_store = deps, holdings, deps.journal.proposal_store

    async def draft(self, wanted: WantedLevels) -> LevelsDraft:
        """Return what a change would mean now, without filing it. Raises NotAllowed where there is no position that can be changed, and
        BadInput for levels that are none."""
        proposal, preview, position = await self._drafted(wanted, "")
        as_it_is = proposal.plan.model_copy(update={"stop": position.stop, "target": position.target})
        return LevelsDraft(proposal, preview, plan_figures(as_it_is, proposal.basis, preview.conditions.price))

    async def propose(self, wanted: WantedLevels, who: str) -> Proposal:
        """File a change, which waits for a signature then; one that waits for the same position is superseded. Raises NotAllowed for one
        that could not be signed, and says why; BadInput for one that changes nothing."""
        drafted, found, position = await self._drafted(wanted, who)
        if (found.plan.stop, found.plan.target) == (position.stop, position.target):
            raise BadInput(Reason("its_stop_and_target_stand_there_already", symbol=wanted.symbol))
        if problems := [*found.locks, *breaches(found.limits)]:
            raise NotAllowed(Reason("levels_of_stay_as_they_are", symbol=wanted.symbol, problems=problems))
        waiting = await asyncio.to_thread(self._proposal_store.waiting, drafted.basis.account, drafted.basis.symbol)
        await asyncio.to_thread(self._proposal_store.add, drafted, [each for each in waiting if each.plan.protects])
        return drafted

    async def _drafted(self, wanted: WantedLevels, who: str) -> tuple[Proposal, Preview, Position]:
        """Return a change as it would be filed, what it would mean, and the position as it is."""
        _, broker, position = await self._holdings.held(wanted.symbol, wanted.account)
        opening = await self._opening(broker, position)
        terms = opening.basis.terms
        stop, target = (
            level_of(name, value, terms) if value is not None else current
            for name, value, current in (("stop", wanted.stop, position.stop), ("target", wanted.target, position.target))
        )
        side = "buy" if position.side == "long" else "sell"
        plan = OrderPlan(side=side, amount=position.size, stop=stop, target=target, protects=True)
        basis = await self._basis(opening.basis, broker, position)
        conditions = await read_live_conditions(self._deps, basis)
        basis = basis.model_copy(update={"price": conditions.price, "snapshot_at": conditions.market_at or self._deps.clock()})
        figures, limits = plan_figures(plan, basis, conditions.price), measure(plan, basis, conditions)
        now, rules = self._deps.clock(), self._deps.rules
        proposal = Proposal(
            id=f"c-{now:%Y%m%d%H%M%S}-{secrets.token_hex(4)}",
            basis=basis,
            created_at=now,
            expires_at=now + timedelta(seconds=rules.expires_s),
            state="pending",
            machine=plan,
            machine_figures=figures,
            plan=plan,
            figures=figures,
            limits=limits,
            signers_needed=signers_needed(figures, rules, adds_risk=adds_risk(plan, basis, conditions)),
            changed_at=now,
            changed_by=who,
        )
        return proposal, Preview(plan, figures, limits, locks(proposal, conditions), conditions), position

    async def _opening(self, broker: Broker, position: Position) -> Proposal:
        """Return the proposal that opened a position. Raises NotAllowed for one that was not opened here: whose it is, no one knows."""
        journal, symbol = self._deps.journal, position.symbol
        found = await asyncio.to_thread(self._proposal_store.last_filled, broker.account, symbol)
        ours = not broker.capabilities.at_venue or await asyncio.to_thread(own_position, journal, broker.account, symbol) is not None
        if found is None or not ours or (found.plan.side == "buy") != (position.side == "long"):
            if await asyncio.to_thread(self._is_in_flight, broker.account, symbol):
                raise NotAllowed(Reason("nobody_knows_yet_what_became", symbol=symbol))
            raise NotAllowed(Reason("position_in_was_not_opened_here", symbol=symbol))
        return found

    def _is_in_flight(self, account: str, symbol: str) -> bool:
        """Return whether an order of this installation is on its way in a market."""
        found = (proposal.basis for proposal, _ in self._proposal_store.in_flight())
        return any((basis.account, basis.symbol) == (account, symbol) for basis in found)

    async def _basis(self, opened: Basis, broker: Broker, position: Position) -> Basis:
        holding = position.holding()
        if holding is None:
            raise NotAllowed(Reason("nobody_knows_since_when_is_held", symbol=position.symbol))
        at = await broker.instant(position.symbol)
        update: dict[str, Any] = {
            "market_clock": at,
            "action": Signal.ADJUST,
            "adjustment_pct": None,
            "holding": holding,
        }
        return opened.model_copy(update=update)
