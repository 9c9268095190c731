"""The one writer of events of a process: what many runs have to say at the same moment goes into the journal in one transaction.

A database takes one writer at a time. A hundred runs that each commit their own few words would spend their time waiting for one another.
"""

import asyncio
from collections.abc import Callable, Sequence

from engine.domain.errors import StoreError
from engine.domain.events import Event

Batch = Sequence[Event]


class LogWriter:
    """Lives on the engine's loop. append: blocking; writes all of the events given, of any runs, or none of them."""

    def __init__(self, append: Callable[[Batch], None]) -> None:
        self._append = append
        self._waiting: list[tuple[Batch, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, batch: Batch) -> None:
        """Back when these events are in the journal. Raises StoreError when they are not; then none of them is."""
        told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((batch, told))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        await told

    async def _work(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._append, [event for batch, _ in taken for event in batch])
            except StoreError as problem:
                await self._one_by_one(taken, problem)
            else:
                for _, told in taken:
                    _tell(told)
        self._task = None

    async def _one_by_one(self, taken: Sequence[tuple[Batch, "asyncio.Future[None]"]], problem: StoreError) -> None:
        """One run's trouble is not the others'."""
        for batch, told in taken:
            found: StoreError | None = problem
            if len(taken) > 1:
                try:
                    await asyncio.to_thread(self._append, batch)
                    found = None
                except StoreError as own:
                    found = own
            _tell(told, found)


def _tell(told: "asyncio.Future[None]", problem: StoreError | None = None) -> None:
    if told.done():  # nobody waits any more
        return
    if problem is None:
        told.set_result(None)
    else:
        told.set_exception(problem)
