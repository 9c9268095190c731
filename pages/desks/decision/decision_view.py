"""What the desk knows of a decision, as frozen values: what every run has, and the decision's own part beside it.

Made by `decision_reducer`, read by the panels; no clock, no I/O, no streamlit. A page may show the log of a run made by an older
version, so every value that comes out of `data` may be missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.decision import DEBATE_SIDES
from engine.domain.risk import LimitCheck
from engine.domain.similar import SimilarDecision
from pages.claims.planted import PlantedLie
from pages.run.view import Fields, NodeView, RunFacts, RunView


@dataclass(frozen=True, slots=True)
class DecisionFacts(RunFacts):
    """What was asked, and of which market. request: the fields of a `DecideRequest`. at: the clock of the decision. step: the market's
    smallest price change. known: a few facts by key, for the market line. holding: the fields of the open position. similar: earlier
    decisions in markets like this one.
    """

    request: Fields
    symbol: str
    price: float | None
    venue: str
    feed: str
    timeframe: str
    timeframe_htf: str | None
    path: str
    analysts: tuple[str, ...]
    at: datetime | None
    snapshot_id: str
    step: float | None = None
    known: Mapping[str, float] = field(default_factory=dict)
    holding: Fields = field(default_factory=dict)
    similar: tuple[SimilarDecision, ...] = ()


@dataclass(frozen=True, slots=True)
class AnalystConsensus:
    """What the aggregator made of the reports. confidence: 0-100. scores: shares of long, short, neutral that add up to 1.
    weights: analyst -> `factor`, `claims` and `false` by which its honesty weighs it; empty where it does not."""

    direction: str | None
    confidence: float | None
    support: float | None
    resistance: float | None
    scores: Mapping[str, float]
    weights: Mapping[str, Fields] = field(default_factory=dict)


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
    """The outcome of grounding. score: 100 * false / total of the debate, analysis_score: of the analysts, None where nothing was checked.
    penalty_pct: taken off the confidence, 0-30."""

    claims: tuple[Claim, ...]
    total: int
    verified: int
    false: int
    unverifiable: int
    score: float | None
    analysis_score: float | None
    penalty_pct: float
    gate_closed: bool
    source_scores: Mapping[str, float]
    summary: str

    @property
    def gate_words(self) -> tuple[str, float | None, int, int]:
        """What the gate was closed by: the key of the sentence, the score, and how many of the checked numbers were false."""
        if (self.analysis_score or 0.0) <= (self.score or 0.0):
            return "msg_gate", self.score, self.false, self.total
        verdicts = [claim.when_said for claim in self.claims if role_of(claim.source) not in DEBATE_SIDES]
        false = verdicts.count("false")
        return "msg_gate_analysts", self.analysis_score, false, false + verdicts.count("true")

    def said_by(self, side: str) -> tuple[Claim, ...]:
        """Return the claims of one speaker, on either path."""
        return tuple(claim for claim in self.claims if role_of(claim.source) == side)


@dataclass(frozen=True, slots=True)
class FalseSaid:
    """How many false numbers were found, by who stated them. debate: those that the score and the gate are about. checked: how many numbers
    were found true or false, of whomever."""

    debate: int
    analysts: int
    executor: int
    checked: int = field(default=0, compare=False)

    @property
    def grounding(self) -> int:
        """Those that grounding found: the executor speaks after it."""
        return self.debate + self.analysts

    @property
    def total(self) -> int:
        """All of them."""
        return self.grounding + self.executor


@dataclass(frozen=True, slots=True)
class DecisionView(RunView):
    """A decision. facts: of its market as well, None before it has said them. consensus: of the analysts. checked: what grounding found.
    limits: as they were measured."""

    facts: DecisionFacts | None = None
    consensus: AnalystConsensus | None = None
    checked: CheckedClaims | None = None
    corrections: tuple[Correction, ...] = ()
    planted: tuple[PlantedLie, ...] = ()
    limits: tuple[LimitCheck, ...] = ()

    @property
    def is_position(self) -> bool:
        """Whether an open position is being judged."""
        return self.facts is not None and self.facts.path == "position"

    @property
    def false_said(self) -> FalseSaid:
        """Return how many false numbers have been found so far, counted from the claims themselves."""
        claims = (*(self.checked.claims if self.checked else ()), *self.role("executor").claims)
        found = [role_of(claim.source) for claim in claims if claim.when_said == "false"]
        debate, executor = sum(side in DEBATE_SIDES for side in found), found.count("executor")
        checked = sum(claim.when_said in ("true", "false") for claim in claims)
        return FalseSaid(debate, len(found) - debate - executor, executor, checked)

    def role(self, side: str) -> NodeView:
        """Return the node of one speaker on either path, that of grounding too; a waiting one when it has not started."""
        if side == "grounding":
            return next((node for node in self.nodes.values() if node.name.endswith("grounding")), NodeView(side))
        return RunView.role(self, side)


def executor_result(view: DecisionView) -> Fields:
    """Return the executor's decision; nothing where it did not decide or its decision was replaced by the safe action."""
    result = view.role("executor").result
    replaced = view.ending is not None and result.get("action") != view.ending.action
    return {} if replaced else result
