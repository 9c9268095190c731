"""What every answer of the server tells the browser: nobody may frame this site, guess at types, or learn where its readers came from."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Inner = Callable[[Message, Receive, Send], Awaitable[None]]

GUARDS: Final = (
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"content-security-policy", b"frame-ancestors 'self'; base-uri 'self'; object-src 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)


class GuardedAnswers:
    """ASGI middleware. A header that an answer has already stays as it is."""

    def __init__(self, app: Inner) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass everything on; add the headers to the answers of HTTP requests."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message.get("headers", ())}
                message["headers"] = [*message.get("headers", ()), *(guard for guard in GUARDS if guard[0] not in known)]
            await send(message)

        await self._app(scope, receive, guarded if scope["type"] == "http" else send)
