"""What the pages know of a run of any flow, as frozen values; no clock, no I/O, no streamlit. A flow's own part is in its room, in a
view that is made from this one.

A page may show the log of a run made by an older version, so every value that comes out of `data` may be missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Final, Literal, Self

from pydantic import JsonValue

from engine.api import role_of
from engine.domain.calls.counted_reading import ReadingProgress
from engine.domain.claims import Claim
from engine.domain.events import Opening
from engine.domain.facts import FactValue
from engine.domain.model_faults import ModelFaults
from engine.domain.opinion import Usage
from engine.domain.proposal import Proposal
from engine.domain.risk import LimitCheck
from engine.domain.run import RunState

NodeState = Literal["waiting", "running", "retrying", "abstained", "done", "failed", "stopped"]

Fields = Mapping[str, JsonValue]


READER: Final = "reader"
"""The role that is asked whether a false claim was stated at all."""
NOT_EXECUTED: Final = "not executed: limit"
"""What a call is answered that the breaker did not let through."""


@dataclass(frozen=True, slots=True)
class PlantedLie:
    """A false value that the scripted model stated on purpose."""

    role: str
    key: str
    stated: FactValue
    truth: FactValue


@dataclass(frozen=True, slots=True)
class Retry:
    """An attempt that gave nothing usable. attempt: the one that began then. wait_s: seconds before it. repair: to mend an answer."""

    at: datetime
    attempt: int
    reason: str
    wait_s: float
    repair: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One call that a model asked for. arguments: as it wrote them, or as they were read. executed: whether the tool ran. repeat: answered
    from the first of its kind. error: why there was no answer. ms: milliseconds the tool took."""

    tool: str
    arguments: JsonValue = None
    executed: bool = False
    answered: bool = False
    repeat: bool = False
    error: str | None = None
    preview: str = ""
    ms: float | None = None

    @property
    def refused(self) -> bool:
        """Whether the breaker did not let it through."""
        return self.error == NOT_EXECUTED


@dataclass(frozen=True, slots=True)
class Turn:
    """One round of one node.

    n: the round, from 0. began_with: the fields of its start. texts, first_tokens: what every attempt wrote, and when it began to, by
    attempt. attempt: the one that counts (so far). earlier: what the node said in rounds before. aside: how much of the newest text came
    with calls for tools, and is no part of what is said. result: the fields of the finished event. claims: the node's own reading of its
    text, where it has one. calls: what it asked tools. usage: of all rounds so far. from_seq, to_seq: the events that began and ended it, 0
    before either.
    """

    name: str
    n: int = 0
    stage: str | None = None
    state: NodeState = "waiting"
    began_with: Fields = field(default_factory=dict)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempt: int = 1
    texts: Mapping[int, str] = field(default_factory=dict)
    first_tokens: Mapping[int, datetime] = field(default_factory=dict)
    earlier: str = ""
    aside: int = 0
    retries: tuple[Retry, ...] = ()
    result: Fields = field(default_factory=dict)
    usage: Usage | None = None
    reason: str | None = None
    claims: tuple[Claim, ...] = ()
    calls: tuple[Call, ...] = ()
    from_seq: int = 0
    to_seq: int = 0

    @property
    def side(self) -> str:
        """Who speaks here, whichever path it is on."""
        return "grounding" if self.name.endswith("grounding") else role_of(self.name)

    @property
    def is_reader(self) -> bool:
        """Whether it reads claims of others and says nothing of its own."""
        return self.side == READER

    @property
    def first_token_at(self) -> datetime | None:
        """When its first words came, of whichever attempt."""
        return min(self.first_tokens.values(), default=None)

    @property
    def text(self) -> str:
        """The words of the attempt that counts, earlier rounds before them: the text in which claims have their places. An attempt that was
        begun anew repeats what comes before it."""
        words = self.texts.get(self.attempt, "")
        return words if words.startswith(self.earlier) else self.earlier + words

    @property
    def words(self) -> str:
        """What it says in this round alone, as far as the newest attempt has come, without line ends around it."""
        newest = max((attempt for attempt in self.texts if attempt <= self.attempt), default=0)
        return self.texts.get(newest, "")[self.aside :].strip()

    @property
    def superseded(self) -> tuple[str, ...]:
        """What the other attempts wrote, oldest first."""
        return tuple(text for attempt, text in sorted(self.texts.items()) if attempt != self.attempt and text)

    @property
    def ended(self) -> bool:
        """Whether nothing more comes in this round."""
        return self.state in {"abstained", "done", "failed", "stopped"}

    @property
    def trouble(self) -> str | None:
        """Why it has not answered yet, or did not at all."""
        if self.state == "done":
            return None
        return self.reason or (self.retries[-1].reason if self.retries else None)

    def seconds(self, now: datetime | None) -> float | None:
        """Return seconds since its start, to its end or to `now`; None before the start or where the end is not known."""
        end = self.ended_at or now
        return max(0.0, (end - self.started_at).total_seconds()) if self.started_at and end else None


@dataclass(frozen=True, slots=True)
class Filed:
    """What the decision was filed as, when it was. state: of a proposal, as it was then. hash: what a signature would stand under."""

    proposal_id: str
    state: str
    why: str
    hash: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How the run ended. metrics: the fields of `ExecutionMetrics`. headline: what it came to, as the flow says it. shown:
    everything that the flow shows of its end."""

    at: datetime
    status: str
    action: str | None
    is_valid: bool
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    metrics: Fields
    headline: str | None = None
    shown: Fields = field(default_factory=dict)

    @property
    def stopped(self) -> bool:
        """Whether a person stopped it, so that it can be continued."""
        return self.status == "stopped"


@dataclass(frozen=True, slots=True)
class RunView:
    """What every run has, after the event numbered `seq`. run_id: None where there is no run. asked_at: when somebody asked for it; its log
    begins when its inputs have been read. reading: how far that is, None where this process does not know. opening: what it said at its
    beginning. turns: in the order of their start. planted: what a script stated falsely on purpose. limits: as they were measured.
    proposal: what it was filed as, as that is now; None where none was filed, and of a past moment. interrupted: its process has ended, and
    no other has taken it up yet. whole: of a past moment the run to its end. stability: how far the repetitions of the decision agree, of
    its final state; empty where nothing was asked again, and of a past moment. cost: in money, of its final state; None before it, and
    where a model that was asked has no price. faults: of the model, so far."""

    reads: ClassVar[type[Opening]] = Opening
    """What the opening of the flow's runs is read as."""

    seq: int = 0
    run_id: str | None = None
    asked_at: datetime | None = None
    reading: ReadingProgress | None = None
    started_at: datetime | None = None
    last_at: datetime | None = None
    opening: Opening | None = None
    turns: tuple[Turn, ...] = ()
    planted: tuple[PlantedLie, ...] = ()
    limits: tuple[LimitCheck, ...] = ()
    filed: Filed | None = None
    ending: Ending | None = None
    proposal: Proposal | None = None
    interrupted: bool = False
    whole: "RunView | None" = None
    stability: Fields = field(default_factory=dict)
    cost: float | None = None
    faults: ModelFaults = field(default_factory=ModelFaults)

    def at_end(self, state: Fields) -> Self:
        """Return the same with what the final state says besides."""
        return self

    @property
    def nodes(self) -> Mapping[str, Turn]:
        """Node -> its newest turn, in the order of their first starts."""
        return {turn.name: turn for turn in self.turns}

    @property
    def not_valid_because(self) -> Literal["", "key", "format"]:
        """What was wrong with the model in a run that came to nothing because of it; "" otherwise."""
        if self.ending is None or self.ending.is_valid or self.ending.status != "finished":
            return ""
        return "key" if self.faults.refused else "format" if self.faults.ignored else ""

    @property
    def status(self) -> RunState:
        """The run's own state, as the journal has it in the end."""
        if self.ending is not None:
            return "finished" if self.ending.status == "finished" else "stopped" if self.ending.stopped else "failed"
        return "interrupted" if self.interrupted else "running" if self.seq else "starting"

    @property
    def running(self) -> bool:
        """Whether more events are to come."""
        return self.seq > 0 and self.ending is None

    def elapsed(self, now: datetime | None) -> float | None:
        """Return seconds since it was asked for, to `now`; None where either is not known."""
        since = self.asked_at or self.started_at
        return max(0.0, (now - since).total_seconds()) if now and since else None

    def turn(self, node: str) -> Turn:
        """Return the newest turn of a node; a waiting one before it starts."""
        return next((turn for turn in reversed(self.turns) if turn.name == node), Turn(node))

    def said_by(self, *nodes: str) -> tuple[Turn, ...]:
        """Return every turn of nodes."""
        return tuple(turn for turn in self.turns if turn.name in nodes)

    def role(self, side: str) -> Turn:
        """Return the newest turn of one speaker on either path; a waiting one when it has not started."""
        return next((turn for turn in self.nodes.values() if turn.side == side), Turn(side))
