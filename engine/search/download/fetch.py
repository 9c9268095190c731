"""A document of the web as a file: fetched with limits, stored by the hash of its content, never executed or unpacked.

Only http and https, only public addresses (and configured sources), every redirect checked like the first address. Size, decompressed
size, total time and kind are bounded while the body streams in: what a server says about its length is not believed. A file has its name
only when it is whole.
"""

import asyncio
from pathlib import Path
from typing import Final
from urllib.parse import urljoin, urlsplit

import aiohttp
from yarl import URL

from engine.domain.errors import SearchError
from engine.domain.text.visible import one_line
from engine.search.download.addresses import AddressGuard
from engine.search.download.body import ContentFile, plain_body
from engine.search.download.limits import DownloadLimits, SavedFile

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_ACCEPT: Final = "application/pdf, text/html, text/plain, text/markdown, application/json, application/xml;q=0.9, */*;q=0.1"
_PORTS: Final = {"http": 80, "https": 443}
_SHOWN: Final = 200  # characters of an address in a message


async def fetch(url: str, folder: Path, limits: DownloadLimits, *, configured: frozenset[tuple[str, int]] = frozenset()) -> SavedFile:
    """Download a document into a folder and return where it lies.

    url: http or https. folder: made when it is missing. configured: host and port of the sources of the settings, which may lie at
    private addresses. A content that is there already keeps its file. Raises SearchError with one clear reason.
    """
    try:
        async with asyncio.timeout(limits.deadline_s):
            return await _follow(url, folder, limits, configured)
    except TimeoutError:
        raise _failed(url, f"it was not there within {limits.deadline_s:g} s") from None
    except (aiohttp.ClientError, ValueError) as problem:
        raise _failed(url, _in_words(problem)) from None
    except OSError as problem:
        raise _failed(url, f"it could not be stored or read ({problem.strerror or problem})") from None


async def _follow(url: str, folder: Path, limits: DownloadLimits, configured: frozenset[tuple[str, int]]) -> SavedFile:
    address = url
    for _ in range(limits.redirects + 1):
        host, port = _host_and_port(address)
        guard = AddressGuard(allowed=(host, port) in configured)
        connector = aiohttp.TCPConnector(
            socket_factory=guard.open_socket, use_dns_cache=False, force_close=True, happy_eyeballs_delay=None, limit=1
        )
        headers = {"User-Agent": limits.user_agent, "Accept": _ACCEPT, "Accept-Encoding": "gzip"}
        async with aiohttp.ClientSession(
            connector=connector,
            headers=headers,
            auto_decompress=False,  # `plain_body` does it with a bound
            trust_env=False,  # a proxy would connect to addresses that were not checked here
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
        ) as session:
            try:
                async with session.get(URL(address), allow_redirects=False) as answer:
                    target = _redirect_of(answer)
                    if target is None:
                        return await _stored(answer, address, folder, limits)
            except aiohttp.ClientConnectorError:
                if not guard.refused:
                    raise
                why = f"{guard.refused[0]}: downloads come from public addresses and configured sources only"
                raise _failed(address, why) from None
        address = urljoin(address, target)
    raise _failed(url, f"it redirects more than {limits.redirects} times")


async def _stored(answer: aiohttp.ClientResponse, address: str, folder: Path, limits: DownloadLimits) -> SavedFile:
    if answer.status != 200:
        raise _failed(address, f"the server answered {answer.status} {answer.reason or ''}".rstrip())
    try:
        body = plain_body(answer.content.iter_any(), answer.headers.get("Content-Encoding", ""), limits.bytes)
        with ContentFile(folder, answer.headers.get("Content-Type", "")) as file:
            async for piece in body:
                file.write(piece)
            return file.keep(address)
    except SearchError as problem:
        raise _failed(address, str(problem)) from None


def _redirect_of(answer: aiohttp.ClientResponse) -> str | None:
    if answer.status not in _REDIRECTS:
        return None
    target = answer.headers.get("Location", "").strip()
    if not target:
        raise _failed(str(answer.url), "it redirects to nowhere")
    return target


def _host_and_port(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    if parts.scheme.lower() not in _PORTS or not parts.hostname:
        raise _failed(address, "only http and https addresses are downloaded")
    if parts.username is not None or parts.password is not None:
        raise _failed(address, "an address with a user or a password in it is not downloaded")
    return parts.hostname.lower().rstrip("."), parts.port or _PORTS[parts.scheme.lower()]


def _in_words(problem: Exception) -> str:
    if isinstance(problem, aiohttp.ClientConnectorDNSError):
        return "its host is not known"
    if isinstance(problem, aiohttp.ClientConnectorError):
        return f"nothing could be reached ({problem.os_error.strerror or problem.os_error})"
    if isinstance(problem, aiohttp.ClientPayloadError):
        return "the answer broke off"
    return f"the answer cannot be used ({type(problem).__name__})"


def _short(address: str) -> str:
    shown = one_line(address)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."


def _failed(address: str, reason: str) -> SearchError:
    return SearchError(f"download of {_short(address)}: {reason}")
