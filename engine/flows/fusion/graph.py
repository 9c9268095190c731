"""The equities desk, wired.

    START -> market        ┐                  stock: research ──> risk ──> trader ──> END
             news          ├─ barrier ─ fusion ┤    (each a closed room; halted ─> END; no lot allowed and none held ─> no_order ─> END)
             sentiment     │                  index: strategy ──> END
             fundamentals  ┘

Every analyst is a graph of its own, with a private state; all at once. Model calls without tools: analysts + 2 x depth + 1 + 3 x depth + 1
+ 1 of the stock preset, 5 + 1 of the index preset. What ended before the trader becomes the safe outcome in `outcome.py`.
"""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.flows.fusion.analyst import build_analyst
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.debates.research import build_research
from engine.flows.fusion.debates.risk import build_risk
from engine.flows.fusion.fusion_node import fusion_node
from engine.flows.fusion.orders.no_order import NODE as NO_ORDER
from engine.flows.fusion.orders.no_order import no_order_node, why_no_order
from engine.flows.fusion.presets.preset import Preset
from engine.flows.fusion.state import FusionState
from engine.flows.fusion.trader import trader_node

FusionGraph = CompiledStateGraph[Any, Any, Any, Any]


def build_graph(
    preset: Preset, depth: int = 1, *, together: bool = False, checkpointer: BaseCheckpointSaver[str] | None = None
) -> FusionGraph:
    """Return the whole flow, compiled. depth: rounds of both debates. together: the research debate's openings at once."""
    graph = StateGraph(FusionState, context_schema=FusionContext)
    graph.add_node("fusion", fusion_node)
    for analyst in preset.analysts:
        graph.add_node(analyst.key, build_analyst(analyst))
        graph.add_edge(START, analyst.key)
    graph.add_edge([analyst.key for analyst in preset.analysts], "fusion")
    if preset.advisor is not None:
        graph.add_node(preset.advisor.key, build_analyst(preset.advisor))
        _then(graph, "fusion", preset.advisor.key)
        graph.add_edge(preset.advisor.key, END)
    else:
        graph.add_node("research", build_research(depth, together=together))
        graph.add_node("risk", build_risk(depth))
        graph.add_node("trader", trader_node)
        graph.add_node(NO_ORDER, no_order_node)
        _then(graph, "fusion", "research")
        graph.add_conditional_edges("research", _to_risk, ["risk", NO_ORDER, END])
        _then(graph, "risk", "trader")
        graph.add_edge("trader", END)
        graph.add_edge(NO_ORDER, END)
    return graph.compile(checkpointer=checkpointer)


def _to_risk(state: FusionState, runtime: Runtime[FusionContext]) -> str:
    if state.get("halted"):
        return END
    return NO_ORDER if why_no_order(runtime.context) else "risk"


def _then(graph: Any, node: str, following: str) -> None:
    """Go on from a node unless it halted the run."""

    def route(state: FusionState) -> str:
        return END if state.get("halted") else following

    graph.add_conditional_edges(node, route, [following, END])
