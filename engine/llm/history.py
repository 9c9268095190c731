"""What was said in a call, as the messages of a request that any endpoint takes. Pure.

A model may have written arguments that are no JSON object. Endpoints refuse such a call when it comes back in the history (some read the
arguments into their template): it goes back without arguments, and the answer of its tool says what was wrong. A message that says nothing
is left out.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import JsonValue

from engine.domain.text.plain_json import read_object
from engine.llm.protocol import ModelCall

CARRIED: Final = ("reasoning_content", "reasoning_details", "extra_content")
"""Fields of an answer with calls that its endpoint wants back: DeepSeek's thoughts, those of routers, Gemini's signatures."""
Message = dict[str, Any]


def messages_of(call: ModelCall, *, system: bool = True, carried: bool = True) -> list[Message]:
    """Return the messages of a request. system: whether the model takes a system message; else its words begin the user's. carried: whether
    it takes its own thoughts back."""
    if not system:
        return [{"role": "user", "content": _content(f"{call.system}\n\n{call.user}", call.images)}, *_later(call, carried=carried)]
    return [
        {"role": "system", "content": call.system},
        {"role": "user", "content": _content(call.user, call.images)},
        *_later(call, carried=carried),
    ]


def _content(text: str, images: tuple[bytes, ...]) -> str | list[Message]:
    if not images:
        return text
    urls = [f"data:image/png;base64,{base64.b64encode(image).decode()}" for image in images]
    return [{"type": "text", "text": text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def _later(call: ModelCall, *, carried: bool) -> Iterator[Message]:
    for message in call.messages:
        plain = _sendable(message if carried else _without_thoughts(message))
        if plain.get("content") or plain.get("tool_calls") or plain["role"] == "tool":
            yield plain


def _without_thoughts(message: Mapping[str, JsonValue]) -> Message:
    plain: Message = {key: value for key, value in message.items() if key not in CARRIED}
    if calls := plain.get("tool_calls"):
        plain["tool_calls"] = [{key: call[key] for key in ("id", "type", "function")} for call in calls]
    return plain


def _sendable(message: Mapping[str, JsonValue]) -> Message:
    """Return a message of the chat protocol, with an empty object where a call's arguments are none."""
    plain: Message = dict(message)
    calls = plain.pop("tool_calls", None)
    if calls:
        plain["content"] = plain.get("content") or None  # several endpoints take no empty text beside calls
        plain["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": _object(call["function"]["arguments"])}} for call in calls
        ]
    return plain


def _object(text: str) -> str:
    found = read_object(text)
    if found is None:
        return "{}"
    return text if found == json.loads(text) else json.dumps(found, ensure_ascii=False)  # without halves of characters
