"""A poll that comes late: the page that asked for it has been left meanwhile, by a press that leads to another one.

Streamlit still runs it, and says that a run of the page that was left begins. Its browser side then takes every element of that other page
away, and what is drawn into the gaps afterwards ends in "Bad delta path index". So the server's word that a part of a page is drawn again
always names the page that this visitor was sent last.
"""

from typing import Final

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_MOST_BYTES: Final = 65_536
"""What begins a run is a tenth of it; what draws a page may be far larger, and need not be read."""


class LatePolls:
    """ASGI middleware around Streamlit's WebSocket."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; of a part that is drawn again say that it is of the page that is shown."""
        shown = ShownPage()

        async def naming(message: Message) -> None:
            if message["type"] == "websocket.send" and (sent := message.get("bytes")) and len(sent) <= _MOST_BYTES:
                message = {**message, "bytes": shown.corrected(sent)}
            await send(message)

        await self._app(scope, receive, naming if scope["type"] == "websocket" else send)


class ShownPage:
    """The page that one visitor was sent last, out of what its server says."""

    def __init__(self) -> None:
        self._hash = ""

    def corrected(self, sent: bytes) -> bytes:
        """Return a message as it is to be sent. sent: a `ForwardMsg`; what is none is left as it is."""
        try:
            message = ForwardMsg.FromString(sent)
        except DecodeError:
            return sent
        if message.HasField("navigation"):  # the first visit asks for a page by its name, and is answered here
            self._hash = message.navigation.page_script_hash
        if not message.HasField("new_session"):
            return sent
        if not message.metadata.run.fragment_ids:
            self._hash = message.new_session.page_script_hash
        if self._hash in ("", message.new_session.page_script_hash):
            return sent
        message.new_session.page_script_hash = self._hash
        return bytes(message.SerializeToString())
