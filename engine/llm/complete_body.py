"""A chat completion in one JSON object, from an endpoint that ignores `stream`: turned into the event stream it should have been.

Pure. The first choice only: an endpoint that gives several is not asked for them.
"""

import json
from collections.abc import Mapping
from typing import Any


def as_events(body: bytes) -> bytes:
    """Return the event stream with what a body holds: its text, its tool calls, its finish, its usage.

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
