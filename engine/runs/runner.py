"""Starting runs, continuing and stopping them, and waiting for their end. What happens in between is `player.py`'s.

A run that finished has a final state, perhaps a safe action; one that failed could not begin (bad symbol, dead endpoint) and says why in
one line; one that was stopped, whose process ended, or that the journal could not keep for a while, can be continued.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, Literal

from structlog.contextvars import bind_contextvars

from engine.agents.recording import interrupted_attempts
from engine.domain.calls.counted_reading import ReadingProgress
from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.errors import BadInput, StoreError, TribunalError
from engine.domain.events import Event, RunFinished, RunResumed, RunStopped
from engine.domain.run import RunRecord, RunRequest
from engine.domain.stability import RepeatFrom
from engine.domain.text.reason import Reason
from engine.flows.protocol import Flow, Json
from engine.journal.leases import Lease
from engine.journal.process import this_process
from engine.journal.store import Journal
from engine.runs.checkpoints import JournalSaver
from engine.runs.child_runs import ChildRuns
from engine.runs.deps import RunnerDeps
from engine.runs.engine_loop import EngineLoop
from engine.runs.event_log import EventLog, LogWriter
from engine.runs.leasing import LeaseHeartbeat, is_free
from engine.runs.player import Player

_log = logging.getLogger(__name__)
_POLL_S = 0.1
MOST_NESTED: Final = 3
"""Children, their children and those of these: a flow that asks for its own flow comes to an end."""
STOPPED = Reason("stopped_by_person")


@dataclass
class LiveRun:
    """A run of this process that has not ended. outcome: its record, or the TribunalError it failed with. cut: why it is cancelled.
    reading: how far its inputs are read, None before anything was asked for."""

    log: EventLog
    outcome: "Future[RunRecord]"
    task: "Future[None] | None" = None
    cut: Literal["", "closing", "stop", "lost"] = ""
    reading: ReadingProgress | None = None

    def report(self, progress: ReadingProgress) -> None:
        """Note how far its inputs are read."""
        self.reading = progress


class Runner:
    """The runs of one process. Its methods may be called from any thread but the engine's own. lease_s: how long a silent owner
    keeps its runs."""

    def __init__(self, loop: EngineLoop, journal: Journal, deps: RunnerDeps, lease_s: float) -> None:
        self._loop, self._journal, self._deps = loop, journal, deps
        self._owner, self._lease_s = this_process(), lease_s
        self._checkpoints = JournalSaver(journal.checkpoints, self.flush)
        self._writer = LogWriter(journal.append)
        self._player = Player(journal, deps, self._checkpoints, self._owner, lambda parent: ChildRuns(self, parent))
        self._live: dict[str, LiveRun] = {}
        self._failures: dict[str, TribunalError] = {}
        self._unsaved: set[str] = set()  # runs of this process that the journal could not keep; perhaps it still says that they are held
        self._heartbeat = LeaseHeartbeat(
            journal.leases, self._owner, lease_s, deps.clock, lambda: self._live, stop=self._cut_by_person, lost=self._cut_lost
        )

    def start(self, request: RunRequest) -> str:
        """Begin a run and return its id. Raises BadInput for a flow that there is not, StoreError when it cannot be written down."""
        run_id = self.new_id()
        self.begin(run_id, request)
        return run_id

    def new_id(self) -> str:
        """Return a name for one more run."""
        return f"{self._deps.clock():%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"

    def begin(self, run_id: str, request: RunRequest, parent: str | None = None) -> None:
        """Begin a run under a name. parent: the run that asked for it. Raises as `start`, and BadInput for a child below `MOST_NESTED`
        others and for one that is made from an earlier run: nothing would say whose child it is."""
        self._deps.flow(request)
        if parent is not None:
            self._admit_child(request, parent)
        record = RunRecord(run_id=run_id, created_at=self._deps.clock(), status="starting", request=request)
        self._journal.add_run(record, self._owner, self._heartbeat.until(), parent)
        self._launch(record, EventLog(run_id, self._deps.clock, self._writer.write))

    def _admit_child(self, request: RunRequest, parent: str) -> None:
        if request.origin is not None:
            raise BadInput(Reason("run_asked_for_run_that_is_made", parent=parent, run_id=request.origin.run_id))
        askers = [parent, *self._journal.askers(parent)]
        if len(askers) > MOST_NESTED:
            chain = " <- ".join(askers)
            raise BadInput(Reason("runs_ask_for_runs_at_most_deep", most_nested=MOST_NESTED, parent=parent, chain=chain))

    def resume(self, run_id: str) -> None:
        """Continue a run that was stopped or whose process ended; a finished one stays as it is.

        Raises BadInput for a run that is not known, TribunalError for one that failed or is held by another process.
        """
        live = self._live.get(run_id)
        if live is not None and not live.outcome.done():  # one that has just ended may still stand among the live ones
            return
        lease = self._journal.leases.of(run_id)
        if lease is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id))
        if lease.status == "finished":
            self._loop.submit(self._checkpoints.adelete_thread(run_id)).result()  # left by a process that died right after the end
            return
        if lease.status == "failed":
            record = self._journal.run(run_id)
            raise TribunalError(Reason("run_failed_and_cannot_be_continued", run_id=run_id, error=record.error if record else "ask again"))
        if lease.status != "stopped" and not self._is_free(lease):
            raise TribunalError(Reason("run_is_being_run_by_another_process", run_id=run_id))
        if not self._journal.leases.claim(lease, self._owner, self._heartbeat.until()):
            raise TribunalError(Reason("run_was_taken_up_by_another_process", run_id=run_id))
        record = self._journal.run(run_id)
        assert record is not None
        self._failures.pop(run_id, None)
        self._unsaved.discard(run_id)
        log = EventLog(run_id, self._deps.clock, self._writer.write, self._journal.events(run_id))
        self._loop.submit(_emit_resumed(log)).result()  # written before this returns, so that the next reader sees it running
        self._launch(record, log)

    def take_over(self) -> list[str]:
        """Continue every run that no living process holds. Returns their ids."""
        taken = []
        for lease in self._journal.leases.unfinished():
            if lease.run_id not in self._live and self._is_free(lease):
                try:
                    self.resume(lease.run_id)
                    taken.append(lease.run_id)
                except TribunalError as problem:  # another process was quicker
                    _log.info("%s", problem)
        return taken

    async def watch_over(self) -> None:
        """Take over what dead processes left, again and again, until cancelled. On the engine's loop."""
        while True:
            try:
                await asyncio.to_thread(self.take_over)
            except StoreError as problem:  # a busy journal: the next round may succeed
                _log.warning("runs of dead processes could not be taken over: %s", problem)
            await asyncio.sleep(self._lease_s / 2)

    def stop(self, run_id: str) -> None:
        """Stop a run, in any process: its calls are cut within a second.

        Raises BadInput for a run that is not known, TribunalError for one that has ended.
        """
        lease = self._journal.leases.of(run_id)
        if lease is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id))
        if lease.status not in {"starting", "running"}:
            raise TribunalError(
                Reason("run_is_not_running", run_id=run_id, status=lease.status if lease.status != "stopped" else "been stopped")
            )
        if run_id in self._live:
            self._loop.call(self._cut_by_person, run_id)
        elif self._is_free(lease) and self._journal.leases.claim(lease, self._owner, self._heartbeat.until()):
            record = self._journal.run(run_id)
            assert record is not None
            log = EventLog(run_id, self._deps.clock, self._writer.write, self._journal.events(run_id))
            self._loop.submit(self._emit_stopped(record, log)).result()
        else:
            self._journal.leases.ask_stop(run_id)

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """Return events with `seq` > after: of a live run from memory, of any other from the journal."""
        live = self._live.get(run_id)
        return live.log.after(after) if live is not None else self._journal.events(run_id, after)

    def wait_events(self, run_id: str, after: int, timeout_s: float) -> list[Event]:
        """Return the events of a run with `seq` > after, as soon as there is one; empty when none came in time.

        Events of another process's run are read from the journal every 100 ms: there is nothing to be woken by. Blocks the calling thread.
        """
        live, until = self._live.get(run_id), time.monotonic() + timeout_s
        if live is not None:
            return live.log.wait_after(after, timeout_s)
        while not (found := self.events(run_id, after)) and (left := until - time.monotonic()) > 0:
            time.sleep(min(_POLL_S, left))
        return found

    def wait(self, run_id: str, timeout: float | None = None) -> RunRecord:
        """Return the record of a run once it has ended. timeout: seconds, None = for ever.

        Raises the TribunalError it failed with, BadInput for a run that is not known, TimeoutError when it goes on.
        """
        live = self._live.get(run_id)
        if live is not None:
            try:
                return live.outcome.result(timeout)
            except TribunalError:
                if live.cut != "lost":  # one that another process has taken over may have been finished there
                    raise
        record = self._journal.run(run_id)
        if record is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id))
        if record.status == "finished":
            return record
        raise self._failures.get(run_id) or TribunalError(record.error or Reason("run_has_not_ended", run_id=run_id))

    def revise(self, record: RunRecord, work: Callable[[Flow, Any], Awaitable[Json]], timeout: float | None = None) -> RunRecord:
        """Change the result of a finished run by `work` (flow, context of the run), write it down and return the record. Blocks.

        timeout: seconds, None = for ever. Raises BadInput for a run whose inputs are gone, TimeoutError.
        """
        return self._loop.submit(self._player.revise(record, work)).result(timeout)

    def consult(self, record: RunRecord, work: Callable[[Flow, Any], Awaitable[Json]], timeout: float | None = None) -> Json:
        """Return what `work` (flow, context of the run) makes of a finished run; nothing is written. Arguments and errors as of
        `revise`."""
        return self._loop.submit(self._player.consult(record, work)).result(timeout)

    def repeat(self, record: RunRecord, k: int, start: RepeatFrom) -> RunRecord:
        """Ask the roles of a finished decision `k` times again from `start` on, and return the record with how far they agree. Blocks.

        Raises BadInput for a run that has no decision or cannot be repeated, ModelUnavailable, StoreError.
        """
        return self._loop.submit(self._player.repeat(record, k, start)).result()

    async def close(self) -> None:
        """Cut what runs, leave it to the next process, and release the checkpoints. On the engine's loop."""
        ends = [asyncio.wrap_future(live.outcome) for live in self._live.values()]
        for live in list(self._live.values()):
            if live.task is not None:
                live.cut = live.cut or "closing"
                live.task.cancel()
        await asyncio.gather(*ends, return_exceptions=True)
        await self._checkpoints.aclose()

    def _is_free(self, lease: Lease) -> bool:
        unsaved = lease.run_id in self._unsaved and lease.owner == self._owner  # another may have taken it over since
        return unsaved or is_free(lease, self._deps.clock())

    def _launch(self, record: RunRecord, log: EventLog) -> None:
        if record.request.flow in self._deps.flows:  # a run of any other fails in the log
            self._deps.flows[record.request.flow].work()  # on the caller's thread: on the loop every other run would wait for it
        live = self._live[record.run_id] = LiveRun(log, Future())
        live.task = self._loop.submit(self._live_through(record, live))
        self._loop.call(self._heartbeat.wake)

    async def flush(self, run_id: str) -> None:
        """Wait until everything that a run of this process has said is in the journal. Raises StoreError."""
        live = self._live.get(run_id)
        if live is not None:
            await live.log.drain()

    def record(self, run_id: str) -> RunRecord | None:
        """Return a run, or None if it is unknown. Raises StoreError."""
        return self._journal.run(run_id)

    def outcome(self, run_id: str) -> "Future[RunRecord] | None":
        """Return the end of a run of this process that has not ended, None for any other."""
        live = self._live.get(run_id)
        return live.outcome if live is not None and not live.outcome.done() else None

    def reading(self, run_id: str) -> ReadingProgress | None:
        """Return how far the inputs of a run are read; None before anything was asked for, and of another process's run."""
        live = self._live.get(run_id)
        return live.reading if live is not None else None

    def why_cut(self, run_id: str) -> str:
        """Return why a run of this process is cancelled: `stop`, `lost`, `closing`; "" if it was not cancelled."""
        live = self._live.get(run_id)
        return live.cut if live is not None else ""

    def _cut_by_person(self, run_id: str) -> None:
        self._cut(run_id, "stop")

    def _cut_lost(self, run_id: str) -> None:
        self._cut(run_id, "lost")

    def _cut(self, run_id: str, why: Literal["stop", "lost"]) -> None:
        live = self._live.get(run_id)
        if live is not None and live.task is not None:
            live.cut = why
            live.task.cancel()

    async def _live_through(self, record: RunRecord, live: LiveRun) -> None:
        bind_contextvars(run=record.run_id)  # of this task and of whatever it starts: what they log names their run
        try:
            live.outcome.set_result(await self._player.play(record, live.log, live.report))
        except StoreError as problem:
            await uninterrupted(self._release(record, live, problem))
        except TribunalError as problem:
            await uninterrupted(self._fail(record, live, problem))
        except asyncio.CancelledError:
            await uninterrupted(self._end_cancelled(record, live))
            raise
        except Exception as problem:  # a run ends here, whatever broke: no waiter may be left waiting
            _log.exception("run %s broke outside its flow", record.run_id)
            detail = f"{type(problem).__name__}: {problem}"[:200]
            await uninterrupted(self._fail(record, live, TribunalError(Reason("fault_of_program_not_of_your_request", detail=detail))))
        finally:
            if self._live.get(record.run_id) is live:  # it may have been taken up again already
                del self._live[record.run_id]

    async def _end_cancelled(self, record: RunRecord, live: LiveRun) -> None:
        """End a run that was cancelled: by a person, by the end of the process, or because another process has taken it over."""
        ending = {
            "stop": STOPPED,
            "lost": "taken over by another process",
            "closing": f"interrupted; continue it with `resume {record.run_id}`",
        }
        problem = TribunalError(Reason("run_was", run_id=record.run_id, ending=ending[live.cut or "closing"]))
        try:
            if live.cut == "stop":
                await self._emit_stopped(record, live.log)
            elif live.cut != "lost":
                await live.log.drain()
                await asyncio.to_thread(self._journal.leases.release, record.run_id, self._owner, self._deps.clock())
        finally:
            self._failures[record.run_id] = problem
            live.outcome.set_exception(problem)

    async def _release(self, record: RunRecord, live: LiveRun, problem: StoreError) -> None:
        """Give up a run that the journal could not write: what it holds stays, and any process may continue from there. A run that another
        process has taken over meanwhile cannot be written here either."""
        failure = StoreError(Reason("what_was_saved_is_kept_and_resume", problem=problem, run_id=record.run_id))
        self._unsaved.add(record.run_id)
        try:
            await asyncio.to_thread(self._journal.leases.release, record.run_id, self._owner, self._deps.clock())
            lease = await asyncio.to_thread(self._journal.leases.of, record.run_id)
            if lease is not None and lease.owner not in {"", self._owner}:
                live.cut = "lost"
        except StoreError as again:
            _log.info("the lease of run %s could not be released: %s", record.run_id, again)
        finally:
            self._failures[record.run_id] = failure
            live.outcome.set_exception(failure)

    async def _emit_stopped(self, record: RunRecord, log: EventLog) -> None:
        stopped = record.model_copy(update={"status": "stopped", "finished_at": self._deps.clock(), "error": STOPPED})
        await log.end([RunStopped(reason=STOPPED)], lambda last: asyncio.to_thread(self._journal.end_run, stopped, self._owner, last))

    async def _fail(self, record: RunRecord, live: LiveRun, problem: TribunalError) -> None:
        """Write down why a run failed, as far as the journal can; the caller gets the error in any case."""
        reason = str(problem)
        try:
            failed = record.model_copy(update={"status": "failed", "finished_at": self._deps.clock(), "error": reason})
            end = [RunFinished(status="failed", errors=[reason])]
            await live.log.end(end, lambda last: asyncio.to_thread(self._journal.end_run, failed, self._owner, last))
            if not await asyncio.to_thread(self._journal.askers, record.run_id):
                self._deps.failed(failed)
        finally:
            self._failures[record.run_id] = problem
            live.outcome.set_exception(problem)


async def _emit_resumed(log: EventLog) -> None:
    events = log.after(0)
    if events and not log.has_end:
        log.emit(None, RunResumed(nodes=list(interrupted_attempts(events))))
