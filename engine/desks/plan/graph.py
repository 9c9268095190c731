"""A plan's run, wired.

START -> plan ─┬─> factor ─┐
               ├─> factor ─┼─> synthesiser -> END      factors: a graph each (factor_graph.py), all at once
               └─> factor ─┘
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from engine.desks.plan.answering.measured import stayed_results
from engine.desks.plan.answering.synthesiser import synthesise
from engine.desks.plan.by_words import language_of
from engine.desks.plan.context import PlanContext
from engine.desks.plan.decompose_agent import MadePlan
from engine.desks.plan.executor import chosen_places
from engine.desks.plan.factor_log import emit_once
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.stages import FACTOR_NODES, PLANNER, SYNTHESISER
from engine.domain.errors import TribunalError
from engine.domain.plan.events import PlanReady
from engine.domain.plan.plan import DecompositionPlan
from engine.domain.plan.results import FactorExecutionResult
from engine.flows.protocol import Json


class PlanState(TypedDict, total=False):
    """question, created_at: what is asked, and when the run began. plan: fields of the plan. planning: `by`, `text`, `warnings`. halted:
    why it is missing. results: (place, factor), in the order in which they ended. synthesis: the answer, as fields."""

    question: str
    created_at: str
    plan: Json | None
    planning: Json
    halted: str | None
    results: Annotated[list[Json], add]
    synthesis: Json


def build_graph(checkpointer: BaseCheckpointSaver[str] | None = None) -> Any:
    """Return the whole flow, compiled."""
    graph = StateGraph(PlanState, context_schema=PlanContext)
    graph.add_node("plan", plan_node)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", _to_factors, [*FACTOR_NODES, END])
    for place, node in enumerate(FACTOR_NODES):
        graph.add_node(node, _worker(place))
        graph.add_edge(node, SYNTHESISER)
    graph.add_node(SYNTHESISER, synthesiser_node)
    graph.add_edge(SYNTHESISER, END)
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


async def synthesiser_node(state: PlanState, runtime: Runtime[PlanContext]) -> Json:
    """Have the question answered out of the results of all factors."""
    context, factors = runtime.context, factors_of(state)
    results = stayed_results(factors, ToolRegistry(), language_of(context.inputs.question))
    at = f"{context.inputs.at:%Y-%m-%d %H:%M} UTC"
    found = await synthesise(context.access, context.inputs.question, at, results, factors)
    return {"synthesis": asdict(found)}


def factors_of(state: Mapping[str, Any]) -> list[FactorExecutionResult]:
    """Return the outcome of the factors, in the order of the plan."""
    results = sorted(state.get("results") or (), key=lambda each: each["place"])
    return [FactorExecutionResult.model_validate(each["factor"]) for each in results]


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
