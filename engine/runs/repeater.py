"""Asking the roles of a decision again, on the inputs and the answers that it had: its repetitions.

Given a decision that has come to its action; gives how far its repetitions agree. A repetition is the whole flow once more, with every
answer from the log but those of the roles that are asked again. It changes nothing of the decision. What is answered is in the journal as
soon as it is there; a series that was broken off goes on where it ended, and asks no model twice. Lives on the engine's loop.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Final

from langgraph.checkpoint.memory import InMemorySaver

from engine.agents.access import ModelAccess
from engine.agents.recording import Recording, interrupted_attempts, recorded
from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.errors import BadInput
from engine.domain.events import Event, EventData
from engine.domain.inputs import Inputs
from engine.domain.opinion import Usage
from engine.domain.run import Origin, RunRecord
from engine.domain.stability import RepeatedAnswer, RepeatFrom, Repetition, Stability, decided_action, stability_of
from engine.domain.text.reason import Reason
from engine.flows.forking import Fork
from engine.flows.play import play
from engine.flows.protocol import Flow, Json, RunParts
from engine.journal.store import Journal
from engine.runs.chance import chance_of
from engine.runs.deps import RunnerDeps
from engine.runs.earlier_inputs import earlier_by_node
from engine.runs.event_log import EventLog
from engine.runs.recall import RecallOfBoth, RecallOfParent

AT_ONCE: Final = 4
"""Repetitions that are asked for at the same moment: as many as the analysts of one decision."""

OnEnded = Callable[[Repetition], None]


@dataclass(frozen=True)
class _Series:
    """What the repetitions of a series share. said: what the decision was answered. access: whose budget they spend together."""

    flow: Flow
    graph: Any
    record: RunRecord
    inputs: Inputs
    fork: Fork
    said: Recording
    access: ModelAccess


def repeated_fork(flow: Flow, record: RunRecord, start: RepeatFrom) -> Fork:
    """Return which nodes a repetition asks again. Raises BadInput for a run whose roles cannot be asked again from there."""
    node = flow.repeat_node(record.request, start)
    if node is None:
        raise BadInput(Reason("run_cannot_be_repeated_from", run_id=record.run_id, start=start))
    return flow.fork(Origin(run_id=record.run_id, from_node=node))


class Repeater:
    """Repeats the decisions of one process."""

    def __init__(self, journal: Journal, deps: RunnerDeps) -> None:
        self._journal, self._store, self._deps = journal, journal.repetitions, deps

    async def repeat(
        self,
        flow: Flow,
        record: RunRecord,
        state: Json,
        events: Sequence[Event],
        k: int,
        start: RepeatFrom,
        on_ended: OnEnded | None = None,
    ) -> Stability:
        """Ask `k` times again and return how far the answers agree.

        Args:
            state: The final state of the decision.
            events: Its log.
            on_ended: Called with every repetition that ends now.

        Raises:
            BadInput: The run lost its inputs, or its roles cannot be asked again from there.
            StoreError: An answer could not be kept.
        """
        fork = repeated_fork(flow, record, start)
        kept = await asyncio.to_thread(self._journal.inputs, record.run_id)
        if kept is None:
            raise BadInput(Reason("run_has_lost_its_inputs", run_id=record.run_id))
        inputs, said = flow.read_inputs(kept), recorded(events, already_logged=True)
        access = self._deps.access(record.request, chance_of(inputs, record.request.account_ref), _nothing, is_watched=False)
        repetitions = await asyncio.to_thread(self._begun, record.run_id, k, start)
        before = [said, *(recorded(each.events) for each in repetitions)]
        for usage in (answer.usage for recording in before for answer in recording.answers.values()):
            access.budget.carry(usage)
        series = _Series(flow, flow.work().build(record.request, InMemorySaver()), record, inputs, fork, said, access)
        ended = await self._all(series, repetitions, on_ended)
        return stability_of(record.run_id, decided_action(state), ended)

    def _begun(self, run_id: str, k: int, start: RepeatFrom) -> list[Repetition]:
        """Return the repetitions of a series that was broken off, else of a new one. Blocks."""
        newest = self._store.newest(run_id, start)
        if newest and newest[0].k == k and any(each.answer is None for each in newest):
            return newest
        series, now = self._store.last_series(run_id) + 1, self._deps.clock()
        made = [Repetition(series=series, n=n, k=k, start=start, begun_at=now) for n in range(1, k + 1)]
        self._store.add(run_id, made)
        return made

    async def _all(self, series: _Series, repetitions: Sequence[Repetition], on_ended: OnEnded | None) -> list[Repetition]:
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(each: Repetition) -> Repetition:
            if each.answer is not None:
                return each
            async with slots:
                ended = await self._one(series, each)
            if on_ended is not None:
                on_ended(ended)
            return ended

        tasks = [asyncio.create_task(one(each)) for each in repetitions]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, series: _Series, each: Repetition) -> Repetition:
        run_id = series.record.run_id

        async def write(events: Sequence[Event]) -> None:
            await asyncio.to_thread(self._store.append, each.series, each.n, events)

        log = EventLog(run_id, self._deps.clock, write, each.events)

        def emit(node: str | None, data: EventData) -> None:
            if node in series.fork.again:
                log.emit(node, data)

        own = recorded(each.events, already_logged=True)
        attempts = {node: attempt + 1 for node, attempt in interrupted_attempts(each.events).items()}
        recall = RecallOfBoth(own, RecallOfParent(run_id, series.said, series.fork, complete=False))
        again = f"{each.series}.{each.n}"
        access = replace(series.access, emit=emit, recall=recall, attempts=attempts, again=again)
        context = await asyncio.to_thread(self._context, series, access)
        first = series.flow.work().first_state(context, series.record.request)
        try:
            ended = await play(
                series.flow, series.graph, context, first, f"{run_id}/{again}", lambda: log.after(0), self._deps.deadline_s()
            )
        finally:
            await uninterrupted(log.drain())
        answer = _with_costs(series.flow.work().repeated(ended.state, context), log.after(0))
        at = self._deps.clock()
        await uninterrupted(asyncio.to_thread(self._store.end, run_id, each.series, each.n, answer, at))
        return each.model_copy(update={"answer": answer, "ended_at": at, "events": tuple(log.after(0))})

    def _context(self, series: _Series, access: ModelAccess) -> Any:
        """Return the context of a repetition. Blocks."""
        record = series.record
        earlier = earlier_by_node(self._journal, series.flow, record.request.origin, series.inputs)
        return series.flow.work().context(RunParts(record, series.inputs, access, self._deps.clock, earlier, self._deps.flow_deps))


def _with_costs(answer: RepeatedAnswer, events: Sequence[Event]) -> RepeatedAnswer:
    spent = reduce(add, (each.usage for each in recorded(events).answers.values()), Usage(model="", cost=0.0))
    tokens = spent.prompt_tokens + spent.completion_tokens
    return answer.model_copy(update={"calls": spent.requests, "tokens": tokens, "cost": spent.cost})


def _nothing(node: str | None, data: EventData) -> None:
    """Drop an event: each repetition has a log of its own."""
