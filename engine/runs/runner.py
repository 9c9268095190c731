"""Starting runs and bringing them to their end.

    start ──> starting ──(snapshot, facts, models ready)──> running ──(the flow)──> finished
                  └────────── a TribunalError ──────────────────────────────────> failed: nothing was decided, nothing ordered

A run that finished has a final state, perhaps a safe action; a run that failed could not begin (bad symbol, dead endpoint) or could not
be written down, and says why in one line.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from engine.agents.access import Emit, ModelAccess
from engine.domain.errors import BadInput, TribunalError
from engine.domain.events import Event, EventKind
from engine.domain.run import DecideRequest, RunRecord
from engine.domain.snapshot import Snapshot
from engine.domain.timeframe import Timeframe
from engine.facts.sheet import build_sheet
from engine.flows.decision.analysts import ANALYSTS
from engine.flows.decision.context import DecisionContext
from engine.flows.decision.graph import decision_graph
from engine.flows.decision.matter import without_corrections
from engine.flows.decision.play import play
from engine.flows.decision.start import first_state
from engine.journal.store import Journal
from engine.market.protocol import Feed
from engine.market.snapshot import take_snapshot
from engine.runs.engine_loop import EngineLoop
from engine.runs.event_log import EventLog
from engine.runs.orphans import this_process
from engine.runs.planted import planted_lies

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sources:
    """Where a run gets its market and its models from; made by the composition root.

    access: (request, snapshot hash, emit) -> the models of a run. ready: raises ModelUnavailable when no call could succeed.
    """

    feed: Callable[[DecideRequest], Feed]
    access: Callable[[DecideRequest, str, Emit], ModelAccess]
    ready: Callable[[DecideRequest], Any]
    clock: Callable[[], datetime]


@dataclass(frozen=True)
class LiveRun:
    """A run of this process that has not ended. outcome: its record, or the TribunalError it failed with."""

    log: EventLog
    outcome: "Future[RunRecord]"


class Runner:
    """The runs of one process. Its methods may be called from any thread but the engine's own."""

    def __init__(self, loop: EngineLoop, journal: Journal, sources: Sources) -> None:
        self._loop = loop
        self._journal = journal
        self._sources = sources
        self._live: dict[str, LiveRun] = {}
        self._failures: dict[str, TribunalError] = {}

    def start(self, request: DecideRequest) -> str:
        """Begin a run and give its id. Raises StoreError when it cannot be written down."""
        now = self._sources.clock()
        run_id = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        record = RunRecord(run_id=run_id, created_at=now, status="starting", request=request)
        self._journal.add_run(record, this_process())
        log = EventLog(run_id, self._sources.clock, self._journal.append)
        outcome: Future[RunRecord] = Future()
        self._live[run_id] = LiveRun(log, outcome)
        self._loop.submit(self._live_through(record, log, outcome))
        return run_id

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """Events with `seq` > after: of a live run from memory, of any other from the journal."""
        live = self._live.get(run_id)
        return live.log.after(after) if live is not None else self._journal.events(run_id, after)

    def wait(self, run_id: str, timeout: float | None = None) -> RunRecord:
        """The record of a run of this process once it has ended. Raises the TribunalError it failed with, TimeoutError when it goes on."""
        live = self._live.get(run_id)
        if live is not None:
            return live.outcome.result(timeout)
        record = self._journal.run(run_id)
        if record is None:
            raise BadInput(f"run {run_id} is not known")
        if record.status == "failed":
            raise self._failures.get(run_id) or TribunalError(record.error or "the run failed")
        return record

    def did_it_matter(self, run_id: str, timeout: float | None = None) -> RunRecord:
        """Ask a finished run's executor once more, without the corrections, and keep the comparison in its result as `did_it_matter`.

        Asked before, it is not asked again. Blocks for one model call. Raises BadInput for a run that has no decision to compare.
        """
        record = self._journal.run(run_id)
        if record is None or record.result is None:
            raise BadInput(f"run {run_id} has no decision yet")
        if record.result.get("did_it_matter"):
            return record
        return self._loop.submit(self._compare(record, record.result)).result(timeout)

    async def _compare(self, record: RunRecord, final: dict[str, Any]) -> RunRecord:
        snapshot = await asyncio.to_thread(self._journal.snapshot, record.run_id)
        if snapshot is None:
            raise BadInput(f"run {record.run_id} has lost its snapshot")
        context = self._context(record, snapshot, _nothing)
        compared = record.model_copy(update={"result": {**final, "did_it_matter": await without_corrections(final, context)}})
        await asyncio.to_thread(self._journal.end_run, compared)
        return compared

    def _context(self, record: RunRecord, snapshot: Snapshot, emit: Emit, chart: bytes | None = None) -> DecisionContext:
        request = record.request
        access = self._sources.access(request, snapshot.hash, emit)
        sheet = build_sheet(snapshot)
        return DecisionContext(record.run_id, snapshot, sheet, access, request.risk, self._sources.clock, chart)

    async def _live_through(self, record: RunRecord, log: EventLog, outcome: "Future[RunRecord]") -> None:
        try:
            ended = await self._decide(record, log)
            outcome.set_result(ended)
        except TribunalError as problem:
            await self._fail(record, log, outcome, problem)
        except asyncio.CancelledError:
            await self._fail(record, log, outcome, TribunalError("the run was stopped before it had ended"))
            raise
        except Exception as problem:  # a run ends here, whatever broke: nobody may wait for it for ever
            _log.exception("run %s broke before its flow began", record.run_id)
            said = f"{type(problem).__name__}: {problem}"[:200]
            await self._fail(record, log, outcome, TribunalError(f"a fault of the program, not of your request: {said}"))
        finally:
            self._live.pop(record.run_id, None)

    async def _decide(self, record: RunRecord, log: EventLog) -> RunRecord:
        context = await self._prepare(record, log)
        final = await play(decision_graph(record.request.depth), first_state(context, record.request), context)
        final["planted"] = planted_lies(log.after(0), final)
        ending = {key: final[key] for key in ("final_action", "is_valid", "errors", "warnings", "metrics")}
        log.emit("run.finished", None, {"status": "finished", **ending})
        await log.drain()
        changes = {"status": "finished", "finished_at": self._sources.clock(), "result": final}
        ended = record.model_copy(update=changes)
        await asyncio.to_thread(self._journal.end_run, ended)
        return ended

    async def _prepare(self, record: RunRecord, log: EventLog) -> DecisionContext:
        """Everything that can refuse a run does so here, before a model is asked."""
        request = record.request
        await self._sources.ready(request)
        snapshot = await take_snapshot(
            self._sources.feed(request),
            symbol=request.symbol,
            timeframe=Timeframe.parse(request.timeframe),
            htf=Timeframe.parse(request.timeframe_htf) if request.timeframe_htf else None,
            at=request.at,
            holding=request.holding,
        )
        chart = await asyncio.to_thread(_chart, snapshot) if request.vision else None
        context = self._context(record, snapshot, log.emit, chart)
        await asyncio.to_thread(self._journal.add_snapshot, record.run_id, snapshot)
        log.emit("run.started", None, _opening(context, request))
        return context

    async def _fail(self, record: RunRecord, log: EventLog, outcome: "Future[RunRecord]", problem: TribunalError) -> None:
        """Best effort: when it is the journal that fails, the caller still has the error itself."""
        try:
            await self._say_failed(record, log, problem)
        finally:
            self._failures[record.run_id] = problem
            outcome.set_exception(problem)

    async def _say_failed(self, record: RunRecord, log: EventLog, problem: TribunalError) -> None:
        reason = str(problem)
        log.emit("run.finished", None, {"status": "failed", "errors": [reason]})
        await log.drain()
        failed = record.model_copy(update={"status": "failed", "finished_at": self._sources.clock(), "error": reason})
        await asyncio.to_thread(self._journal.end_run, failed)


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
