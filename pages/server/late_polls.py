"""Three faults of polls: one that comes late, one that takes a press with it, and one that leaves behind what another part took away.

The page that asked for a late one has been left meanwhile, by a press that leads to another one. Streamlit still runs it, and says that a
run of the page that was left begins. Its browser side then takes every element of that other page away, and what is drawn into the gaps
afterwards ends in "Bad delta path index". So the server's word that a part of a page is drawn again always names the page that this
visitor was sent last.

A press waits in the browser until the task that is running ends (`setTimeout(0)`). A poll that goes out in that time carries it, and then
the press goes out by itself: it was one, and what it opened the second shuts. So a poll presses nothing here.

Streamlit says of a part that has been drawn to its end that it was interrupted, when the next part begins before that word has been sent
(`_update_script_finished_message`). The browser then keeps what the part does not draw any more: a button to approve beside a past moment.
So the word that it ended is sent once more, as it was.
"""

from typing import Final

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_MOST_BYTES: Final = 65_536
"""What begins a run is a tenth of it; what draws a page may be far larger, and need not be read."""

_PRESSES: Final = frozenset({"trigger_value", "string_trigger_value", "json_trigger_value", "chat_input_value"})


class LatePolls:
    """ASGI middleware around Streamlit's WebSocket."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; of a part that is drawn again say that it is of the page that is shown, and let no poll press a button."""
        shown, ended = ShownPage(), EndedParts()

        async def naming(message: Message) -> None:
            said = _said(message)
            if said is not None:
                for word in ended.said_before(said):
                    await send({"type": "websocket.send", "bytes": word.SerializeToString()})
                if shown.corrects(said):
                    message = {**message, "bytes": said.SerializeToString()}
            await send(message)

        async def pressing_nothing() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and (sent := message.get("bytes")):
                message = {**message, "bytes": without_presses(sent)}
            return message

        if scope["type"] == "websocket":
            await self._app(scope, pressing_nothing, naming)
        else:
            await self._app(scope, receive, send)


def without_presses(sent: bytes) -> bytes:
    """Return what a browser sends as it is to be heard: a poll without the press that was waiting beside it. sent: a `BackMsg`; what is
    none is left as it is."""
    try:
        message = BackMsg.FromString(sent)
    except DecodeError:
        return sent
    if not message.rerun_script.is_auto_rerun:
        return sent
    widgets = message.rerun_script.widget_states.widgets
    kept = [widget for widget in widgets if widget.WhichOneof("value") not in _PRESSES]
    if len(kept) == len(widgets):
        return sent
    del widgets[:]
    widgets.extend(kept)
    return bytes(message.SerializeToString())


def _said(message: Message) -> ForwardMsg | None:
    """Return what a server says to its visitor; None for what is large, or no word of Streamlit's."""
    sent = message.get("bytes") if message["type"] == "websocket.send" else None
    if not sent or len(sent) > _MOST_BYTES:
        return None
    try:
        said: ForwardMsg = ForwardMsg.FromString(sent)
    except DecodeError:
        return None
    return said


class ShownPage:
    """The page that one visitor was sent last, out of what its server says."""

    def __init__(self) -> None:
        self._hash = ""

    def corrects(self, message: ForwardMsg) -> bool:
        """Return whether a message named another page, and now names this one."""
        if message.HasField("navigation"):  # the first visit asks for a page by its name, and is answered here
            self._hash = message.navigation.page_script_hash
        if not message.HasField("new_session"):
            return False
        if not message.metadata.run.fragment_ids:
            self._hash = message.new_session.page_script_hash
        if self._hash in ("", message.new_session.page_script_hash):
            return False
        message.new_session.page_script_hash = self._hash
        return True


class EndedParts:
    """Which parts of a page were drawn to their end though their visitor was told otherwise, out of what a server says."""

    def __init__(self) -> None:
        self._cut: ForwardMsg | None = None

    def said_before(self, message: ForwardMsg) -> list[ForwardMsg]:
        """Return what is to be said before a message."""
        if message.WhichOneof("type") == "script_finished":
            is_cut = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            self._cut = message if is_cut and message.metadata.run.fragment_ids else None
        if not message.HasField("new_session") or self._cut is None:
            return []
        cut, self._cut, begins = self._cut, None, message.metadata.run.fragment_ids
        left = [part for part in cut.metadata.run.fragment_ids if part not in begins]
        if not begins or not left:  # only the whole page interrupts a part; the whole page, or the part itself, is drawn anew
            return []
        cut.script_finished = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
        cut.metadata.run.fragment_ids[:] = left
        return [cut]
