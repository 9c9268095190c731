"""JSON as people write it into files and settings, where a repeated key is a mistake that is refused, and JSON as models write it."""

import json
from collections import Counter
from typing import Any


def read_json(text: str) -> Any:
    """Return the value of a JSON document.

    Raises:
        ValueError: It is not JSON, or an object repeats a key (`TwiceTheSame`).
        RecursionError: It is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_object)


def read_object(text: str) -> dict[str, Any] | None:
    """Return the object in JSON of unknown origin; None if it is not an object or could not be stored again (NaN, infinity, too deep).

    Lone surrogates, which JSON can escape and UTF-8 cannot encode, are replaced.
    """
    try:
        found = json.loads(text)
        if isinstance(found, dict):
            found = json.loads(json.dumps(found, allow_nan=False, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        from engine.domain.text.reason import Reason  # noqa: PLC0415 - takes pydantic, which --help does not wait for

        raise TwiceTheSame(Reason("key_is_repeated", key=ascii(twice[:60])))
    return found


class TwiceTheSame(ValueError):
    """An object repeats a key."""
