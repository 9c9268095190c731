"""The arguments of a tool call: as a model wrote them, and as a reader wants them."""

import json

from pydantic import JsonValue

from engine.domain.text.plain_json import read_object

_MOST = 90


def read_arguments(text: str) -> JsonValue:
    """Return the object that a model wrote, or its text where it is none."""
    found = read_object(text)
    return found if found is not None else text


def shown_arguments(arguments: JsonValue) -> str:
    """Return `days 20, group all`: names and values, shortened."""
    if not isinstance(arguments, dict):
        return _short(str(arguments or ""))
    parts = (f"{name} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return _short(", ".join(parts))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
