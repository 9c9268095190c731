"""One run of any flow, from wherever it stands to its end.

    nothing known yet ──(inputs read, models ready)──> run.started ─┐
    inputs, and perhaps checkpoints ─────────────────> run.resumed ─┴──(the flow)──> run.finished

A run made from another (`Origin`) takes that one's inputs and the answers that are not asked again. Everything that can refuse a run does
so before a model is asked. What a run leaves for later ones, and the proposal that follows from it, are written into the journal together
with its end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

from engine.agents.access import Emit, Recall
from engine.agents.child_run import Children
from engine.agents.recording import Recording, interrupted_attempts, recorded
from engine.domain.calls.counted_reading import Report
from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.ended import Ended
from engine.domain.errors import BadInput
from engine.domain.events import EventData, MemoryWritten, NodeRetried, ProposalFiled, RunFinished
from engine.domain.inputs import Inputs
from engine.domain.run import RunRecord, RunRequest
from engine.flows.play import play
from engine.flows.protocol import Flow, Json, RunParts
from engine.journal.store import Journal
from engine.runs.checkpoints import Checkpoints
from engine.runs.deps import RunnerDeps
from engine.runs.earlier_inputs import earlier_by_node
from engine.runs.event_log import EventLog
from engine.runs.recall import NOTHING, RecallOfBoth, recall_of_parent

INTERRUPTED = "the process that ran it ended"


class Player:
    """Plays runs on the engine's loop. owner: the name under which this process holds them. children: (run_id) -> the runs
    that it asks for."""

    def __init__(
        self, journal: Journal, deps: RunnerDeps, checkpoints: Checkpoints, owner: str, children: Callable[[str], Children]
    ) -> None:
        self._journal, self._deps, self._checkpoints, self._owner = journal, deps, checkpoints, owner
        self._children = children
        self._graphs: dict[tuple[str, Hashable], Any] = {}

    async def play(self, record: RunRecord, log: EventLog, report: Report) -> RunRecord:
        """Play a run to its end, write it down and return its record with the result. report: told how far its inputs are read. Raises a
        TribunalError for a run that cannot begin or cannot be written."""
        flow, request = self._deps.flow(record.request), record.request
        kept = await asyncio.to_thread(self._journal.inputs, record.run_id)
        context = await (
            self._begin(flow, record, log, report) if kept is None else self._take_up(flow, record, log, flow.read_inputs(kept))
        )
        graph = await self._graph(flow, request)
        first = flow.first_state(context, request)
        ended = await play(flow, graph, context, first, record.run_id, lambda: log.after(0), self._deps.deadline_s)
        ended = await flow.file(ended, context, request, self._deps.flow_deps)
        ending = asyncio.create_task(self._finish(record, ended, log))
        try:
            await uninterrupted(ending)
            return await self._approved_unattended(ending.result(), ended)
        except asyncio.CancelledError:
            if ending.cancelled() or ending.exception() is not None:
                raise
            return ending.result()  # it has ended: what came too late stops nothing

    async def _finish(self, record: RunRecord, ended: Ended, log: EventLog) -> RunRecord:
        """Write the end of a run and everything that belongs to it in one transaction, and return its record."""
        written = {event.data.name for event in log.after(0) if isinstance(event.data, MemoryWritten)}
        last: list[EventData] = [
            MemoryWritten(name=each.name, subject=each.subject, body=each.body) for each in ended.memories if each.name not in written
        ]
        if ended.filing is not None:
            filed, state = ended.filing.proposal, "approved" if ended.filing.unattended else ended.filing.proposal.state
            last.append(ProposalFiled(proposal_id=filed.id, state=state, why=filed.why, hash=filed.hash))
        last.append(RunFinished(**{"status": "finished", "headline": ended.headline, **_shown(ended)}))
        finished = record.model_copy(update={"status": "finished", "finished_at": self._deps.clock(), "result": ended.state})
        await log.end(last, lambda events: asyncio.to_thread(self._journal.finish_run, finished, ended, self._owner, events))
        await self._checkpoints.forget(record.run_id)
        return finished

    async def _approved_unattended(self, finished: RunRecord, ended: Ended) -> RunRecord:
        """Let the proposal of a finished run be approved where no person has to, and return the record with what came of it."""
        if ended.filing is None or not ended.filing.unattended:
            return finished
        carried_out = await self._deps.flow_deps.approvals.approve_unattended(ended.filing.proposal)
        if carried_out is None:
            return finished
        revised = finished.model_copy(update={"result": {**ended.state, "execution_record": carried_out}})
        await uninterrupted(asyncio.to_thread(self._journal.end_run, revised))
        return revised

    async def revise(self, record: RunRecord, work: Callable[[Flow, Any], Awaitable[Json]]) -> RunRecord:
        """Change the result of a finished run by `work` (flow, context of the run), write it down and return the record.

        Events that `work` emits are dropped: the run is over. Raises BadInput for a run whose inputs are gone.
        """
        flow = self._deps.flow(record.request)
        kept = await asyncio.to_thread(self._journal.inputs, record.run_id)
        if kept is None:
            raise BadInput(f"run {record.run_id} has lost its inputs")
        context = await self._context(flow, record, flow.read_inputs(kept), _nothing, NOTHING, {})
        revised = record.model_copy(update={"result": await work(flow, context)})
        await asyncio.to_thread(self._journal.end_run, revised)
        return revised

    async def _graph(self, flow: Flow, request: RunRequest) -> Any:
        shape = flow.name, flow.shape(request)
        if shape not in self._graphs:
            self._graphs[shape] = flow.build(request, await self._checkpoints.saver())
        return self._graphs[shape]

    async def _begin(self, flow: Flow, record: RunRecord, log: EventLog, report: Report) -> Any:
        request = record.request
        recall = await self._recalled(flow, request)
        await self._ready(request)
        inputs = await self._inputs(flow, request, report)
        context = await self._context(flow, record, inputs, log.emit, recall, {})
        # to its end: it also says that the run is running, and must not say so after the run was stopped
        await uninterrupted(asyncio.to_thread(self._journal.add_inputs, record.run_id, inputs))
        log.emit(None, flow.opening(context, request))
        return context

    async def _take_up(self, flow: Flow, record: RunRecord, log: EventLog, inputs: Inputs) -> Any:
        """Return the context of a run that is continued: what was finished is kept, what was being written gets another attempt."""
        events, recall = log.after(0), await self._recalled(flow, record.request)
        await self._ready(record.request)
        own, attempts = recorded(events, already_logged=True), interrupted_attempts(events)
        later = {node: attempt + 1 for node, attempt in attempts.items()}
        context = await self._context(flow, record, inputs, log.emit, RecallOfBoth(own, recall), later, own)
        log.emit(None, flow.opening(context, record.request))
        for node, attempt in attempts.items():
            if attempt:
                log.emit(node, NodeRetried(attempt=attempt + 1, reason=INTERRUPTED, wait_s=0.0, repair=False))
        return context

    async def _ready(self, request: RunRequest) -> None:
        """Refuse what no model could answer; a run that is only played again needs none."""
        if request.origin is None or request.origin.from_node is not None:
            await self._deps.ready(request)

    async def _recalled(self, flow: Flow, request: RunRequest) -> Recall:
        if request.origin is None:
            return NOTHING
        events = await asyncio.to_thread(self._journal.events, request.origin.run_id)
        return recall_of_parent(flow, request.origin, recorded(events))

    async def _inputs(self, flow: Flow, request: RunRequest, report: Report) -> Inputs:
        origin = request.origin
        if origin is None or origin.fresh:
            return await flow.prepare(request, replace(self._deps.flow_deps, report=report))
        kept = await asyncio.to_thread(self._journal.inputs, origin.run_id)
        if kept is None:
            raise BadInput(f"run {origin.run_id} has no inputs to begin from")
        return flow.read_inputs(kept)

    async def _context(
        self,
        flow: Flow,
        record: RunRecord,
        inputs: Inputs,
        emit: Emit,
        recall: Recall,
        attempts: Mapping[str, int],
        own: Recording | None = None,
    ) -> Any:
        """Return the context of a run. own: what it was answered before it was interrupted."""
        tags = own.tags if own is not None else {}
        access = replace(self._deps.access(record.request, inputs.hash, emit), recall=recall, attempts=attempts, tags=tags)
        for answer in own.answers.values() if own is not None else ():
            access.budget.carry(answer.usage)

        def make() -> Any:
            earlier = earlier_by_node(self._journal, flow, record.request.origin, inputs)
            children = self._children(record.run_id)
            return flow.context(RunParts(record, inputs, access, self._deps.clock, earlier, self._deps.flow_deps, children))

        return await asyncio.to_thread(make)


def _shown(ended: Ended) -> Json:
    return {"is_valid": ended.is_valid, **ended.shown}


def _nothing(node: str | None, data: EventData) -> None:
    """Drop an event: what is worked out about a run that has ended is no part of its log."""
