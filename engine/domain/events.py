"""What happens in a run, one numbered row each. What it tells is typed: a class of `EventData` for each kind.

    match event.data:
        case NodeTokens(text=text, attempt=attempt): ...

A flow that has something of its own to tell writes a class of `EventData` in its own folder, with a `kind` such as `plan.task_skipped`;
nothing generic changes. A kind that no one here knows is read as `UnknownData`, which keeps whatever is in it.
engine/README.md says who tells what.
"""

from typing import Annotated, Any, ClassVar, Final

from pydantic import AwareDatetime, Field, JsonValue, field_serializer, model_validator

from engine.domain.claims import Claim, Claimed
from engine.domain.facts import FactValue
from engine.domain.frozen_model import FrozenModel
from engine.domain.opinion import Usage
from engine.domain.risk import LimitCheck
from engine.domain.text.reason import Said, printed
from engine.domain.text.wire import Flag, Json, Number, Numbers, Texts, WireModel

EventKind = str
Attempt = Annotated[int, Field(ge=0)]
"""Which attempt, from 1; 0 where no attempt counted."""
_Nth = Annotated[int, Field(ge=1)]
_Fields = dict[str, JsonValue]


class EventData(WireModel):
    """What one kind of event tells. Defining a class makes its kind known."""

    kind: ClassVar[EventKind] = ""
    of: ClassVar[dict[EventKind, type["EventData"]]] = {}
    """Kind -> its class."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Make the kind known. Raises TypeError for one that another class has."""
        super().__pydantic_init_subclass__(**kwargs)
        if cls.kind and (other := EventData.of.setdefault(cls.kind, cls)) is not cls:
            raise TypeError(f"two classes tell {cls.kind}: {other.__qualname__} and {cls.__qualname__}")


class UnknownData(EventData):
    """The data of a kind that this version does not know; everything is in `to_json()`."""


class RunStarted(EventData):
    """request: the fields of the run's request. prompts: node -> the version of its prompt. What else a flow says at its beginning is its
    own (`Opening`, `MarketOpening`)."""

    kind: ClassVar[EventKind] = "run.started"
    request: _Fields = Field(default_factory=dict)
    inputs_hash: str | None = None
    prompts: dict[str, str] = Field(default_factory=dict)


class Opening(WireModel):
    """What `run.started` says in every flow. notes: what was missing. snapshot_hash: of the inputs, "" where the run did not say it."""

    request: _Fields = Field(default_factory=dict)
    model: str = ""
    language: str = "en"
    notes: Texts = ()
    snapshot_hash: str = ""


class MarketOpening(Opening):
    """What it says of a market, where a flow decides on one. at: the clock of the decision. price_step: the market's smallest price change.
    facts: a few, for the market line. holding: the fields of the open position, None = flat. similar: of earlier decisions in markets like
    this one (`SimilarDecision`)."""

    symbol: str = ""
    price: Number | None = None
    venue: str = ""
    feed: str = ""
    timeframe: str = ""
    timeframe_htf: str | None = None
    path: str = ""
    analysts: Texts = ()
    at: AwareDatetime | None = None
    snapshot_id: str = ""
    price_step: Number | None = None
    facts: Numbers = Field(default_factory=dict)
    holding: _Fields | None = None
    similar: tuple[_Fields, ...] = ()


class RunResumed(EventData):
    """nodes: those that were cut off and go on."""

    kind: ClassVar[EventKind] = "run.resumed"
    nodes: Texts = ()


class RunStopped(EventData):
    """reason: who stopped it."""

    kind: ClassVar[EventKind] = "run.stopped"
    reason: Said | None = None


class RunFinished(EventData):
    """status: `finished` or `failed`. headline: what it came to. The other fields are what its flow shows of its end. metrics: the fields
    of its counts."""

    kind: ClassVar[EventKind] = "run.finished"
    status: str = ""
    headline: str | None = None
    final_action: str | None = None
    is_valid: Flag = False
    errors: Texts = ()
    warnings: Texts = ()
    metrics: _Fields = Field(default_factory=dict)


class NodeStarted(EventData):
    """stage: which part of its flow the node belongs to."""

    kind: ClassVar[EventKind] = "node.started"
    stage: str | None = None


class NodeTokens(EventData):
    """text: the next characters of an attempt."""

    kind: ClassVar[EventKind] = "node.tokens"
    text: str = ""
    attempt: Attempt | None = None


class NodeRetried(EventData):
    """attempt: the one that begins, `wait_s` seconds later. repair: the last answer could not be read. cause: see `model_faults.py`."""

    kind: ClassVar[EventKind] = "node.retried"
    attempt: Attempt | None = None
    reason: Said = ""
    wait_s: Number = 0.0
    repair: Flag = False
    cause: str = ""


class NodeFinished(EventData):
    """attempt: the one that counted. result: the fields of what the node gave, without its text. claims: what the node read in its own
    words; of a reader of claims the strikes of others that it was asked about, as they count since. Further fields are the node's."""

    kind: ClassVar[EventKind] = "node.finished"
    attempt: Attempt | None = None
    usage: Usage | None = None
    result: _Fields | None = None
    claims: tuple[Claim, ...] = ()
    errors: Texts = ()
    grounding_summary: str = ""


class NodeFailed(EventData):
    """consequence: `abstains` or `safe_action`. claims: as of `NodeFinished`."""

    kind: ClassVar[EventKind] = "node.failed"
    attempt: Attempt | None = None
    usage: Usage | None = None
    result: _Fields | None = None
    claims: tuple[Claim, ...] = ()
    reason: Said | None = None
    consequence: str | None = None


class AskedCall(WireModel):
    """A tool that a model asked for. arguments: the text as the model wrote it. extra: what its endpoint wants back with the call."""

    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: _Fields = Field(default_factory=dict)


class ModelAnswered(EventData):
    """The answer of a node's turn, whose text is in the log as tokens. lost: why there was none that could be used. cause: of that, see
    `model_faults.py`. carried: what its endpoint wants back with its calls."""

    kind: ClassVar[EventKind] = "model.answered"
    role: str = ""
    turn: _Nth = 1
    attempt: Attempt | None = None
    lost: Said | None = None
    cause: str = ""
    usage: Usage | None = None
    tool_calls: tuple[AskedCall, ...] = ()
    carried: _Fields = Field(default_factory=dict)


class DecisionRepeated(EventData):
    """The roles of the decision were asked again, before it was filed: the `n`th of `k` times, with an action or without an answer."""

    kind: ClassVar[EventKind] = "decision.repeated"
    n: _Nth = 1
    k: _Nth = 1
    action: str | None = None
    confidence: Number | None = None


class ModelPlanted(EventData):
    """A scripted or chaotic model states a false value here on purpose."""

    kind: ClassVar[EventKind] = "model.planted"
    role: str = ""
    key: str = ""
    stated: FactValue = None
    true: FactValue = None


class ToolCalled(EventData):
    """n: which of the node's calls it is, from 1. arguments: an object, or the text that is none."""

    kind: ClassVar[EventKind] = "tool.called"
    analyst: str = ""
    tool: str = ""
    arguments: JsonValue = None
    n: _Nth = 1


class Observation(EventData):
    """What a node read that is neither its state nor its inputs: recalled like an answer. n: which of its kind in the node, from 1."""

    n: _Nth = 1


class ToolAnswered(Observation):
    """content: what the model was told. repeat: from the first call of its kind. ms: milliseconds the tool took."""

    kind: ClassVar[EventKind] = "tool.answered"
    analyst: str = ""
    tool: str = ""
    repeat: Flag = False
    content: str = ""
    preview: str = ""
    error: Said | None = None
    ms: Number | None = None


class MemoryRead(Observation):
    """body: of the memory that was read, None where there was none."""

    kind: ClassVar[EventKind] = "memory.read"
    name: str = ""
    body: _Fields | None = None


class ChildStarted(Observation):
    """A run of another flow that a node asks for."""

    kind: ClassVar[EventKind] = "child.started"
    run_id: str = ""
    flow: str = ""
    subject: str = ""


class ChildFinished(Observation):
    """How that run ended. status: `finished`, `failed` or `stopped`. result: its final state, None unless it finished. error: why it did
    not."""

    kind: ClassVar[EventKind] = "child.finished"
    run_id: str = ""
    status: str = ""
    result: _Fields | None = None
    error: Said | None = None


class MemoryWritten(EventData):
    """What a run leaves for later ones."""

    kind: ClassVar[EventKind] = "memory.written"
    name: str = ""
    subject: str = ""
    body: _Fields = Field(default_factory=dict)


class InstructionsSeen(EventData):
    """Text from outside that reads like an instruction; it was quoted as data all the same. where: document numbers, tools or titles.
    excerpt: the beginning of the first one."""

    kind: ClassVar[str] = "instructions.seen"
    where: Texts = ()
    excerpt: str = ""


class GroundingCorrected(EventData):
    """A false claim (`Claim` says what the fields mean)."""

    kind: ClassVar[EventKind] = "grounding.corrected"
    source: str = ""
    start: int | None = None
    end: int | None = None
    text: str = ""
    key: str = ""
    claim_kind: Annotated[str, Field(alias="kind")] = ""
    claimed: Claimed | None = None
    actual: FactValue = None
    unit: str = ""
    deviation: Number | None = None
    confirmed: str | None = None


class LimitsChecked(EventData):
    """The hard limits, measured."""

    kind: ClassVar[EventKind] = "limits.checked"
    limits: tuple[LimitCheck, ...] = ()
    passed: Flag | None = None


class ProposalFiled(EventData):
    """What the run was filed as. state: of the proposal, as it was then; `approved` where no person has to approve it, which is done at
    once. hash: what a signature would be under."""

    kind: ClassVar[EventKind] = "proposal.filed"
    proposal_id: str = ""
    state: str = ""
    why: Said | None = None
    hash: str = ""


KINDS: Final = tuple(EventData.of)
"""The kinds that every flow shares."""


def data_of(kind: EventKind, written: Json) -> EventData:
    """Return what was written of an event of a kind."""
    return EventData.of.get(kind, UnknownData).read(written)


class Event(FrozenModel):
    """One thing that happened. seq: from 1, without gaps, per run. node: the node's name, None for the run itself."""

    seq: int = Field(ge=1)
    run_id: str
    at: AwareDatetime
    kind: str = Field(min_length=1)
    node: str | None = None
    data: EventData

    @model_validator(mode="before")
    @classmethod
    def _typed(cls, given: Any) -> Any:
        if isinstance(given, dict) and isinstance(data := given.get("data", {}), dict):
            return given | {"data": data_of(str(given.get("kind", "")), data)}
        return given

    @field_serializer("data")
    def _written(self, data: EventData) -> dict[str, JsonValue]:
        return data.to_json()

    def to_json(self) -> dict[str, Any]:
        """Return the row of an events file."""
        return {name: printed(value) for name, value in self.model_dump(mode="json").items()}
