"""From an approval to the outcome of its order. Nothing here can send an order twice, and no two orders of an account are measured at once.

    the account's slot ─> (measured while holding it) ─> approved ─> sent ─(last check)─> broker ─> filled | failed | unknown
    unknown ──(the broker is asked by the order's client id)──> filled | failed

The order and its client id stand in the journal before this begins. Every step is a conditional write, so that of two processes one goes on
and the other reads what came of it. After a crash no order is sent before the broker was asked about its id. Requests of a
slow venue lie between the measuring and the order; so halt, price and age are checked once more directly before it leaves.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Final, Literal

from engine.approvals.closing import most_to_close
from engine.approvals.deps import ApprovalDeps, require_proposal
from engine.approvals.live_conditions import must_be_same_account, read_live_conditions
from engine.approvals.locks import locks, price_locks
from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.errors import BrokerError, BrokerRefused, MarketError, NotAllowed, OrderUnknown, StoreError, TribunalError
from engine.domain.orders import Order, OrderReport, OrderState
from engine.domain.proposal import Proposal, ProposalState
from engine.domain.text.reason import Reason
from engine.instruments.kinds import instrument_of
from engine.instruments.measuring import breaches, measure
from engine.journal.account_slots import Busy, Slot
from engine.trading.protocol import Broker

LOST_AFTER_S: Final = (
    60.0  # an order that a venue does not know so long after it was sent cannot arrive any more: its receive window is over
)

FRESH_S: Final = 3.0  # how old the price may be that an order leaves under
LEAVE_S: Final = 40.0  # how long after its account's slot was taken an order may leave: what was measured is not older than that

_SILENT_S: Final = 120.0  # no broker is waited for so long
_FOREIGN_S: Final = 900.0  # after which an order of a process on another machine is given up
_PATIENCE_S: Final = 30.0  # with another order of the same account
_POLL_S: Final = 0.1
_CANCEL_S: Final = 5.0  # a halt is not held up by a venue
_READINGS: Final = 3  # of a price that comes too late
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class InFlightOrder:
    """An order that was in flight when trading was halted. what: `called_off` nothing was sent and nothing will be; `cancelled` by the
    venue, nothing of it was filled; `under_way` it may be at the broker, or filled already."""

    proposal: Proposal
    what: Literal["called_off", "cancelled", "under_way"]


class OrderDispatcher:
    """Sends approved orders and records their outcomes. On the engine's loop."""

    def __init__(self, deps: ApprovalDeps) -> None:
        self._deps, self._proposal_store = deps, deps.journal.proposal_store
        self._working: set[str] = set()
        self._unreturned: list[Slot] = []  # which the journal could not be told
        self._missed_at: dict[str, float] = {}  # by proposal: when the venue first did not know its order, of the monotonic clock
        self._held_since: dict[str, datetime] = {}  # by proposal: when its account's slot was taken

    @asynccontextmanager
    async def slot(self, proposal: Proposal, patience_s: float = _PATIENCE_S) -> AsyncIterator[Slot]:
        """Hold the slot of a proposal's account: nothing else of it is measured or ordered meanwhile, in any process.

        Raises NotAllowed when it cannot be had within `patience_s`, StoreError while a noted order cannot be taken into the journal: behind
        the row of a new entry it would be counted against that. The proposal stays as it is.
        """
        await asyncio.to_thread(self._deps.journal.close_orders.take_in)
        slot = Slot(proposal.basis.account, proposal.id, self._deps.owner, secrets.token_hex(8))
        slots, began = self._deps.journal.slots, time.monotonic()
        self._working.add(proposal.id)
        try:
            if self._unreturned:
                await uninterrupted(self._give_back(self._unreturned.pop()))
            try:
                while (busy := await uninterrupted(asyncio.to_thread(slots.take, slot, self._is_left_by))) is not None:
                    if busy.state == "unknown" or time.monotonic() - began >= patience_s:
                        raise NotAllowed(Reason("proposal_stays_as_it_is", proposal_id=proposal.id, busy=_taken(busy)))
                    await asyncio.sleep(_POLL_S)
                self._held_since[proposal.id] = self._deps.clock()
                yield slot
            finally:  # a slot that was never taken is not given back by that
                await uninterrupted(self._give_back(slot))
        finally:
            self._held_since.pop(proposal.id, None)
            self._working.discard(proposal.id)

    async def _give_back(self, slot: Slot) -> None:
        """Give a slot back; where the journal cannot be told, before the next one is taken."""
        try:
            await asyncio.to_thread(self._deps.journal.slots.give_back, slot)
        except StoreError as problem:  # what was done under it is not undone by that
            self._unreturned.append(slot)
            _log.warning("the slot of %s is not given back: %s", slot.account, problem)

    async def dispatch(self, proposal: Proposal, slot: Slot) -> Proposal:
        """Send an approved proposal that was measured while holding `slot`, and write down its outcome.

        Returns the proposal in its final state. Raises NotAllowed when it may not leave any more, BrokerError when the broker refused it,
        OrderUnknown if it is unknown whether the order arrived, StoreError, with what the broker said, when the journal cannot be told.
        """
        sent = self._changed(proposal, "sent", "")
        try:
            leaves = await asyncio.to_thread(self._proposal_store.send, proposal, sent, slot)
        except StoreError as problem:
            raise StoreError(Reason("proposal_is_approved", proposal_id=proposal.id, problem=problem)) from problem
        if leaves:
            return await self._send(sent)
        now = await asyncio.to_thread(require_proposal, self._deps.journal, proposal.id)
        if now.state == "approved":  # the slot was lost: this process slept too long, and what it measured may be past
            return await self._refused(now, Reason("it_took_too_long_to_measure"))
        if now.state == "failed":
            raise NotAllowed(Reason("proposal_was_approved_and", now_id=now.id, why=now.why))
        return now  # another process carries it out

    async def cancel_in_flight(self, who: str) -> list[InFlightOrder]:
        """Take back what was approved and has not been sent, and cancel what waits at a venue. Returns every order that was in flight.

        For a halt. An order whose end cannot be found out is returned as `under_way`.
        """
        found = []
        for proposal, _ in await asyncio.to_thread(self._proposal_store.in_flight):
            if proposal.state == "approved":
                update = {"why": Reason("nothing_was_ordered_trading_was_halted"), "changed_at": self._deps.clock(), "changed_by": who}
                off = proposal.model_copy(update={"state": "failed", **update})
                if await asyncio.to_thread(self._proposal_store.change, proposal, off):
                    found.append(InFlightOrder(off, "called_off"))
                    continue
            now = await asyncio.to_thread(require_proposal, self._deps.journal, proposal.id)
            found.append(InFlightOrder(now, await self._cancelled(now)))
        return found

    async def _cancelled(self, proposal: Proposal) -> Literal["cancelled", "under_way"]:
        """Ask a venue to cancel an order; returns its outcome. An order that takes risk away is left alone."""
        if proposal.plan.reduce_only or proposal.plan.protects:
            return "under_way"
        try:
            async with asyncio.timeout(_CANCEL_S):
                broker = self._deps.broker(proposal.basis.place)
                must_be_same_account(proposal.basis, broker)
                report = await broker.cancel(proposal.order_ids[-1], proposal.basis.symbol)
        except (TribunalError, TimeoutError):
            return "under_way"
        return "cancelled" if report is not None and report.state == "cancelled" and report.filled == 0 else "under_way"

    async def _refused(self, proposal: Proposal, why: str) -> Proposal:
        ended = await self._end(proposal, "failed", Reason("nothing_was_ordered", why=why))
        if ended.state != "failed":
            return ended  # another process has carried it out in the meantime
        raise NotAllowed(Reason("proposal_was_approved", proposal_id=proposal.id, why=why))

    async def _send(self, sent: Proposal) -> Proposal:
        order, said = await self._order(sent), Reason("its_outcome_is_not_known_yet")
        try:
            report = await self._carried_out(sent, order)
            if isinstance(report, Proposal):
                return report
            said = Reason("broker_says_that_it_is", report=_in_words(report))
            return await self._record_report(sent, report)
        except StoreError as problem:
            raise StoreError(
                Reason("order_of_proposal", client_id=order.client_id, sent_id=sent.id, said=said, problem=problem)
            ) from problem

    async def _carried_out(self, sent: Proposal, order: Order) -> OrderReport | Proposal:
        """Return what the broker says of an order; the proposal where another process has ended it."""
        broker = self._deps.broker(sent.basis.place)
        act = broker.protect if order.protects else broker.place_order
        try:
            return await act(order, sent.basis.market_clock, partial(self._check_before_send, sent))
        except NotAllowed as problem:
            return await self._refused(sent, str(problem))
        except OrderUnknown as problem:
            await self._end(sent, "unknown", str(problem))
            if order.protects:
                raise OrderUnknown(Reason("levels_of_proposal_may_stand_in_part", sent_id=sent.id, problem=problem)) from problem
            raise OrderUnknown(
                Reason("order_of_proposal_may_or_may_not_have", client_id=order.client_id, sent_id=sent.id, problem=problem)
            ) from problem
        except (BrokerError, MarketError) as problem:
            await self._end(sent, "failed", Reason("nothing_was_ordered", why=problem))
            raise

    async def _check_before_send(self, sent: Proposal) -> Decimal | None:
        """Check once more, directly before an order leaves, that it may, and return the most that may leave of it; None = all of it. Raises
        NotAllowed: halted, expired, price too old or moved away, measured too long ago, carried out by another process, or an exit from
        what is not ours."""
        broker = self._deps.broker(sent.basis.place)
        most = await most_to_close(broker, sent.basis.symbol) if sent.plan.reduce_only and broker.capabilities.at_venue else None
        instrument = instrument_of(sent.basis.instrument)
        for _ in range(_READINGS):
            asked = self._deps.clock()
            price = await instrument.last_price(self._deps, sent.basis) if not sent.plan.reduce_only else None
            now, halted = await asyncio.to_thread(self._proposal_and_halt, sent.id)
            if 0 <= (late := self._age_s(asked)) <= FRESH_S:
                break
        else:
            raise NotAllowed(Reason("market_took_s_to_give_its_price", late=f"{late:.1f}", fresh_s=f"{FRESH_S:g}"))
        if halted:
            raise NotAllowed(Reason("trading_was_halted"))
        if price is not None and (moved := price_locks(sent, price, self._deps.limits(sent.basis))):
            raise NotAllowed(Reason.listed(moved))
        self._deps.may_send(sent.basis.place)
        if now.state != sent.state or now.changed_at != sent.changed_at:
            raise NotAllowed(Reason("another_process_has_taken_care_of_it"))
        taken = self._age_s(self._held_since.get(sent.id, sent.changed_at))
        if taken < 0 and not sent.plan.reduce_only:
            raise NotAllowed(Reason("clock_was_put_back_while"))
        if taken > LEAVE_S:
            raise NotAllowed(Reason("it_took_s_from_measuring_to_order", taken=f"{taken:.0f}", leave_s=f"{LEAVE_S:g}"))
        if self._deps.clock() >= now.expires_at:
            raise NotAllowed(Reason("proposal_expired_at_utc", expires_at=f"{now.expires_at:%H:%M:%S}"))
        return most

    def _proposal_and_halt(self, proposal_id: str) -> tuple[Proposal, bool]:
        journal = self._deps.journal
        return require_proposal(journal, proposal_id), journal.audit.halted() is not None

    async def _record_report(self, proposal: Proposal, report: OrderReport) -> Proposal:
        """Write down what the broker said of the order."""
        await asyncio.to_thread(self._proposal_store.report, report)
        if report.state == "filled":
            if proposal.plan.protects:
                return await self._end(proposal, "filled", report.why or Reason("levels_stand"))
            doubt = report.why or (Reason("stop_is_not_confirmed") if report.protected is False else "")
            summary = Reason(
                "filled_at",
                filled=f"{report.filled:f}",
                price=f"{report.price:f}",
                fee=f"{round(report.fee, 4).normalize():f}",
            )
            return await self._end(proposal, "filled", Reason.listed([summary, doubt] if doubt else [summary]))
        if report.state == "open":
            if proposal.plan.limit is None or proposal.why:
                return proposal
            return await self._end(proposal, "sent", Reason("its_order_rests_at", limit=f"{proposal.plan.limit:f}"))
        ended = await self._end(proposal, "failed", Reason("nothing_was_ordered", why=report.why or report.state))
        if ended.state != "failed":
            return ended
        raise BrokerRefused(
            Reason("broker_refused_order_of_proposal", client_id=report.client_id, proposal_id=proposal.id, why=report.why or report.state)
        )

    async def recover(self, *, send: bool = True) -> list[Proposal]:
        """Find the outcomes of the orders that a dead process left; gives the proposals that came to an end. send: approved ones that
        have not left yet leave now; else they stay."""
        ended = []
        for proposal, owner in await asyncio.to_thread(self._proposal_store.in_flight):
            if proposal.id in self._working or not self._is_left(proposal, owner):
                continue
            if not send and proposal.state == "approved":
                continue
            try:
                after = await self._recover(proposal, owner)
            except TribunalError:
                after = await asyncio.to_thread(require_proposal, self._deps.journal, proposal.id)
            if after.state != proposal.state:
                ended.append(after)
        return ended

    def _is_left(self, proposal: Proposal, owner: str) -> bool:
        """Return whether no process works on a proposal any more: its process is dead, or is this one and not at it, or has been silent for
        two minutes."""
        if proposal.state == "unknown" or owner == self._deps.owner or self._deps.is_dead(owner):
            return True
        return abs(self._age_s(proposal.changed_at)) > _SILENT_S  # a clock that was put back makes nobody alive

    async def _recover(self, proposal: Proposal, owner: str) -> Proposal:
        broker = self._deps.broker(proposal.basis.place)
        must_be_same_account(proposal.basis, broker)  # else it stays as it is: elsewhere nobody knows of it
        if proposal.state == "approved":
            if self._deps.clock() > proposal.expires_at:
                return await self._end(proposal, "failed", Reason("nothing_was_ordered_process_ended_before_order"))
            return await self._dispatch_left(proposal)
        order = await self._order(proposal)
        report = await broker.get_order(order.client_id, order.symbol)
        if report is not None:
            if report.state == "open" and broker.capabilities.at_venue and not order.reduce_only:
                report = await self._abandoned(broker, order, report)
            ended = await self._record_report(proposal, report)
            await broker.reconcile()  # an order that was only found has not been protected by this process
            return ended
        if order.protects:
            return await self._protect_again(proposal, broker)
        return await (self._not_found(proposal, owner) if broker.capabilities.at_venue else self._again_on_paper(proposal))

    async def _abandoned(self, broker: Broker, order: Order, report: OrderReport) -> OrderReport:
        """Cancel what is open of an entry that no process follows any more, and return its outcome; as it was reported where that
        fails: it keeps its account busy then, and is asked for again."""
        with suppress(BrokerError):
            return await broker.cancel(order.client_id, order.symbol) or report
        return report

    async def _not_found(self, proposal: Proposal, owner: str) -> Proposal:
        """Return what becomes of a proposal whose order the venue does not know: unknown, until it can arrive no more."""
        ours = owner == self._deps.owner or self._deps.is_dead(owner)  # else a process that only sleeps may still send it
        missed_at = self._missed_at.setdefault(proposal.id, time.monotonic())
        age_s = self._age_s(proposal.changed_at)
        if (age_s if age_s >= 0 else time.monotonic() - missed_at) < (LOST_AFTER_S if ours else _FOREIGN_S):
            return await self._end(proposal, "unknown", Reason("broker_does_not_know_order_yet")) if proposal.state == "sent" else proposal
        return await self._end(proposal, "failed", Reason("nothing_was_ordered_broker_never_got_order"))

    async def _dispatch_left(self, proposal: Proposal) -> Proposal:
        """Measure again and send what a dead process had approved and not sent."""
        async with self.slot(proposal, patience_s=0.0) as slot:
            if why := await self._refusal(proposal):
                return await self._refused(proposal, why)
            return await self.dispatch(proposal, slot)

    async def _protect_again(self, proposal: Proposal, broker: Broker) -> Proposal:
        """Finish a change of levels that a dead process left, which may be done in part; where it may not go on, take it back. It stays
        as it is while the broker cannot say which stop works."""
        async with self.slot(proposal, patience_s=0.0) as slot:
            why = await self._refusal(proposal)
            if not why and self._deps.clock() > proposal.expires_at:
                why = Reason("process_ended_before_they_stood")
            if why:
                return await self._levels_taken_back(proposal, broker, why)
            again = self._changed(proposal, proposal.state, "")
            if not await asyncio.to_thread(self._proposal_store.send, proposal, again, slot):
                return await asyncio.to_thread(require_proposal, self._deps.journal, proposal.id)
            check = partial(self._check_before_send, again)
            try:
                report = await broker.protect(await self._order(again), again.basis.market_clock, check)
            except NotAllowed as problem:
                return await self._levels_taken_back(again, broker, str(problem))
            except TribunalError as problem:
                return await self._end(again, "unknown", str(problem))
            return await self._record_report(again, report)

    async def _levels_taken_back(self, proposal: Proposal, broker: Broker, why: str) -> Proposal:
        """Put the levels that were signed before in place again, then let the change fail. Raises BrokerError when they cannot be."""
        await broker.restore_levels(proposal.basis.symbol)
        return await self._end(proposal, "failed", Reason("levels_stay_as_they_were", why=why))

    async def _again_on_paper(self, proposal: Proposal) -> Proposal:
        """Send a paper order that is not in the ledger: it never arrived, and its id can be there only once."""
        async with self.slot(proposal, patience_s=0.0) as slot:
            why = await self._refusal(proposal)
            if why or self._deps.clock() > proposal.expires_at:
                return await self._end(
                    proposal, "failed", Reason("nothing_was_ordered", why=why or Reason("process_ended_before_order_could_leave"))
                )
            again = self._changed(proposal, "sent", "")
            if not await asyncio.to_thread(self._proposal_store.send, proposal, again, slot):
                return await asyncio.to_thread(require_proposal, self._deps.journal, proposal.id)
            return await self._send(again)

    async def _refusal(self, proposal: Proposal) -> str:
        """Return why the order may not leave now; "" when it may. Whatever cannot be found out is a reason."""
        basis = proposal.basis
        try:
            self._deps.may_send(basis.place)
            if await asyncio.to_thread(self._deps.journal.audit.halted):
                return Reason("trading_is_halted")
            now = await read_live_conditions(self._deps, basis)
        except TribunalError as problem:
            return str(problem)
        return Reason.listed([*breaches(measure(proposal.plan, basis, now)), *locks(proposal, now)])

    async def _order(self, proposal: Proposal) -> Order:
        found = await asyncio.to_thread(self._proposal_store.order, proposal.order_ids[0])
        if found is None:
            raise NotAllowed(Reason("order_of_proposal_is_gone_from_journal", proposal_id=proposal.id))
        return found[0]

    async def _end(self, proposal: Proposal, state: ProposalState, why: str) -> Proposal:
        changed = self._changed(proposal, state, why)
        if await asyncio.to_thread(self._proposal_store.change, proposal, changed):
            return changed
        return await asyncio.to_thread(require_proposal, self._deps.journal, proposal.id)  # another process knew it first

    def _is_left_by(self, owner: str, since: datetime) -> bool:
        """Return whether the holder of a slot no longer works under it."""
        return self._deps.is_dead(owner) or abs(self._age_s(since)) > _SILENT_S

    def _changed(self, proposal: Proposal, state: ProposalState, why: str) -> Proposal:
        now = self._deps.clock()
        return proposal.model_copy(update={"state": state, "why": why, "changed_at": now, "changed_by": "broker"})

    def _age_s(self, since: datetime) -> float:
        return (self._deps.clock() - since) / timedelta(seconds=1)


def _taken(busy: Busy) -> str:
    """Return why the account's slot cannot be had, in words."""
    if busy.state == "unknown":
        return Reason("nobody_knows_yet_what_became_of_order", proposal_id=busy.proposal_id)
    doing = Reason("its_order_is_under_way" if busy.state == "sent" else "it_is_being_measured")
    return Reason("proposal_of_same_account_comes_first", proposal_id=busy.proposal_id, doing=doing)


_STATES: Final[Mapping[OrderState, str]] = {
    "open": "order_is_open",
    "filled": "order_is_filled",
    "refused": "order_is_refused",
    "cancelled": "order_is_cancelled",
}


def _in_words(report: OrderReport) -> Reason:
    """Return the state of an order and what of it is filled."""
    said = Reason(_STATES[report.state])
    if report.price is not None and report.filled > 0:
        said = Reason("comma", one=said, other=Reason("so_much_is_filled_at", filled=f"{report.filled:f}", price=f"{report.price:f}"))
    return Reason("comma", one=said, other=report.why) if report.why else said
