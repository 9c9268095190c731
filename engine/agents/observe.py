"""What a node reads that is neither its state nor the inputs of its run: read once, written down as an event, and recalled like an answer.

Without that a run that is continued, forked, played again or verified would read something else than it was decided on.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from pydantic import JsonValue

from engine.agents.access import ModelAccess
from engine.domain.events import MemoryRead, Observation

Seen = TypeVar("Seen", bound=Observation)


async def observe(access: ModelAccess, node: str, kind: type[Seen], n: int, read: Callable[[], Awaitable[Seen]]) -> Seen:
    """Return the `n`th (from 1) thing of its kind that a node reads: the one that is known already, or what `read` gives. It is in the
    log afterwards, with `n`. kind: the class of its event. Raises whatever `read` raises; then nothing is written down."""
    known = access.recall.observation(node, kind.kind, n)
    seen = known.data if known is not None and isinstance(known.data, kind) else (await read()).plus(n=n)
    if known is None or not known.already_logged:
        access.emit(node, seen)
    return seen


async def read_memory(
    access: ModelAccess, node: str, name: str, read: Callable[[], Awaitable[Mapping[str, Any] | None]]
) -> Mapping[str, JsonValue]:
    """Return what a memory held when the run read it first, empty without one. read: reads its body now."""

    async def reading() -> MemoryRead:
        body = await read()
        return MemoryRead(name=name, body=dict(body) if body is not None else None)

    return (await observe(access, node, MemoryRead, 1, reading)).body or {}
