"""What a run asks of its models, counted on runs that are not shown: the script speaks, a simulated market is read, nothing is kept.

Given a flow and requests of it; gives the calls of each with the sizes of their prompts. It is what a run is estimated by before a model
has had one. It takes a second or two of computing, and belongs onto an event loop of its own.
"""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from langgraph.checkpoint.memory import InMemorySaver

from engine.agents.access import ModelAccess
from engine.domain.equity.cash_account import CashAccount
from engine.domain.events import Event, EventData
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRecord, RunRequest
from engine.flows.play import play
from engine.flows.protocol import Flow, RunDeps, RunParts
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Chunk, ModelCall
from engine.prompts.tokens import count_tokens
from engine.script.model import ScriptedModel

_RUN_ID: Final = "rehearsal"


@dataclass(frozen=True)
class RehearsedCall:
    """One question. began, ended: its place in the order of all beginnings and ends of the run. sent, written: tokens."""

    began: int
    ended: int
    sent: int
    written: int


@dataclass(frozen=True)
class Speeds:
    """How quickly a model answers. first_word_s: seconds to the first word of an answer to a short question. reads, writes: tokens in a
    second; reads: None = no slower for long questions. at_once: calls that may be open at once."""

    first_word_s: float
    reads: float | None
    writes: float
    at_once: int


def duration_s(calls: Sequence[RehearsedCall], speeds: Speeds) -> float:
    """Return how long a run of these calls takes: its longest chain of calls that waited for each other, or, where one is answered at a
    time, all of them."""
    took = {call: _call_s(call, speeds) for call in calls}
    if speeds.at_once == 1:
        return sum(took.values())
    over: dict[RehearsedCall, float] = {}
    for call in sorted(calls, key=lambda each: each.began):
        over[call] = took[call] + max((over[other] for other in over if other.ended < call.began), default=0.0)
    return max(over.values(), default=0.0)


def _call_s(call: RehearsedCall, speeds: Speeds) -> float:
    reading = call.sent / speeds.reads if speeds.reads else 0.0
    return speeds.first_word_s + reading + call.written / speeds.writes


async def rehearse(flow: Flow, requests: Sequence[RunRequest], deps: RunDeps) -> list[list[RehearsedCall]]:
    """Return the calls of a run of each request. deps: the process's; accounts and memories of it are left out. It can be cancelled between
    any two steps. Raises a TribunalError for a request that cannot be read."""
    alone = replace(deps, approvals=_NoAccount(), memories=lambda *_, **__: [], newest_memory=lambda *_: None, charts=None)
    return [await _rehearse(flow, request, alone) for request in requests]


async def _rehearse(flow: Flow, request: RunRequest, deps: RunDeps) -> list[RehearsedCall]:
    now, emitted = deps.clock(), list[Event]()

    def emit(node: str | None, data: EventData) -> None:
        emitted.append(Event(seq=len(emitted) + 1, run_id=_RUN_ID, at=now, kind=data.kind, node=node, data=data))

    model = _CountingModel(ScriptedModel(flow.voices(request), seed=request.seed, pace=0))
    inputs = await flow.work().prepare(request, deps)
    access = ModelAccess(lambda role, node: model, CallPolicy(), request.language, inputs.hash, emit)
    record = RunRecord(run_id=_RUN_ID, created_at=now, status="running", request=request)
    context = await asyncio.to_thread(flow.work().context, RunParts(record, inputs, access, _always(now), deps=deps))
    graph = flow.work().build(request, InMemorySaver())
    await play(flow, graph, context, flow.work().first_state(context, request), _RUN_ID, lambda: emitted)
    await asyncio.sleep(0)  # lets the token logs' timers go
    return model.asked


def _always(now: datetime) -> Any:
    return lambda: now


class _CountingModel:
    """The script, with a list of what it was asked."""

    takes_images = False

    def __init__(self, inner: ScriptedModel) -> None:
        self._inner, self.name = inner, inner.name
        self.asked: list[RehearsedCall] = []
        self._order: Iterator[int] = itertools.count()

    async def ready(self) -> None:
        """See Model."""

    async def close(self) -> None:
        """See Model."""

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Yield the answer, and count it."""
        began, written = next(self._order), 0
        sent = count_tokens(call.system) + count_tokens(call.user) + sum(count_tokens(json.dumps(each)) for each in call.messages)
        sent += sum(count_tokens(f"{tool.name} {tool.description} {json.dumps(tool.parameters)}") for tool in call.tools)
        try:
            async for chunk in self._inner.stream(call):
                written += count_tokens(chunk.text) + sum(count_tokens(f"{each.name} {each.arguments}") for each in chunk.tool_calls)
                yield chunk
        finally:
            self.asked.append(RehearsedCall(began, next(self._order), sent, written))


class _NoAccount:
    """No account and no proposals: `Approvals` of a rehearsal."""

    async def account_state(self, request: object) -> None:
        """Return None: there is none."""

    async def instant(self, request: object) -> None:
        """Return None: it is about the present."""

    async def cash_account(self, ref: Any, listing: Any, moment: object, risk: RiskConfig) -> CashAccount:
        """Return an account with the money of the limits, and nothing else."""
        return CashAccount(account=_RUN_ID, cash=risk.equity, total_value=risk.equity)

    async def prepare(self, *_: object) -> None:
        """Return None: nothing is filed."""

    async def _never_asked(self, *_: object) -> Any:
        raise AssertionError("a rehearsal plans and files no order")

    prepare_shares = plan = plan_shares = _never_asked

    async def approve_unattended(self, proposal: object) -> None:
        """Do nothing."""

    async def announce(self, proposal: object) -> None:
        """Do nothing."""
