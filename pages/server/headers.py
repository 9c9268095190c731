"""What every answer of the server tells the browser: no one may frame this site, embed its files, guess at types, or learn where its
readers came from; and its pages load and send nothing but from and to their own server.

Streamlit's pages need styles that are written in place (every element brings its own), scripts in its first page, which are named
here by their digests, and scripts of components that it hands to the browser as `blob:`.
"""

import base64
import hashlib
import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.domain.text.address import host_of

_OWN: Final = (
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class GuardedAnswers:
    """ASGI middleware. A header that an answer has already stays as it is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; add the headers to the answers of HTTP requests."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message.get("headers", ())}
                guards = (*_OWN, (b"content-security-policy", _policy(_named(scope))))
                message["headers"] = [*message.get("headers", ()), *(guard for guard in guards if guard[0] not in known)]
            await send(message)

        await self._app(scope, receive, guarded if scope["type"] == "http" else send)


def streamlit_html() -> str:
    """Return the HTML of every page, which is Streamlit's; "" where it cannot be read."""
    spec = find_spec("streamlit")
    index = Path(str(spec.origin)).parent / "static" / "index.html" if spec else Path()
    return index.read_text(encoding="utf-8") if index.is_file() else ""


def inline_scripts(page: str) -> list[str]:
    """Return the digests of the scripts that are in an HTML page, as a policy names them."""
    return [f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" for body in _INLINE.findall(page)]


def _named(scope: Scope) -> str:
    """Return the host that was asked for, empty where it is none."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"host"), "")
    return host.lower() if host_of(host, "http") else ""


@lru_cache(maxsize=16)
def _policy(host: str) -> bytes:
    """Return what pages of this server may do. host: for browsers to which a socket of their own server is not `'self'`."""
    rules = (
        "default-src 'none'",
        " ".join(("script-src 'self' blob:", *inline_scripts(streamlit_html()))),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        f"connect-src 'self' ws://{host} wss://{host}" if host else "connect-src 'self'",
        "media-src 'self'",
        "manifest-src 'self'",
        "worker-src 'none'",
        "frame-src 'none'",
        "frame-ancestors 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
    return "; ".join(rules).encode()
