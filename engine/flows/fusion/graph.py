"""The equities desk, wired.

    START -> market        ┐                   ┌ stock: research ──> risk ──> trader ──> END
             news          ├─ barrier ─ fusion ┤        memory ──> END, beside research
             sentiment     │                   │
             fundamentals  ┘                   └ index: strategy ──> memory ──> END

Debates are closed rooms; a halted run goes to END, and one that may buy no lot and holds none to `no_order`. `memory` makes the summaries
that are due.

Every analyst is a graph of its own, with a private state; all at once. Model calls without tools: analysts + 2 x depth + 1 + 3 x depth + 1
+ 1 of the stock preset, 5 + 1 of the index preset. What ended before the trader becomes the safe outcome in `outcome.py`.
"""

from functools import partial
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
from engine.flows.fusion.memory.node import NODE as MEMORY
from engine.flows.fusion.memory.node import are_due, memory_node
from engine.flows.fusion.orders.no_order import NODE as NO_ORDER
from engine.flows.fusion.orders.no_order import no_order_node, why_no_order
from engine.flows.fusion.presets.preset import Preset
from engine.flows.fusion.state import FusionState
from engine.flows.fusion.trader import trader_node

FusionGraph = CompiledStateGraph[Any, Any, Any, Any]


def build_graph(
    preset: Preset, depth: int = 1, *, together: bool = False, checkpointer: BaseCheckpointSaver[str] | None = None
) -> FusionGraph:
    """Return the whole flow, compiled. depth: rounds of both debates. together: the speakers of a debate open at once."""
    graph = StateGraph(FusionState, context_schema=FusionContext)
    graph.add_node("fusion", fusion_node)
    for analyst in preset.analysts:
        graph.add_node(analyst.key, build_analyst(analyst))
        graph.add_edge(START, analyst.key)
    graph.add_edge([analyst.key for analyst in preset.analysts], "fusion")
    graph.add_node(MEMORY, memory_node)
    graph.add_edge(MEMORY, END)
    if preset.advisor is not None:
        graph.add_node(preset.advisor.key, build_analyst(preset.advisor))
        graph.add_conditional_edges("fusion", partial(_from_fusion, preset.advisor.key, beside=False), [preset.advisor.key, MEMORY, END])
        graph.add_conditional_edges(preset.advisor.key, _to_memory, [MEMORY, END])
    else:
        graph.add_node("research", build_research(depth, together=together))
        graph.add_node("risk", build_risk(depth, together=together))
        graph.add_node("trader", trader_node)
        graph.add_node(NO_ORDER, no_order_node)
        graph.add_conditional_edges("fusion", partial(_from_fusion, "research", beside=True), ["research", MEMORY, END])
        graph.add_conditional_edges("research", _to_risk, ["risk", NO_ORDER, END])
        graph.add_conditional_edges("risk", _to_trader, ["trader", END])
        graph.add_edge("trader", END)
        graph.add_edge(NO_ORDER, END)
    return graph.compile(checkpointer=checkpointer)


def _to_risk(state: FusionState, runtime: Runtime[FusionContext]) -> str:
    if state.get("halted"):
        return END
    return NO_ORDER if why_no_order(runtime.context) else "risk"


def _from_fusion(following: str, state: FusionState, *, beside: bool) -> list[str]:
    """Go on unless the run is halted. beside: the summaries that are due are made meanwhile, else behind what follows."""
    memory = [MEMORY] if are_due(state) else []
    if state.get("halted"):
        return memory or [END]
    return [following, *(memory if beside else [])]


def _to_memory(state: FusionState) -> str:
    return MEMORY if are_due(state) else END


def _to_trader(state: FusionState) -> str:
    return END if state.get("halted") else "trader"
