"""The HTTP client of a model's endpoint: the OpenAI library's own over aiohttp, with one hook.

The body of a successful answer is read as the plain event stream that the library expects: lines without data (ids, names, comments, empty
events, on which it stumbles) are left out, and an answer that comes whole in one JSON body becomes the stream it should have been.
Compression is not asked for: it would delay the first text.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any

import httpx2
import openai

LONGEST = 4_000_000
"""Bytes of a line, and of an answer that is no stream: many times the longest answer that is used."""
_MARK = b"\xef\xbb\xbf"
_LIMITS = httpx2.Limits(max_connections=1000, keepalive_expiry=15.0)


def streaming_client(report: Callable[[bool], None] | None = None) -> httpx2.AsyncClient:
    """Make a client for `http_async_client`. It follows the usual proxy variables and serves one event loop. Blocks for about 20 ms.

    report: called for every answer, once it has begun, with whether it is a stream of events and not one JSON body.

    Raises ValueError and httpx2.InvalidURL for a proxy whose address is not a valid one.
    """
    headers = {"Accept-Encoding": "identity"}
    return openai.DefaultAioHttpClient(limits=_LIMITS, headers=headers, event_hooks={"response": [partial(_as_events, report=report)]})


async def _as_events(response: httpx2.Response, report: Callable[[bool], None] | None) -> None:
    """Read the body of a successful response as events; any other, and one that is compressed all the same, stays as it is."""
    if response.status_code == 200 and response.headers.get("content-encoding", "identity") == "identity":
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Events(response.stream, response.request, report)


class _Events(httpx2.AsyncByteStream):
    """The events of an answer, as they come."""

    def __init__(self, source: httpx2.AsyncByteStream, request: httpx2.Request, report: Callable[[bool], None] | None) -> None:
        self._source, self._request, self._report = source, request, report
        self._parts = self._read()  # a client that drains what is behind the end iterates again, and goes on where it stopped

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._parts

    async def aclose(self) -> None:
        """Release the connection."""
        await self._source.aclose()

    async def _read(self) -> AsyncIterator[bytes]:
        unread, is_stream = b"", None
        async for data in self._source:
            unread += data
            if is_stream is None:
                unread = unread.lstrip()
                if _MARK.startswith(unread):  # nothing yet, or a part of the mark
                    continue
                unread = unread.removeprefix(_MARK).lstrip()
                is_stream = not unread.startswith(b"{")
                if self._report is not None:
                    self._report(is_stream)
            if is_stream and unread:
                lines = unread.splitlines(keepends=True)
                unread = b"" if lines[-1].endswith(b"\n") else lines.pop()  # behind \r there may come \n
                if events := _with_data(lines):
                    yield events
            if len(unread) > LONGEST:
                raise httpx2.ReadError(f"a line or an answer longer than {LONGEST:,} bytes", request=self._request)
        yield _with_data([*unread.splitlines(keepends=True), b"\n\n"]) if is_stream else _whole_answer(unread)


def _with_data(lines: list[bytes]) -> bytes:
    """Return the lines that hold data, and those that end an event."""
    return b"".join(line for line in lines if not line.strip() or (line.startswith(b"data:") and line[5:].strip()))


def _whole_answer(body: bytes) -> bytes:
    """Return the event stream with what one JSON body holds: its text, its tool calls, its finish, its usage. The first choice only.

    An object that is no completion (an error) becomes one event; what is no object becomes no event at all.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return b""
    if not isinstance(answer, dict):
        return b""
    try:
        frames = _frames(answer)
    except (TypeError, KeyError, IndexError, AttributeError):
        frames = [answer]
    return b"".join(b"data: " + json.dumps(frame).encode() + b"\n\n" for frame in frames) + b"data: [DONE]\n\n"


def first_choices(answer: Mapping[str, Any]) -> list[Any]:
    """Return the first choice of a chunk or a completion, in a list; empty where it has only others, or none."""
    return [choice for choice in answer.get("choices") or () if not choice.get("index")][:1]


def _frames(answer: dict[str, Any]) -> list[Mapping[str, Any]]:
    choice: Mapping[str, Any] = first_choices(answer)[0]
    frame: dict[str, Any] = {"object": "chat.completion.chunk", **{key: answer[key] for key in ("id", "created", "model") if key in answer}}
    message = choice["message"]
    delta: dict[str, Any] = {**message, "role": "assistant", "content": text_of(message.get("content"))}
    if calls := delta.pop("tool_calls", None):
        delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(calls)]
    frames: list[Mapping[str, Any]] = [
        {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": choice.get("finish_reason")}]},
    ]
    return [*frames, {**frame, "choices": [], "usage": answer["usage"]}] if answer.get("usage") else frames


def text_of(content: Any) -> str:
    """Return the text of a message or of a piece of one: a string, or a list of parts, of which the texts are taken and the thoughts are
    not."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    return content or ""
