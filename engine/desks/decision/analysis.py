"""The analysis: every analyst in parallel, then the aggregator.

      START -> indicator ┐
      START -> trend     ├-> aggregator -> END
      START -> sentiment │
      START -> pattern   ┘

An analyst without a usable answer abstains; with fewer than two reports the decision is halted in its safe action.

Each reporting analyst pushes its direction by weight x confidence; the pushes, scaled to add up to 1, are `weighted_scores`. The consensus
is the strongest direction (a tie is NEUTRAL). Its confidence is the weighted mean confidence of the analysts that agree with it, times
(1 - the share that argues for the opposite direction). Key levels are the measured swing levels; where the market shows none, the weighted
median of the levels the analysts named on the right side of the price.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.debate import Node
from engine.agents.watch import watch, without_text
from engine.desks.decision.analysts import Analyst, report
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.state import AnalysisInput, AnalysisOutput, AnalysisState, Json
from engine.domain.events import NodeFinished
from engine.domain.honesty import RoleHonesty
from engine.domain.opinion import AgentReport, Direction, token_usage, usages
from engine.domain.text.reason import Reason

MINIMUM_REPORTS = 2
_OPPOSITE = {Direction.LONG: Direction.SHORT, Direction.SHORT: Direction.LONG}
_SHOWN = ("consensus_direction", "consensus_confidence", "weighted_scores", "key_support", "key_resistance")


def build_analysis(analysts: Sequence[Analyst]) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the analysis as a graph, ready to be a node of the decision."""
    graph = StateGraph(AnalysisState, context_schema=DecisionContext, input_schema=AnalysisInput, output_schema=AnalysisOutput)
    for analyst in analysts:
        graph.add_node(analyst.key, _analyst_node(analyst))
        graph.add_edge(START, analyst.key)
    graph.add_node("aggregator", _aggregator_node(analysts))
    graph.add_edge([analyst.key for analyst in analysts], "aggregator")
    graph.add_edge("aggregator", END)
    return graph.compile()


def _analyst_node(analyst: Analyst) -> Node:
    async def node(state: AnalysisState, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
        context = runtime.context
        with watch(context.access.emit, analyst.key, "analysis") as watched:
            question = analyst.question(context.snapshot, context.sheet, context.at, context.language, context.chart)
            said, attempt = await report(analyst, question, context.access)
            dumped = said.model_dump(mode="json")
            watched.data = NodeFinished(attempt=attempt, usage=said.usage, result=without_text(dumped))
            if said.abstained:
                watched.failed(said.reason or "", "abstains")
        return {"gathered": {analyst.key: dumped}}

    return node


def _aggregator_node(analysts: Sequence[Analyst]) -> Node:
    plain = {analyst.key: analyst.weight for analyst in analysts}

    async def node(state: AnalysisState, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
        context = runtime.context
        weighed = _weighed(plain, context)
        weights = {key: float(each["weight"] * each["factor"]) for key, each in weighed.items()} if weighed else plain
        reports = {analyst.key: AgentReport.model_validate(state["gathered"][analyst.key]) for analyst in analysts}
        with watch(context.access.emit, "aggregator", "analysis") as watched:
            update = _aggregate(list(reports.values()), weights, context)
            shown = {"analyst_weights": weighed} if weighed else {}
            watched.data = NodeFinished(**{key: update[key] for key in _SHOWN}, reports=_reporting(reports.values()), **shown)
        dumped: dict[str, Json] = {key: state["gathered"][key] for key in plain}
        return update | {
            "reports": dumped,
            "analyst_weights": weighed or None,
            "analysis_timestamp": context.now(),
            "analysis_duration_ms": context.since(state["created_at"]),
            "analysis_token_usage": token_usage(usages(dumped.values())),
            "nodes_executed": ["analysis"],
        }

    return node


def _weighed(weights: Mapping[str, float], context: DecisionContext) -> dict[str, Json]:
    """Return role -> its weight, the factor that its earlier false claims make, and what that rests on; empty where it is not asked for."""
    if not context.honesty:
        return {}
    unknown = RoleHonesty(role="", claims=0, false=0)
    known = {key: context.honesty.get(key, unknown) for key in weights}
    return {
        key: {"weight": weights[key], "factor": round(each.factor, 4), "claims": each.claims, "false": each.false}
        for key, each in known.items()
    }


def _aggregate(reports: Sequence[AgentReport], weights: Mapping[str, float], context: DecisionContext) -> dict[str, Any]:
    consensus: Consensus = consensus_of(reports, weights)
    price = context.snapshot.price
    supports = [(item.support, weights[item.agent]) for item in reports if item.support is not None]
    resistances = [(item.resistance, weights[item.agent]) for item in reports if item.resistance is not None]
    language, spoke = context.language, _reporting(reports)
    silent = [Reason("abstained", role=item.agent, reason=item.reason).said_in(language) for item in reports if item.abstained]
    too_few = Reason("too_few_analysts", spoke=spoke, all=len(reports), needed=MINIMUM_REPORTS).said_in(language)
    halted = too_few if spoke < MINIMUM_REPORTS else None
    return {
        "consensus_direction": consensus.direction.value,
        "consensus_confidence": consensus.confidence,
        "weighted_scores": dict(consensus.scores),
        "key_support": key_level(context.sheet.number("support"), supports, price, -1),
        "key_resistance": key_level(context.sheet.number("resistance"), resistances, price, +1),
        "halted": halted,
        "errors": [*silent, halted] if halted else [],
        "warnings": [] if halted else silent,
    }


def _reporting(reports: Iterable[AgentReport]) -> int:
    return sum(not item.abstained for item in reports)


@dataclass(frozen=True)
class Consensus:
    """What the analysts agree on. scores: keys `long`, `short`, `neutral`, adding up to 1. confidence: 0-100."""

    direction: Direction
    confidence: float
    scores: Mapping[str, float]


def consensus_of(reports: Sequence[AgentReport], weights: Mapping[str, float]) -> Consensus:
    """Return the consensus of the analysts that did not abstain; without any it is NEUTRAL with confidence 0."""
    votes = [
        (report.direction, report.confidence, weights[report.agent])
        for report in reports
        if not report.abstained and report.direction is not None and report.confidence is not None
    ]
    pushes = {direction: sum(weight * confidence for d, confidence, weight in votes if d is direction) for direction in Direction}
    total = sum(pushes.values())
    if total <= 0:
        return Consensus(Direction.NEUTRAL, 0.0, {"long": 0.0, "short": 0.0, "neutral": 1.0})
    shares = {direction: push / total for direction, push in pushes.items()}
    strongest = max(shares.values())
    leaders = [direction for direction, share in shares.items() if abs(share - strongest) < 1e-9]
    direction = leaders[0] if len(leaders) == 1 else Direction.NEUTRAL
    agreeing = [(confidence, weight) for d, confidence, weight in votes if d is direction]
    weight_sum = sum(weight for _, weight in agreeing)
    mean = sum(confidence * weight for confidence, weight in agreeing) / weight_sum if weight_sum > 0 else 0.0
    against = shares.get(_OPPOSITE.get(direction, direction), 0.0) if direction in _OPPOSITE else 0.0
    return Consensus(direction, round(mean * (1 - against), 1), _rounded(shares))


def key_level(measured: float | None, named: Sequence[tuple[float, float]], price: float, side: int) -> float | None:
    """Return one key level.

    measured: the swing level of the fact sheet. named: (level, weight) of the analysts. side: -1 support (below the price), +1 resistance.
    """
    if measured is not None:
        return measured
    right = sorted((level, weight) for level, weight in named if level > 0 and (level - price) * side > 0)
    half = sum(weight for _, weight in right) / 2
    for level, weight in right:
        half -= weight
        if half <= 0:
            return level
    return None


def _rounded(shares: Mapping[Direction, float]) -> dict[str, float]:
    """Return four decimals that still add up to exactly 1: the remainder goes to the largest."""
    scores = {direction.value.lower(): round(share, 4) for direction, share in shares.items()}
    largest = max(scores, key=lambda name: scores[name])
    others = sum(share for name, share in scores.items() if name != largest)
    return scores | {largest: round(1 - others, 4)}
