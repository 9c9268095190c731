"""The equities desk, wired.

    START -> market        ┐                   ┌ stock: research ──> risk ──> trader ──> END
             news          ├─ barrier ─ fusion ┤        memory ──> END, beside research
             sentiment     │                   │
             fundamentals  ┘                   └ index: (research ──>) strategy ──> memory ──> END

Debates are closed rooms; a halted run goes to END, one of whose checked numbers more than 70 % are false does so behind each debate, and
one that may buy no lot and holds none goes to `no_order`. `memory` makes the summaries
that are due.

Every analyst is a graph of its own, with a private state; all at once. Model calls without tools: analysts + 2 x depth + 1 + 3 x depth + 1
+ 1 of the stock preset, 5 + 2 x (depth - 1) + 1 of the index preset. What ended before the trader becomes the safe outcome in `outcome.py`.
"""

from functools import partial
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.watch import watch
from engine.desks.equities.analyst import build_analyst
from engine.desks.equities.checking import checked_in
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.debates.research import INDEX, RESEARCH
from engine.desks.equities.debates.risk import RISK
from engine.desks.equities.memory import NODE as MEMORY
from engine.desks.equities.memory import are_due, memory_node, summary_of
from engine.desks.equities.presets import Preset
from engine.desks.equities.state import FusionState, Json
from engine.desks.equities.trader import NO_ORDER, no_order_node, trader_node, why_no_order
from engine.domain.events import NodeFinished
from engine.domain.text.reason import Reason

FusionGraph = CompiledStateGraph[Any, Any, Any, Any]


NODE = "fusion"
MINIMUM_REPORTS = 2


async def fusion_node(state: FusionState, runtime: Runtime[EquitiesContext]) -> Json:
    """Fill the shared state. With fewer than two reports the run ends in its safe outcome."""
    context = runtime.context
    with watch(context.access.emit, NODE, NODE) as watched:
        records = {analyst.key: state["analysts"][analyst.key] for analyst in context.preset.analysts}
        spoke = [key for key, record in records.items() if record["report"] is not None]
        watched.data = NodeFinished(result={"reports": [*spoke], "statuses": {key: record["status"] for key, record in records.items()}})
    update: dict[str, Any] = {}
    if context.preset.debates:
        update = {f"{key}_analyst_summary": summary_of(record) for key, record in records.items()}
        update["strikes"] = [each for record in records.values() for each in record.get("strikes", ())]
    if len(spoke) < MINIMUM_REPORTS:
        update["halted"] = Reason("too_few_analysts", spoke=len(spoke), all=len(records), needed=MINIMUM_REPORTS).said_in(context.language)
    return update


def build_graph(
    preset: Preset, depth: int = 1, *, together: bool = False, checkpointer: BaseCheckpointSaver[str] | None = None
) -> FusionGraph:
    """Return the whole flow, compiled. depth: rounds of both debates; about an index, one less. together: the speakers of a debate open at
    once."""
    graph = StateGraph(FusionState, context_schema=EquitiesContext)
    graph.add_node("fusion", fusion_node)
    for analyst in preset.analysts:
        graph.add_node(analyst.key, build_analyst(analyst))
        graph.add_edge(START, analyst.key)
    graph.add_edge([analyst.key for analyst in preset.analysts], "fusion")
    graph.add_node(MEMORY, memory_node)
    graph.add_edge(MEMORY, END)
    if preset.advisor is not None:
        advisor = preset.advisor.key
        graph.add_node(advisor, build_analyst(preset.advisor))
        first = "research" if depth > 1 else advisor
        if depth > 1:
            graph.add_node(first, INDEX.build(depth - 1, together=together))
            graph.add_conditional_edges(first, partial(_to_advisor, advisor), [advisor, MEMORY, END])
        graph.add_conditional_edges("fusion", partial(_from_fusion, first, beside=False), [first, MEMORY, END])
        graph.add_conditional_edges(advisor, _to_memory, [MEMORY, END])
    else:
        graph.add_node("research", RESEARCH.build(depth, together=together))
        graph.add_node("risk", RISK.build(depth, together=together))
        graph.add_node("trader", trader_node)
        graph.add_node(NO_ORDER, no_order_node)
        graph.add_conditional_edges("fusion", partial(_from_fusion, "research", beside=True), ["research", MEMORY, END])
        graph.add_conditional_edges("research", _to_risk, ["risk", NO_ORDER, END])
        graph.add_conditional_edges("risk", _to_trader, ["trader", END])
        graph.add_edge("trader", END)
        graph.add_edge(NO_ORDER, END)
    return graph.compile(checkpointer=checkpointer)


def _to_risk(state: FusionState, runtime: Runtime[EquitiesContext]) -> str:
    if state.get("halted") or checked_in(state).closes_gate:
        return END
    return NO_ORDER if why_no_order(runtime.context) else "risk"


def _from_fusion(following: str, state: FusionState, *, beside: bool) -> list[str]:
    """Go on unless the run is halted. beside: the summaries that are due are made meanwhile, else behind what follows."""
    memory = [MEMORY] if are_due(state) else []
    if state.get("halted"):
        return memory or [END]
    return [following, *(memory if beside else [])]


def _to_advisor(advisor: str, state: FusionState) -> str:
    return _to_memory(state) if state.get("halted") or checked_in(state).closes_gate else advisor


def _to_memory(state: FusionState) -> str:
    return MEMORY if are_due(state) else END


def _to_trader(state: FusionState) -> str:
    return END if state.get("halted") or checked_in(state).closes_gate else "trader"
