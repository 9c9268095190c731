"""How many calls one process may have open at a model's endpoint.

One object a process, made in the composition root and handed to every model, so that all models of one address share its slots.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.llm.deadline import queueing


class EndpointSlots:
    """The slots of every endpoint. Serves one event loop."""

    def __init__(self, open_calls: int = 256) -> None:
        """Take the number of calls that may be open at each address at once, at least 1."""
        self._open_calls = open_calls
        self._slots: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def one(self, address: str) -> AsyncIterator[None]:
        """Hold one slot of an address inside the block. Time spent waiting for it does not count against the call's deadline."""
        slot = self._slots.setdefault(address, asyncio.Semaphore(self._open_calls))
        with queueing():
            await slot.acquire()
        try:
            yield
        finally:
            slot.release()
