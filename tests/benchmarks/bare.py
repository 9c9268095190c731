"""What reading the packets of a decision costs by itself: the same eight streams, read by bare asyncio sockets that look at nothing.

No HTTP client, no model library, no engine: whatever stands above this is ours, and nothing that reads with asyncio can be below it.
"""

import asyncio
import json
import time
from urllib.parse import urlsplit


class _Reader(asyncio.Protocol):
    """Sends one request and takes what comes until the stream is over."""

    def __init__(self, request: bytes, over: "asyncio.Future[None]") -> None:
        self._request, self._over = request, over
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if data.endswith(b"0\r\n\r\n") and self._transport is not None:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._over.done():
            self._over.set_result(None)


def reading_cpu_ms(base_url: str, times: int) -> list[float]:
    """Processor milliseconds of a decision's eight streams, four at once and four in a row."""
    return [asyncio.run(_decision(base_url)) for _ in range(times)]


async def _decision(base_url: str) -> float:
    began = time.process_time()
    await asyncio.gather(*(_stream(base_url) for _ in range(4)))
    for _ in range(4):
        await _stream(base_url)
    return (time.process_time() - began) * 1000


async def _stream(base_url: str) -> None:
    address, loop = urlsplit(base_url), asyncio.get_running_loop()
    body = json.dumps({"model": "loopback", "stream": True, "messages": [{"role": "system", "content": ""}]}).encode()
    head = f"POST {address.path}/chat/completions HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    over: asyncio.Future[None] = loop.create_future()
    await loop.create_connection(lambda: _Reader(request, over), address.hostname, address.port)
    await over
