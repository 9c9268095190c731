"""Work of many equal pieces, a few of them at once, until all is done, its time is over, or someone stops it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Generic, TypeVar

Piece = TypeVar("Piece")


class AtOnce(Generic[Piece]):
    """Made and used on one event loop."""

    def __init__(self, workers: int, work: Callable[[Piece], Awaitable[None]]) -> None:
        """workers: how many pieces are worked on at once. work: what is done with one; it may call `finish` or `stop`."""
        self._workers, self._work = workers, work
        self._begins_more = True
        self._stopped = asyncio.Event()

    def finish(self) -> None:
        """Begin no other piece; those that are worked on come to their end."""
        self._begins_more = False

    def stop(self) -> None:
        """Begin no other piece, and end those that are worked on."""
        self.finish()
        self._stopped.set()

    async def run(self, pieces: Iterable[Piece], seconds: float | None = None) -> bool:
        """Work through the pieces in order; return whether all are done, False where the seconds are over or it was stopped. Raises
        what `work` raises."""
        waiting = iter(pieces)
        tasks = [asyncio.create_task(self._one_by_one(waiting)) for _ in range(self._workers)]
        everything, stopping = asyncio.gather(*tasks), asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait((everything, stopping), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if everything.done():
                everything.result()
            return everything.done() and self._begins_more
        finally:
            for task in (*tasks, stopping):
                task.cancel()
            await asyncio.gather(*tasks, stopping, everything, return_exceptions=True)

    async def _one_by_one(self, waiting: Iterator[Piece]) -> None:
        for each in waiting:
            if not self._begins_more:
                return
            await self._work(each)
