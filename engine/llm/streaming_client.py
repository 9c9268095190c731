"""The HTTP client of a model's endpoint: made for answers that come in hundreds of small pieces.

It is the OpenAI library's own client over aiohttp, with one hook: the body of a successful answer is read ahead and its pieces are joined
(`deltas.py`) below the client, so that it reads a few pieces and not hundreds. The first text of an answer goes on
at once; what follows is gathered for a quarter of a second. What an answer says, how it ends and what is raised stay the same. An answer
that comes whole in one JSON body is streamed too. Compression is not asked for: it would delay the first text.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

import httpx2
import openai

from engine.llm.deltas import DeltaJoiner, TooLong

GATHER_S = 0.25
_LIMITS = httpx2.Limits(max_connections=1000, keepalive_expiry=15.0)


def streaming_client(report: Callable[[bool], None] | None = None) -> httpx2.AsyncClient:
    """Make a client for `http_async_client`. It follows the usual proxy variables and serves one event loop. Blocks for about 20 ms.

    report: is told of every answer, when its first part goes on, whether it came as a stream of events and not in one JSON body.

    Raises ValueError and httpx2.InvalidURL for a proxy whose address is not a valid one.
    """
    headers = {"Accept-Encoding": "identity"}
    return openai.DefaultAioHttpClient(limits=_LIMITS, headers=headers, event_hooks={"response": [partial(_gather, report=report)]})


async def _gather(response: httpx2.Response, report: Callable[[bool], None] | None) -> None:
    """Gather the body of a successful response; any other, and one that is compressed all the same, stays as it is."""
    if response.status_code == 200 and response.headers.get("content-encoding", "identity") == "identity":
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Gathered(response.stream, response.request, report)


class _Gathered(httpx2.AsyncByteStream):
    """An answer, read ahead of its reader by a task that ends with it."""

    def __init__(self, source: httpx2.AsyncByteStream, request: httpx2.Request, report: Callable[[bool], None] | None) -> None:
        self._source, self._request, self._report = source, request, report
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
                self._report_once()
                yield data
            if has_text:
                await asyncio.wait((reading,), timeout=GATHER_S)
        if data := self._joiner.rest():
            self._report_once()
            yield data
        await reading  # raises what ended it

    def _report_once(self) -> None:
        report, self._report = self._report, None
        if report is not None:
            report(self._joiner.is_stream)

    async def aclose(self) -> None:
        """Stop reading and release the connection."""
        reading = self._reading
        try:
            if reading is not None:
                reading.cancel()
                await asyncio.wait((reading,))
                if not reading.cancelled():
                    reading.exception()  # retrieved: what broke after the answer had ended is no failure
        finally:
            await self._source.aclose()

    async def _read(self) -> None:
        try:
            async for data in self._source:
                self._joiner.feed(data)
                self._arrived.set()
        except TooLong as problem:
            raise httpx2.ReadError(str(problem), request=self._request) from problem
        finally:
            self._arrived.set()
