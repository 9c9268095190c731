"""A document of the web as a file: fetched with limits, stored by the hash of its content, never executed or unpacked.

Only http and https, only public addresses (and whatever a configured source resolves to), every redirect checked like the first address.
The check is where the socket is made, so the address that is checked is the one that is connected to, whatever a name server answers
before or after. Size, decompressed size, total time and kind are bounded while the body streams in: what a server says about its length
is not believed. A file has its name only when it is whole.
"""

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import aiohttp
from yarl import URL

from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line
from engine.search.download.body import ContentFile, plain_body

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS: Final = 5
_ACCEPT: Final = "application/pdf, text/html, text/plain, text/markdown, application/json, application/xml;q=0.9, */*;q=0.1"
_PORTS: Final = {"http": 80, "https": 443}
_SHOWN: Final = 200  # characters of an address in a message
_WRAPS_IPV4: Final = tuple(
    ipaddress.ip_network(each) for each in ("::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")
)
"""Mapped, compatible, NAT64 (both), 6to4 and Teredo: behind each stands an IPv4 address that may be any."""


@dataclass(frozen=True)
class DownloadLimits:
    """Bounds of one download. megabytes: of 1,000,000 bytes, of the body as sent and as decompressed. deadline_s: for all of it, names,
    redirects and a slow drip included. user_agent: what the request says it is."""

    megabytes: float = 25.0
    deadline_s: float = 60.0
    user_agent: str = "tribunal"


class _AddressGuard:
    """Makes the sockets of one request. allowed: the request's host and port are a configured source's, any address will do.
    refused: addresses that were not connected to, with the reason."""

    def __init__(self, *, allowed: bool) -> None:
        self._allowed = allowed
        self.refused: list[str] = []

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Return a socket for an answer of `getaddrinfo`. Raises PermissionError for an address that may not be connected to."""
        family, kind, protocol, _, address = info
        if not self._allowed and (why := refusal(str(address[0]))):
            self.refused.append(why)
            raise PermissionError(why)
        return socket.socket(family=family, type=kind, proto=protocol)


def refusal(address: str) -> str | None:
    """Return why an address may not be connected to, None when it is a public one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return f"{address} is no address"
    kinds = {
        "a loopback address": parsed.is_loopback,
        "a link-local address": parsed.is_link_local,
        "a multicast address": parsed.is_multicast,
        "a private address": parsed.is_private or (parsed.version == 6 and parsed.is_site_local),
        "a reserved address": parsed.is_reserved or parsed.is_unspecified,
        "an address behind which another one stands": parsed.version == 6
        and (bool(parsed.scope_id) or any(parsed in network for network in _WRAPS_IPV4)),
        "not a public address": not parsed.is_global,
    }
    return next((f"{address} is {kind}" for kind, applies in kinds.items() if applies), None)


async def fetch(url: str, folder: Path, limits: DownloadLimits, *, configured: frozenset[tuple[str, int]] = frozenset()) -> Path:
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


async def _follow(url: str, folder: Path, limits: DownloadLimits, configured: frozenset[tuple[str, int]]) -> Path:
    address = url
    for _ in range(_MOST_REDIRECTS + 1):
        host, port = _host_and_port(address)
        guard = _AddressGuard(allowed=(host, port) in configured)
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
    raise _failed(url, Reason("it_redirects_more_than_times", redirects=_MOST_REDIRECTS))


async def _stored(answer: aiohttp.ClientResponse, address: str, folder: Path, limits: DownloadLimits) -> Path:
    if answer.status != 200:
        raise _failed(address, Reason("server_answered", status=answer.status, reason=answer.reason or "").rstrip())
    try:
        body = plain_body(answer.content.iter_any(), answer.headers.get("Content-Encoding", ""), int(limits.megabytes * 1_000_000))
        with ContentFile(folder, answer.headers.get("Content-Type", "")) as file:
            async for piece in body:
                file.write(piece)
            return file.keep()
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
