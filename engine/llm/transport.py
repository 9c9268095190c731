"""HTTP for a model's endpoint: a transport for httpx2 clients that speaks through aiohttp.

aiohttp's parser costs a third of httpx2's own, and it lets its socket be left alone for a moment. What the network does wrong is raised as
httpx2's errors. The usual proxy variables hold.
"""

import asyncio
import ssl
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cache

import aiohttp
import httpx2

_Wait = float | None


class Transport(httpx2.AsyncBaseTransport):
    """Sends requests over connections that are kept and used again, as many at once as are asked for. Serves one event loop."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, its body a `Packets` yet to be read. Raises httpx2.ConnectTimeout, ConnectError and what `Packets` raises."""
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, ssl=_trusted())
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False)
        waits: dict[str, _Wait] = request.extensions.get("timeout", {})
        with _told_as_httpx2(request, httpx2.ConnectError, httpx2.ConnectTimeout):
            response = await self._session.request(
                request.method,
                str(request.url),
                headers=request.headers,
                data=await request.aread() or None,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=waits.get("connect"), sock_read=waits.get("read")),
                proxy=proxy_of(request.url.scheme, request.url.host),
            )
        return httpx2.Response(response.status, headers=response.raw_headers, stream=Packets(request, response), request=request)

    async def aclose(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


class Packets(httpx2.AsyncByteStream):
    """The body of a response as it comes off the network. Raises httpx2.ReadError and ReadTimeout."""

    def __init__(self, request: httpx2.Request, response: aiohttp.ClientResponse) -> None:
        self._request, self._response = request, response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _told_as_httpx2(self._request, httpx2.ReadError, httpx2.ReadTimeout):
            async for data in self._response.content.iter_any():
                yield data

    async def leave(self, seconds: float) -> None:
        """Leave what comes in the next moment with the operating system, to be read at once afterwards: one wake instead of many."""
        connection = self._response.connection
        transport = connection.transport if connection is not None else None
        if not isinstance(transport, asyncio.Transport) or transport.is_closing():
            return
        transport.pause_reading()
        try:
            await asyncio.sleep(seconds)
        finally:
            if not transport.is_closing():
                transport.resume_reading()

    async def aclose(self) -> None:
        """Release the connection; one with an unread rest is closed."""
        self._response.release()


def proxy_of(scheme: str, host: str) -> str | None:
    """The proxy that stands between here and a host, from `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and their kind; None: there is none."""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


@cache
def _trusted() -> ssl.SSLContext:
    """Reading the certificates takes 20 ms: once a process."""
    return httpx2.create_ssl_context()


@contextmanager
def _told_as_httpx2(request: httpx2.Request, broken: type[httpx2.TransportError], late: type[httpx2.TransportError]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as problem:  # aiohttp's own are of this kind too
        raise late(str(problem), request=request) from problem
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as problem:
        said = "the endpoint's or the proxy's address is none (OPENAI_BASE_URL, HTTP_PROXY)"  # aiohttp repeats it, password and all
        raise httpx2.UnsupportedProtocol(said, request=request) from problem
    except aiohttp.ClientError as problem:
        raise broken(str(problem), request=request) from problem
