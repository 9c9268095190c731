"""The event log of one live run: numbered without gaps, readable at once, written to the journal in small batches behind it.

`emit` never blocks and never raises: a model's stream must not wait for a disk. A journal that cannot be written shows at `drain`,
before anything is reported as finished. All logs of a process write through one `LogWriter`.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from engine.domain.events import Event, EventData, ProposalFiled, RunFinished, RunStarted

BATCH_S = 0.05
Batch = Sequence[Event]
ONCE = frozenset({RunStarted.kind, ProposalFiled.kind, RunFinished.kind})
"""Kinds that a run emits once: a run that was killed right after such an event does not emit it again when it is continued."""
TOKENS_BATCH_S = 0.5  # a commit costs the processor more than the words in it; the text of a role can wait for the next one


class EventLog:
    """Lives on the engine's loop; `after` and `wait_after` may be called from any thread."""

    def __init__(
        self, run_id: str, clock: Callable[[], datetime], write: Callable[[Sequence[Event]], Awaitable[None]], earlier: Sequence[Event] = ()
    ) -> None:
        """write: keeps events, or raises StoreError. earlier: what the journal already holds of the run; its numbers go on."""
        self._run_id = run_id
        self._clock = clock
        self._write = write
        self._events = list(earlier)
        self._more = threading.Condition()
        self._written = len(self._events)
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._is_closed = False

    def emit(self, node: str | None, data: EventData) -> None:
        """Append one event; one of those that happen once only when it has not. Nothing is appended behind the end."""
        kind = data.kind
        if self._is_closed or self._has_happened(kind):
            return
        self._append([self._event(len(self._events) + 1, node, data)])
        self._schedule(TOKENS_BATCH_S if kind == "node.tokens" else BATCH_S)

    async def end(self, last: Sequence[EventData], write: Callable[[Sequence[Event]], Awaitable[None]]) -> None:
        """End the log with `last`, which `write` keeps together with the end of the run; they are in the log once it has. Raises StoreError
        when something could not be written."""
        self._is_closed = True
        await self.drain()
        said = [data for data in last if not self._has_happened(data.kind)]
        events = [self._event(seq, None, data) for seq, data in enumerate(said, len(self._events) + 1)]
        await write(events)
        self._written += len(events)
        self._append(events)

    def _has_happened(self, kind: str) -> bool:
        """Whether it is an event that happens once, and has."""
        return kind in ONCE and any(event.kind == kind for event in self._events)

    def _event(self, seq: int, node: str | None, data: EventData) -> Event:
        return Event(seq=seq, run_id=self._run_id, at=self._clock(), kind=data.kind, node=node, data=data)

    def _append(self, events: Sequence[Event]) -> None:
        self._events.extend(events)
        with self._more:
            self._more.notify_all()

    def after(self, seq: int) -> list[Event]:
        """Return events with a number above `seq`, in order."""
        return self._events[seq:]

    def wait_after(self, seq: int, timeout_s: float) -> list[Event]:
        """Return the events with a number above `seq`, as soon as there is one; empty when none came in time. Not on the engine's loop."""
        with self._more:
            self._more.wait_for(lambda: len(self._events) > seq, timeout_s)
        return self.after(seq)

    @property
    def has_end(self) -> bool:
        """Whether `run.finished` is in the log; nothing comes after it, also when the process died before the run's record said so."""
        return bool(self._events) and self._events[-1].kind == "run.finished"

    async def drain(self) -> None:
        """Wait until everything emitted so far is in the journal. Raises StoreError when it could not be written."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        emitted = len(self._events)
        while self._written < emitted:
            self._begin()
            assert self._writing is not None
            await asyncio.shield(self._writing)  # one writer, however many wait for it or give up waiting

    def _schedule(self, wait_s: float) -> None:
        """Write within `wait_s`, or sooner when that was promised already."""
        if self._writing is not None:
            return
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            if self._timer.when() <= loop.time() + wait_s:
                return
            self._timer.cancel()
        self._timer = loop.call_later(wait_s, self._begin)

    def _begin(self) -> None:
        self._timer = None
        if self._writing is None:
            self._writing = asyncio.get_running_loop().create_task(self._write_all())

    async def _write_all(self) -> None:
        while self._written < len(self._events):
            batch = self._events[self._written :]
            await self._write(batch)
            self._written += len(batch)
        self._writing = None  # after a failure it stays, so that drain meets it


class LogWriter:
    """The one writer of events of a process: what many runs emit at the same moment goes into the journal in one transaction.

    A database takes one writer at a time; a hundred runs that each commit their own few words would spend their time waiting for one
    another. Lives on the engine's loop. append: blocking; writes all of the events given, of any runs, or none of them.
    """

    def __init__(self, append: Callable[[Batch], None]) -> None:
        self._append = append
        self._waiting: list[tuple[Batch, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, batch: Batch) -> None:
        """Return when these events are in the journal. Raises what `append` raised when they are not; then none of them is."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((batch, done))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        await done

    async def _work(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting, []
            problem = await self._append_or_why([event for batch, _ in taken for event in batch])
            for batch, done in taken:  # one run's trouble is not the others': what was refused together is tried alone
                _settle(done, problem if problem is None or len(taken) == 1 else await self._append_or_why(batch))
        self._task = None

    async def _append_or_why(self, batch: Batch) -> BaseException | None:
        """Return why these events were not written, None when they were. Any exception is handed to the waiting runs: none waits for
        ever."""
        (found,) = await asyncio.gather(asyncio.to_thread(self._append, batch), return_exceptions=True)
        return found


def _settle(done: "asyncio.Future[None]", problem: BaseException | None) -> None:
    if done.done():  # no waiter is left
        return
    if problem is None:
        done.set_result(None)
    else:
        done.set_exception(problem)
