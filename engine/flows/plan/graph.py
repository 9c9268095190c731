"""A plan's run, wired.

START -> plan ─┬─> factor ─┐
               ├─> factor ─┼─> END      a graph each (executing/factor_graph.py), all at once
               └─> factor ─┘
"""

from collections.abc import Sequence
from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from engine.domain.errors import TribunalError
from engine.domain.plan.events import PlanReady
from engine.domain.plan.plan import DecompositionPlan
from engine.flows.plan.context import PlanContext
from engine.flows.plan.executing.executor import chosen_places
from engine.flows.plan.executing.factor_log import emit_once
from engine.flows.plan.planning.protocol import MadePlan
from engine.flows.plan.stages import FACTOR_NODES, PLANNER
from engine.flows.protocol import Json


class PlanState(TypedDict, total=False):
    """question, created_at: what is asked, and when the run began. plan: fields of the plan. planning: `by`, `text`, `warnings`. halted:
    why there is none. results: (place, factor), in the order in which they ended."""

    question: str
    created_at: str
    plan: Json | None
    planning: Json
    halted: str | None
    results: Annotated[list[Json], add]


def build_graph(checkpointer: BaseCheckpointSaver[str] | None = None) -> Any:
    """Return the whole flow, compiled."""
    graph = StateGraph(PlanState, context_schema=PlanContext)
    graph.add_node("plan", plan_node)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", _to_factors, [*FACTOR_NODES, END])
    for place, node in enumerate(FACTOR_NODES):
        graph.add_node(node, _worker(place))
        graph.add_edge(node, END)
    return graph.compile(checkpointer=checkpointer)


async def plan_node(state: PlanState, runtime: Runtime[PlanContext]) -> Json:
    """Take the plan that was given, or have one made."""
    context = runtime.context
    given = context.inputs.plan
    try:
        made = MadePlan(given, "given") if given is not None else await context.agent().decompose(context.inputs.question)
        chosen_places(made.plan, context.inputs.factor)
    except TribunalError as problem:
        return {"halted": str(problem)}
    fields = made.plan.model_dump(mode="json")
    emit_once(context.access, PLANNER, PlanReady(by=made.by, plan=fields, warnings=made.warnings), 1)
    return {"plan": fields, "planning": {"by": made.by, "text": made.text, "warnings": list(made.warnings)}}


def _to_factors(state: PlanState, runtime: Runtime[PlanContext]) -> Sequence[str]:
    fields = state.get("plan")
    if fields is None:
        return [END]
    places = chosen_places(DecompositionPlan.model_validate(fields), runtime.context.inputs.factor)
    return [FACTOR_NODES[place] for place in places]


def _worker(place: int) -> Any:
    """Return the node that works one factor through."""

    async def work(state: PlanState, runtime: Runtime[PlanContext]) -> Json:
        context, plan = runtime.context, DecompositionPlan.model_validate(state["plan"])
        result = await context.executor(place).run_factor(plan, place, at=context.inputs.at)
        return {"results": [{"place": place, "factor": result.model_dump(mode="json")}]}

    return work
