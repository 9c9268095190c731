"""What the desk's nodes tell while they work, beside what every node tells: turns of a debate, corrections, memories that were read."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace

from pydantic import JsonValue

from engine.agents.access import Emit, ModelAccess
from engine.agents.observe import observe
from engine.domain.claims import Claim
from engine.domain.events import EventKind

_OF_A_TURN: tuple[EventKind, ...] = ("node.started", "node.tokens", "node.finished", "node.failed")


def speaking(access: ModelAccess, turn: int) -> ModelAccess:
    """Return the models of a debater: what its node tells carries the debate's turn, from 1."""
    emit = access.emit

    def emit_turn(kind: EventKind, node: str | None, data: Mapping[str, JsonValue]) -> None:
        emit(kind, node, {**data, "turn": turn} if kind in _OF_A_TURN else data)

    return replace(access, emit=emit_turn)


def tell_corrections(emit: Emit, node: str, claims: Iterable[Claim]) -> None:
    """Tell every false claim of a speaker."""
    told = {"source", "key", "text", "kind", "claimed", "actual", "unit", "deviation", "start", "end"}
    for claim in claims:
        if claim.verdict == "false":
            emit("grounding.corrected", node, claim.model_dump(mode="json", include=told))


async def read_recorded_memory(
    access: ModelAccess, node: str, name: str, read: Callable[[], Awaitable[Mapping[str, JsonValue]]]
) -> Mapping[str, JsonValue]:
    """Return what a memory held when the run read it first. read: reads it now."""

    async def reading() -> Mapping[str, JsonValue]:
        return {"name": name, "body": dict(await read())}

    body = (await observe(access, node, "memory.read", 1, reading)).get("body")
    return body if isinstance(body, dict) else {}
