"""The analysis: every analyst in parallel, then the aggregator.

      START -> indicator ┐
      START -> trend     ├-> aggregator -> END
      START -> sentiment │
      START -> pattern   ┘

An analyst without a usable answer abstains; with fewer than two reports the decision is halted in its safe action.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.watch import watch, without_text
from engine.domain.events import NodeFinished
from engine.domain.opinion import AgentReport, token_usage, usages
from engine.flows.decision.aggregator import MINIMUM_REPORTS, Consensus, consensus_of, key_level
from engine.flows.decision.analyst import Analyst, report
from engine.flows.decision.context import DecisionContext, Node
from engine.flows.decision.reasons import reason
from engine.flows.decision.state import AnalysisInput, AnalysisOutput, AnalysisState, Json


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
    weights = {analyst.key: analyst.weight for analyst in analysts}

    async def node(state: AnalysisState, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
        context = runtime.context
        reports = {analyst.key: AgentReport.model_validate(state["gathered"][analyst.key]) for analyst in analysts}
        with watch(context.access.emit, "aggregator", "analysis") as watched:
            update = _aggregate(list(reports.values()), weights, context)
            watched.data = NodeFinished(**{key: update[key] for key in _SHOWN}, reports=_reporting(reports.values()))
        dumped: dict[str, Json] = {key: state["gathered"][key] for key in weights}
        return update | {
            "reports": dumped,
            "analysis_timestamp": context.now(),
            "analysis_duration_ms": context.since(state["created_at"]),
            "analysis_token_usage": token_usage(usages(dumped.values())),
            "nodes_executed": ["analysis"],
        }

    return node


_SHOWN = ("consensus_direction", "consensus_confidence", "weighted_scores", "key_support", "key_resistance")


def _aggregate(reports: Sequence[AgentReport], weights: dict[str, float], context: DecisionContext) -> dict[str, Any]:
    consensus: Consensus = consensus_of(reports, weights)
    price = context.snapshot.price
    supports = [(item.support, weights[item.agent]) for item in reports if item.support is not None]
    resistances = [(item.resistance, weights[item.agent]) for item in reports if item.resistance is not None]
    language, spoke = context.language, _reporting(reports)
    silent = [reason("abstained", language, role=item.agent, reason=item.reason) for item in reports if item.abstained]
    too_few = reason("too_few", language, spoke=spoke, all=len(reports), needed=MINIMUM_REPORTS)
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
