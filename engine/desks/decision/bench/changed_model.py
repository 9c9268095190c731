"""A model around another that is asked something else than the desk asks: other prompts, another order, a line less."""

from collections.abc import AsyncIterator, Callable

from engine.domain.errors import ModelRefused
from engine.domain.text.reason import Reason
from engine.llm.protocol import Chunk, Model, ModelCall

Change = Callable[[ModelCall], ModelCall | None]
"""What becomes of a question; None where there is nothing in it to change, and it is not asked."""


class ChangedModel:
    """A `Model` around another. changes: of each question, one after another; None changes nothing. asked: what it was asked, changed."""

    takes_images = False

    def __init__(self, model: Model, *changes: Change | None) -> None:
        self._model, self._changes = model, [change for change in changes if change is not None]
        self.asked: list[ModelCall] = []

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._model.name

    async def ready(self) -> None:
        """Check the wrapped model. Raises ModelUnavailable."""
        await self._model.ready()

    async def close(self) -> None:
        """Leave the wrapped model as it is: others use it."""

    def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Return the wrapped model's answer to the changed question. Raises ModelRefused where a change finds nothing to change."""
        changed: ModelCall | None = call
        for change in self._changes:
            changed = change(changed) if changed is not None else None
        if changed is None:
            raise ModelRefused(Reason("bench_finds_nothing_to_change"))
        self.asked.append(changed)
        return self._model.stream(changed)


class NotAsked:
    """A `Model` that refuses: to find out what would be asked."""

    name = "nobody"
    takes_images = False

    async def ready(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Raise ModelRefused."""
        raise ModelRefused(Reason("nobody_is_asked"))
