"""Events of the desk beside those that every node emits: turns of a debate, corrections, memories that were read."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from engine.agents.access import Emit, ModelAccess
from engine.agents.observe import observe
from engine.domain.claims import Claim
from engine.domain.events import EventData, GroundingCorrected, MemoryRead, NodeFailed, NodeFinished, NodeStarted, NodeTokens


def speaking(access: ModelAccess, turn: int) -> ModelAccess:
    """Return the models of a debater: what its node emits carries the debate's turn, from 1."""
    emit = access.emit

    def emit_turn(node: str | None, data: EventData) -> None:
        of_a_turn = isinstance(data, NodeStarted | NodeTokens | NodeFinished | NodeFailed)
        emit(node, data.plus(turn=turn) if of_a_turn else data)

    return replace(access, emit=emit_turn)


def emit_corrections(emit: Emit, node: str, claims: Iterable[Claim]) -> None:
    """Emit every false claim of a speaker."""
    fields = {"source", "key", "text", "kind", "claimed", "actual", "unit", "deviation", "start", "end", "confirmed"}
    for claim in claims:
        if claim.verdict == "false":
            emit(node, GroundingCorrected(**claim.model_dump(include=fields)))


async def read_recorded_memory(
    access: ModelAccess, node: str, name: str, read: Callable[[], Awaitable[Mapping[str, Any]]]
) -> Mapping[str, JsonValue]:
    """Return what a memory held when the run read it first. read: reads it now."""

    async def reading() -> MemoryRead:
        return MemoryRead(name=name, body=dict(await read()))

    return (await observe(access, node, MemoryRead, 1, reading)).body or {}
