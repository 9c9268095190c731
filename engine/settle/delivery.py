"""From an approval to what became of its order. Nothing here can send an order twice.

    approved ──(checks once more; `sent` is written)──> sent ──(broker)──> filled | failed | unknown
    unknown  ──(the broker is asked by the order's client id)──────────────> filled | failed

The order and its client id stand in the journal before this begins. Every step is a conditional write, so that of two processes one goes on
and the other reads what came of it. After a crash nobody sends anything blindly: the broker is asked what became of the id.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final

from engine.domain.errors import BrokerError, BrokerRefused, MarketError, NotAllowed, OrderUnknown, TribunalError
from engine.domain.orders import Order, OrderReport
from engine.domain.proposal import Proposal, ProposalState
from engine.settle.checks import breaches, measure
from engine.settle.locks import locks
from engine.settle.sources import Sources, known
from engine.settle.world import must_be_same_account, world_of

SETTLED_S: Final = 60.0  # an order that a venue does not know so long after it was sent cannot arrive any more: its receive window is over

_SILENT_S: Final = 120.0  # no broker is waited for so long
_STALE_S: Final = 20.0  # between `sent` and the sending: longer, and this process was asleep
_FOREIGN_S: Final = 900.0  # after which an order of a process on another machine is given up
_PATIENCE_S: Final = 30.0  # with another order of the same account
_LOOK_S: Final = 0.1


class Delivery:
    """Carries approved proposals out. On the engine's loop."""

    def __init__(self, sources: Sources) -> None:
        self._sources, self._docket = sources, sources.journal.docket
        self._working: set[str] = set()

    async def deliver(self, proposal: Proposal) -> Proposal:
        """Check once more, send, and write down what became of it. Gives the proposal as it stands in the end.

        Raises NotAllowed when a check refused it, BrokerError when the broker did, OrderUnknown when nobody knows.
        """
        self._working.add(proposal.id)
        try:
            return await self._deliver(proposal)
        finally:
            self._working.discard(proposal.id)

    async def _deliver(self, proposal: Proposal) -> Proposal:
        began = self._sources.clock()
        while True:
            why = await self._refusal(proposal)
            if why:
                return await self._refused(proposal, why)
            sent = self._changed(proposal, "sent", "")
            outcome = await asyncio.to_thread(self._docket.send, proposal, sent, self._sources.owner)
            if outcome == "sent":
                return await self._send(sent)
            if outcome == "taken":
                return await asyncio.to_thread(known, self._sources.journal, proposal.id)  # another process carries it out
            if self._age_s(began) > _PATIENCE_S:
                return await self._refused(proposal, "another order of this account is under way, and nobody knows what became of it")
            await asyncio.sleep(_LOOK_S)  # and everything is checked once more: the other order may have changed it

    async def _refused(self, proposal: Proposal, why: str) -> Proposal:
        ended = await self._end(proposal, "failed", f"nothing was ordered: {why}")
        if ended.state != "failed":
            return ended  # another process has carried it out in the meantime
        raise NotAllowed(f"proposal {proposal.id} was approved, and nothing was ordered: {why}")

    async def _send(self, sent: Proposal) -> Proposal:
        order = await self._order(sent)
        broker = self._sources.broker(sent.basis.place)
        now = await asyncio.to_thread(known, self._sources.journal, sent.id)
        if now.state != "sent" or self._age_s(sent.changed_at) > _STALE_S:  # this process slept, and somebody else has taken care of it
            return now
        try:
            report = await broker.place(order, sent.basis.market_clock)
        except OrderUnknown as problem:
            await self._end(sent, "unknown", str(problem))
            raise OrderUnknown(
                f"order {order.client_id} of proposal {sent.id} may or may not have reached the broker ({problem}); "
                "it is looked for by its id and not sent again"
            ) from problem
        except (BrokerError, MarketError) as problem:
            await self._end(sent, "failed", f"nothing was ordered: {problem}")
            raise
        return await self._settle(sent, report)

    async def _settle(self, proposal: Proposal, report: OrderReport) -> Proposal:
        """Write down what the broker said of the order."""
        await asyncio.to_thread(self._docket.report, report)
        if report.state == "filled":
            doubt = f"; {report.why}" if report.why else "; ITS STOP IS NOT KNOWN TO STAND" if report.protected is False else ""
            told = f"{report.filled:f} at {report.price:f}, fee {round(report.fee, 4).normalize():f}{doubt}"
            return await self._end(proposal, "filled", told)
        if report.state == "open":
            return proposal
        ended = await self._end(proposal, "failed", f"nothing was ordered: {report.why or report.state}")
        if ended.state != "failed":
            return ended
        raise BrokerRefused(f"the broker refused order {report.client_id} of proposal {proposal.id}: {report.why or report.state}")

    async def recover(self) -> list[Proposal]:
        """Find out what became of the orders that a dead process left; gives the proposals that came to an end."""
        ended = []
        for proposal, owner in await asyncio.to_thread(self._docket.in_flight):
            if proposal.id in self._working or not self._is_left(proposal, owner):
                continue
            try:
                after = await self._recover(proposal, owner)
            except TribunalError:
                after = await asyncio.to_thread(known, self._sources.journal, proposal.id)
            if after.state != proposal.state:
                ended.append(after)
        return ended

    def _is_left(self, proposal: Proposal, owner: str) -> bool:
        """Whether nobody carries it out any more: its process is dead, or is this one and does not work on it, or has long been silent."""
        if proposal.state == "unknown" or owner == self._sources.owner or self._sources.is_dead(owner):
            return True
        return self._age_s(proposal.changed_at) > _SILENT_S

    async def _recover(self, proposal: Proposal, owner: str) -> Proposal:
        broker = self._sources.broker(proposal.basis.place)
        must_be_same_account(proposal.basis, broker)  # else it stays as it is: elsewhere nobody knows of it
        if proposal.state == "approved":
            if self._sources.clock() > proposal.expires_at:
                return await self._end(
                    proposal, "failed", "nothing was ordered: the process ended before the order left, and it is too late now"
                )
            return await self.deliver(proposal)
        order = await self._order(proposal)
        report = await broker.look(order.client_id, order.symbol)
        if report is not None:
            settled = await self._settle(proposal, report)
            await broker.reconcile()  # an order that was only found has not been protected by this process
            return settled
        if broker.name == "paper":
            return await self._again_on_paper(proposal)
        ours = owner == self._sources.owner or self._sources.is_dead(owner)  # else a process that only sleeps may still send it
        if self._age_s(proposal.changed_at) < (SETTLED_S if ours else _FOREIGN_S):
            return await self._end(proposal, "unknown", "the broker does not know the order yet") if proposal.state == "sent" else proposal
        return await self._end(proposal, "failed", "nothing was ordered: the broker never got the order")

    async def _again_on_paper(self, proposal: Proposal) -> Proposal:
        """A paper order that is not in the ledger was never there, and its id can be there only once."""
        why = await self._refusal(proposal)
        if why or self._sources.clock() > proposal.expires_at:
            return await self._end(proposal, "failed", f"nothing was ordered: {why or 'the process ended before it could be'}")
        again = self._changed(proposal, "sent", "")
        if not await asyncio.to_thread(self._docket.change, proposal, again, worked_by=self._sources.owner):
            return await asyncio.to_thread(known, self._sources.journal, proposal.id)
        return await self._send(again)

    async def _refusal(self, proposal: Proposal) -> str:
        """Why the order may not leave now; "" when it may. Whatever cannot be found out is a reason."""
        basis = proposal.basis
        try:
            self._sources.may_send(basis.place)
            if await asyncio.to_thread(self._sources.journal.audit.halted):
                return "trading is halted"
            now = await world_of(self._sources, basis)
        except TribunalError as problem:
            return str(problem)
        return "; ".join([*breaches(measure(proposal.plan, basis, now)), *(lock.text() for lock in locks(proposal, now))])

    async def _order(self, proposal: Proposal) -> Order:
        found = await asyncio.to_thread(self._docket.order, proposal.order_ids[0])
        if found is None:
            raise NotAllowed(f"the order of proposal {proposal.id} is gone from the journal: run `verify`")
        return found[0]

    async def _end(self, proposal: Proposal, state: ProposalState, why: str) -> Proposal:
        changed = self._changed(proposal, state, why)
        if await asyncio.to_thread(self._docket.change, proposal, changed):
            return changed
        return await asyncio.to_thread(known, self._sources.journal, proposal.id)  # another process knew it first

    def _changed(self, proposal: Proposal, state: ProposalState, why: str) -> Proposal:
        now = self._sources.clock()
        return proposal.model_copy(update={"state": state, "why": why, "changed_at": now, "changed_by": "broker"})

    def _age_s(self, since: datetime) -> float:
        return (self._sources.clock() - since) / timedelta(seconds=1)
