"""The event log of one live run: numbered without gaps, readable at once, written to the journal in small batches behind it.

`emit` never blocks and never raises: a model's stream must not wait for a disk. A journal that cannot be written shows at `drain`,
before anything is reported as finished.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from engine.domain.events import Event, EventKind

BATCH_S = 0.05
ONCE = frozenset({"run.started", "proposal.filed", "run.finished"})
"""What happens once in a run: one that was killed between such an event and what comes behind it says it no second time."""
TOKENS_BATCH_S = 0.5  # a commit costs the processor more than the words in it; what a role is writing can wait for the next one


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

    def emit(self, kind: EventKind, node: str | None, data: Mapping[str, JsonValue]) -> None:
        """Append one event; one of those that happen once only when it has not."""
        if kind in ONCE and any(event.kind == kind for event in self._events):
            return
        self._events.append(Event(seq=len(self._events) + 1, run_id=self._run_id, at=self._clock(), kind=kind, node=node, data=dict(data)))
        with self._more:
            self._more.notify_all()
        self._schedule(TOKENS_BATCH_S if kind == "node.tokens" else BATCH_S)

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
        """Wait until everything said so far is in the journal. Raises StoreError when it could not be written."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        said = len(self._events)
        while self._written < said:
            self._begin()
            assert self._writing is not None
            await asyncio.shield(self._writing)  # one writer, whoever waits for it and whoever gives up waiting

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
