"""What was said before in a call, in the form in which any endpoint takes it. Pure.

A model may have written arguments that are no JSON object. Endpoints refuse such a call when it comes back in the history (some read the
arguments into their template), and client libraries break over it: it goes back without arguments, and the answer of its tool says what
was wrong.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from engine.domain.text.plain_json import read_object


def sendable(message: Mapping[str, JsonValue]) -> dict[str, Any]:
    """Return a message of the chat protocol, with an empty object where a call's arguments are none."""
    plain: dict[str, Any] = dict(message)
    if calls := plain.get("tool_calls"):
        plain["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": _object(call["function"]["arguments"])}} for call in calls
        ]
    return plain


def _object(text: str) -> str:
    found = read_object(text)
    if found is None:
        return "{}"
    return text if found == json.loads(text) else json.dumps(found, ensure_ascii=False)  # without halves of characters
