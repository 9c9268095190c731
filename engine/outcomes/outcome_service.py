"""Finds out what decisions have come to, and keeps it.

A decision whose order was filled is followed by its account's position, and beside it, as every other entry, by its plan on paper from the
decision's instant (`instruments/shadow.py`): the difference is what people's answers and closes were worth. While a proposal waits for its
answer, what it would come to is not known. What is final is kept for ever; what is open is looked at again once its market has moved on.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from engine.approvals.deps import ApprovalDeps, client_id
from engine.domain.errors import TribunalError
from engine.domain.holding import NATURES
from engine.domain.market.timeframe import Timeframe
from engine.domain.outcome import DecisionOutcome, PlanOutcome
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import IN_FLIGHT, Basis, OrderPlan, Planned, Proposal
from engine.flows.protocol import Approvals, Flow
from engine.instruments.instrument import Followed
from engine.instruments.kinds import instrument_of
from engine.instruments.quotes import FeedQuotes
from engine.instruments.shadow import decided_at, paths_since
from engine.outcomes.figures import figures_of
from engine.trading.protocol import MarketPath, Quotes

EVERY_S: Final = 60.0
_FIRST_PAUSE_S: Final = 3.0
_A_ROUND: Final = 100
_AGAIN_S: Final = 900.0  # until a market that could not be read is tried again
_NOT_YET: Final = PlanOutcome(exit_reason="open")
_log = logging.getLogger(__name__)


@dataclass
class _Round:
    """What one round has read already. presents: market -> its present, None where it could not be read."""

    whole_bars: bool
    presents: dict[tuple[str, str], datetime | None] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


async def repeat(work: Callable[[], Awaitable[None]], first_pause_s: float, complaint: str) -> None:
    """Do some work every minute, until cancelled; a TribunalError is logged. first_pause_s: so that the page which began it is drawn first.
    complaint: what is logged before the error."""
    pause = first_pause_s
    while True:
        await asyncio.sleep(pause)
        pause = EVERY_S
        try:
            await work()
        except TribunalError as problem:
            _log.warning("%s: %s", complaint, problem)


class OutcomeService:
    """Follows decisions of every desk that can order. On the engine's loop."""

    def __init__(self, deps: ApprovalDeps, approvals: Approvals, flows: Callable[[], Mapping[str, Flow]]) -> None:
        self._deps, self._approvals, self._flows = deps, approvals, flows
        self._store = deps.journal.outcomes
        self._retry_at: dict[str, float] = {}
        self._cursor = ""
        self._lock = asyncio.Lock()

    async def run_forever(self) -> None:
        """Look at some unfinished decisions every minute, until cancelled. Nothing else waits for it."""
        await repeat(self._some, _FIRST_PAUSE_S, "outcomes cannot be worked out")

    async def _some(self) -> None:
        due = await asyncio.to_thread(self._store.unfinished, _A_ROUND, self._cursor)
        self._cursor = due[-1] if len(due) == _A_ROUND else ""
        now = time.monotonic()
        await self._update_all([each for each in due if self._retry_at.get(each, 0.0) <= now], _Round(whole_bars=True))

    async def catch_up(self, run_id: str | None = None) -> dict[str, str]:
        """Work out what is known by now of every unfinished decision, or of one. Returns run -> why it could not be."""
        due = await asyncio.to_thread(self._store.unfinished, 1_000_000)
        around = _Round(whole_bars=False)
        await self._update_all([each for each in due if run_id in {None, each}], around)
        return around.problems

    async def _update_all(self, run_ids: list[str], around: _Round) -> None:
        async with self._lock:
            for run_id in run_ids:
                try:
                    await self._update(run_id, around)
                    self._retry_at.pop(run_id, None)
                except (TribunalError, ArithmeticError, KeyError, ValueError) as problem:  # one decision must not hold up the others
                    around.problems[run_id] = str(problem)
                    self._retry_at[run_id] = time.monotonic() + _AGAIN_S
                    _log.info("what decision %s came to is not known: %s", run_id, problem)

    async def _update(self, run_id: str, around: _Round) -> None:
        proposal = await asyncio.to_thread(self._deps.journal.proposal_store.of_run, run_id)
        proposal = proposal.as_at(self._deps.clock()) if proposal is not None else None
        answer = proposal.state if proposal is not None else None
        seen = await asyncio.to_thread(self._store.seen, run_id)
        planned = (seen.planned if seen is not None else None) or await self._planned(run_id, proposal)
        if seen is None or planned is None:
            return
        basis = planned.basis
        present = await self._present(basis, around) if basis is not None else None
        is_unchanged = basis is not None and seen.as_of is not None and not _has_moved(basis, seen.as_of, present, around)
        if is_unchanged and answer == seen.answer and await self._closed_at(basis, proposal) in {None, seen.ended_at}:
            return
        nothing = DecisionOutcome(run_id=run_id, decided_at=planned.decided_at, action=seen.action, is_final=True)
        outcome = await self._outcome(nothing, planned, proposal)
        if present is not None and not outcome.is_final:
            outcome = outcome.model_copy(update={"as_of": present})
        await asyncio.to_thread(self._store.keep, outcome, planned, answer)

    async def _closed_at(self, basis: Basis | None, proposal: Proposal | None) -> datetime | None:
        """Return when the position of a proposal's order has ended on its account: known at once, when a person closes it by hand."""
        if basis is None or proposal is None or not proposal.order_ids:
            return None
        record = await self._record(basis, proposal.order_ids[-1])
        return record.closed_at if record is not None else None

    async def _record(self, basis: Basis, order_id: str) -> PositionRecord | None:
        """Return the position of an order as its account has it."""
        return next((each for each in await self._deps.broker(basis.place).history() if order_id in each.orders), None)

    async def _planned(self, run_id: str, proposal: Proposal | None) -> Planned | None:
        """Return what a decision would be ordered as: its proposal, even one that the limits refused, or what follows from what the run
        froze; None where that is gone."""
        journal = self._deps.journal
        record = await asyncio.to_thread(journal.run, run_id)
        if record is None or record.result is None:
            return None
        if proposal is not None:
            basis, at = proposal.basis, await decided_at(self._deps, proposal.basis)
            return Planned(decided_at=at, basis=basis, plan=proposal.machine, adds=basis.holding is not None)
        kept, flow = await asyncio.to_thread(journal.inputs, run_id), self._flows().get(record.request.flow)
        if kept is None or flow is None:
            return None
        inputs = await asyncio.to_thread(flow.read_inputs, kept)
        return await flow.work().planned(record, inputs, self._approvals)

    async def _present(self, basis: Basis, around: _Round) -> datetime:
        market = (basis.place.account, basis.symbol)
        if market not in around.presents:
            around.presents[market] = (await self._quotes(basis).path(basis.symbol, None, None)).at
        present = around.presents[market]
        assert present is not None
        return present

    def _quotes(self, basis: Basis) -> Quotes:
        if NATURES[basis.instrument].in_sessions:
            return self._deps.share_quotes(basis.place)
        return FeedQuotes(lambda: self._deps.feed(basis.place), self._deps.clock)

    async def _outcome(self, nothing: DecisionOutcome, planned: Planned, proposal: Proposal | None) -> DecisionOutcome:
        basis, plan = planned.basis, planned.plan
        if basis is None or plan is None:
            return nothing
        if proposal is not None and (ordered := await self._ordered(nothing, planned, proposal)) is not None:
            return ordered
        waits = proposal is not None and proposal.is_waiting
        if plan.reduce_only or plan.protects:
            return nothing.model_copy(update={"is_final": not waits})
        if waits:
            return nothing.model_copy(update={"followed": "shadow", "came": _NOT_YET, "is_final": False})
        followed = await self._shadow(nothing.run_id, basis, plan)
        if followed is None:
            return nothing
        came = await _figures(followed, planned, basis)
        return nothing.model_copy(
            update={
                "followed": "shadow",
                "came": came,
                "as_of": followed.paths[-1].at,
                "is_final": came.is_over,
                "is_entry": followed.record is not None and not planned.adds,
            }
        )

    async def _ordered(self, nothing: DecisionOutcome, planned: Planned, proposal: Proposal) -> DecisionOutcome | None:
        """Return what the order of a proposal has come to; None where none was filled, or ever will be."""
        basis = planned.basis
        assert basis is not None
        ordered = nothing.model_copy(update={"followed": "order", "came": _NOT_YET, "is_final": False, "as_of": None})
        if proposal.state in IN_FLIGHT:
            return ordered
        order_id = proposal.order_ids[-1] if proposal.order_ids else None
        written = await asyncio.to_thread(self._deps.journal.proposal_store.order, order_id) if order_id is not None else None
        report = written[1] if written is not None else None
        if report is None or order_id is None:
            return None
        if report.filled <= 0:
            if report.state == "cancelled" and NATURES[basis.instrument].in_sessions:
                return ordered.model_copy(update={"came": PlanOutcome(exit_reason="expired"), "is_final": True})
            return None
        broker = self._deps.broker(basis.place)
        record = await broker.played_on(order_id)
        if record is None:
            return ordered
        paths = await self._paths(basis, planned.decided_at, record)
        known = await self._record(basis, order_id)
        is_over = known is not None and known.closed_at is not None
        is_entry = record.opened_by == order_id
        machine = await self._machine(nothing.run_id, basis, planned, proposal) if is_entry else None
        return ordered.model_copy(
            update={
                "came": await _figures(Followed(record, paths), planned, basis),
                "machine": machine,
                "as_of": paths[-1].at,
                "is_final": is_over and (machine is None or machine.is_over),
                "is_entry": is_entry,
                "is_edited": proposal.is_edited,
            }
        )

    async def _machine(self, run_id: str, basis: Basis, planned: Planned, proposal: Proposal) -> PlanOutcome | None:
        """Return what the machine's plan for a filled entry would have come to by itself. None for one that was not edited and has no
        target: it ends by itself only where it loses, and what is waited for would count losses alone."""
        plan = proposal.machine
        if not proposal.is_edited and (plan.stop is None or plan.target is None):
            return None
        followed = await self._shadow(run_id, basis, plan)
        return await _figures(followed, planned, basis) if followed is not None else None

    async def _shadow(self, run_id: str, basis: Basis, plan: OrderPlan) -> Followed | None:
        return await instrument_of(basis.instrument).follow(self._deps, plan, basis, client_id("shadow", run_id))

    async def _paths(self, basis: Basis, since: datetime, record: PositionRecord) -> tuple[MarketPath, ...]:
        """Return the way of a market from a decision to the end of its position."""
        found = []
        async for path in paths_since(self._quotes(basis), basis, min(since, record.opened_at)):
            found.append(path)
            if record.closed_at is not None and path.at > record.closed_at:
                break
        return tuple(found)


async def _figures(followed: Followed, planned: Planned, basis: Basis) -> PlanOutcome:
    return await asyncio.to_thread(figures_of, followed, planned.decided_at, basis.price, basis.timeframe)


def _has_moved(basis: Basis, as_of: datetime, present: datetime | None, around: _Round) -> bool:
    """Return whether a market has come further than when it was last looked at: by a candle, if no caller waits for the answer."""
    if present is None:
        return True
    least = timedelta(milliseconds=Timeframe.parse(basis.timeframe).ms) if around.whole_bars else timedelta(microseconds=1)
    return present - as_of >= least
