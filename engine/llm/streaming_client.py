"""The HTTP client of a model's endpoint: made for answers that come in hundreds of small pieces.

The first text of an answer goes on at once; what follows is gathered for a moment and joined (`deltas.py`) below the client libraries,
which spend about half a millisecond on every piece they see. In the middle of a long line, where no answer ends, the network itself is left
alone for a moment at a time. What an answer says, how it ends and what is raised stay the same, in whatever dress it comes: a whole answer
in one JSON body is streamed too. Compression is not asked for: it would keep the first words waiting.
"""

import asyncio
import time
from collections.abc import AsyncIterator

import httpx2
import openai

from engine.llm.deltas import DeltaJoiner, TooLong
from engine.llm.transport import Packets, Transport

GATHER_S = 0.25
LEAVE_S = 0.03
_LONG_LINE = 40  # characters; the votes with which answers close stand in shorter lines


def streaming_client() -> httpx2.AsyncClient:
    """For `http_async_client`. Reads the usual proxy variables itself; serves one event loop."""
    plain = {"Accept-Encoding": "identity"}
    return httpx2.AsyncClient(transport=_Gathering(Transport()), timeout=openai.DEFAULT_TIMEOUT, follow_redirects=True, headers=plain)


class _Gathering(httpx2.AsyncBaseTransport):
    """A transport whose answers are gathered; what is no success, or compressed all the same, is as it comes."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        if response.status_code == 200 and response.headers.get("content-encoding", "identity") == "identity":
            assert isinstance(response.stream, Packets)
            response.stream = _Gathered(response.stream, request)
        return response

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Gathered(httpx2.AsyncByteStream):
    """An answer, read ahead of its reader by a task that ends with it."""

    def __init__(self, source: Packets, request: httpx2.Request) -> None:
        self._source, self._request = source, request
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
        last = time.monotonic()
        try:
            async for data in self._source:
                self._joiner.feed(data)
                self._arrived.set()
                now = time.monotonic()
                if now - last < LEAVE_S and self._joiner.line_length > _LONG_LINE:
                    await self._source.leave(LEAVE_S)
                    now += LEAVE_S
                last = now
        except TooLong as problem:
            raise httpx2.ReadError(str(problem), request=self._request) from problem
        finally:
            self._arrived.set()
