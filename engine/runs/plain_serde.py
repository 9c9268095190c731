"""How checkpoints are written: as plain JSON, and read as nothing else.

Whoever can write into the journal must not be able to have anything made of what he writes: no constructor, no class, no pickle. A row of
any other kind is refused, and the run that needs it fails with a reason.
"""

import json
from typing import Any, Final

from engine.domain.errors import StoreError

_KIND: Final = "plain"
_SET: Final = "\x00set"


class PlainSerde:
    """LangGraph's serializer protocol. The state of a flow is JSON; an exception of a node is kept as its words, and a set of names (who
    has arrived where parallel nodes meet) as a list."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Raises StoreError for what is not JSON: such a thing has no business in a state."""
        try:
            return _KIND, json.dumps(obj, ensure_ascii=False, separators=(",", ":"), default=_words).encode()
        except (TypeError, ValueError) as problem:
            raise StoreError(f"a checkpoint holds what is not JSON: {problem}") from problem

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Raises StoreError for a row that this program did not write."""
        kind, payload = data
        if kind != _KIND:
            raise StoreError(f"a checkpoint of the kind {kind[:20]!r} is not this program's: the run is not continued from it; ask again")
        try:
            return json.loads(payload, object_hook=_with_sets)
        except (ValueError, RecursionError) as problem:
            raise StoreError("a checkpoint cannot be read: the run is not continued from it; ask again") from problem


def _words(value: object) -> object:
    if isinstance(value, set | frozenset) and all(isinstance(each, str) for each in value):
        return {_SET: sorted(value)}
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"[:500]
    raise TypeError(f"{type(value).__name__} is not JSON")


def _with_sets(found: dict[str, Any]) -> Any:
    names = found.get(_SET) if len(found) == 1 else None
    return set(names) if isinstance(names, list) and all(isinstance(each, str) for each in names) else found
