"""A model behind any OpenAI-compatible endpoint, streamed through langchain's ChatOpenAI.

Given a name, a key and an address; streams one answer per call. It never retries and has no deadline of its own (`calls.py` has both),
never shows the key, and drops what a reasoning model thinks. Importing this module costs about a second: import it late. The first client
is made off the event loop. Calls wait for a slot of their address (`slots.py`). An instance serves one event loop.
"""

import asyncio
import base64
import threading
import urllib.request
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, convert_to_messages
from langchain_openai import ChatOpenAI

from engine.domain.errors import ModelRefused, ModelUnavailable
from engine.domain.text.plain_json import read_object
from engine.llm.endpoint_errors import ErrorMessages, explained
from engine.llm.protocol import AskAgain, Chunk, ModelCall, Retryable, ToolCall
from engine.llm.request_options import AnswerForm, RequestOptions, bound_in
from engine.llm.slots import EndpointSlots
from engine.llm.streaming_client import streaming_client

DEFAULT_ADDRESS = "https://api.openai.com/v1"
_CONNECT_S = 15.0
_PROBE_S = 3.0
_AFTER_FINISH_S = 1.0  # for the usage behind the finish; an endpoint that never closes must not cost the whole deadline
_REFUSAL = 250  # characters of a refusal that are quoted before the hint
_BOUNDED_BY = "TRIBUNAL_MAX_TOKENS bounds answers"
_FINISHES = {
    **dict.fromkeys(("max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("sensitive", "safety"), "content_filter"),
}
"""Finish reasons of some endpoints -> the protocol's."""
_GIVEN_UP = ("error", "abort", "aborted", "cancelled", "insufficient_system_resource", "network_error")
_MAY_REFUSE_A_FORM = (openai.BadRequestError, openai.UnprocessableEntityError, openai.NotFoundError, openai.InternalServerError)
"""404: what a router says that finds nobody who takes tools. 500: what a server says that cannot make a grammar of a schema."""
_PORTS = {"http": 80, "https": 443}
_SURPRISES = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OSError, UserWarning)
"""What the client libraries raise over bodies that are not what they should be: HTML, broken JSON, JSON of another shape (and pydantic's
warning about it, where warnings are errors)."""


class OpenAIModel:
    """One model of one endpoint; implements `engine.llm.protocol.Model`.

    base_url: None for OpenAI's own. slots: shared by all models of the process; None gives this one slots of its own.
    takes_images: whether calls may carry charts.
    """

    def __init__(
        self,
        name: str,
        *,
        api_key: str,
        base_url: str | None,
        slots: EndpointSlots | None = None,
        takes_images: bool = False,
        connect_s: float = _CONNECT_S,
    ) -> None:
        self._name, self._key, self._takes_images = name, api_key.strip(), takes_images
        self._address = (base_url or "").strip().rstrip("/") or DEFAULT_ADDRESS
        self._slots, self._connect_s = slots or EndpointSlots(), connect_s
        self._messages = ErrorMessages(name, self._address, self._key)
        self._options = RequestOptions(self._address)
        self._making = threading.Lock()
        self._client: ChatOpenAI | None = None
        self._http: httpx2.AsyncClient | None = None
        self._streams: bool | None = None

    @property
    def streams(self) -> bool | None:
        """Whether the last answer came as a stream of events, and not in one JSON body; None before the first."""
        return self._streams

    @property
    def answer_form(self) -> AnswerForm:
        """How its endpoint is held to a schema, as far as is known."""
        return self._options.answer_form

    @property
    def name(self) -> str:
        """The model's name at its endpoint."""
        return self._name

    @property
    def takes_images(self) -> bool:
        """Whether calls may carry charts."""
        return self._takes_images

    def __repr__(self) -> str:
        return f"OpenAIModel({self._name!r}, {self._messages.endpoint!r})"

    async def ready(self) -> None:
        """Check that a call could succeed. Raises ModelUnavailable without a usable key, or when the address accepts no connection in 3 s.

        Behind a proxy only the key is checked: whether the endpoint listens is for the proxy to find out.
        """
        if problem := self._key_problem():
            raise ModelUnavailable(self._messages.line(problem))
        try:
            parts = urlsplit(self._address)
            host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
        except ValueError:
            host, port = None, None
        if not host or not port:
            raise ModelUnavailable(self._messages.line("OPENAI_BASE_URL is not an http address, such as https://api.openai.com/v1"))
        if _is_proxied(parts.scheme, host):
            return
        try:
            async with asyncio.timeout(_PROBE_S):
                _, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError, UnicodeError):
            raise ModelUnavailable(
                self._messages.line(f"nothing answers at {self._messages.endpoint}: check OPENAI_BASE_URL, or use --model scripted")
            ) from None
        writer.transport.abort()

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Yield the answer, piece by piece; see the protocol for what it raises."""
        if problem := self._key_problem():
            raise ModelRefused(self._messages.line(problem))
        if call.images and not self._takes_images:
            raise ModelRefused(self._messages.line("this model takes no images"))
        if self._client is None:
            await asyncio.to_thread(self._make_client)
        async with self._slots.one(self._address):
            async for chunk in self._answer(call):
                yield chunk

    async def close(self) -> None:
        """Release the connections. A later call opens new ones."""
        http, self._http, self._client = self._http, None, None
        if http is not None:
            await http.aclose()

    async def _answer(self, call: ModelCall) -> AsyncIterator[Chunk]:
        assert self._client is not None
        options = self._options.of(call)
        tally = _Tally()
        pieces = self._client.astream(_messages(call), **options)
        try:
            async for piece in pieces:
                text = tally.add(piece)
                if text:
                    yield Chunk(text)
                if tally.finish:
                    break
            if tally.finish in _GIVEN_UP:
                raise Retryable(self._messages.bare(f"the endpoint gave the answer up (finish_reason: {tally.finish})"))
            if tally.finish:
                rest = await tally.rest(pieces)
                yield Chunk(rest, tally.prompt_tokens, tally.completion_tokens, tally.finish, tally.tool_calls())
                return
        except openai.OpenAIError as problem:
            raise self._explain(problem, options, call) from None
        except _SURPRISES as problem:
            fault = f"the endpoint's answer is not a stream of chat completions ({type(problem).__name__})"
            raise Retryable(self._messages.bare(fault)) from None
        finally:
            await pieces.aclose()  # type: ignore[attr-defined]
        raise Retryable(self._messages.bare("the stream ended without a finish_reason"))

    def _explain(self, problem: openai.OpenAIError, sent: Mapping[str, object], call: ModelCall) -> ModelRefused | Retryable:
        """Return the engine's error for one of the client's; AskAgain where the refusal says which options the model takes instead."""
        error = explained(problem, self._messages)
        if isinstance(problem, _MAY_REFUSE_A_FORM) and (lesson := self._options.learn_form(problem.message, sent, call)):
            return AskAgain(self._messages.bare(lesson))
        if not isinstance(problem, openai.BadRequestError | openai.UnprocessableEntityError):
            return error
        if lesson := self._options.learn(problem.message, sent):
            return AskAgain(self._messages.bare(lesson))
        if bound_in(sent) and "token" in problem.message:  # too large for the model or its context, or under no name that it takes
            return ModelRefused(f"{str(error)[:_REFUSAL]} ({_BOUNDED_BY})")
        return error

    def _key_problem(self) -> str | None:
        if not self._key:
            return "there is no OPENAI_API_KEY: set it, or use --model scripted"
        if not self._key.isascii() or not self._key.isprintable() or " " in self._key:
            return "OPENAI_API_KEY holds characters that no key has: set it again, or use --model scripted"
        return None

    def _note_streaming(self, streams: bool) -> None:
        self._streams = streams

    def _make_client(self) -> None:
        """Make the client; blocks for about 0.1 s. The key goes in as a function: so it is in no repr, and no blocking client is made."""

        async def key() -> str:
            return self._key

        with self._making:
            if self._client is not None:
                return
            try:
                self._http = streaming_client(self._note_streaming)
            except (ValueError, httpx2.InvalidURL):  # its message repeats the address with the password
                raise ModelRefused(
                    self._messages.line("the proxy's address is not a valid one: check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY")
                ) from None
            self._client = ChatOpenAI(
                model=self._name,
                api_key=key,
                base_url=self._address,
                stream_usage=True,
                max_retries=0,
                timeout=openai.Timeout(None, connect=self._connect_s),
                stream_chunk_timeout=None,
                http_async_client=self._http,
                openai_proxy="",  # the client above reads the usual proxy variables itself
            )


def _is_proxied(scheme: str, host: str) -> bool:
    """Return whether a proxy stands between here and a host, by `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and their kind."""
    proxies = urllib.request.getproxies()
    return bool(proxies.get(scheme) or proxies.get("all")) and not urllib.request.proxy_bypass(host)


class _Tally:
    """What a stream has reported so far."""

    def __init__(self) -> None:
        self.finish: str | None = None
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self._calls: dict[int, list[str]] = {}  # by the endpoint's index: id, name, and the arguments so far

    def add(self, piece: AIMessageChunk) -> str:
        """Take in what a piece reports and return its text."""
        finish = piece.response_metadata.get("finish_reason")
        self.finish = self.finish or (_finish(str(finish)) if finish else None)
        if piece.usage_metadata:
            self.prompt_tokens, self.completion_tokens = piece.usage_metadata["input_tokens"], piece.usage_metadata["output_tokens"]
        for delta in piece.tool_call_chunks:
            index = delta.get("index")
            call = self._calls.setdefault(len(self._calls) if index is None else index, ["", "", ""])
            call[0], call[1] = call[0] or delta.get("id") or "", call[1] or delta.get("name") or ""
            call[2] += delta.get("args") or ""
        return str(piece.text)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return what the answer asks for, its pieces joined, in the endpoint's order. An endpoint that gives a call no id gets one."""
        return tuple(ToolCall(call[0] or f"call-{index}", call[1], call[2] or "{}") for index, call in sorted(self._calls.items()))

    async def rest(self, pieces: AsyncIterator[AIMessageChunk]) -> str:
        """Return text behind the finish, which is rare; the usage is. What goes wrong here cannot spoil an answer that has ended."""
        texts = []
        try:
            async with asyncio.timeout(_AFTER_FINISH_S):
                async for piece in pieces:
                    texts.append(self.add(piece))
        except (TimeoutError, openai.OpenAIError, *_SURPRISES):
            pass
        return "".join(texts)


def _finish(word: str) -> str:
    """Return the protocol's word for an endpoint's finish reason."""
    return _FINISHES.get(word.lower(), word.lower())


def _messages(call: ModelCall) -> list[BaseMessage]:
    content: str | list[str | dict[str, object]] = call.user
    if call.images:
        content = [{"type": "text", "text": call.user}]
        for image in call.images:
            url = f"data:image/png;base64,{base64.b64encode(image).decode()}"
            content.append({"type": "image_url", "image_url": {"url": url}})
    later = convert_to_messages([_sendable(message) for message in call.messages]) if call.messages else []
    return [SystemMessage(call.system), HumanMessage(content), *later]


def _sendable(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as endpoints and the client take it: calls whose arguments are no JSON object go back without any. What was wrong
    with them stands in the tool's answer."""
    if not (asked := message.get("tool_calls")):
        return dict(message)
    calls = [
        call if read_object(call["function"]["arguments"]) is not None else {**call, "function": {**call["function"], "arguments": "{}"}}
        for call in asked
    ]
    return {**message, "tool_calls": calls}
