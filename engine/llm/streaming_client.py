"""The HTTP client of a model's endpoint: made for answers that come in hundreds of small pieces.

The first text of an answer goes on at once; what follows is gathered for a moment and joined (`deltas.py`) below the client libraries,
which spend about half a millisecond on every piece they see. It speaks HTTP through aiohttp, whose parser costs a third of the default
one's. What an answer says, how it ends and what is raised stay the same.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai

from engine.llm.deltas import DeltaJoiner

GATHER_S = 0.25


class StreamingClient(openai.DefaultAioHttpClient):
    """For `http_async_client`. Reads the usual proxy variables itself."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; an event stream in the answer is gathered. Raises what httpx2 raises."""
        try:
            response = await super().send(request, **options)
        except httpx2.ConnectTimeout as problem:
            if isinstance(problem.__cause__, TimeoutError):
                raise
            raise httpx2.ConnectError(str(problem), request=request) from problem  # refused or cut: not late
        kind = response.headers.get("content-type", "")
        if kind.startswith("text/event-stream") and "content-encoding" not in response.headers and not response.is_stream_consumed:
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Gathered(response.stream)
        return response


class _Gathered(httpx2.AsyncByteStream):
    """A stream of events, read ahead of its reader by a task that ends with it."""

    def __init__(self, source: httpx2.AsyncByteStream) -> None:
        self._source = source
        self._joiner = DeltaJoiner()
        self._arrived = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._reading is None:  # a client that drains what stands behind the end iterates again: there is one reader all the same
            self._reading = asyncio.create_task(self._read())
        reading = self._reading
        while not reading.done():
            await self._arrived.wait()
            self._arrived.clear()
            data, has_text = self._joiner.take()
            if data:
                yield data
            if has_text:
                await asyncio.wait((reading,), timeout=GATHER_S)
        if data := self._joiner.rest():
            yield data
        await reading  # raises what ended it

    async def aclose(self) -> None:
        """Stop reading and release the connection."""
        reading = self._reading
        try:
            if reading is not None:
                reading.cancel()
                await asyncio.wait((reading,))
                if not reading.cancelled():
                    reading.exception()  # seen: what broke after the answer was over is nobody's failure
        finally:
            await self._source.aclose()

    async def _read(self) -> None:
        try:
            async for data in self._source:
                self._joiner.feed(data)
                self._arrived.set()
        finally:
            self._arrived.set()
