"""What a node reads that is neither its state nor the inputs of its run: read once, told as an event, and recalled like an answer.

Without that a run that is continued, forked, played again or verified would read something else than it was decided on.
"""

from collections.abc import Awaitable, Callable, Mapping

from pydantic import JsonValue

from engine.agents.access import ModelAccess
from engine.domain.ended import Memory
from engine.domain.events import EventKind

Reading = Mapping[str, JsonValue]


async def observe(access: ModelAccess, node: str, kind: EventKind, n: int, read: Callable[[], Awaitable[Reading]]) -> Reading:
    """Return the `n`th (from 1) thing of its kind that a node reads: the one that is known already, or what `read` gives. It stands in the
    log afterwards, as the event's data with `n`. Raises whatever `read` raises; then nothing is told."""
    known = access.recall.observation(node, kind, n)
    data: Reading = known.data if known is not None else {**await read(), "n": n}
    if known is None or not known.told:
        access.emit(kind, node, data)
    return data


async def read_memory(
    access: ModelAccess, node: str, n: int, name: str, newest: Callable[[], Awaitable[Memory | None]]
) -> Mapping[str, JsonValue] | None:
    """Return the body of a memory, None where there is none. newest: reads it."""

    async def read() -> Reading:
        memory = await newest()
        return {"name": name, "body": memory.body if memory is not None else None}

    body = (await observe(access, node, "memory.read", n, read)).get("body")
    return body if isinstance(body, dict) else None
