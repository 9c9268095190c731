"""What was said in a call, as messages that any endpoint takes. Pure.

A model may have written arguments that are no JSON object. Endpoints refuse such a call when it comes back in the history (some read the
arguments into their template): it goes back without arguments, and the answer of its tool says what was wrong. A message that says nothing
is left out.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import JsonValue

from engine.domain.text.plain_json import read_object
from engine.llm.chat import CARRIED, EXTRAS
from engine.llm.protocol import ModelCall


def messages_of(call: ModelCall, *, system: bool = True, carried: bool = True) -> list[BaseMessage]:
    """Return the messages of a request. system: whether the model takes a system message; else its words begin the user's. carried: whether
    it takes its own thoughts back."""
    if not system:
        return [_asked(f"{call.system}\n\n{call.user}", call.images), *_later(call, carried=carried)]
    return [SystemMessage(call.system), _asked(call.user, call.images), *_later(call, carried=carried)]


def _asked(text: str, images: tuple[bytes, ...]) -> HumanMessage:
    if not images:
        return HumanMessage(text)
    urls = [f"data:image/png;base64,{base64.b64encode(image).decode()}" for image in images]
    return HumanMessage([{"type": "text", "text": text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)])


def _later(call: ModelCall, *, carried: bool) -> Iterator[BaseMessage]:
    for message in call.messages:
        content = str(message.get("content") or "")
        if message["role"] == "tool":
            yield ToolMessage(content, tool_call_id=str(message["tool_call_id"]))
        elif message["role"] == "user" and content:
            yield HumanMessage(content)
        elif message["role"] == "assistant" and (content or message.get("tool_calls")):
            yield _answered(message, content, carried=carried)


def _answered(message: Mapping[str, JsonValue], content: str, *, carried: bool) -> AIMessage:
    called: Any = message.get("tool_calls") or ()
    kept: dict[str, Any] = {}
    if carried:
        kept = {name: message[name] for name in CARRIED if name in message}
        kept[EXTRAS] = [{name: value for name, value in each.items() if name not in ("id", "type", "function")} for each in called]
    calls = [
        {"id": each["id"], "name": each["function"]["name"], "args": read_object(each["function"]["arguments"]) or {}} for each in called
    ]
    return AIMessage(content, tool_calls=calls, additional_kwargs=kept)
