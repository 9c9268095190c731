"""Works around three faults of Streamlit's polls: one comes late, one takes a press with it, one keeps a finished part from being tidied.

The page that asked for a late one has been left meanwhile, by a press that leads to another one. Streamlit still runs it, and says that a
run of the page that was left begins. Its browser side then takes every element of that other page away, and what is drawn into the gaps
afterwards ends in "Bad delta path index". So the server's word that a part of a page is drawn again always names the page that this
visitor was sent last.

A press waits in the browser until the task that is running ends (`setTimeout(0)`). A poll that goes out in that time carries it, and then
the press goes out by itself: it was one, and what it opened the second shuts. So a poll presses nothing here.

If the next fragment starts before the "finished" message of the last one was sent, Streamlit rewrites that message to "interrupted"
(`_update_script_finished_message`). The browser then keeps elements that the fragment no longer draws, such as Approve beside a past
moment. So the original message is sent after the rewritten one.
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
            parsed = _parsed(message)
            if parsed is not None:
                for missing in ended.missing_before(parsed):
                    await send({"type": "websocket.send", "bytes": missing.SerializeToString()})
                if shown.corrects(parsed):
                    message = {**message, "bytes": parsed.SerializeToString()}
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


def _parsed(message: Message) -> ForwardMsg | None:
    """Return the `ForwardMsg` that is sent to the browser; None if it is large or cannot be decoded."""
    sent = message.get("bytes") if message["type"] == "websocket.send" else None
    if not sent or len(sent) > _MOST_BYTES:
        return None
    try:
        parsed: ForwardMsg = ForwardMsg.FromString(sent)
    except DecodeError:
        return None
    return parsed


class ShownPage:
    """The page that one visitor was sent last, out of what its server says."""

    def __init__(self) -> None:
        self._hash = ""

    def corrects(self, message: ForwardMsg) -> bool:
        """Make a message name the page that is shown; return whether it named another one."""
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
    """Notices fragments that finished but were reported to the browser as interrupted."""

    def __init__(self) -> None:
        self._cut: ForwardMsg | None = None

    def missing_before(self, message: ForwardMsg) -> list[ForwardMsg]:
        """Return the "finished" messages that have to be sent before `message`."""
        if message.WhichOneof("type") == "script_finished":
            is_cut = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            self._cut = message if is_cut and message.metadata.run.fragment_ids else None
        if not message.HasField("new_session") or self._cut is None:
            return []
        cut, self._cut, begins = self._cut, None, message.metadata.run.fragment_ids
        left = [part for part in cut.metadata.run.fragment_ids if part not in begins]
        if not begins or not left:  # the whole page, the only thing that interrupts a fragment, or the same fragments are drawn again
            return []
        cut.script_finished = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
        cut.metadata.run.fragment_ids[:] = left
        return [cut]
