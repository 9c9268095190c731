"""JSON as people write it into files and settings: a key that stands twice is a slip, and which of the two was meant nobody knows."""

import json
from collections import Counter
from typing import Any


def read_json(text: str) -> Any:
    """Return the value of a JSON document. Raises ValueError, in words, for text that is none and for a key that stands twice in an object,
    and RecursionError for one that is nested too deeply."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise TwiceTheSame(f"the key {twice[:60]!a} stands there twice: leave one of them")
    return found


class TwiceTheSame(ValueError):
    """A key stands twice in one object."""
