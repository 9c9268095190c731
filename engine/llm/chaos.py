"""A model that tells one lie: any model, with one false sentence put before its answer.

For a demonstration and a test of the checker. The lie is made from the facts in the prompt (`lie.py`), comes with its `Planted` record,
and everything else is the wrapped model's: its answer, its failures, its cost.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from engine.domain.chaos import ChaosKind
from engine.domain.facts import read_fact_lines
from engine.llm.lie import false_sentence
from engine.llm.protocol import Chunk, Model, ModelCall


class ChaosModel:
    """A `Model` around another. kind: of the lie."""

    def __init__(self, model: Model, kind: ChaosKind) -> None:
        self._model, self._kind = model, kind

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
        """Yield the wrapped model's answer; its first piece brings the lie."""
        lie = false_sentence(read_fact_lines(f"{call.system}\n{call.user}"), self._kind, call.where, call.language)
        async with aclosing(cast(AsyncGenerator[Chunk, None], self._model.stream(call))) as chunks:
            async for chunk in chunks:
                if lie is not None and chunk.text:
                    sentence, planted = lie
                    yield replace(chunk, text=sentence + chunk.text, planted=(planted, *chunk.planted))
                    lie = None
                else:
                    yield chunk
