"""Everything a run is about, read once before any model is asked, and named by the hash of its content."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol


class Inputs(Protocol):
    """The inputs of one run. kind: what they are, a word (`market` for a `Snapshot`). hash: sha256 of the content, hexadecimal; equal
    content has an equal hash on every machine."""

    @property
    def kind(self) -> str:
        """What they are."""
        ...

    @property
    def hash(self) -> str:
        """The name of the content."""
        ...

    def to_json(self) -> Mapping[str, Any]:
        """Return the content as plain JSON, without NaN."""
        ...


def content_hash(content: Mapping[str, Any]) -> str:
    """Return sha256 of plain JSON, hexadecimal: equal content has an equal hash on every machine. Raises ValueError for NaN."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
