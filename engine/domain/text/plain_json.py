"""JSON as people write it into files and settings, where a key that stands twice is a slip and nobody knows which of the two was meant; and
as models write it, who write anything."""

import json
from collections import Counter
from typing import Any


def read_json(text: str) -> Any:
    """Return the value of a JSON document. Raises ValueError, in words, for text that is none and for a key that stands twice in an object,
    and RecursionError for one that is nested too deeply."""
    return json.loads(text, object_pairs_hook=_object)


def read_object(text: str) -> dict[str, Any] | None:
    """Return the object that a stranger's JSON holds; None for what is none, and for one that cannot be written down again: numbers without
    bounds, depths without end. Half a character, which JSON can escape and nothing can send or store, is replaced."""
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
        raise TwiceTheSame(f"the key {twice[:60]!a} stands there twice: leave one of them")
    return found


class TwiceTheSame(ValueError):
    """A key stands twice in one object."""
