"""The decision flow, wired. One builder makes both paths; the two differ in their `Path` only.

    START -> analysis -> has_position? ─ no ──> entry_debate    -> entry_grounding    ─┬─ gate open ───> executor -> END
                 │                    └─ yes ─> position_debate -> position_grounding ─┘
                 └─ halted ─> END          halted ─> END             gate closed ─> END

8 model calls: four analysts at once, bull, bear (or both at once), judge, executor. What ended before the executor, or not soundly in it,
becomes the path's safe action in `outcome.py`.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.desks.decision.analysis import build_analysis
from engine.desks.decision.analysts import ANALYSTS, Analyst
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.debate import PathDebate
from engine.desks.decision.executor.node import executor_node
from engine.desks.decision.grounding import grounding_node
from engine.desks.decision.paths import PATHS
from engine.desks.decision.state import TradingDecisionState

DecisionGraph = CompiledStateGraph[Any, Any, Any, Any]


def build_graph(
    analysts: Sequence[Analyst] = ANALYSTS,
    depth: int = 1,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    *,
    together: bool = False,
) -> DecisionGraph:
    """Return the whole flow, compiled. depth: rounds of the debate. checkpointer: where finished nodes are kept; None = nowhere. together:
    bull and bear open at once."""
    graph = StateGraph(TradingDecisionState, context_schema=DecisionContext)
    graph.add_node("analysis", build_analysis(analysts))
    graph.add_node("executor", executor_node)
    graph.add_edge(START, "analysis")
    graph.add_conditional_edges("analysis", _to_debate, [*(path.debate_node for path in PATHS), END])
    for path in PATHS:
        graph.add_node(path.debate_node, PathDebate(path).build(depth, together=together))
        graph.add_node(path.grounding_node, grounding_node(path))
        graph.add_conditional_edges(path.debate_node, _unless_halted(path.grounding_node), [path.grounding_node, END])
        graph.add_conditional_edges(path.grounding_node, _unless_halted("executor"), ["executor", END])
    graph.add_edge("executor", END)
    return graph.compile(checkpointer=checkpointer)


def _to_debate(state: TradingDecisionState, runtime: Runtime[DecisionContext]) -> str:
    return END if state.get("halted") else runtime.context.path.debate_node


def _unless_halted(onwards: str) -> Any:
    def route(state: TradingDecisionState) -> str:
        return END if state.get("halted") else onwards

    return route
