"""One run of any flow, from its current state to its end.

    nothing known yet ──(inputs read, models ready)──> run.started ─┐
    inputs, and perhaps checkpoints ─────────────────> run.resumed ─┴──(the flow)──> run.finished

A run made from another (`Origin`) takes that one's inputs and the answers that are not asked again. Everything that can refuse a run does
so before a model is asked. Repetitions of a decision (`repeater.py`) come before its proposal. What a run leaves for later ones, and the
proposal that follows from it, are written into the journal together with its end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.agents.access import Emit, Recall
from engine.agents.child_run import Children
from engine.agents.recording import Recording, interrupted_attempts, recorded
from engine.domain.calls.counted_reading import Report
from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.ended import Ended
from engine.domain.errors import BadInput
from engine.domain.events import DecisionRepeated, Event, EventData, MemoryWritten, NodeRetried, ProposalFiled, RunFinished, RunStarted
from engine.domain.inputs import Inputs
from engine.domain.run import RunRecord, RunRequest
from engine.domain.stability import RepeatFrom, Repetition
from engine.domain.text.reason import Reason, with_reasons
from engine.flows.play import play
from engine.flows.protocol import Flow, Json, RunParts
from engine.journal.store import Journal
from engine.runs.chance import chance_of
from engine.runs.checkpoints import JournalSaver
from engine.runs.deps import RunnerDeps
from engine.runs.earlier_inputs import earlier_by_node
from engine.runs.event_log import EventLog
from engine.runs.prompt_versions import hash_field, prompt_versions
from engine.runs.recall import NOTHING, RecallOfBoth, recall_of_parent
from engine.runs.repeater import Repeater, repeated_fork

INTERRUPTED = Reason("process_that_ran_it_ended")


class Player:
    """Plays runs on the engine's loop. owner: the name under which this process holds them. children: (run_id) -> the runs
    that it asks for."""

    def __init__(
        self, journal: Journal, deps: RunnerDeps, checkpoints: JournalSaver, owner: str, children: Callable[[str], Children]
    ) -> None:
        self._journal, self._deps, self._checkpoints, self._owner = journal, deps, checkpoints, owner
        self._children = children
        self._repeater = Repeater(journal, deps)
        self._graphs: dict[tuple[str, Hashable], Any] = {}

    async def play(self, record: RunRecord, log: EventLog, report: Report) -> RunRecord:
        """Play a run to its end, write it down and return its record with the result. report: told how far its inputs are read. Raises a
        TribunalError for a run that cannot begin or cannot be written."""
        flow, request = self._deps.flow(record.request), record.request
        kept = await asyncio.to_thread(self._journal.inputs, record.run_id)
        context = await (
            self._begin(flow, record, log, report) if kept is None else self._take_up(flow, record, log, flow.read_inputs(kept))
        )
        graph = self._graph(flow, request)
        first = {**flow.work().first_state(context, request), **hash_field(log.after(0))}
        ended = await play(flow, graph, context, first, record.run_id, lambda: log.after(0), self._deps.deadline_s())
        ended = await self._repeated(flow, record, context, ended, log)
        ended = await flow.work().file(ended, context, request, self._deps.flow_deps)
        ending = asyncio.create_task(self._finish(record, ended, log))
        try:
            await uninterrupted(ending)
            if ended.filing is not None:
                approvals = self._deps.flow_deps.approvals
                act = approvals.approve_unattended if ended.filing.unattended else approvals.announce
                await act(ended.filing.proposal)
            return ending.result()
        except asyncio.CancelledError:
            if ending.cancelled() or ending.exception() is not None:
                raise
            return ending.result()  # it has ended: what came too late stops nothing

    async def _repeated(self, flow: Flow, record: RunRecord, context: Any, ended: Ended, log: EventLog) -> Ended:
        """Return the end of a run with how far its repetitions agree, where they were asked for and its roles came to an answer."""
        k = getattr(record.request, "stability", 0)
        if not k or flow.repeat_node(record.request, "judge") is None or flow.work().repeated(ended.state, context).action is None:
            return ended

        def note(each: Repetition) -> None:
            assert each.answer is not None
            log.emit(None, DecisionRepeated(n=each.n, k=k, action=each.answer.action, confidence=each.answer.confidence))

        found = await self._repeater.repeat(flow, record, ended.state, log.after(0), k, "judge", note)
        return replace(ended, state={**ended.state, "stability": found.to_json()})

    async def repeat(self, record: RunRecord, k: int, start: RepeatFrom) -> RunRecord:
        """Ask the roles of a finished decision again, write down how far they agree and return the record. Raises BadInput for a run that
        has no decision or cannot be repeated, ModelUnavailable, StoreError."""
        flow, run_id = self._deps.flow(record.request), record.run_id
        if record.result is None:
            raise BadInput(Reason("run_has_no_decision_yet", run_id=run_id))
        repeated_fork(flow, record, start)  # refused before a model is looked for
        await asyncio.to_thread(flow.work)
        await self._deps.ready(record.request)
        events = await asyncio.to_thread(self._journal.events, run_id)
        found = await self._repeater.repeat(flow, record, record.result, events, k, start)
        newest = await asyncio.to_thread(self._journal.run, run_id)  # as it is now: something else may have been worked out meanwhile
        assert newest is not None
        revised = newest.model_copy(update={"result": {**(newest.result or {}), "stability": found.to_json()}})
        await asyncio.to_thread(self._journal.end_run, revised)
        return revised

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
        finished = record.model_copy(update={"status": "finished", "finished_at": self._deps.clock(), "result": with_reasons(ended.state)})
        await log.end(last, lambda events: asyncio.to_thread(self._journal.finish_run, finished, ended, self._owner, events))
        await self._checkpoints.adelete_thread(record.run_id)
        return finished

    async def consult(self, record: RunRecord, work: Callable[[Flow, Any], Awaitable[Json]]) -> Json:
        """Return what `work` (flow, context of the run) makes of a finished run. Nothing is written.

        Events that `work` emits are dropped: the run is over. Raises BadInput for a run whose inputs are gone.
        """
        flow = self._deps.flow(record.request)
        kept = await asyncio.to_thread(self._journal.inputs, record.run_id)
        if kept is None:
            raise BadInput(Reason("run_has_lost_its_inputs", run_id=record.run_id))
        context = await self._context(flow, record, flow.read_inputs(kept), _nothing, NOTHING, {}, is_watched=False)
        return await work(flow, context)

    async def revise(self, record: RunRecord, work: Callable[[Flow, Any], Awaitable[Json]]) -> RunRecord:
        """Change the result of a finished run by `work`, as `consult` calls it, write it down and return the record."""
        revised = record.model_copy(update={"result": with_reasons(await self.consult(record, work))})
        await asyncio.to_thread(self._journal.end_run, revised)
        return revised

    def _graph(self, flow: Flow, request: RunRequest) -> Any:
        shape = flow.name, flow.shape(request)
        if shape not in self._graphs:
            self._graphs[shape] = flow.work().build(request, self._checkpoints)
        return self._graphs[shape]

    async def _begin(self, flow: Flow, record: RunRecord, log: EventLog, report: Report) -> Any:
        request = record.request
        parent = await self._parent_events(request)
        recall = _recalled(flow, request, parent)
        await self._ready(request)
        inputs = await self._inputs(flow, request, report)
        context = await self._context(flow, record, inputs, log.emit, recall, {})
        opening = await asyncio.to_thread(_opening, flow, context, request, parent)
        # to its end: it also says that the run is running, and must not say so after the run was stopped
        await uninterrupted(asyncio.to_thread(self._journal.add_inputs, record.run_id, inputs))
        log.emit(None, opening)
        return context

    async def _take_up(self, flow: Flow, record: RunRecord, log: EventLog, inputs: Inputs) -> Any:
        """Return the context of a run that is continued: what was finished is kept, what was being written gets another attempt."""
        events, parent = log.after(0), await self._parent_events(record.request)
        recall = _recalled(flow, record.request, parent)
        await self._ready(record.request)
        own, attempts = recorded(events, already_logged=True), interrupted_attempts(events)
        later = {node: attempt + 1 for node, attempt in attempts.items()}
        context = await self._context(flow, record, inputs, log.emit, RecallOfBoth(own, recall), later, own)
        log.emit(None, await asyncio.to_thread(_opening, flow, context, record.request, parent))
        for node, attempt in attempts.items():
            if attempt:
                log.emit(node, NodeRetried(attempt=attempt + 1, reason=INTERRUPTED, wait_s=0.0, repair=False))
        return context

    async def _ready(self, request: RunRequest) -> None:
        """Refuse what no model could answer; a run that is only played again needs none."""
        if request.origin is None or request.origin.from_node is not None:
            await self._deps.ready(request)

    async def _parent_events(self, request: RunRequest) -> Sequence[Event]:
        """Return the events of the run that a run is made from, none without one."""
        return await asyncio.to_thread(self._journal.events, request.origin.run_id) if request.origin is not None else ()

    async def _inputs(self, flow: Flow, request: RunRequest, report: Report) -> Inputs:
        origin = request.origin
        if origin is None or origin.fresh:
            return await flow.work().prepare(request, replace(self._deps.flow_deps, report=report))
        kept = await asyncio.to_thread(self._journal.inputs, origin.run_id)
        if kept is None:
            raise BadInput(Reason("run_has_no_inputs_to_begin_from", run_id=origin.run_id))
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
        *,
        is_watched: bool = True,
    ) -> Any:
        """Return the context of a run. own: what it was answered before it was interrupted. is_watched: its words are read as they come."""
        made = self._deps.access(record.request, chance_of(inputs, record.request.account_ref), emit, is_watched=is_watched)
        access = replace(made, recall=recall, attempts=attempts)
        for answer in own.answers.values() if own is not None else ():
            access.budget.carry(answer.usage)

        def make() -> Any:
            earlier = earlier_by_node(self._journal, flow, record.request.origin, inputs)
            children = self._children(record.run_id)
            return flow.work().context(RunParts(record, inputs, access, self._deps.clock, earlier, self._deps.flow_deps, children))

        return await asyncio.to_thread(make)


def _recalled(flow: Flow, request: RunRequest, parent: Sequence[Event]) -> Recall:
    return recall_of_parent(flow, request.origin, recorded(parent)) if request.origin is not None else NOTHING


def _opening(flow: Flow, context: Any, request: RunRequest, parent: Sequence[Event]) -> RunStarted:
    """Return what a run begins with: what its flow says, and the versions of its prompts."""
    opening, versions = flow.work().opening(context, request), prompt_versions(flow, request, parent)
    return opening.plus(prompts=versions) if versions else opening


def _shown(ended: Ended) -> Json:
    return {"is_valid": ended.is_valid, **ended.shown}


def _nothing(node: str | None, data: EventData) -> None:
    """Drop an event: what is worked out about a run that has ended is no part of its log."""
