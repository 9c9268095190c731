"""The one writer of events of a process: what many runs have to say at the same moment goes into the journal in one transaction.

A database takes one writer at a time. A hundred runs that each commit their own few words would spend their time waiting for one another.
"""

import asyncio
from collections.abc import Callable, Sequence

from engine.domain.events import Event

Batch = Sequence[Event]


class LogWriter:
    """Lives on the engine's loop. append: blocking; writes all of the events given, of any runs, or none of them."""

    def __init__(self, append: Callable[[Batch], None]) -> None:
        self._append = append
        self._waiting: list[tuple[Batch, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, batch: Batch) -> None:
        """Back when these events are in the journal. Raises what `append` raised when they are not; then none of them is."""
        told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((batch, told))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        await told

    async def _work(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting, []
            problem = await self._kept([event for batch, _ in taken for event in batch])
            for batch, told in taken:  # one run's trouble is not the others': what was refused together is tried alone
                _tell(told, problem if problem is None or len(taken) == 1 else await self._kept(batch))
        self._task = None

    async def _kept(self, batch: Batch) -> BaseException | None:
        """Return why these events were not written, None when they were. Whatever broke is handed to those who wait: nobody waits for
        ever."""
        (found,) = await asyncio.gather(asyncio.to_thread(self._append, batch), return_exceptions=True)
        return found


def _tell(told: "asyncio.Future[None]", problem: BaseException | None) -> None:
    if told.done():  # nobody waits any more
        return
    if problem is None:
        told.set_result(None)
    else:
        told.set_exception(problem)
