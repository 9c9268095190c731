"""Tool calls as an endpoint of chat completions makes and streams them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
_SHRED = 3  # characters of arguments in one piece


def calls_of(*wanted: tuple[str, Json | str], prefix: str = "call") -> tuple[dict[str, Any], ...]:
    """The calls of one answer. wanted: name and arguments, each; a text is sent as it is. prefix: of their ids."""
    return tuple(
        {
            "id": f"{prefix}-{place + 1}",
            "type": "function",
            "function": {"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(wanted)
    )


def shreds(calls: Sequence[Json]) -> list[dict[str, Any]]:
    """The pieces that endpoints stream calls in: all names first, then the arguments, a few characters of one call at a time."""
    told = [{"index": place, **call, "function": {**call["function"], "arguments": ""}} for place, call in enumerate(calls)]
    for place, call in enumerate(calls):
        arguments = call["function"]["arguments"]
        told += [{"index": place, "function": {"arguments": arguments[at : at + _SHRED]}} for at in range(0, len(arguments), _SHRED)]
    return told
