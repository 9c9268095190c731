"""Reads the event stream of a chat completion and gives an equal, plainer one, before a client library turns every piece into objects.

Given the bytes of an answer as they come, gives bytes of events of one `data` line each: neighbouring pieces of text are one piece; ids,
names, comments and empty events, which some clients stumble over, are left out; of several choices only the first is read. An answer that
is no stream but one JSON object becomes the stream it should have been (`complete_body.py`). What is no JSON goes through as it is.
Pure: when to give is the caller's business.
"""

import json
from typing import Any

from engine.llm.complete_body import as_events, first_choice

LONGEST = 4_000_000
"""Bytes of an answer in one piece that are kept: many times the longest answer that is used."""
_TEXT_FIELDS = frozenset({"role", "content"})
_MARK = b"\xef\xbb\xbf"
_BROKEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class TooLong(Exception):
    """One line, or an answer that is no stream, is longer than `LONGEST`."""


class DeltaJoiner:
    """One answer's joiner: `feed` what came, `take` what may go on, `rest` once when it is over."""

    def __init__(self) -> None:
        self._unread = b""
        self._begun = False
        self._whole: bytearray | None = None  # of an answer that is no stream
        self._ready: list[bytes] = []
        self._event: list[bytes] = []  # data of the event that is being read
        self._frame: dict[str, Any] | None = None  # the first of the joined events
        self._texts: list[str] = []

    @property
    def is_stream(self) -> bool:
        """Whether the answer is a stream of events, as far as it has come; not one JSON body."""
        return self._whole is None

    def feed(self, data: bytes) -> None:
        """Take the next bytes. Raises TooLong."""
        if not self._begun and not (data := self._begin(data)):
            return
        if self._whole is not None:
            self._whole += data
            if len(self._whole) > LONGEST:
                raise TooLong(f"an answer longer than {LONGEST:,} bytes")
            return
        *lines, self._unread = (self._unread + data).split(b"\n")
        if len(self._unread) > LONGEST:
            raise TooLong(f"a line longer than {LONGEST:,} bytes")
        for line in lines:
            self._read(line.removesuffix(b"\r"))

    def take(self) -> tuple[bytes, bool]:
        """Return what has gathered so far, and whether there is text in it. An unfinished event is kept for later."""
        has_text = any(self._texts)
        self._join()
        given = b"".join(self._ready)
        self._ready.clear()
        return given, has_text

    def rest(self) -> bytes:
        """Return everything left, once, at the end. A last event without its blank line counts if it is a whole one."""
        if self._whole is not None:
            return as_events(bytes(self._whole))
        self._read(self._unread)
        if _parsed(b"\n".join(self._event)) is not None or self._event == [b"[DONE]"]:
            self._close_event()
        return self.take()[0]

    def _begin(self, data: bytes) -> bytes:
        """Find out from the first bytes whether this is a stream or one object. Returns them when that is known, else nothing."""
        head = (self._unread + data).lstrip()
        if _MARK.startswith(head):  # nothing yet, or a part of the mark
            self._unread = head
            return b""
        self._begun, self._unread = True, b""
        head = head.removeprefix(_MARK).lstrip()
        self._whole = bytearray() if head.startswith(b"{") else None
        return head

    def _read(self, line: bytes) -> None:
        if b"\r" in line:  # a stream whose lines end so
            for part in line.split(b"\r"):
                self._read(part)
        elif not line:
            self._close_event()
        elif line.startswith(b"data:"):
            self._event.append(line[6:] if line.startswith(b"data: ") else line[5:])

    def _close_event(self) -> None:
        data, self._event = b"\n".join(self._event), []
        if not data.strip():
            return
        event = _parsed(data)
        first = None if event is None else first_choice(event)
        if event is None or first is None:
            self._pass(data)
        elif (text := _only_text(first)) is None:
            self._pass(data if first is event else json.dumps(first).encode())
        else:
            self._frame = self._frame or first
            self._texts.append(text)

    def _pass(self, data: bytes) -> None:
        self._join()
        self._ready.append(b"data: " + data.replace(b"\n", b"\ndata: ") + b"\n\n")

    def _join(self) -> None:
        if self._frame is None:
            return
        self._frame["choices"][0]["delta"]["content"] = "".join(self._texts)
        self._ready.append(b"data: " + json.dumps(self._frame).encode() + b"\n\n")
        self._frame = None
        self._texts.clear()


def _parsed(data: bytes) -> dict[str, Any] | None:
    """Return the object in an event's data; None when there is none."""
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        event: dict[str, Any] = json.loads(data)
    except _BROKEN:
        return None
    return event


def _only_text(event: dict[str, Any]) -> str | None:
    """Return the text of an event that is a piece of text and nothing else."""
    try:
        (choice,) = event["choices"]
        delta = choice["delta"]
        given = {name for name, value in delta.items() if value is not None}
        text = delta["content"]
        plain = isinstance(text, str) and given <= _TEXT_FIELDS and choice.get("finish_reason") is None
        extra = event.get("usage") or event.get("error") or choice.get("logprobs")
    except _BROKEN:  # another shape: passed on as it is
        return None
    return text if plain and not extra else None
