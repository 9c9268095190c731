"""The analysis: every analyst in parallel, then the aggregator.

      START -> indicator ┐
      START -> trend     ├-> aggregator -> END
      START -> sentiment │
      START -> pattern   ┘

An analyst without a usable answer abstains; with fewer than two reports the decision is halted in its safe action.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.watch import watch, without_text
from engine.desks.decision.aggregator import MINIMUM_REPORTS, Consensus, consensus_of, key_level
from engine.desks.decision.analysts import Analyst, report
from engine.desks.decision.context import DecisionContext, Node
from engine.desks.decision.state import AnalysisInput, AnalysisOutput, AnalysisState, Json
from engine.domain.events import NodeFinished
from engine.domain.honesty import RoleHonesty
from engine.domain.opinion import AgentReport, token_usage, usages
from engine.domain.text.reason import Reason


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


def _analyst_node(analyst: Analyst) -> Node[AnalysisState]:
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


def _aggregator_node(analysts: Sequence[Analyst]) -> Node[AnalysisState]:
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


_SHOWN = ("consensus_direction", "consensus_confidence", "weighted_scores", "key_support", "key_resistance")


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
