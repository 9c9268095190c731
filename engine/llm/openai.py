"""A model behind any OpenAI-compatible endpoint, streamed through LangChain's ChatOpenAI.

Given a name, a key and an address; streams one answer per call. It never retries and has no deadline of its own (`calls.py` has both) and
never shows the key. It learns which options its endpoint refuses (`request_options.py`). Importing this module costs about a second: import
it late. The first client is made off the event loop. Calls wait for a slot of their address (`slots.py`). An
instance serves one event loop.
"""

import asyncio
import threading
import urllib.request
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Final, cast
from urllib.parse import urlsplit

import httpx2
import openai
from langchain_core.messages import AIMessageChunk
from pydantic import JsonValue

from engine.domain.connection import DEFAULT_ADDRESS
from engine.domain.errors import ModelRefused, ModelUnavailable, ToolsRefused
from engine.domain.text.address import is_of_this_machine
from engine.domain.text.reason import Reason, bounded
from engine.llm.answer_events import AnswerTally
from engine.llm.chat import Completions, EndpointChat
from engine.llm.endpoint_errors import ErrorMessages, explained, without_credentials
from engine.llm.learnt_options import Learnt, LearntOptions
from engine.llm.protocol import AskAgain, Chunk, ModelCall, Retryable
from engine.llm.request_options import RequestOptions, Sent
from engine.llm.slots import EndpointSlots
from engine.llm.streaming_client import streaming_client

_CONNECT_S = 15.0
_PROBE_S = 3.0
_AFTER_FINISH_S = 1.0  # for the usage behind the finish; an endpoint that never closes must not cost the whole deadline
_NAMED: Final = ("temperature", "reasoning_effort")
"""Options that ChatOpenAI takes by name; others go along as they are."""
_REFUSAL = 250  # characters of a refusal that are quoted before the hint
_BOUNDED_BY = Reason("tribunal_max_tokens_bounds_answers")
_NO_STREAM = Reason("endpoint_answer_is_not_stream_of_chat")
_NO_TOOLS = Reason("model_takes_no_tools")
_GIVEN_UP = ("error", "abort", "aborted", "cancelled", "insufficient_system_resource", "network_error")
_MAY_REFUSE_A_FORM = (openai.BadRequestError, openai.UnprocessableEntityError, openai.NotFoundError, openai.InternalServerError)
"""404: what a router says that finds no provider with tools. 500: what a server says that cannot make a grammar of a schema."""
_NO_KEY = "none"
"""Sent to servers of this machine where no key is set: most take none, and the client wants one."""
_PORTS = {"http": 80, "https": 443}
_SURPRISES = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OSError)
"""What reading a body raises that is not what it should be: HTML, broken JSON, JSON of another shape."""


class OpenAIModel:
    """One model of one endpoint; implements `engine.llm.protocol.Model`.

    base_url: None for OpenAI's own. slots, learnt: shared by all models of the process; None gives this one its own. extra: options that go
    along with every call. takes_images: whether calls may carry charts.
    """

    def __init__(
        self,
        name: str,
        *,
        api_key: str,
        base_url: str | None,
        slots: EndpointSlots | None = None,
        learnt: LearntOptions | None = None,
        extra: Mapping[str, JsonValue] | None = None,
        takes_images: bool = False,
        connect_s: float = _CONNECT_S,
    ) -> None:
        self._name, self._key, self._takes_images = name, api_key.strip(), takes_images
        self._address = (base_url or "").strip().rstrip("/") or DEFAULT_ADDRESS
        self._slots, self._connect_s = slots or EndpointSlots(), connect_s
        self._messages = ErrorMessages(name, self._address, self._key)
        self._options = RequestOptions(without_credentials(self._address), name, learnt, extra)
        self._making = threading.Lock()
        self._chat: EndpointChat | None = None
        self._http: httpx2.AsyncClient | None = None
        self._streams: bool | None = None
        self._called = ""

    @property
    def streams(self) -> bool | None:
        """Whether the last answer came as a stream of events, and not in one JSON body; None before the first."""
        return self._streams

    @property
    def called(self) -> str:
        """The name under which its last answer came, "" before the first and where the endpoint gives none."""
        return self._called

    @property
    def learnt(self) -> Learnt:
        """What its endpoint refuses and takes, as far as is known."""
        return self._options.learnt

    def learn_anew(self) -> None:
        """Forget what its endpoint refuses and takes."""
        self._options.forget()

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
            raise ModelUnavailable(self._messages.line(Reason("openai_base_url_is_not_http_address")))
        if _is_proxied(parts.scheme, host):
            return
        try:
            async with asyncio.timeout(_PROBE_S):
                _, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError, UnicodeError):
            raise ModelUnavailable(self._messages.line(Reason("nothing_answers_at", endpoint=self._messages.endpoint))) from None
        writer.transport.abort()

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Yield the answer, piece by piece; see the protocol for what it raises."""
        if problem := self._key_problem():
            raise ModelRefused(self._messages.line(problem))
        if call.images and not self._takes_images:
            raise ModelRefused(self._messages.line(Reason("this_model_takes_no_images")))
        if self._chat is None:
            await asyncio.to_thread(self._make_chat)
        async with self._slots.one(self._address):
            async for chunk in self._answer(call):
                yield chunk

    async def close(self) -> None:
        """Release the connections. A later call opens new ones."""
        http, self._http, self._chat = self._http, None, None
        if http is not None:
            await http.aclose()

    async def _answer(self, call: ModelCall) -> AsyncIterator[Chunk]:
        tally, sent = AnswerTally(), self._options.of(call)
        if self._options.learnt.begins_thinking:
            yield Chunk(thinking=True)
        try:
            async with aclosing(self._sent(sent, call)) as pieces:
                async for piece in pieces:
                    text = tally.add(piece)
                    if text:
                        yield Chunk(text)
                    if tally.finish:
                        break
                self._must_have_ended(tally)
                self._called = tally.model
                yield tally.last_chunk(await _rest(tally, pieces))
        except openai.OpenAIError as problem:
            raise self._explain(problem, sent, call) from None
        except _SURPRISES as problem:
            raise Retryable(self._messages.bare(Reason("with_remark", what=_NO_STREAM, remark=type(problem).__name__))) from None

    def _sent(self, sent: Sent, call: ModelCall) -> AsyncGenerator[AIMessageChunk]:
        """Return the answer to a request. Raises ToolsRefused for tools that are known to be refused."""
        assert self._chat is not None
        if call.tools and not self._options.takes_tools():
            raise ToolsRefused(self._messages.line(_NO_TOOLS))
        others = dict(sent.options)
        named = {name: others.pop(name) for name in _NAMED if name in others}
        tools, choice = others.pop("tools", None), others.pop("tool_choice", None)
        usage = others.pop("stream_options", None) is not None
        if others["stream"]:  # else the answer is read as a stream all the same (`streaming_client.py`)
            del others["stream"]
        asked = self._chat.bind_tools(tools, tool_choice=choice) if tools else self._chat
        return cast(AsyncGenerator[AIMessageChunk], asked.astream(sent.messages, stream_usage=usage, extra_body=others, **named))

    def _must_have_ended(self, tally: AnswerTally) -> None:
        """Check that an answer came to its end, and note what it shows of its model. Raises Retryable."""
        if not tally.finish:
            raise Retryable(self._messages.bare(Reason("stream_ended_without_finish_reason") if tally.begun else _NO_STREAM))
        if tally.thinks:
            self._options.note_thoughts(begun=tally.began_thinking)
        if tally.finish in _GIVEN_UP:
            raise Retryable(self._messages.bare(Reason("endpoint_gave_answer_up", finish=tally.finish)))

    def _explain(self, problem: openai.OpenAIError, sent: Sent, call: ModelCall) -> ModelRefused | Retryable:
        """Return the engine's error for one of the client's; AskAgain where the refusal says which options the model takes instead."""
        error = explained(problem, self._messages)
        if not isinstance(problem, _MAY_REFUSE_A_FORM):
            return error
        of_options = isinstance(problem, openai.BadRequestError | openai.UnprocessableEntityError)
        if lesson := self._options.learn(problem.message, sent, call, of_options=of_options):
            if call.tools and not self._options.takes_tools():
                return ToolsRefused(Reason("with_remark", what=self._messages.line(_NO_TOOLS), remark=bounded(str(error), _REFUSAL)))
            return AskAgain(self._messages.bare(lesson))
        if of_options and sent.bound and "token" in problem.message:  # too large for the model or its context, or under no name it takes
            return ModelRefused(Reason("with_remark", what=bounded(str(error), _REFUSAL), remark=_BOUNDED_BY))
        return error

    def _key_problem(self) -> str | None:
        if not self._key:
            return None if is_of_this_machine(self._address) else Reason("there_is_no_openai_api_key")
        if not self._key.isascii() or not self._key.isprintable() or " " in self._key:
            return Reason("openai_api_key_holds_characters_that_no_key_has")
        return None

    def _note_streaming(self, streams: bool) -> None:
        self._streams = streams

    def _make_chat(self) -> None:
        """Make the client; blocks for about 0.1 s. The key goes in as a function: so it is in no repr, and no blocking client is made."""

        async def key() -> str:
            return self._key or _NO_KEY

        with self._making:
            if self._chat is not None:
                return
            try:
                self._http = streaming_client(self._note_streaming)
            except (ValueError, httpx2.InvalidURL):  # its message repeats the address with the password
                raise ModelRefused(self._messages.line(Reason("proxy_address_is_not_valid_one"))) from None
            timeout = openai.Timeout(None, connect=self._connect_s)
            client = openai.AsyncOpenAI(api_key=key, base_url=self._address, max_retries=0, timeout=timeout, http_client=self._http)
            self._chat = EndpointChat(
                model=self._name,
                api_key=key,
                base_url=self._address,
                async_client=Completions(client),
                stream_chunk_timeout=None,  # the deadline is total, and in `calls.py`
                use_responses_api=False,
                openai_proxy=None,
                output_version=None,
                cache=False,
            )


def _is_proxied(scheme: str, host: str) -> bool:
    """Return whether a proxy is between here and a host, by `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and their kind."""
    proxies = urllib.request.getproxies()
    return bool(proxies.get(scheme) or proxies.get("all")) and not urllib.request.proxy_bypass(host)


async def _rest(tally: AnswerTally, pieces: AsyncIterator[AIMessageChunk]) -> str:
    """Return text behind the finish, which is rare; the usage is. What goes wrong here cannot spoil an answer that has ended."""
    texts = []
    try:
        async with asyncio.timeout(_AFTER_FINISH_S):
            async for piece in pieces:
                texts.append(tally.add(piece))
    except (TimeoutError, openai.OpenAIError, *_SURPRISES):
        pass
    return "".join(texts)
