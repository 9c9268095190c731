"""Joins the small pieces of a streamed chat completion, before a client library turns every one of them into objects.

Given the bytes of a stream as they come, gives the bytes of an equal stream in which neighbouring pieces of text are one piece. Only an
event that carries nothing but text is joined; any other (a finish, usage, an error, a thought, what is no event at all) goes through byte
by byte, in its place. Pure: when to give is the caller's business.
"""

import json
from typing import Any

_START = b"data: {"
_SAID = frozenset({"role", "content"})


class DeltaJoiner:
    """One stream's joiner: `feed` what came, `take` what may go on, `rest` once when the stream is over."""

    def __init__(self) -> None:
        self._unread = b""
        self._ready: list[bytes] = []
        self._event: list[bytes] = []  # lines of the event that is being read
        self._frame: dict[str, Any] | None = None  # the first of the joined events
        self._texts: list[str] = []
        self._line_length = 0

    @property
    def line_length(self) -> int:
        """Characters of the text's last line so far."""
        return self._line_length

    def feed(self, data: bytes) -> None:
        """The next bytes of the stream."""
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            self._event.append(line)
            if line in (b"", b"\r"):
                self._close_event()

    def take(self) -> tuple[bytes, bool]:
        """What has gathered, and whether there is text in it. An event that is not over yet stays behind."""
        has_text = any(self._texts)
        self._join()
        given = b"".join(self._ready)
        self._ready.clear()
        return given, has_text

    def rest(self) -> bytes:
        """Everything left, an unfinished event too."""
        given, _ = self.take()
        return given + b"\n".join((*self._event, self._unread))

    def _close_event(self) -> None:
        lines, self._event = self._event, []
        frame = _only_text(lines[0]) if len(lines) == 2 else None
        if frame is None:
            self._join()
            self._ready.append(b"\n".join(lines) + b"\n")
            return
        self._frame = self._frame or frame
        text: str = frame["choices"][0]["delta"]["content"]
        self._texts.append(text)
        newline = text.rfind("\n")
        self._line_length = self._line_length + len(text) if newline < 0 else len(text) - newline - 1

    def _join(self) -> None:
        if self._frame is None:
            return
        self._frame["choices"][0]["delta"]["content"] = "".join(self._texts)
        self._ready.append(b"data: " + json.dumps(self._frame).encode() + b"\n\n")
        self._frame = None
        self._texts.clear()


def _only_text(line: bytes) -> dict[str, Any] | None:
    """The event, if it is a piece of text and nothing else."""
    if not line.startswith(_START):
        return None
    try:
        event = json.loads(line[len(b"data: ") :])
        (choice,) = event["choices"]
        delta = choice["delta"]
        said = {name for name, value in delta.items() if value is not None}
        plain = isinstance(delta["content"], str) and said <= _SAID and choice.get("finish_reason") is None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # not of this shape: none of our business
        return None
    extra = event.get("usage") or event.get("error") or choice.get("logprobs")
    return event if plain and not extra else None
