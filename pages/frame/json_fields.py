"""Reading plain JSON of unsure shape: every reader gives None (or nothing) where the value is of another type, and never raises."""

import math
from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from engine.domain.text.reason import Reason

Fields = Mapping[str, JsonValue]


def number(fields: Fields, key: str) -> float | None:
    """Return a finite number; booleans are none."""
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        read = float(value)
    except OverflowError:  # JSON knows no largest number
        return None
    return read if math.isfinite(read) else None


def count(fields: Fields, key: str) -> int:
    """Return a whole number; 0 if missing."""
    return int(number(fields, key) or 0)


def words(fields: Fields, key: str) -> str | None:
    """Return a text."""
    value = Reason.read(fields.get(key))
    return value if isinstance(value, str) else None


def value(fields: Fields, key: str) -> float | str | None:
    """Return a number or a text, as facts have them."""
    found = words(fields, key)
    return number(fields, key) if found is None else found


def flag(fields: Fields, key: str) -> bool:
    """Return True only for true."""
    return fields.get(key) is True


def inner(fields: Fields, key: str) -> Fields:
    """Return an object; empty if missing."""
    found = fields.get(key)
    return found if isinstance(found, dict) else {}


def rows(fields: Fields, key: str) -> tuple[Fields, ...]:
    """Return the objects of a list."""
    found = fields.get(key)
    return tuple(item for item in found if isinstance(item, dict)) if isinstance(found, list) else ()


def texts(fields: Fields, key: str) -> tuple[str, ...]:
    """Return the texts of a list."""
    found = fields.get(key)
    return tuple(item for item in map(Reason.read, found) if isinstance(item, str)) if isinstance(found, list) else ()


def wholes(fields: Fields, key: str) -> tuple[int, ...]:
    """Return the whole numbers of a list."""
    found = fields.get(key)
    return tuple(item for item in found if isinstance(item, int) and not isinstance(item, bool)) if isinstance(found, list) else ()


def numbers(fields: Fields, key: str) -> dict[str, float]:
    """Return the numbers of an object."""
    found = inner(fields, key)
    return {name: read for name in found if (read := number(found, name)) is not None}


def instant(fields: Fields, key: str) -> datetime | None:
    """Return an ISO time that carries its zone."""
    try:
        read = datetime.fromisoformat(words(fields, key) or "")
    except ValueError:
        return None
    return read if read.tzinfo is not None else None
