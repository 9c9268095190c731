"""Answers to proposals: approve, edit, reject; and the answers nobody gives (expired, superseded).

An answer is a row, not a paused program. It is checked against the world first, then written if the proposal still is as it was seen: of
two people, tabs or processes one is answered, the others get an error that says by whom and when. The order and its client id are written
with the approval.
"""

import asyncio
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from engine.approvals.checks import PASSING, LiveConditions, adds_risk, breaches, judged_at_decision_price, measure
from engine.approvals.deps import ApprovalDeps, client_id, require_proposal
from engine.approvals.filing import signers_needed
from engine.approvals.live_conditions import read_live_conditions
from engine.approvals.locks import Lock, locks
from engine.approvals.order_dispatch import OrderDispatcher
from engine.approvals.share_filing import share_size, unfit
from engine.domain.errors import BadInput, NotAllowed
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import Order
from engine.domain.proposal import Figures, OrderPlan, Proposal, Signature
from engine.domain.risk import LimitCheck, RiskConfig
from engine.trading.figures import plan_figures
from engine.trading.sizing import TooSmall, whole_steps

MOST_WHY: Final = 500
_MOST: Final = 1e15


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
    locks: tuple[Lock, ...]
    conditions: LiveConditions
    as_decided: frozenset[str] = frozenset()


class ApprovalService:
    """Approves, edits, rejects and expires proposals. On the engine's loop. Raises NotAllowed for an answer that cannot be given, and says
    what there is instead."""

    def __init__(self, deps: ApprovalDeps, dispatcher: OrderDispatcher) -> None:
        self._deps, self._dispatcher = deps, dispatcher
        self._proposal_store = deps.journal.proposal_store

    async def approve(self, proposal_id: str, who: str, signed: str | None = None) -> Proposal:
        """Sign a proposal and, when all have signed, send its order. signed: the hash of what the person read, None when it is not known.

        Returns the proposal as it is then: `filled`, or waiting for a second person. Raises NotAllowed, BrokerError, or OrderUnknown when
        nobody knows whether the order arrived.
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
                    raise NotAllowed(f"{who} has signed proposal {seen.id} already: a second person has to")
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
        limits = measure(plan, seen.basis, conditions)
        figures = plan_figures(plan, seen.basis, conditions.price)
        return Preview(
            plan, figures, limits, locks(tried, conditions), conditions, judged_at_decision_price(plan, seen.basis, conditions, limits)
        )

    async def edit(self, proposal_id: str, who: str, change: Change, signed: str | None = None) -> Proposal:
        """Change the plan before it is approved. A change that would breach a limit is refused, and the proposal stays as it was. signed:
        the hash of what the person read, None when it is not known. Raises NotAllowed and BadInput."""
        while True:
            seen = await self._open(proposal_id)
            _must_be_seen(seen, signed)
            found = await self.preview(proposal_id, change)
            if broken := breaches(found.limits):
                raise NotAllowed(f"proposal {seen.id} stays as it was: {'; '.join(broken)}")
            if found.locks:
                raise NotAllowed(f"proposal {seen.id} is locked: {_lock_texts(found.locks)}")
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
        reason = " ".join(why.split())[:MOST_WHY]
        if not reason:
            raise BadInput("a rejection wants a reason: --why TEXT")
        while True:
            seen = await self._open(proposal_id)
            update = {"state": "rejected", "changed_at": self._deps.clock(), "changed_by": who, "why": reason}
            rejected = seen.model_copy(update=update)
            if await self._write(seen, rejected):
                return rejected

    async def expire_due(self) -> None:
        """Mark the proposals that nobody answered in time as expired."""
        for proposal in await asyncio.to_thread(self._proposal_store.waiting):
            await self._expired(proposal)

    async def _open(self, proposal_id: str) -> Proposal:
        """Return a proposal that can be answered. Raises NotAllowed for any other, naming what became of it."""
        seen = await self._expired(await asyncio.to_thread(require_proposal, self._deps.journal, proposal_id))
        if seen.is_waiting:
            return seen
        when = f"{seen.changed_at:%Y-%m-%d %H:%M} UTC"
        order = f"; its order is {seen.order_ids[0]}" if seen.order_ids else "; no order was made of it"
        raise NotAllowed(
            f"proposal {seen.id} is {seen.state} since {when}, by {seen.changed_by}{': ' + seen.why if seen.why else ''}{order}"
        )

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
            raise NotAllowed(f"proposal {seen.id} is locked: {_lock_texts(moved)}; refresh it: a new snapshot, checked and decided again")
        if seen.plan.protects and signers_needed(seen.figures, self._deps.rules, adds_risk=adds_risk(seen.plan, seen.basis, conditions)) > (
            seen.signers_needed
        ):
            raise NotAllowed(f"proposal {seen.id} is locked: its stop is farther away than the one that stands now; propose it again")
        if seen.basis.instrument == "shares" and (why := unfit(seen.plan, seen.basis, conditions)):
            raise NotAllowed(f"proposal {seen.id} is locked: {why}")
        limits = measure(seen.plan, seen.basis, conditions)
        if all(check.passed or check.rule in PASSING for check in limits) and (broken := breaches(limits)):
            raise NotAllowed(f"proposal {seen.id} is locked: at the price of now, {'; '.join(broken)}")
        if broken := breaches(limits):
            update = {"state": "blocked", "limits": limits, "why": "; ".join(broken)}
            changes = {"changed_at": self._deps.clock(), "changed_by": "limits"}
            await self._write(seen, seen.model_copy(update=update | changes))
            raise NotAllowed(f"proposal {seen.id} is blocked: {'; '.join(broken)}")
        return conditions

    async def _must_not_be_halted(self, seen: Proposal) -> None:
        if await asyncio.to_thread(self._deps.journal.audit.halted):
            raise NotAllowed(f"trading is halted: proposal {seen.id} cannot be approved; `unhalt` allows it again")

    async def _write(self, seen: Proposal, changed: Proposal, *, order: Order | None = None, kind: str | None = None) -> bool:
        return await asyncio.to_thread(
            lambda: self._proposal_store.change(seen, changed, order=order, worked_by=self._deps.owner if order else None, kind=kind)
        )


def _lock_texts(found: tuple[Lock, ...]) -> str:
    return "; ".join(lock.text() for lock in found)


def _must_be_seen(seen: Proposal, signed: str | None) -> None:
    if signed is not None and signed != seen.hash:
        raise NotAllowed(f"proposal {seen.id} was changed by {seen.changed_by} since you read it: read it again before you sign")


def _order_of(proposal: Proposal, risk: RiskConfig) -> Order:
    """Return the order that a proposal would become. Its id is derived from what it is for, so that no retry can make another. risk: the
    limits that bind now."""
    plan, is_shares = proposal.plan, proposal.basis.instrument == "shares"
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
        collar=_collar(proposal, risk),
        decided_at=exact(proposal.basis.price) if proposal.basis.market_clock is not None and not is_shares else None,
    )


def _collar(proposal: Proposal, risk: RiskConfig) -> Decimal | None:
    """Return the worst price that an order which adds risk may be filled at: as far from the decision as the price may drift. None for
    one that takes risk away, which must not fail for its price."""
    basis, plan = proposal.basis, proposal.plan
    if plan.reduce_only or plan.limit is not None or (basis.atr is None and basis.instrument == "shares"):
        return None
    room, sign = exact(risk.max_drift_atr) * exact(basis.atr or 0.0), 1 if plan.side == "buy" else -1
    return max(basis.terms.price_towards(exact(basis.price) + sign * room, -sign), basis.terms.price_step)


def _changed_plan(proposal: Proposal, change: Change) -> OrderPlan:
    plan, terms = proposal.plan, proposal.basis.terms
    _must_be_changeable(plan, change)
    update: dict[str, Any] = {}
    for name in ("stop", "target"):
        level = getattr(change, name)
        if level is not None:
            update[name] = level_of(name, level, terms)
    if change.leverage is not None:
        if proposal.basis.instrument == "shares":
            raise BadInput("shares are paid for in cash: there is no leverage to change")
        if not 1 <= change.leverage <= terms.max_leverage:
            raise BadInput(f"leverage {change.leverage} is not from 1 to {terms.max_leverage}")
        update["leverage"] = change.leverage
    if change.entry is not None or change.at_market:
        update["limit"] = _changed_limit(proposal, change)
    if change.size is not None:
        update["amount"] = _changed_size(proposal, above_zero("size", change.size))
    return plan.model_copy(update=update)


def _changed_limit(proposal: Proposal, change: Change) -> Decimal | None:
    """Return a limit price on the market's grid, None for at market. Raises BadInput for one between two of its steps: nobody's price is
    moved unasked."""
    if proposal.basis.instrument != "shares":
        raise BadInput("a contract is ordered at market: there is no limit price to change")
    if change.entry is None:
        return None
    if change.at_market:
        raise BadInput("an order is at market or has a limit price: give one of them")
    terms = proposal.basis.terms
    asked, step = above_zero("entry", change.entry), terms.price_step
    found = terms.price(asked)
    if found != asked or found <= 0:
        raise BadInput(f"the limit {asked:f} is between two prices of this market: they are whole steps of {step:f}; the next is {found:f}")
    return found


def _must_be_in_session(plan: OrderPlan, conditions: LiveConditions) -> None:
    bounds = conditions.session_prices
    if plan.limit is not None and bounds is not None and not bounds[0] <= plan.limit <= bounds[1]:
        raise BadInput(f"the limit {plan.limit:f} is outside the session's prices: from {bounds[0]:f} to {bounds[1]:f}")


def _must_be_changeable(plan: OrderPlan, change: Change) -> None:
    """Require that a plan has what is to be changed. Raises BadInput."""
    if plan.protects and (change.at_market or any(each is not None for each in (change.size, change.leverage, change.entry))):
        raise BadInput("nothing is traded here: only the stop and the target of the position can be changed")
    if plan.reduce_only and (change.stop is not None or change.target is not None or change.leverage is not None):
        raise BadInput("an order that makes a position smaller has no stop, target or leverage: change its size")


def _changed_size(proposal: Proposal, size: Decimal) -> Decimal:
    """Return a size that can be ordered: in whole steps or lots, and never more than is held where it takes risk away."""
    plan, basis = proposal.plan, proposal.basis
    if basis.instrument == "shares":
        amount = share_size(size, plan, basis)
        if amount > 0:
            return amount
        raise BadInput(f"size {size:f} is no order here: whole lots of {basis.terms.amount_step:f}, {basis.terms.min_amount:f} at least")
    held = exact(basis.holding.size) if basis.holding else size
    try:
        return whole_steps(min(size, held) if plan.reduce_only else size, exact(basis.price), basis.terms)
    except TooSmall as problem:
        raise BadInput(str(problem)) from None


def above_zero(name: str, value: float) -> Decimal:
    """Return a number that a person gave for a plan. Raises BadInput for one that no market knows."""
    if not 0 < value < _MOST:
        raise BadInput(f"{name} {value!r} is not a number above zero, or none that any market knows")
    return exact(value)


def level_of(name: str, value: float, terms: MarketTerms) -> Decimal:
    """Return a price that a person gave for a stop or a target, on the market's grid. Raises BadInput for one that no market knows."""
    level = terms.price(above_zero(name, value))
    if level <= 0:
        raise BadInput(f"{name} {value!r} is below {terms.price_step:f}, the smallest price of this market")
    return level
