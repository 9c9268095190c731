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
from engine.domain.text.reason import Reason
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
        raise _failed(url, Reason("it_was_not_there_within_s", deadline_s=f"{limits.deadline_s:g}")) from None
    except (aiohttp.ClientError, ValueError) as problem:
        raise _failed(url, _in_words(problem)) from None
    except OSError as problem:
        raise _failed(url, Reason("it_could_not_be_stored_or_read", strerror=problem.strerror or problem)) from None


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
                why = Reason("downloads_come_from_public_addresses_and_configured", refused=guard.refused[0])
                raise _failed(address, why) from None
        address = urljoin(address, target)
    raise _failed(url, Reason("it_redirects_more_than_times", redirects=limits.redirects))


async def _stored(answer: aiohttp.ClientResponse, address: str, folder: Path, limits: DownloadLimits) -> SavedFile:
    if answer.status != 200:
        raise _failed(address, Reason("server_answered", status=answer.status, reason=answer.reason or "").rstrip())
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
        raise _failed(str(answer.url), Reason("it_redirects_to_nowhere"))
    return target


def _host_and_port(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    if parts.scheme.lower() not in _PORTS or not parts.hostname:
        raise _failed(address, Reason("only_http_and_https_addresses_are_downloaded"))
    if parts.username is not None or parts.password is not None:
        raise _failed(address, Reason("address_with_user_or_password"))
    return parts.hostname.lower().rstrip("."), parts.port or _PORTS[parts.scheme.lower()]


def _in_words(problem: Exception) -> str:
    if isinstance(problem, aiohttp.ClientConnectorDNSError):
        return Reason("its_host_is_not_known")
    if isinstance(problem, aiohttp.ClientConnectorError):
        return Reason("nothing_could_be_reached", strerror=problem.os_error.strerror or problem.os_error)
    if isinstance(problem, aiohttp.ClientPayloadError):
        return Reason("answer_broke_off")
    return Reason("answer_cannot_be_used", name=type(problem).__name__)


def _short(address: str) -> str:
    shown = one_line(address)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."


def _failed(address: str, reason: str) -> SearchError:
    return SearchError(Reason("download_failed", address=_short(address), reason=reason))
