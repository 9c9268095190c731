"""What a language model is to the rest of the engine: something that streams an answer to one call.

Failure contract of `Model.stream`: raises ModelRefused for a final "no" (wrong key, unknown model, malformed request), Retryable for
anything worth another attempt; never returns quietly without a `finish`. Deadlines and retries are not its business: `calls.py` has them.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

from engine.domain.errors import ModelError
from engine.domain.facts import FactValue
from engine.domain.language import Language
from engine.domain.roles import Role


@dataclass(frozen=True)
class ModelCall:
    """One question to a model. images: PNG bytes, for models that take them. context: the snapshot's hash, which a deterministic model
    may seed itself with. attempt: 1, 2, ... of the same question; repair: it asks again because the last answer could not be read.
    max_tokens: no answer may be longer, thoughts included; None: not said yet."""

    role: Role
    language: Language
    system: str
    user: str
    images: tuple[bytes, ...] = ()
    temperature: float | None = None
    context: str = ""
    attempt: int = 1
    repair: bool = False
    max_tokens: int | None = None


@dataclass(frozen=True)
class Planted:
    """A false value that a scripted or chaotic model states on purpose."""

    role: Role
    key: str
    stated: FactValue
    true: FactValue


@dataclass(frozen=True)
class Chunk:
    """A piece of an answer. text: the next characters, perhaps none. prompt_tokens, completion_tokens: totals of the call, when the
    endpoint reports them. finish: why the answer ended (`stop`, `length`, ...), on the last chunk only."""

    text: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish: str | None = None
    planted: tuple[Planted, ...] = field(default=())


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The model's name as reports and metrics show it; `scripted` for the offline analyst."""
        ...

    @property
    def takes_images(self) -> bool:
        """Whether `ModelCall.images` may be set."""
        ...

    async def ready(self) -> None:
        """Cheap check before a run: raises ModelUnavailable when no call could succeed (no key, nothing listens)."""
        ...

    def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """The answer, piece by piece. Closing the iterator ends the call at the provider."""
        ...

    async def close(self) -> None:
        """Release connections. May be called more than once."""
        ...


class Retryable(ModelError):
    """An attempt failed in a way that another may not. retry_after: seconds the provider asked to wait, None when it did not say."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AskAgain(Retryable):
    """The endpoint takes the question in another form, which the model knows from now on: worth asking at once, nobody's fault."""
