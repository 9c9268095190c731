"""What the pages know of a run of any flow, as frozen values; no clock, no I/O, no streamlit. A flow's own part is in its room, in a
view that is made from this one.

A page may show the log of a run made by an older version, so every value that comes out of `data` may be missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from pydantic import JsonValue

from engine.api import role_of
from engine.domain.calls.counted_reading import ReadingProgress
from engine.domain.claims import Claim
from engine.domain.model_faults import ModelFaults
from engine.domain.opinion import Usage
from engine.domain.proposal import Proposal
from engine.domain.run import RunState

NodeState = Literal["waiting", "running", "retrying", "abstained", "done", "failed", "stopped"]

Fields = Mapping[str, JsonValue]


READER: Final = "reader"
"""The role that is asked whether a false claim was stated at all."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run said of itself at its beginning. request: the fields of what was asked for. notes: what was missing. snapshot_hash: of the
    inputs, "" where the run did not say it."""

    request: Fields
    model: str
    language: str
    notes: tuple[str, ...]
    snapshot_hash: str


@dataclass(frozen=True, slots=True)
class Retry:
    """An attempt that gave nothing usable. attempt: the one that began then. wait_s: seconds before it. repair: to mend an answer."""

    at: datetime
    attempt: int
    reason: str
    wait_s: float
    repair: bool


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node of the run.

    texts, first_tokens: what every attempt wrote, and when it began to, by attempt. attempt: the one that counts (so far). result: the
    fields of the finished event. consequence: of a failure, `abstains` or `safe_action`. claims: the node's own reading of its text, where
    it has one. before: its earlier rounds; `usage` is that of all rounds so far. from_seq, to_seq: the events that began and ended it, 0
    before either.
    """

    name: str
    stage: str | None = None
    state: NodeState = "waiting"
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempt: int = 1
    texts: Mapping[int, str] = field(default_factory=dict)
    first_tokens: Mapping[int, datetime] = field(default_factory=dict)
    retries: tuple[Retry, ...] = ()
    result: Fields = field(default_factory=dict)
    usage: Usage | None = None
    reason: str | None = None
    consequence: str | None = None
    claims: tuple[Claim, ...] = ()
    before: tuple["NodeView", ...] = ()
    from_seq: int = 0
    to_seq: int = 0

    @property
    def side(self) -> str:
        """Who speaks here, whichever path it is on."""
        return role_of(self.name)

    @property
    def is_reader(self) -> bool:
        """Whether it reads claims of others and says nothing of its own."""
        return self.side == READER

    @property
    def first_token_at(self) -> datetime | None:
        """When its first words came, of whichever attempt."""
        return min(self.first_tokens.values(), default=None)

    @property
    def earlier(self) -> str:
        """What it said in rounds that are over."""
        said = ""
        for turn in self.before:
            said = _joined(said, turn.texts.get(turn.attempt, ""))
        return said

    @property
    def text(self) -> str:
        """The words of the attempt that counts, earlier rounds before them: the text in which claims have their places."""
        return _joined(self.earlier, self.texts.get(self.attempt, ""))

    @property
    def superseded(self) -> tuple[str, ...]:
        """What the other attempts wrote, oldest first."""
        return tuple(text for attempt, text in sorted(self.texts.items()) if attempt != self.attempt and text)

    @property
    def ended(self) -> bool:
        """Whether nothing more comes from this node."""
        return self.state in {"abstained", "done", "failed", "stopped"}

    def seconds(self, now: datetime | None) -> float | None:
        """Return seconds since its start, to its end or to `now`; None before the start or where the end is not known."""
        end = self.ended_at or now
        return max(0.0, (end - self.started_at).total_seconds()) if self.started_at and end else None


def _joined(said: str, words: str) -> str:
    """Return two rounds as one text; an attempt that was begun anew repeats what comes before it."""
    return words if words.startswith(said) else said + words


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
    begins when its inputs have been read. reading: how far that is, None where this process does not know. proposal: what it was filed as,
    as that is now; None where none was filed, and of a past moment. interrupted: its process has ended, and no other has taken it up
    yet. whole: of a past moment the run to its end. stability: how far the repetitions of the decision agree, of its
    final state; empty where nothing was asked again, and of a past moment. faults: of the model, so far."""

    seq: int = 0
    run_id: str | None = None
    asked_at: datetime | None = None
    reading: ReadingProgress | None = None
    started_at: datetime | None = None
    last_at: datetime | None = None
    facts: RunFacts | None = None
    nodes: Mapping[str, NodeView] = field(default_factory=dict)
    filed: Filed | None = None
    ending: Ending | None = None
    proposal: Proposal | None = None
    interrupted: bool = False
    whole: "RunView | None" = None
    stability: Fields = field(default_factory=dict)
    faults: ModelFaults = field(default_factory=ModelFaults)

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

    def role(self, side: str) -> NodeView:
        """Return the node of one speaker on either path; a waiting one when it has not started."""
        for node in self.nodes.values():
            if node.side == side:
                return node
        return NodeView(side)
