"""A chat-completions endpoint on loopback that answers as it is told, faults included.

    with LLMServer(answer=lambda body: "direction: LONG\nconfidence: 70") as server:
        OpenAIModel("any", api_key="sk-test", base_url=server.base_url)

`answer` is a text, a Fault, a list of those (one a request, the last one again and again) or a callable on the request's body, which may
look at what the role was asked (`system_of`, `user_of`) and runs on the server's thread. The server speaks HTTP/1.1 with keep-alive and
server-sent events, remembers every request, counts calls open at once and notices clients that leave early. It ends with the block.
"""

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self

from tests.servers.tool_calls import calls_of, shreds

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Fault:
    """Something other than a plain answer; made by the names below.

    status, headers, body: a whole HTTP answer instead of a stream. text, finish: what is streamed and how it ends (None: it just ends).
    calls: tool calls behind the text, as `calls_of` makes them.
    lines: the raw lines of a stream, in place of text; raw: its very bytes. then: what happens behind the text: `end`, `stall` (silence),
    `drip` (one character every `every_s` seconds, for ever), `drop` (the connection is cut), `error` (an error object in the stream),
    `linger` (its finish, then silence); or `hang`: no answer at all, not even a status.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    text: str = ""
    finish: str | None = "stop"
    then: str = "end"
    every_s: float = 0.1
    lines: tuple[str, ...] = ()
    raw: bytes = b""
    calls: tuple[Mapping[str, Any], ...] = ()


Plan = str | Fault
Answer = Plan | Sequence[Plan] | Callable[[Body], Plan]

HANG = Fault(then="hang")
STALL = Fault(text="half an ans", then="stall")
EMPTY = Fault(text="")
BLANK = Fault(text=" \n\n ")
NO_FINISH = Fault(text="half an ans", finish=None)
STREAM_ERROR = Fault(text="half an ans", then="error")
HTML = Fault(body="<!doctype html><html><body><h1>Sign in</h1></body></html>", headers=(("Content-Type", "text/html"),))
GARBAGE = Fault(body="\x00\x01not json {{{", headers=(("Content-Type", "text/event-stream"),))
NO_STREAM_NO_FINISH = Fault(body='{"id":"x","object":"chat.completion","choices":[{"message":{"content":"hi"}}]}')
FILTERED = Fault(text="I cannot", finish="content_filter")
BROKEN_EVENTS = (
    Fault(lines=("data: {not json",)),
    Fault(lines=("data: 42",)),
    Fault(lines=('data: {"choices": 5}',)),
    Fault(lines=('data: {"choices": [{"no": "delta"}]}',)),
    Fault(lines=('data: "text"', "data: null")),
    Fault(lines=("data: " + "[" * 100_000,)),
)


def status(code: int, message: str = "no", kind: str | None = None, **headers: str) -> Fault:
    """An error answer as the API words it. Underscores in header names become hyphens."""
    body = json.dumps({"error": {"message": message, "type": "error", "param": None, "code": kind}})
    return Fault(status=code, body=body, headers=tuple((name.replace("_", "-"), value) for name, value in headers.items()))


def busy(retry_after: str | None = None) -> Fault:
    """429, perhaps with Retry-After (seconds or an HTTP date)."""
    return status(429, "slow down", **({} if retry_after is None else {"Retry_After": retry_after}))


def drip(every_s: float = 0.1) -> Fault:
    """One character every `every_s` seconds, for ever."""
    return Fault(then="drip", every_s=every_s)


def dropped(text: str = "half an ans") -> Fault:
    return Fault(text=text, then="drop")


def cut_off(text: str) -> Fault:
    return Fault(text=text, finish="length")


def wants(*calls: tuple[str, Mapping[str, Any] | str], text: str = "", prefix: str = "call") -> Fault:
    """An answer that calls tools: name and arguments, each."""
    return Fault(text=text, calls=calls_of(*calls, prefix=prefix), finish="tool_calls")


def never_closed(text: str) -> Fault:
    return Fault(text=text, then="linger")


def refused_url() -> str:
    """Return an address at which nothing listens: the operating system never assigns this port."""
    return "http://127.0.0.1:9/v1"


def system_of(body: Body) -> str:
    return _text_of(body, "system")


def user_of(body: Body) -> str:
    """The user message of a request, without its images."""
    return _text_of(body, "user")


@dataclass
class Request:
    """One request as it came. closed_early: the client left before the end of the answer. is_open: that has not been sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    began: float
    closed_early: bool = False
    duration_s: float | None = None
    left: threading.Event = field(default_factory=threading.Event)
    is_open: bool = True

    @property
    def images(self) -> list[str]:
        """The image addresses in it (data URLs)."""
        contents = [message["content"] for message in self.body.get("messages", ()) if isinstance(message["content"], list)]
        return [part["image_url"]["url"] for content in contents for part in content if part["type"] == "image_url"]


class LLMServer:
    """See the module. first_token_s: wait before the first piece. begins: answers to a request begin as soon as this is true of its body
    (looked at with every request that comes), None = at once. tokens_per_s: speed, None = at once. usage: whether it reports tokens (only
    to clients that ask). key: the only key it takes, None = any. plain: it ignores `stream` and answers in one JSON body.
    bound: the one name under which it takes a bound (it keeps to it, and refuses every other name), None = it takes any and ignores it.
    thoughts: how many tokens it thinks before it writes, which count against the bound. models: the names it lists under `/models`, None =
    it has no such list; it refuses to speak for any other. context: tokens that it says it reads at once."""

    def __init__(
        self,
        answer: Answer = "ok",
        *,
        first_token_s: float = 0.0,
        begins: Callable[[Body], bool] | None = None,
        tokens_per_s: float | None = None,
        usage: bool = True,
        key: str | None = None,
        plain: bool = False,
        bound: str | None = None,
        thoughts: int = 0,
        models: Sequence[str] | None = None,
        context: int | None = None,
    ) -> None:
        self.answer = answer
        self.first_token_s, self.tokens_per_s, self.usage, self.key = first_token_s, tokens_per_s, usage, key
        self.plain, self.bound, self.thoughts, self.begins = plain, bound, thoughts, begins
        self._came = asyncio.Condition()
        self.models, self.context = models, context
        self.requests: list[Request] = []
        self.peak = 0
        self._open = 0
        self._port = 0
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._changed = threading.Condition()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="llm-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(30), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)
        assert not self._thread.is_alive(), "the server did not end"

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def wait_for(self, holds: Callable[[], bool], within_s: float = 60.0) -> None:
        """Block until `holds`; it is asked again whenever a request comes or ends."""
        with self._changed:
            assert self._changed.wait_for(holds, within_s), f"not so within {within_s:g} s"

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    @property
    def closed_early(self) -> int:
        """Requests whose client left before the answer was over."""
        return sum(request.closed_early for request in self.requests)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        connections: set[asyncio.Task[None]] = set()
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setblocking(False)

        def accept() -> None:
            with suppress(OSError):  # whoever asked has left
                task = asyncio.ensure_future(self._connected(listener.accept()[0]))
                connections.add(task)
                task.add_done_callback(connections.discard)

        # Not `asyncio.start_server`: up to Python 3.11, closing it loses the connections that it is accepting, and never closes them.
        self._loop.add_reader(listener, accept)
        self._port = listener.getsockname()[1]
        self._started.set()
        await self._stop.wait()
        self._loop.remove_reader(listener)
        listener.close()
        await asyncio.sleep(0)  # a task that has not begun could not close its connection
        ending = list(connections)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        await asyncio.sleep(0)  # lets aborted transports close their sockets

    async def _connected(self, connection: socket.socket) -> None:
        with connection:
            reader, writer = await asyncio.open_connection(sock=connection)
            try:
                await self._converse(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                writer.transport.abort()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        early = b""  # a byte of the next request, read while watching for the client to leave
        while True:
            head = (early + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
            raw = await reader.readexactly(int(headers.get("content-length", 0)))
            request = Request(head[0].split(" ")[1], headers, json.loads(raw) if raw else {}, time.monotonic())
            self.requests.append(request)
            self._open += 1
            self.peak = max(self.peak, self._open)
            self._tell()
            async with self._came:
                self._came.notify_all()
            work, watch = asyncio.ensure_future(self._reply(request, writer)), asyncio.ensure_future(reader.read(1))
            try:
                await asyncio.wait((work, watch), return_when=asyncio.FIRST_COMPLETED)
                if not work.done() and _has_left(watch):
                    request.closed_early = True
                    return
                try:
                    await work
                except (BrokenPipeError, ConnectionResetError):  # noticed while writing, before the watch did; a `drop` of ours is an abort
                    request.closed_early = True
                    raise
            finally:
                self._open -= request.is_open
                request.duration_s = time.monotonic() - request.began
                request.left.set()
                self._tell()
                for task in (work, watch):
                    task.cancel()
                early = b"" if not watch.done() or watch.cancelled() or watch.exception() else watch.result()
                await asyncio.gather(work, watch, return_exceptions=True)

    async def _reply(self, request: Request, writer: asyncio.StreamWriter) -> None:
        plan = self._plan(request)
        if plan.then == "hang":
            await _silence()
        if self.begins is not None:
            begins = self.begins
            async with self._came:
                await self._came.wait_for(lambda: begins(request.body))
        if plan.body is not None:
            await _whole(writer, plan.status, plan.headers, plan.body)
            return
        if self.plain or not request.body.get("stream"):
            await asyncio.sleep(self.first_token_s)
            await _whole(writer, 200, (), json.dumps(_completion(request.body, plan, self._thought(request.body))))
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        async for data in self._stream(request.body, plan):
            if data.startswith(b"data: [DONE]"):  # whoever reads it may ask again before this server knows that it was read
                self._open, request.is_open = self._open - 1, False
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
        if plan.then == "drop":
            await asyncio.sleep(0.01)  # so that what was written leaves before the cut
            raise ConnectionAbortedError
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _stream(self, body: Body, plan: Fault) -> AsyncIterator[bytes]:
        if plan.raw:
            yield plan.raw
            return
        for line in plan.lines:
            yield (line + "\n\n").encode()
        if not plan.lines:
            async for line in self._events(body, plan):
                yield (line + "\n\n").encode()

    async def _events(self, body: Body, plan: Fault) -> AsyncIterator[str]:
        pieces = tokens(plan.text)
        await asyncio.sleep(self.first_token_s)
        began = time.monotonic()
        for delta in [{"role": "assistant", "content": ""}, *[{"reasoning_content": " hm"}] * self._thought(body)]:
            yield _event(delta)
        for place, delta in enumerate(
            [*({"content": piece} for piece in pieces), *({"tool_calls": [each]} for each in shreds(plan.calls))]
        ):
            if self.tokens_per_s:
                await asyncio.sleep(max(0.0, began + place / self.tokens_per_s - time.monotonic()))
            yield _event(delta)
        if plan.then == "error":
            yield 'data: {"error": {"message": "engine overloaded", "type": "server_error"}}'
        async for line in _never_ending(plan):
            yield line
        if plan.then == "drop" or plan.finish is None:
            return
        yield _event({}, plan.finish)
        if plan.then == "linger":
            await _silence()
        if self.usage and body.get("stream_options", {}).get("include_usage"):
            yield "data: " + json.dumps({**_FRAME, "choices": [], "usage": _usage(body, pieces, self._thought(body))})
        yield "data: [DONE]"

    def _plan(self, request: Request) -> Fault:
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.key is not None and sent != self.key:
            return status(401, f"Incorrect API key provided: {sent}. You can find your API key in your account.", "invalid_api_key")
        if request.path.endswith("/models") and self.models is not None:
            rows = [{"id": name, "object": "model", **({"max_model_len": self.context} if self.context else {})} for name in self.models]
            return Fault(body=json.dumps({"object": "list", "data": rows}), headers=(("Content-Type", "application/json"),))
        if not request.path.endswith("/chat/completions"):
            return status(404, f"no such path {request.path}")
        answer = self.answer
        if callable(answer):
            answer = answer(request.body)
        elif not isinstance(answer, str | Fault):
            answer = answer[min(len(self.requests), len(answer)) - 1]
        return self._bounded(request.body, Fault(text=answer) if isinstance(answer, str) else answer)

    def _thought(self, body: Body) -> int:
        return min(self.thoughts, int(body.get(self.bound, 1 << 30)) if self.bound else self.thoughts)

    def _bounded(self, body: Body, plan: Fault) -> Fault:
        """The plan as far as the request's bound lets it come; a refusal of a bound under another name."""
        if self.bound is None or plan.body is not None:
            return plan
        for name in {"max_tokens", "max_completion_tokens"} & body.keys() - {self.bound}:
            said = f"Unsupported parameter: '{name}' is not supported with this model. Use '{self.bound}' instead."
            return status(400, said, "unsupported_parameter")
        room, pieces = int(body.get(self.bound, 1 << 30)) - self._thought(body), tokens(plan.text)
        return replace(plan, text="".join(pieces[:room]), finish="length") if len(pieces) > room else plan


_FRAME = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "loopback"}
_TOKEN = re.compile(r"\s*[^\s\u3000-\u9fff\uff00-\uffef]+|\s*[\u3000-\u9fff\uff00-\uffef]|\s+\Z")


def tokens(text: str) -> list[str]:
    """The pieces a text is streamed and counted in: words with the space before them, Chinese by the character."""
    return _TOKEN.findall(text)


def _event(delta: Mapping[str, Any], finish: str | None = None) -> str:
    return "data: " + json.dumps({**_FRAME, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _usage(body: Body, pieces: Sequence[str], thoughts: int) -> dict[str, int]:
    prompt, told = len(tokens(system_of(body) + " " + user_of(body))), len(pieces) + thoughts
    return {"prompt_tokens": prompt, "completion_tokens": told, "total_tokens": prompt + told}


def _completion(body: Body, plan: Fault, thoughts: int = 0) -> dict[str, Any]:
    message = {"role": "assistant", "content": plan.text} | ({"reasoning_content": " hm" * thoughts} if thoughts else {})
    message |= {"tool_calls": list(plan.calls)} if plan.calls else {}
    choice = {"index": 0, "message": message, "finish_reason": plan.finish}
    return {**_FRAME, "object": "chat.completion", "choices": [choice], "usage": _usage(body, tokens(plan.text), thoughts)}


def _text_of(body: Body, role: str) -> str:
    contents = [message["content"] for message in body.get("messages", ()) if message["role"] == role]
    texts = [content if isinstance(content, str) else "".join(part.get("text", "") for part in content) for content in contents]
    return "\n".join(texts)


async def _silence() -> None:
    await asyncio.Event().wait()


async def _never_ending(plan: Fault) -> AsyncIterator[str]:
    """What a fault writes behind its text, if it never ends."""
    if plan.then == "stall":
        await _silence()
    while plan.then == "drip":
        yield _event({"content": "."})
        await asyncio.sleep(plan.every_s)


async def _whole(writer: asyncio.StreamWriter, code: int, headers: Sequence[tuple[str, str]], body: str) -> None:
    data = body.encode()
    lines = {"Content-Type": "application/json", **dict(headers), "Content-Length": str(len(data))}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {code} Told\r\n{head}\r\n".encode() + data)
    await writer.drain()


def _has_left(watch: "asyncio.Future[bytes]") -> bool:
    with suppress(ConnectionError):
        return watch.result() == b""
    return True
