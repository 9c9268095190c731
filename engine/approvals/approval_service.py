"""Answers to proposals: approve, edit, reject; and the answers no person gives (expired, superseded).

An answer is a row, not a paused program. It is checked against the world first, then written if the proposal still is as it was seen: of
two people, tabs or processes one is answered, the others get an error that says by whom and when. The order and its client id are written
with the approval.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from engine.approvals.deps import ApprovalDeps, client_id, require_proposal
from engine.approvals.filing import signers_needed
from engine.approvals.live_conditions import read_live_conditions
from engine.approvals.locks import liftable, locks
from engine.approvals.order_dispatch import OrderDispatcher
from engine.domain.errors import BadInput, NotAllowed
from engine.domain.orders import Order
from engine.domain.proposal import Figures, Lifted, OrderPlan, Proposal, Signature
from engine.domain.risk import LimitCheck, RiskConfig
from engine.domain.text.reason import Reason
from engine.instruments.conditions import LiveConditions
from engine.instruments.given_values import above_zero, level_of
from engine.instruments.kinds import instrument_of
from engine.instruments.measuring import adds_risk, breaches, judge, measure
from engine.trading.figures import plan_figures

MOST_WHY: Final = 500


@dataclass(frozen=True)
class Change:
    """What a person wants changed of a plan; None = as it is. size: base units. leverage: x. stop, target: quote units. entry: the
    limit price of an order for shares, currency a share. at_market: whether such an order loses its limit price."""

    stop: float | None = None
    target: float | None = None
    size: float | None = None
    leverage: int | None = None
    entry: float | None = None
    at_market: bool = False


@dataclass(frozen=True)
class Preview:
    """A plan as it would be after a change, and what it would mean. locks: why nothing can be signed at the moment. as_decided: limits that
    are judged at the price of the decision, and would not be met at that of `conditions`."""

    plan: OrderPlan
    figures: Figures
    limits: tuple[LimitCheck, ...]
    locks: tuple[Reason, ...]
    conditions: LiveConditions
    as_decided: frozenset[str] = frozenset()

    @property
    def liftable(self) -> tuple[Reason, ...]:
        """The locks that a person may lift."""
        return liftable(self.locks)


class ApprovalService:
    """Approves, edits, rejects and expires proposals. On the engine's loop. Raises NotAllowed for an answer that cannot be given, and says
    what there is instead."""

    def __init__(self, deps: ApprovalDeps, dispatcher: OrderDispatcher) -> None:
        self._deps, self._dispatcher = deps, dispatcher
        self._proposal_store = deps.journal.proposal_store

    async def approve(self, proposal_id: str, who: str, signed: str | None = None) -> Proposal:
        """Sign a proposal and, when all have signed, send its order. signed: the hash of what the person read, None when it is not known.

        Returns the proposal as it is then: `filled`, or waiting for a second person. Raises NotAllowed, BrokerError, or OrderUnknown when
        it is unknown whether the order arrived.
        """
        seen = await self._open(proposal_id)
        _must_be_seen(seen, signed)
        await self._must_not_be_halted(seen)
        async with self._dispatcher.slot(seen) as slot:
            while True:
                seen = await self._open(proposal_id)
                _must_be_seen(seen, signed)
                conditions = await self._may_be_signed(seen)
                signature = Signature(who=who, at=self._deps.clock(), hash=seen.hash)
                before = [each for each in seen.signatures if each.hash == seen.hash]
                if any(each.who == who for each in before):
                    raise NotAllowed(Reason("has_signed_proposal_already", who=who, seen_id=seen.id))
                changed = {"signatures": (*before, signature), "changed_at": signature.at, "changed_by": who, "why": ""}
                if len(before) + 1 < seen.signers_needed:
                    waiting = seen.model_copy(update=changed)
                    if await self._write(seen, waiting, kind="signed"):
                        return waiting
                    continue
                order = _order_of(seen, self._deps.limits(seen.basis))
                figures = plan_figures(seen.plan, seen.basis, conditions.price)  # under which it is signed
                update = {**changed, "state": "approved", "order_ids": (order.client_id,), "figures": figures}
                approved = seen.model_copy(update=update)
                if await self._write(seen, approved, order=order):
                    return await self._dispatcher.dispatch(approved, slot)

    async def preview(self, proposal_id: str, change: Change, conditions: LiveConditions | None = None) -> Preview:
        """Return what a change would mean, without making it. conditions: as they were read a moment ago, so that several plans are
        measured in the same ones; None: they are read now. Raises BadInput for a change that makes no plan."""
        seen = await asyncio.to_thread(require_proposal, self._deps.journal, proposal_id)
        conditions = conditions or await read_live_conditions(self._deps, seen.basis)
        plan = _changed_plan(seen, change)
        if change.entry is not None:
            _must_be_in_session(plan, conditions)
        tried = seen.model_copy(update={"plan": plan})
        judged = judge(plan, seen.basis, conditions)
        figures = plan_figures(plan, seen.basis, conditions.price)
        return Preview(plan, figures, judged.checks, locks(tried, conditions), conditions, judged.as_decided)

    async def edit(self, proposal_id: str, who: str, change: Change, signed: str | None = None) -> Proposal:
        """Change the plan before it is approved. A change that would breach a limit is refused, and the proposal stays as it was. signed:
        the hash of what the person read, None when it is not known. Raises NotAllowed and BadInput."""
        while True:
            seen = await self._open(proposal_id)
            _must_be_seen(seen, signed)
            found = await self.preview(proposal_id, change)
            if broken := breaches(found.limits):
                raise NotAllowed(Reason("proposal_stays_as_it_was", seen_id=seen.id, broken=broken))
            if found.locks:
                raise NotAllowed(Reason("proposal_is_locked", seen_id=seen.id, why=found.locks))
            update: dict[str, Any] = {
                "plan": found.plan,
                "figures": found.figures,
                "limits": found.limits,
                "signatures": (),
                "signers_needed": signers_needed(
                    found.figures, self._deps.rules, adds_risk=adds_risk(found.plan, seen.basis, found.conditions)
                ),
            }
            changes = {"state": "edited", "changed_at": self._deps.clock(), "changed_by": who, "why": ""}
            edited = seen.model_copy(update=update | changes)
            if await self._write(seen, edited):
                return edited

    async def reject(self, proposal_id: str, who: str, why: str) -> Proposal:
        """Reject a proposal, with a reason. Raises BadInput without one, NotAllowed when it cannot be answered any more."""
        reason = why if isinstance(why, Reason) else " ".join(why.split())[:MOST_WHY]
        if not reason:
            raise BadInput(Reason("rejection_wants_reason"))
        while True:
            seen = await self._open(proposal_id)
            update = {"state": "rejected", "changed_at": self._deps.clock(), "changed_by": who, "why": reason}
            rejected = seen.model_copy(update=update)
            if await self._write(seen, rejected):
                return rejected

    async def lift(self, proposal_id: str, who: str, why: str, signed: str | None = None) -> Proposal:
        """Lift the locks of a proposal that a person may lift, with a reason; other ones stay. signed: the hash of what the person read,
        None when it is not known. Raises BadInput without a reason, NotAllowed when nothing can be lifted."""
        reason = " ".join(why.split())[:MOST_WHY]
        if not reason:
            raise BadInput(Reason("lifting_wants_reason"))
        while True:
            seen = await self._open(proposal_id)
            _must_be_seen(seen, signed)
            found = liftable(locks(seen, await read_live_conditions(self._deps, seen.basis)))
            if not found:
                raise NotAllowed(Reason("nothing_to_lift", seen_id=seen.id))
            now = self._deps.clock()
            lifted = (*seen.lifted, *(Lifted(lock=each, who=who, at=now, why=reason) for each in found))
            update = {"lifted": lifted, "changed_at": now, "changed_by": who, "why": Reason("lock_was_lifted", lock=found, why=reason)}
            changed = seen.model_copy(update=update)
            if await self._write(seen, changed, kind="lifted"):
                return changed

    async def expire_due(self) -> None:
        """Mark the proposals that were not answered in time as expired."""
        for proposal in await asyncio.to_thread(self._proposal_store.waiting):
            await self._expired(proposal)

    async def _open(self, proposal_id: str) -> Proposal:
        """Return a proposal that can be answered. Raises NotAllowed for any other, naming its outcome."""
        seen = await self._expired(await asyncio.to_thread(require_proposal, self._deps.journal, proposal_id))
        if seen.is_waiting:
            return seen
        when = f"{seen.changed_at:%Y-%m-%d %H:%M} UTC"
        order = Reason("its_order_is", order=seen.order_ids[0]) if seen.order_ids else Reason("no_order_was_made_of_it")
        answered = Reason("proposal_was_answered", proposal_id=seen.id, state=seen.state, when=when, changed_by=seen.changed_by)
        raise NotAllowed(Reason.listed([Reason("about", who=answered, what=seen.why) if seen.why else answered, order]))

    async def _expired(self, proposal: Proposal) -> Proposal:
        expired = proposal.as_at(self._deps.clock())
        if expired is proposal or await self._write(proposal, expired):
            return expired
        return await asyncio.to_thread(require_proposal, self._deps.journal, proposal.id)

    async def _may_be_signed(self, seen: Proposal) -> LiveConditions:
        """Check everything that must hold before a signature, and return the conditions it was checked in. Raises NotAllowed: a breached
        limit blocks the proposal for good, a condition that passes by itself only refuses this attempt."""
        await self._must_not_be_halted(seen)
        self._deps.may_send(seen.basis.place)
        conditions = await read_live_conditions(self._deps, seen.basis)
        if moved := locks(seen, conditions):
            way = "proposal_is_locked_lift_it" if liftable(moved) == moved else "proposal_is_locked_refresh_it"
            raise NotAllowed(Reason(way, seen_id=seen.id, moved=moved))
        if seen.plan.protects and signers_needed(seen.figures, self._deps.rules, adds_risk=adds_risk(seen.plan, seen.basis, conditions)) > (
            seen.signers_needed
        ):
            raise NotAllowed(Reason("proposal_is_locked_its_stop_is_farther", seen_id=seen.id))
        if why := instrument_of(seen.basis.instrument).unfit(seen.plan, seen.basis, conditions):
            raise NotAllowed(Reason("proposal_is_locked", seen_id=seen.id, why=why))
        limits = measure(seen.plan, seen.basis, conditions)
        if not any(check.is_final for check in limits if not check.passed) and (broken := breaches(limits)):
            raise NotAllowed(Reason("proposal_is_locked_at_price_of_now", seen_id=seen.id, broken=broken))
        if broken := breaches(limits):
            update = {"state": "blocked", "limits": limits, "why": Reason.listed(broken)}
            changes = {"changed_at": self._deps.clock(), "changed_by": "limits"}
            await self._write(seen, seen.model_copy(update=update | changes))
            raise NotAllowed(Reason("proposal_is_blocked", seen_id=seen.id, broken=broken))
        return conditions

    async def _must_not_be_halted(self, seen: Proposal) -> None:
        if await asyncio.to_thread(self._deps.journal.audit.halted):
            raise NotAllowed(Reason("proposal_waits_until_trading_goes_on", seen_id=seen.id))

    async def _write(self, seen: Proposal, changed: Proposal, *, order: Order | None = None, kind: str | None = None) -> bool:
        return await asyncio.to_thread(
            lambda: self._proposal_store.change(seen, changed, order=order, worked_by=self._deps.owner if order else None, kind=kind)
        )


def _must_be_seen(seen: Proposal, signed: str | None) -> None:
    if signed is not None and signed != seen.hash:
        raise NotAllowed(Reason("proposal_was_changed_by_since_you_read", seen_id=seen.id, changed_by=seen.changed_by))


def _order_of(proposal: Proposal, risk: RiskConfig) -> Order:
    """Return the order that a proposal would become. Its id is derived from what it is for, so that no retry can make another. risk: the
    limits that bind now."""
    plan, instrument = proposal.plan, instrument_of(proposal.basis.instrument)
    if plan.protects:
        return Order(
            client_id=client_id(proposal.basis.run_id, proposal.id, "levels"),
            symbol=proposal.basis.symbol,
            side="sell" if plan.side == "buy" else "buy",
            amount=plan.amount,
            reduce_only=True,
            stop=plan.stop,
            target=plan.target,
            protects=True,
        )
    return Order(
        client_id=client_id(proposal.basis.run_id, proposal.id, "entry" if not plan.reduce_only else "exit"),
        symbol=proposal.basis.symbol,
        side=plan.side,
        amount=plan.amount,
        reduce_only=plan.reduce_only,
        leverage=plan.leverage,
        limit=plan.limit,
        stop=plan.stop,
        target=plan.target,
        opens=proposal.basis.holding is None,
        adds=proposal.basis.holding is not None and not plan.reduce_only,
        collar=instrument.collar(plan, proposal.basis, risk),
        decided_at=instrument.decided_at(proposal.basis),
    )


def _changed_plan(proposal: Proposal, change: Change) -> OrderPlan:
    plan, basis, terms = proposal.plan, proposal.basis, proposal.basis.terms
    instrument = instrument_of(basis.instrument)
    _must_be_changeable(plan, change)
    update: dict[str, Any] = {}
    for name in ("stop", "target"):
        level = getattr(change, name)
        if level is not None:
            update[name] = level_of(name, level, terms)
    if change.leverage is not None:
        update["leverage"] = instrument.changed_leverage(change.leverage, terms)
    if change.entry is not None or change.at_market:
        update["limit"] = instrument.changed_limit(change.entry, terms, at_market=change.at_market)
    if change.size is not None:
        update["amount"] = instrument.changed_size(above_zero("size", change.size), plan, basis)
    return plan.model_copy(update=update)


def _must_be_in_session(plan: OrderPlan, conditions: LiveConditions) -> None:
    bounds = conditions.session_prices
    if plan.limit is not None and bounds is not None and not bounds[0] <= plan.limit <= bounds[1]:
        raise BadInput(
            Reason("limit_is_outside_session_prices", limit=f"{plan.limit:f}", bounds=f"{bounds[0]:f}", bounds2=f"{bounds[1]:f}")
        )


def _must_be_changeable(plan: OrderPlan, change: Change) -> None:
    """Require that a plan has what is to be changed. Raises BadInput."""
    if plan.protects and (change.at_market or any(each is not None for each in (change.size, change.leverage, change.entry))):
        raise BadInput(Reason("nothing_is_traded_here"))
    if plan.reduce_only and (change.stop is not None or change.target is not None or change.leverage is not None):
        raise BadInput(Reason("order_that_makes_position_smaller_has_no"))
