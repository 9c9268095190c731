"""What the desk knows of a decision: what every run has, and the decision's own part beside it. No clock, no I/O, no streamlit. A page may
show the log of a run made by an older version, so every value that comes out of an event may be missing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Final

from pydantic import Field, JsonValue

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.decision import DEBATE_SIDES
from engine.domain.events import Event, GroundingCorrected, MarketOpening, NodeFinished
from engine.domain.text.wire import Flag, Number, WireModel
from pages.frame import json_fields
from pages.run.reducer import ViewReducer
from pages.run.view import Fields, RunView

_ANALYSTS: Final = ("indicator", "trend", "sentiment", "pattern")


class AnalystConsensus(WireModel):
    """What the aggregator made of the reports. confidence: 0-100. weights: analyst -> `factor`, `claims` and `false` by which its honesty
    weighs it; empty where it does not."""

    direction: Annotated[str | None, Field(alias="consensus_direction")] = None
    confidence: Annotated[Number | None, Field(alias="consensus_confidence")] = None
    support: Annotated[Number | None, Field(alias="key_support")] = None
    resistance: Annotated[Number | None, Field(alias="key_resistance")] = None
    weights: Annotated[dict[str, dict[str, JsonValue]], Field(alias="analyst_weights")] = Field(default_factory=dict)


class CheckedClaims(WireModel):
    """The outcome of grounding. score: 100 * false / total of the debate, analysis_score: of the analysts, None where nothing was checked.
    penalty_pct: taken off the confidence, 0-30."""

    claims: tuple[Claim, ...] = ()
    total: Annotated[int, Field(alias="total_claims")] = 0
    verified: Annotated[int, Field(alias="verified_claims")] = 0
    false: Annotated[int, Field(alias="false_claims")] = 0
    score: Annotated[Number | None, Field(alias="hallucination_score")] = None
    analysis_score: Annotated[Number | None, Field(alias="analysis_hallucination_score")] = None
    penalty_pct: Number = 0.0
    gate_closed: Flag = False

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
    """A decision. consensus: of the analysts. checked: what grounding found. corrections: each false statement of whomever."""

    reads = MarketOpening

    opening: MarketOpening | None = None
    consensus: AnalystConsensus | None = None
    checked: CheckedClaims | None = None
    corrections: tuple[GroundingCorrected, ...] = ()

    @property
    def analysts(self) -> Sequence[str]:
        """Who writes a report, in order; those of every run where it does not say."""
        return (self.opening.analysts if self.opening else ()) or _ANALYSTS

    @property
    def is_position(self) -> bool:
        """Whether an open position is being judged."""
        return self.opening is not None and self.opening.path == "position"

    @property
    def holding(self) -> Fields:
        """The fields of the open position, empty without one."""
        if self.opening is None:
            return {}
        return self.opening.holding or json_fields.inner(self.opening.request, "holding")

    @property
    def false_said(self) -> FalseSaid:
        """Return how many false numbers have been found so far, counted from the claims themselves."""
        claims = (*(self.checked.claims if self.checked else ()), *self.role("executor").claims)
        found = [role_of(claim.source) for claim in claims if claim.when_said == "false"]
        debate, executor = sum(side in DEBATE_SIDES for side in found), found.count("executor")
        checked = sum(claim.when_said in ("true", "false") for claim in claims)
        return FalseSaid(debate, len(found) - debate - executor, executor, checked)


def executor_result(view: DecisionView) -> Fields:
    """Return the executor's decision; nothing where it did not decide or its decision was replaced by the safe action."""
    result = view.role("executor").result
    replaced = view.ending is not None and result.get("action") != view.ending.action
    return {} if replaced else result


def _node_finished(view: DecisionView, event: Event, data: NodeFinished) -> DecisionView:
    node = view.turn(event.node or "")
    if node.side == "aggregator":
        return replace(view, consensus=AnalystConsensus.read(node.result))
    return replace(view, checked=CheckedClaims.read(node.result)) if node.side == "grounding" else view


def _corrected(view: DecisionView, event: Event, data: GroundingCorrected) -> DecisionView:
    said = data if data.source else data.model_copy(update={"source": event.node or ""})
    return replace(view, corrections=(*view.corrections, said))


DECISION: Final = ViewReducer(DecisionView(), {NodeFinished: _node_finished, GroundingCorrected: _corrected})
"""How the log of a decision is read."""
