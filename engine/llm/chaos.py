"""A model that tells one lie: any model, with one false sentence put before its answer.

For a demonstration and a test of the checker. The lie is made by the flow, from what its prompt holds (`lie.py` has the one about facts),
and comes with its `Planted` record; everything else is the wrapped model's: its answer, its failures, its cost.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from engine.domain.chaos import ChaosKind
from engine.llm.lie import LieMaker, PlantedSentence, lie_about_facts
from engine.llm.protocol import Chunk, Model, ModelCall


class ChaosModel:
    """A `Model` around another. kind: of the lie. lie: makes it."""

    def __init__(self, model: Model, kind: ChaosKind, lie: LieMaker = lie_about_facts) -> None:
        self._model, self._kind, self._lie = model, kind, lie

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._model.name

    @property
    def takes_images(self) -> bool:
        """Whether the wrapped model takes images."""
        return self._model.takes_images

    async def ready(self) -> None:
        """Check the wrapped model. Raises ModelUnavailable when no call could succeed."""
        await self._model.ready()

    async def close(self) -> None:
        """Release the wrapped model's connections."""
        await self._model.close()

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Yield the wrapped model's answer; its first piece brings the lie. An answer that may call tools is waited for: the lie belongs to
        what is said in the end, and is before no call."""
        lie = self._lie(call, self._kind)
        async with aclosing(cast(AsyncGenerator[Chunk, None], self._model.stream(call))) as chunks:
            if lie is not None and call.may_call:
                whole = [chunk async for chunk in chunks]
                lie = None if any(chunk.tool_calls for chunk in whole) else lie
                for chunk in whole:
                    lie, piece = _with_lie(lie, chunk)
                    yield piece
                return
            async for chunk in chunks:
                lie, piece = _with_lie(lie, chunk)
                yield piece


def _with_lie(lie: PlantedSentence | None, chunk: Chunk) -> tuple[PlantedSentence | None, Chunk]:
    """Return a piece with the lie before it where it has text, and the lie where it is still to come."""
    if lie is None or not chunk.text:
        return lie, chunk
    sentence, planted = lie
    return None, replace(chunk, text=sentence + chunk.text, planted=(planted, *chunk.planted))
