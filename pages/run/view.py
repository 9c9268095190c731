"""What the desk knows of a run, as frozen values. Made by `reducer.reduce`, read by the panels; no clock, no I/O, no streamlit.

A page may show the log of a run made by an older version, so every value that comes out of `data` may be missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from pydantic import JsonValue

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.decision import DEBATE_SIDES
from engine.domain.opinion import Usage
from engine.domain.risk import LimitCheck

NodeState = Literal["waiting", "running", "retrying", "abstained", "done", "failed", "stopped"]
StageName = Literal["analysis", "debate", "grounding", "executor"]
STAGES: tuple[StageName, ...] = get_args(StageName)

Fields = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What was asked, and of which market. request: the fields of a `DecideRequest`. at: the clock of the decision. step: the market's
    smallest price change. known: a few facts by key, for the market line. holding: the fields of the open position.
    """

    request: Fields
    symbol: str
    price: float | None
    venue: str
    feed: str
    timeframe: str
    timeframe_htf: str | None
    path: str
    model: str
    language: str
    analysts: tuple[str, ...]
    notes: tuple[str, ...]
    at: datetime | None
    snapshot_id: str
    snapshot_hash: str
    step: float | None = None
    known: Mapping[str, float] = field(default_factory=dict)
    holding: Fields = field(default_factory=dict)


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
    it has one. before: its earlier rounds; `usage` is that of all rounds so far.
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

    @property
    def side(self) -> str:
        """Who speaks here, whichever path it is on."""
        return role_of(self.name)

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
    """Return two rounds as one text; an attempt that was begun anew repeats what stands before it."""
    return words if words.startswith(said) else said + words


@dataclass(frozen=True, slots=True)
class AnalystConsensus:
    """What the aggregator made of the reports. confidence: 0-100. scores: shares of long, short, neutral that add up to 1."""

    direction: str | None
    confidence: float | None
    support: float | None
    resistance: float | None
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Correction:
    """A false statement and the truth. start, end: code points in the speaker's text. deviation_pct: signed percent of the truth."""

    node: str | None
    source: str
    key: str
    start: int | None
    end: int | None
    claim_text: str
    claimed: float | str | None
    actual: float | str | None
    kind: str
    unit: str
    deviation_pct: float | None


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """The outcome of grounding. score: 100 * false / total. penalty_pct: taken from the confidence, 0-30."""

    claims: tuple[Claim, ...]
    total: int
    verified: int
    false: int
    unverifiable: int
    score: float
    penalty_pct: float
    gate_closed: bool
    source_scores: Mapping[str, float]
    summary: str

    def said_by(self, side: str) -> tuple[Claim, ...]:
        """Return the claims of one speaker, on either path."""
        return tuple(claim for claim in self.claims if role_of(claim.source) == side)


@dataclass(frozen=True, slots=True)
class FalseSaid:
    """How many false numbers were found, by who stated them. debate: those that the score and the gate are about."""

    debate: int
    analysts: int
    executor: int

    @property
    def grounding(self) -> int:
        """Those that grounding found: the executor speaks after it."""
        return self.debate + self.analysts

    @property
    def total(self) -> int:
        """All of them."""
        return self.grounding + self.executor


@dataclass(frozen=True, slots=True)
class PlantedLie:
    """A false value the scripted model stated on purpose."""

    role: str
    key: str
    stated: float | str | None
    truth: float | str | None


@dataclass(frozen=True, slots=True)
class Filed:
    """What the decision was filed as, when it was. state: of a proposal, as it stood then. hash: what a signature would stand under."""

    proposal_id: str
    state: str
    why: str
    hash: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How the run ended. metrics: the fields of `ExecutionMetrics`. headline: what it came to, as the flow says it."""

    at: datetime
    status: str
    action: str | None
    is_valid: bool
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    metrics: Fields
    headline: str | None = None

    @property
    def stopped(self) -> bool:
        """Whether a person stopped it, so that it can be continued."""
        return self.status == "stopped"


@dataclass(frozen=True, slots=True)
class StageView:
    """One of the steps. nodes: those of the stage that have started, in the order of their start."""

    name: StageName
    state: NodeState
    started_at: datetime | None
    ended_at: datetime | None
    nodes: tuple[NodeView, ...]

    def seconds(self, now: datetime | None) -> float | None:
        """Return seconds since the start, to the end or to `now`."""
        end = self.ended_at or now
        return max(0.0, (end - self.started_at).total_seconds()) if self.started_at and end else None


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything the desk shows of one run, after the event numbered `seq`."""

    seq: int = 0
    run_id: str | None = None
    started_at: datetime | None = None
    last_at: datetime | None = None
    facts: RunFacts | None = None
    nodes: Mapping[str, NodeView] = field(default_factory=dict)
    consensus: AnalystConsensus | None = None
    checked: CheckedClaims | None = None
    corrections: tuple[Correction, ...] = ()
    planted: tuple[PlantedLie, ...] = ()
    limits: tuple[LimitCheck, ...] = ()
    limits_passed: bool | None = None
    filed: Filed | None = None
    ending: Ending | None = None

    @property
    def running(self) -> bool:
        """Whether more events are to come."""
        return self.seq > 0 and self.ending is None

    @property
    def is_position(self) -> bool:
        """Whether an open position is being judged."""
        return self.facts is not None and self.facts.path == "position"

    @property
    def false_said(self) -> FalseSaid:
        """Return how many false numbers have been found so far, counted from the claims themselves."""
        found = [role_of(claim.source) for claim in self.checked.claims if claim.verdict == "false"] if self.checked else []
        debate = sum(side in DEBATE_SIDES for side in found)
        return FalseSaid(debate, len(found) - debate, sum(claim.verdict == "false" for claim in self.role("executor").claims))

    def role(self, side: str) -> NodeView:
        """Return the node of one speaker on either path; a waiting one when it has not started."""
        for node in self.nodes.values():
            if node.side == side or (side == "grounding" and node.name.endswith("grounding")):
                return node
        return NodeView(side)


def executor_result(view: RunView) -> Fields:
    """Return the executor's decision; nothing where it did not decide or its decision was replaced by the safe action."""
    result = view.role("executor").result
    replaced = view.ending is not None and result.get("action") != view.ending.action
    return {} if replaced else result
