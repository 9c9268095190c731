"""One run from wherever it stands to its end.

    nothing known yet ──(snapshot, facts, models ready)──> run.started ─┐
    a snapshot, and perhaps checkpoints ───────────────> run.resumed ───┴──(the flow)──> run.finished

A run made from another (`Origin`) takes that one's snapshot and the answers that are not asked again. Everything that can refuse a run does
so before a model is asked.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from engine.agents.access import Emit
from engine.domain.errors import BadInput, TribunalError
from engine.domain.events import EventKind
from engine.domain.facts import FactSheet
from engine.domain.run import DecideRequest, RunRecord
from engine.domain.snapshot import Snapshot
from engine.domain.timeframe import Timeframe
from engine.facts.sheet import build_sheet
from engine.flows.decision.analysts import ANALYSTS
from engine.flows.decision.context import DecisionContext
from engine.flows.decision.graph import DecisionGraph, build_graph
from engine.flows.decision.matter import without_corrections
from engine.flows.decision.play import play
from engine.flows.decision.start import first_state
from engine.journal.store import Journal
from engine.market.snapshot import take_snapshot
from engine.runs.checkpoints import Checkpoints
from engine.runs.event_log import EventLog
from engine.runs.planted import planted_lies
from engine.runs.recording import Recall, interrupted_attempts, recall_of, recorded_answers
from engine.runs.said_on import said_on, spoken_anew
from engine.runs.sources import Sources

_SHEETS = 16
INTERRUPTED = "the process that ran it ended"


class Player:
    """Plays runs on the engine's loop. owner: the name under which this process holds them."""

    def __init__(self, journal: Journal, sources: Sources, checkpoints: Checkpoints, owner: str) -> None:
        self._journal, self._sources, self._checkpoints, self._owner = journal, sources, checkpoints, owner
        self._graphs: dict[int, DecisionGraph] = {}
        self._sheets: dict[str, FactSheet] = {}  # by the snapshot's hash: copies of one decision measure once

    async def play(self, record: RunRecord, log: EventLog) -> RunRecord:
        """The run with its result, written down. Raises a TribunalError for a run that cannot begin or cannot be kept."""
        snapshot = await asyncio.to_thread(self._journal.snapshot, record.run_id)
        context = await (self._begin(record, log) if snapshot is None else self._take_up(record, log, snapshot))
        final = await play(await self._graph(record.request.depth), first_state(context, record.request), context, self._sources.deadline_s)
        final["planted"] = planted_lies(log.after(0), final)
        await self._propose(final, record.request, context)
        ending = {key: final[key] for key in ("final_action", "is_valid", "errors", "warnings", "metrics")}
        if not log.has_end:  # a process that died between the event and the record has said it already
            log.emit("run.finished", None, {"status": "finished", **ending})
        await log.drain()
        ended = record.model_copy(update={"status": "finished", "finished_at": self._sources.clock(), "result": final})
        await asyncio.to_thread(self._journal.end_run, ended, self._owner)
        await self._checkpoints.forget(record.run_id)
        return ended

    async def _propose(self, final: dict[str, Any], request: DecideRequest, context: DecisionContext) -> None:
        """File the decision when that was asked for. What cannot be filed is said; the decision stays what it is."""
        if not request.propose:
            return
        try:
            proposal = await self._sources.clerk.file(final, request, context.snapshot, context.sheet)
        except (TribunalError, ArithmeticError) as problem:
            final["warnings"] = [*final["warnings"], f"no proposal could be filed: {problem}"]
            return
        if proposal is not None:
            final["proposal_id"] = proposal.id if final["is_valid"] else None  # of what the limits refused there is nothing to answer
            said: dict[str, JsonValue] = {"proposal_id": proposal.id, "state": proposal.state, "why": proposal.why, "hash": proposal.hash}
            context.access.emit("proposal.filed", None, said)

    async def compare(self, record: RunRecord, final: dict[str, Any]) -> RunRecord:
        """A finished run with `did_it_matter` in its result: its executor, asked once more without the corrections."""
        snapshot = await asyncio.to_thread(self._journal.snapshot, record.run_id)
        if snapshot is None:
            raise BadInput(f"run {record.run_id} has lost its snapshot")
        told = await without_corrections(final, self._context(record, snapshot, _nothing))
        compared = record.model_copy(update={"result": {**final, "did_it_matter": told}})
        await asyncio.to_thread(self._journal.end_run, compared)
        return compared

    async def _graph(self, depth: int) -> DecisionGraph:
        if depth not in self._graphs:
            self._graphs[depth] = build_graph(ANALYSTS, depth, await self._checkpoints.saver())
        return self._graphs[depth]

    async def _begin(self, record: RunRecord, log: EventLog) -> DecisionContext:
        request, recall = record.request, await self._recalled(record.request)
        await self._ready(request)
        snapshot = await self._snapshot(request)
        chart = await asyncio.to_thread(_chart, snapshot) if request.vision else None
        context = self._context(record, snapshot, log.emit, chart)
        context = replace(context, access=replace(context.access, recall=recall)) if recall is not None else context
        await asyncio.to_thread(self._journal.add_snapshot, record.run_id, snapshot)
        context = await self._with_earlier(context, request)
        log.emit("run.started", None, _opening(context, request))
        return context

    async def _take_up(self, record: RunRecord, log: EventLog, snapshot: Snapshot) -> DecisionContext:
        """Continue: what was finished is kept, what was being written is superseded by another attempt."""
        events, recall = log.after(0), await self._recalled(record.request)
        await self._ready(record.request)
        own, attempts = recorded_answers(events, told=True), interrupted_attempts(events)
        if not any(event.kind == "run.started" for event in events):
            log.emit("run.started", None, _opening(self._context(record, snapshot, log.emit), record.request))
        for node, attempt in attempts.items():
            if attempt:
                log.emit("node.retried", node, {"attempt": attempt + 1, "reason": INTERRUPTED, "wait_s": 0.0, "repair": False})
        chart = await asyncio.to_thread(_chart, snapshot) if record.request.vision else None
        context = self._context(record, snapshot, log.emit, chart)
        for answer in own.values():
            context.access.budget.carry(answer.usage)
        access = replace(
            context.access,
            recall=lambda role, said: own.get((role, said)) or (recall(role, said) if recall is not None else None),
            attempts={node: attempt + 1 for node, attempt in attempts.items()},
        )
        return await self._with_earlier(replace(context, access=access), record.request)

    async def _ready(self, request: DecideRequest) -> None:
        """Refuse what no model could answer; a run that is only played again needs none."""
        if request.origin is None or request.origin.from_node is not None:
            await self._sources.ready(request)

    async def _recalled(self, request: DecideRequest) -> Recall | None:
        origin = request.origin
        if origin is None:
            return None
        events = await asyncio.to_thread(self._journal.events, origin.run_id)
        return recall_of(origin, recorded_answers(events), spoken_anew(origin))

    async def _with_earlier(self, context: DecisionContext, request: DecideRequest) -> DecisionContext:
        """The context, knowing which of the words it takes over are about another market."""
        if request.origin is None:
            return context
        earlier = await asyncio.to_thread(said_on, self._journal, request.origin, context.snapshot, self._sheet)
        return replace(context, said_on=earlier)

    async def _snapshot(self, request: DecideRequest) -> Snapshot:
        if request.origin is not None and not request.origin.fresh:
            snapshot = await asyncio.to_thread(self._journal.snapshot, request.origin.run_id)
            if snapshot is None:
                raise BadInput(f"run {request.origin.run_id} has no snapshot to begin from")
            return snapshot
        standing = await self._sources.clerk.standing(request)
        snapshot = await take_snapshot(
            self._sources.feed(request),
            symbol=request.symbol,
            timeframe=Timeframe.parse(request.timeframe),
            htf=Timeframe.parse(request.timeframe_htf) if request.timeframe_htf else None,
            at=request.at,
            holding=standing.holding if standing is not None else request.holding,
        )
        if standing is None:
            return snapshot
        return replace(snapshot, account=standing.account, thesis=standing.thesis, notes=(*snapshot.notes, *standing.notes))

    def _context(self, record: RunRecord, snapshot: Snapshot, emit: Emit, chart: bytes | None = None) -> DecisionContext:
        request, sheet = record.request, self._sheet(snapshot)
        access = self._sources.access(request, snapshot.hash, emit)
        return DecisionContext(record.run_id, snapshot, sheet, access, request.risk, self._sources.clock, chart)

    def _sheet(self, snapshot: Snapshot) -> FactSheet:
        if snapshot.hash not in self._sheets:
            while len(self._sheets) >= _SHEETS:
                del self._sheets[next(iter(self._sheets))]
            self._sheets[snapshot.hash] = build_sheet(snapshot)
        return self._sheets[snapshot.hash]


def _nothing(kind: EventKind, node: str | None, data: Mapping[str, JsonValue]) -> None:
    """Where the events of a second opinion go: the run it is about has ended."""


def _chart(snapshot: Snapshot) -> bytes:
    from engine.prompts.chart_image import chart_png  # noqa: PLC0415 - mplfinance takes long to import, and few runs want a chart

    return chart_png(snapshot)


def _opening(context: DecisionContext, request: DecideRequest) -> dict[str, Any]:
    snapshot = context.snapshot
    return {
        "request": request.model_dump(mode="json"),
        "snapshot_id": snapshot.id,
        "snapshot_hash": snapshot.hash,
        "at": snapshot.at.isoformat(),
        "price": snapshot.price,
        "price_step": snapshot.market.price_step,
        "symbol": snapshot.market.symbol,
        "venue": snapshot.venue,
        "feed": snapshot.feed,
        "timeframe": str(snapshot.timeframe),
        "timeframe_htf": str(snapshot.timeframe_htf) if snapshot.timeframe_htf else None,
        "path": context.path.name,
        "model": request.model,
        "language": request.language,
        "analysts": [analyst.key for analyst in ANALYSTS],
        "facts": {key: context.sheet.number(key) for key in ("change_24h_pct", "funding_rate_pct", "atr_14", "rsi_14")},
        "holding": snapshot.holding.model_dump(mode="json") if snapshot.holding else None,
        "notes": list(snapshot.notes),
    }
