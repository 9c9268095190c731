"""What a language model is to the rest of the engine: something that streams an answer to one call.

Failure contract of `Model.stream`: raises ModelRefused for a final "no" (wrong key, unknown model, malformed request), Retryable for
anything worth another attempt; never returns quietly without a `finish`. Deadlines and retries are not its business: `calls.py` has them.
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
    """The form that an answer shall have: a JSON object. name: `[A-Za-z0-9_-]`, 64 characters at most. schema: its JSON schema. It is a
    wish: an endpoint that cannot be held to a schema is offered a tool of that name, whose arguments are the answer, and one without tools
    is asked by the words of the prompt alone. So an answer comes as text or as a call of `name`, and its reader takes either."""

    name: str
    description: str
    schema: Mapping[str, JsonValue]

    def as_tool(self) -> Tool:
        """Return the tool by which the answer can be handed in."""
        return Tool(self.name, self.description, self.schema)


@dataclass(frozen=True)
class ToolCall:
    """A model asks for a tool. id: the endpoint's name for the call, which its answer must name. arguments: the text as the model wrote it;
    it is meant to be a JSON object and need not be one. extra: further fields of the call, which some endpoints want back with it (Gemini
    signs its thoughts there)."""

    id: str
    name: str
    arguments: str
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelCall:
    """One question to a model. role: who speaks. node: where, when that is not the role's own name; "" = the same. messages: what was said
    after `user`, as the chat protocol writes it (`assistant` with its `tool_calls`, `tool` with its `tool_call_id`). tools: what it may ask
    for; tool_choice `none`: no longer, they are only named because the history calls them. answer_schema: the form of its answer, None =
    text. images: PNG bytes, for models that take them. effort: how much it shall think, in the endpoint's word; None = not said. context:
    the snapshot's hash, which a deterministic model may seed itself with. attempt: 1, 2, ... of the same question; repair: it asks again
    because the last answer could not be read. max_tokens: no answer may be longer, thoughts included; None: not said yet. tagged: it is
    asked to name the fact behind each figure (`tags.py`)."""

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
    attempt: int = 1
    repair: bool = False
    max_tokens: int | None = None
    node: str = ""
    tagged: bool = False

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


@dataclass(frozen=True)
class Chunk:
    """A piece of an answer. text: the next characters, perhaps none. prompt_tokens, completion_tokens: totals of the call, when the
    endpoint reports them; cached_tokens: of those sent, read from its cache. finish: why the answer ended (`stop`, `length`, `tool_calls`,
    ...), on the last chunk only. On that too: tool_calls, whole; refusal: the endpoint's words where it marks the answer as a refusal;
    carried: fields of an answer with calls that its endpoint wants back in the history. thinking: the answer begins within a thought, as
    this model's answers did before. planted: false values stated on purpose in this piece."""

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
    """A finished answer of the scripted model. plants: (offset of a false value in the text, what was planted there). tool_calls: what it
    asks for."""

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
        """Cheap check before a run: raises ModelUnavailable when no call could succeed (no key, nothing listens)."""
        ...

    def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        """Return the answer, piece by piece. Closing the iterator ends the call at the provider."""
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
