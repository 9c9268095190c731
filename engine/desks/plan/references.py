"""References in the arguments of tasks: `{name}` and `{name.field}`. Pure.

A text that is nothing but one reference becomes the value itself, of whatever type; within other text it becomes its words. `{{` and `}}`
are braces. Nothing else in a text is looked at: a value that is put in is never read for references again.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue

from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason, bounded

_REFERENCE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*(?:\.\w+)*)\}", re.ASCII)
_MOST_CHARACTERS = 20_000


class InputMissing(BadInput):
    """What an argument refers to has no value: the task cannot be executed, now or later."""


def references(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield (where, reference) of every reference in a JSON value. path: of the value."""
    if isinstance(value, str):
        for found in _REFERENCE.finditer(value):
            if found[1]:
                yield path, found[1]
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from references(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from references(item, f"{path}[{index}]")


def filled_in(value: JsonValue, context: Mapping[str, JsonValue]) -> JsonValue:
    """Return a JSON value with every reference replaced. Raises InputMissing naming the one that has no value."""
    if isinstance(value, str):
        return _filled_text(value, context)
    if isinstance(value, dict):
        return {key: filled_in(item, context) for key, item in value.items()}
    return [filled_in(item, context) for item in value] if isinstance(value, list) else value


def _filled_text(text: str, context: Mapping[str, JsonValue]) -> JsonValue:
    whole = _REFERENCE.fullmatch(text)
    if whole is not None and whole[1]:
        return looked_up(whole[1], context)

    def word(found: re.Match[str]) -> str:
        if not found[1]:
            return found[0][0]
        value = looked_up(found[1], context)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    filled = _REFERENCE.sub(word, text)
    if len(filled) > _MOST_CHARACTERS:
        raise BadInput(Reason("argument_is_characters_long_with_its_references", filled=len(filled), most_characters=_MOST_CHARACTERS))
    return filled


def looked_up(reference: str, context: Mapping[str, JsonValue]) -> JsonValue:
    """Return what `name.field` refers to. Raises InputMissing."""
    name, *fields = reference.split(".")
    if name not in context:
        raise InputMissing(Reason("reference_is_unknown", reference=reference, name=f"{name!r}"))
    value = context[name]
    if isinstance(value, dict) and set(value) == {"error"}:
        raise InputMissing(bounded(Reason("reference_has_no_value", reference=reference, value=value["error"]), 300))
    for field in fields:
        if isinstance(value, dict) and field in value:
            value = value[field]
        elif isinstance(value, list) and field.isdigit() and int(field) < len(value):
            value = value[int(field)]
        else:
            there = Reason("hint_it_has", fields=", ".join(value)[:120]) if isinstance(value, dict) else ""
            raise InputMissing(Reason("reference_has_no_field", reference=reference, name=f"{name!r}", field=f"{field!r}", there=there))
    return value
