"""Who is answered: pages of this very server, and no one else's.

A browser says with every WebSocket and every request that changes something which page it comes from (`Origin`: scheme, host and port).
Other programs of this machine serve pages too, from other ports: to cookies they are the same site, so nothing but the whole origin tells
them apart. A name that someone has pointed at this machine is refused as well: its pages would be of the same origin as ours.

The server's own address is the one it was reached at, if that is a name of loopback, the address it is bound to or the socket's own; and
behind a proxy what `TRIBUNAL_PUBLIC_URL` says.
"""

import asyncio
import logging
from dataclasses import dataclass
from functools import cache
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

from engine.domain.errors import TribunalError
from engine.domain.text.address import host_of, origin_of

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_PROVEN: Final = "/_stcore/metrics"
"""No page of ours asks for it: anyone who cannot show to be one of them gets nothing."""
_CLOSED: Final = "/_stcore/agent/"
"""Streamlit's way to let programs press buttons. Here a person does."""
_PROXY: Final = "behind a proxy set TRIBUNAL_PUBLIC_URL"
_MOST_LOGGED: Final = 20
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asking:
    """Where a request says it comes from. hosts, origins: each header of that name. site: how its page is related to us, as the browser
    sees it. lands: whether it opens a page in a tab, as a followed link does. reads: whether it changes nothing."""

    path: str
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    site: str
    lands: bool
    reads: bool


def asking_of(scope: Scope) -> Asking:
    """Read it out of the ASGI scope of a request."""
    found: dict[bytes, tuple[str, ...]] = {}
    for name, value in scope["headers"]:
        found[name.lower()] = (*found.get(name.lower(), ()), value.decode("latin-1"))
    first = {name: values[0] for name, values in found.items()}
    lands = (first.get(b"sec-fetch-mode"), first.get(b"sec-fetch-dest")) == ("navigate", "document")
    reads = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"}
    return Asking(scope["path"], found.get(b"host", ()), found.get(b"origin", ()), first.get(b"sec-fetch-site", ""), lands, reads)


class OwnVisitors:
    """ASGI middleware: what does not come from a page of this server is refused with 403."""

    is_installed = False  # whether this process has one; a page does not open without

    def __init__(self, app: ASGIApp) -> None:
        OwnVisitors.is_installed = True
        self._app = app
        self._logged: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what comes from a page of this server, and everything that is no request."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        asking, public = asking_of(scope), None
        why = refusal(asking, _reached_at(scope, asking), None)
        if why:  # only now: reading the settings takes a moment, and most visitors are of this machine
            public = await asyncio.to_thread(_public_origin)
            why = refusal(asking, _reached_at(scope, asking), public) if public else why
        if why:
            self._log_once(why)
            await _refuse(scope["type"], why, send)
            return
        await self._app(_named(scope, public) if public in asking.origins else scope, receive, send)

    def _log_once(self, why: str) -> None:
        """Log each reason once: anyone who sets up a proxy reads it here, and no one can fill a disk."""
        if why not in self._logged and len(self._logged) < _MOST_LOGGED:
            self._logged.add(why)
            _log.warning("a visitor was refused: %s", why)


def refusal(asking: Asking, reached: str | None, public: str | None) -> str:
    """Return why a request is not answered, empty when it is.

    reached: the origin of pages at the address it was sent to, None where that is not one of ours. public: of pages behind the proxy.
    """
    if len(asking.hosts) != 1 or len(asking.origins) > 1:
        return "a request names one host, and one origin at most"
    own = {each for each in (reached, public) if each is not None}
    if reached is None and not any(_is_at(asking.hosts[0], each) for each in own):
        return f"{asking.hosts[0][:80]!a} is not an address of this server; {_PROXY}"
    if _CLOSED in asking.path and not asking.reads:
        return "no program presses buttons here"
    if asking.reads and asking.lands and _PROVEN not in asking.path:
        return ""
    return _foreign(asking, own)


def _foreign(asking: Asking, own: set[str]) -> str:
    """Return why what it says of its page is not enough."""
    if asking.origins:
        known = asking.origins[0] in own
        return "" if known else f"it comes from {asking.origins[0][:80]!a}, which is not a page of this server; {_PROXY}"
    if not asking.reads:
        return "it does not say which page it comes from"
    trusted = {"same-origin"} if _PROVEN in asking.path else {"same-origin", "none", ""}
    return "" if asking.site in trusted else f"it is of no page of this server ({asking.site[:20]!a})"


def _is_at(host: str, origin: str) -> bool:
    scheme, _, rest = origin.partition("://")
    return host_of(host, scheme) == host_of(rest, scheme)


def _reached_at(scope: Scope, asking: Asking) -> str | None:
    """Return the origin of pages at the address that was asked for, None where that is not where this server listens."""
    scheme = "https" if scope["scheme"] in {"https", "wss"} else "http"
    asked = host_of(asking.hosts[0], scheme) if asking.hosts else None
    address, port = scope.get("server") or ("", None)
    if asked is None or asked[1] != port:
        return None
    names = {_bracketed(address), _bracketed(str(config.get_option("server.address") or ""))} | _LOOPBACK
    return origin_of(scheme, *asked) if asked[0] in names else None


def _bracketed(address: str) -> str:
    """Return an IPv6 address as it is in a `Host` header."""
    bare = address.strip("[]").lower()
    return f"[{bare}]" if ":" in bare else bare


@cache
def _public_origin() -> str | None:
    from engine.api import public_origin  # noqa: PLC0415 - most visitors never need it, and it brings the engine

    try:
        return public_origin()
    except TribunalError:  # the page says what is wrong with the settings
        return None


def _named(scope: Scope, public: str | None) -> Scope:
    """Return the request as if the proxy had passed on the name it was asked for: Streamlit compares the two."""
    host = str(public).partition("://")[2].encode()
    return {**scope, "headers": [(name, host if name.lower() == b"host" else value) for name, value in scope["headers"]]}


async def _refuse(kind: str, why: str, send: Send) -> None:
    """Refuse a socket: one that is closed before it was opened is answered with 403."""
    if kind == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": ""})
        return
    kinds = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 403, "headers": kinds})
    await send({"type": "http.response.body", "body": f"refused: {why}\n".encode()})
