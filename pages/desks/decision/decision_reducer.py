"""Given the events of a decision, gives its view. What every run has is reduced by `pages.run.reducer`; here is its own:
its market, the consensus, what grounding found, what was measured against the limits.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from engine.domain.claims import Claim
from engine.domain.events import Event, GroundingCorrected, LimitsChecked, MarketOpening, ModelPlanted, NodeFinished, RunStarted
from engine.domain.frozen_model import FrozenModel
from pages.claims.planted import planted_lie
from pages.desks.decision.decision_view import AnalystConsensus, CheckedClaims, Correction, DecisionFacts, DecisionView
from pages.frame import json_fields as read
from pages.run.reducer import ViewReducer
from pages.run.similar import read_similar

T = TypeVar("T", bound=FrozenModel)


def reduce_decision(events: Iterable[Event], view: DecisionView | None = None) -> DecisionView:
    """Return the view after `events`, which follow those `view` was made from."""
    return DECISION.reduce(events, view)


def _run_started(view: DecisionView, event: Event, data: RunStarted) -> DecisionView:
    market = MarketOpening.read(data.to_json())
    facts = DecisionFacts(
        request=data.request,
        symbol=market.symbol,
        price=market.price,
        venue=market.venue,
        feed=market.feed,
        timeframe=market.timeframe,
        timeframe_htf=market.timeframe_htf,
        path=market.path or ("entry" if market.symbol else ""),
        model=market.model,
        language=market.language,
        analysts=market.analysts,
        notes=market.notes,
        at=market.at,
        snapshot_id=market.snapshot_id,
        snapshot_hash=market.snapshot_hash,
        step=market.price_step,
        known=market.facts,
        holding=market.holding or read.inner(data.request, "holding"),
        similar=read_similar(market.similar),
    )
    return replace(view, facts=facts)


def _node_finished(view: DecisionView, event: Event, data: NodeFinished) -> DecisionView:
    name = event.node or ""
    result = view.nodes[name].result
    if name == "aggregator":
        return replace(view, consensus=_consensus(result))
    if name.endswith("grounding"):
        return replace(view, checked=_checked(result, data.grounding_summary))
    return view


def _planted(view: DecisionView, event: Event, data: ModelPlanted) -> DecisionView:
    return replace(view, planted=(*view.planted, planted_lie(event, data)))


def _limits(view: DecisionView, event: Event, data: LimitsChecked) -> DecisionView:
    return replace(view, limits=data.limits)


def _corrected(view: DecisionView, event: Event, data: GroundingCorrected) -> DecisionView:
    fix = Correction(
        node=event.node,
        source=data.source or event.node or "",
        key=data.key,
        start=data.start,
        end=data.end,
        claim_text=data.text,
        claimed=None if isinstance(data.claimed, tuple) else data.claimed,
        actual=data.actual,
        kind=data.claim_kind,
        unit=data.unit,
        deviation_pct=data.deviation * 100 if data.deviation is not None else None,
    )
    return replace(view, corrections=(*view.corrections, fix))


def _consensus(result: read.Fields) -> AnalystConsensus:
    weights = read.inner(result, "analyst_weights")
    return AnalystConsensus(
        direction=read.words(result, "consensus_direction"),
        confidence=read.number(result, "consensus_confidence"),
        support=read.number(result, "key_support"),
        resistance=read.number(result, "key_resistance"),
        scores=read.numbers(result, "weighted_scores"),
        weights={name: read.inner(weights, name) for name in weights},
    )


def _checked(result: read.Fields, summary: str) -> CheckedClaims:
    return CheckedClaims(
        claims=tuple(claim for row in read.rows(result, "claims") if (claim := _noun(Claim, row)) is not None),
        total=read.count(result, "total_claims"),
        verified=read.count(result, "verified_claims"),
        false=read.count(result, "false_claims"),
        unverifiable=read.count(result, "unverifiable_claims"),
        score=read.number(result, "hallucination_score"),
        analysis_score=read.number(result, "analysis_hallucination_score"),
        penalty_pct=read.number(result, "penalty_pct") or 0.0,
        gate_closed=read.flag(result, "gate_closed"),
        source_scores=read.numbers(result, "source_scores"),
        summary=summary,
    )


def _noun(kind: type[T], value: Any) -> T | None:
    if not isinstance(value, dict):
        return None
    try:
        return kind.model_validate(value)
    except ValidationError:  # the log of another version
        return None


DECISION = ViewReducer(
    DecisionView(),
    {
        RunStarted: _run_started,
        NodeFinished: _node_finished,
        ModelPlanted: _planted,
        GroundingCorrected: _corrected,
        LimitsChecked: _limits,
    },
)
"""How the log of a decision is read."""
