"""ChatOpenAI of langchain-openai, for any OpenAI-compatible endpoint.

ChatOpenAI drops what other endpoints add to OpenAI's protocol: reasoning and signatures that must be sent back with the history, tool calls
without an index, content in parts. The two methods overridden here are those that LangChain's packages for other providers override.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import openai
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI

from engine.llm.streaming_client import first_choices, text_of

CARRIED: Final = ("reasoning_content", "reasoning_details", "extra_content")
"""Fields of an answer with calls that its endpoint wants back: DeepSeek's thoughts, those of routers, Gemini's signatures."""
EXTRAS: Final = "call_extras"
"""Where a message keeps other fields of its calls, such as Gemini's signatures: an object each, in the order of the calls."""
_OF_A_CALL: Final = ("index", "id", "type", "function")
_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


class Completions:
    """Sends the requests of ChatOpenAI, in place of the OpenAI client's own `chat.completions`.

    Each event of the stream is yielded as plain JSON. The client would make a typed object of every event, warning where an endpoint's
    differ, and ChatOpenAI a dict of that again.
    """

    def __init__(self, client: openai.AsyncOpenAI) -> None:
        self._client = client

    async def create(self, *, extra_body: Mapping[str, Any], **body: Any) -> openai.AsyncStream[Any]:
        """Send a request whose body is `body`, overridden by `extra_body`."""
        sent = {**body, **extra_body}
        return await self._client.post("/chat/completions", cast_to=object, body=sent, stream=True, stream_cls=openai.AsyncStream[Any])


class EndpointChat(ChatOpenAI):
    """ChatOpenAI, with what other endpoints add in `additional_kwargs`: the fields of `CARRIED`, `reasoning`, `refusal`, `EXTRAS`."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        choices = first_choices(chunk)
        delta = (choices[0]["delta"] or {}) if choices else {}
        calls = [{"index": None, **call, "function": _function(call)} for call in delta.get("tool_calls") or ()]
        plain = {**delta, "role": "assistant", "content": _whole(text_of(delta.get("content"))), "tool_calls": calls}
        usual = {**chunk, "choices": [{**choice, "delta": plain} for choice in choices], "usage": _usage(chunk.get("usage"))}
        made = super()._convert_chunk_to_generation_chunk(usual, default_chunk_class, base_generation_info)
        if made is not None:
            added = {name: delta[name] for name in (*CARRIED, "reasoning", "refusal") if delta.get(name) is not None}
            if calls:
                added[EXTRAS] = [_extra(call) for call in calls]
            made.message.additional_kwargs |= added
        return made

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        for message, sent in zip(input_, payload["messages"], strict=True):
            _give_back(message, sent)
        return payload


def _give_back(message: BaseMessage, sent: dict[str, Any]) -> None:
    """Add to an outgoing message the fields that its endpoint requires back."""
    if not isinstance(message, AIMessage):
        return
    sent |= {name: message.additional_kwargs[name] for name in CARRIED if name in message.additional_kwargs}
    for call, extra in zip(sent.get("tool_calls") or (), message.additional_kwargs.get(EXTRAS) or (), strict=False):
        call.update(extra)


def _function(call: Mapping[str, Any]) -> dict[str, Any]:
    given = call.get("function") or {}
    return {**given, "arguments": _whole(given.get("arguments") or "")}


def _whole(text: str) -> str:
    """Replace lone surrogates, which LangChain's messages cannot hold."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def _extra(call: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in call.items() if name not in _OF_A_CALL and value is not None}


def _usage(reported: Any) -> Any:
    """Return the token usage with DeepSeek's `prompt_cache_hit_tokens` under the protocol's name."""
    hits = reported.get("prompt_cache_hit_tokens") if reported else None
    if hits is None:
        return reported
    return {**reported, "prompt_tokens_details": {"cached_tokens": hits, **(reported.get("prompt_tokens_details") or {})}}
