"""What a language model is to the rest of the engine: it streams an answer to one call.

Failures of `Model.stream`: ModelRefused is final (wrong key, unknown model, malformed request); Retryable is worth another attempt. A
stream never ends without a `finish`. Deadlines and retries are handled by `calls.py`.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import JsonValue

from engine.domain.errors import ModelError
from engine.domain.facts import FactValue
from engine.domain.roles import Role
from engine.domain.text.language import Language


@dataclass(frozen=True)
class Tool:
    """A tool that a model may ask for. parameters: the JSON schema of its arguments, an object's."""

    name: str
    description: str
    parameters: Mapping[str, JsonValue]


@dataclass(frozen=True)
class AnswerSchema:
    """The requested form of an answer, a JSON object. name: `[A-Za-z0-9_-]`, 64 characters at most. schema: its JSON schema.

    An endpoint without schemas is offered a tool of that name, whose arguments are the answer; one without tools is asked by the prompt
    alone. So an answer arrives as text or as a call of `name`, and the reader accepts both.
    """

    name: str
    description: str
    schema: Mapping[str, JsonValue]

    def as_tool(self) -> Tool:
        """Return the schema as a tool whose arguments are the answer."""
        return Tool(self.name, self.description, self.schema)


@dataclass(frozen=True)
class ToolCall:
    """A model's request for a tool.

    Attributes:
        id: The endpoint's id of the call, which the answer repeats.
        arguments: What the model wrote: supposed to be a JSON object, but not checked.
        extra: Other fields of the call that some endpoints require back, such as Gemini's signatures of thoughts.
    """

    id: str
    name: str
    arguments: str
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelCall:
    """One question to a model.

    Attributes:
        role: Who speaks.
        node: Where, if it differs from the role's name; else "".
        messages: The messages after `user`, as the chat protocol writes them (`assistant` with `tool_calls`, `tool` with `tool_call_id`).
        tools: Tools that the model may ask for.
        tool_choice: `none` if it may not ask for any more; `tools` are then sent only because the history names them.
        answer_schema: Form of the answer; None for text.
        images: PNG files, for models that accept images.
        effort: How much to think, in the endpoint's words; None to leave it out.
        context: Hash of the snapshot; a deterministic model may use it as a seed.
        again: Which repetition of its decision the question belongs to, "" for the decision itself. No model is told; a deterministic one
            varies its answer by it, as others do by themselves.
        attempt: Number of the attempt at the same question, from 1.
        repair: Whether it is asked again because the last answer could not be read.
        max_tokens: Bound of the answer, thoughts included; None if not set yet.
    """

    role: Role
    language: Language
    system: str
    user: str
    messages: tuple[Mapping[str, JsonValue], ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    answer_schema: AnswerSchema | None = None
    images: tuple[bytes, ...] = ()
    temperature: float | None = None
    effort: str | None = None
    context: str = ""
    again: str = ""
    attempt: int = 1
    repair: bool = False
    max_tokens: int | None = None
    node: str = ""

    @property
    def where(self) -> str:
        """The node that asks."""
        return self.node or self.role

    @property
    def may_call(self) -> bool:
        """Whether the answer may ask for tools."""
        return bool(self.tools) and self.tool_choice == "auto"


@dataclass(frozen=True)
class Planted:
    """A false value that a scripted or chaotic model states on purpose."""

    role: Role
    key: str
    stated: FactValue
    true: FactValue


PlantedSentence = tuple[str, Planted]
"""A false sentence, ready to be put before a text, and its record."""


@dataclass(frozen=True)
class Chunk:
    """A piece of an answer.

    Attributes:
        text: The next characters, possibly none.
        prompt_tokens, completion_tokens: Totals of the call, if the endpoint reports them.
        cached_tokens: How many of the sent tokens came from the endpoint's cache.
        finish: Why the answer ended (`stop`, `length`, `tool_calls`, ...); on the last chunk only.
        tool_calls: The complete calls; on the last chunk only.
        refusal: The endpoint's words if it marks the answer as a refusal; on the last chunk only.
        carried: Fields that the endpoint requires back in the history; on the last chunk only.
        thinking: Whether the answer begins within a thought, as this model's earlier answers did.
        planted: False values stated on purpose in this piece.
    """

    text: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    finish: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    refusal: str = ""
    carried: Mapping[str, JsonValue] = field(default_factory=dict)
    thinking: bool = False
    planted: tuple[Planted, ...] = field(default=())


@dataclass(frozen=True)
class Script:
    """A complete answer of the scripted model. plants: (offset in the text, the false value planted there)."""

    text: str
    plants: tuple[tuple[int, Planted], ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()


Voice = Callable[[ModelCall], Script]
"""What the scripted model says for one role."""


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
        """Check cheaply, before a run, that a call can succeed. Raises ModelUnavailable if there is no key or nothing listens."""
        ...

    def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Return the answer in pieces. Closing the iterator ends the call at the provider.

        Raises:
            ModelRefused: The endpoint refuses for good.
            Retryable: Another attempt may succeed.
        """
        ...

    async def close(self) -> None:
        """Release connections. May be called more than once."""
        ...


class Retryable(ModelError):
    """The attempt failed, but another one may succeed. retry_after: seconds that the provider asked to wait; None if it did not."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AskAgain(Retryable):
    """The endpoint requires another form, which the model has learned: ask again at once. It is not counted as a failure."""
