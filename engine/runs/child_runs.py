"""The runs that a run asks for: written down with their parent, waited for, and stopped with it. Lives on the engine's loop."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Final, Protocol

from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.errors import StoreError, TribunalError
from engine.domain.run import RunRecord, RunRequest

_ENDED: Final = frozenset({"finished", "failed", "stopped"})
_LOOK_S: Final = 0.2


class Parents(Protocol):
    """What the runner does for the children of its runs. Those that block are called on a thread."""

    def new_id(self) -> str:
        """Return a name for one more run."""
        ...

    async def flush(self, run_id: str) -> None:
        """Wait until everything that a run has said is in the journal. Raises StoreError."""
        ...

    def begin(self, run_id: str, request: RunRequest, parent: str) -> None:
        """Begin a run under a name. Blocks. Raises BadInput, StoreError."""
        ...

    def resume(self, run_id: str) -> None:
        """Continue a run that no process holds. Blocks. Raises TribunalError."""
        ...

    def record(self, run_id: str) -> RunRecord | None:
        """Return a run, or None if it is unknown. Blocks. Raises StoreError."""
        ...

    def outcome(self, run_id: str) -> "Future[RunRecord] | None":
        """Return the end of a run of this process that has not ended, None for any other."""
        ...

    def why_cut(self, run_id: str) -> str:
        """Return why a run of this process is cancelled: `stop`, `lost`, `closing`, or "" if it was not cancelled."""
        ...

    def stop(self, run_id: str) -> None:
        """Stop a run, in any process. Blocks. Raises TribunalError for one that has ended."""
        ...


class ChildRuns:
    """The children of one run. Implements `engine.agents.child_run.Children`."""

    def __init__(self, parents: Parents, parent: str) -> None:
        self._parents, self._parent = parents, parent

    def new_id(self) -> str:
        """Return a name for one more."""
        return self._parents.new_id()

    async def run(self, run_id: str, request: RunRequest) -> RunRecord:
        """Return the record of the child of that name once it has ended."""
        parents = self._parents
        await parents.flush(self._parent)
        record = await asyncio.to_thread(parents.record, run_id)
        begins: asyncio.Task[None] | None = None
        if record is None:
            begins = asyncio.create_task(asyncio.to_thread(parents.begin, run_id, request, self._parent))
        elif record.status == "stopped":  # with its parent, which goes on
            begins = asyncio.create_task(asyncio.to_thread(parents.resume, run_id))
        try:
            if begins is not None:
                await asyncio.shield(begins)
            return await self._end_of(run_id)
        except asyncio.CancelledError:
            await uninterrupted(self._stop(run_id, begins))
            raise

    async def _stop(self, run_id: str, begins: "asyncio.Task[None] | None") -> None:
        """Stop a child with its parent."""
        if begins is not None:  # what is on its way cannot be stopped before it has begun
            await asyncio.wait({begins})
        if self._parents.why_cut(self._parent) not in {"lost", "closing"}:
            await _quietly(lambda: asyncio.to_thread(self._parents.stop, run_id))

    async def _end_of(self, run_id: str) -> RunRecord:
        """Wait, whichever process runs it; take it up where none does."""
        while True:
            if (outcome := self._parents.outcome(run_id)) is not None:
                await _ended(outcome)
            record = await asyncio.to_thread(self._parents.record, run_id)
            if record is not None and record.status in _ENDED:
                return record
            await _quietly(lambda: asyncio.to_thread(self._parents.resume, run_id))  # refused while another process holds it
            await asyncio.sleep(_LOOK_S)


async def _ended(outcome: "Future[RunRecord]") -> None:
    """Wait for the end of a run without cutting it when the wait is cut. Raises StoreError when the journal could not keep it."""
    waiting = asyncio.wrap_future(outcome)
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        await asyncio.shield(waiting)
    except StoreError:
        raise
    except TribunalError:
        return  # the journal says how it ended


async def _quietly(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except TribunalError:  # it has just ended, or another process was quicker: the journal says so
        return
