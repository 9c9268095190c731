"""`LangGraphPlanExecutor`: works a plan through, independent factors at once.

    executor = LangGraphPlanExecutor(tool_registry=ToolRegistry(enable_reasoning_llm=False))
    result = asyncio.run(executor.run_plan(load_plan_from_json("plan.json")))

On its own it keeps nothing; within a run what it reads and decides is in the run's log, and recalled from there.
"""

import asyncio
import contextvars
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from langchain_core.runnables.config import var_child_runnable_config

from engine.agents.access import ModelAccess
from engine.desks.plan.decompose_agent import DecomposeAgent
from engine.desks.plan.factor_graph import FactorRun, FactorState, Sleep, first_state
from engine.desks.plan.factor_log import FactorLog
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.request import DEFAULT_THRESHOLD
from engine.desks.plan.stages import factor_node
from engine.desks.plan.validation import require_sound
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.plan.events import PlanFactorFinished
from engine.domain.plan.plan import MOST_RETRIES, MOST_TASKS, DecompositionPlan
from engine.domain.plan.results import FactorExecutionResult, PlanExecutionResult, TaskExecutionResult
from engine.domain.text.reason import Reason

DEFAULT_RETRIES: Final = 1
_MOST_STEPS: Final = 2 * MOST_TASKS * (MOST_RETRIES + 1) * 4 + 20


class LangGraphPlanExecutor:
    """Works plans through."""

    def __init__(
        self,
        tool_registry: ToolRegistry | None = None,
        decompose_agent: DecomposeAgent | None = None,
        *,
        threshold: float = DEFAULT_THRESHOLD,
        max_retries: int = DEFAULT_RETRIES,
        at: datetime | None = None,
        access: ModelAccess | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """decompose_agent: plans a factor anew (`replan_factor`); None = none is. threshold: confidence below which a result is an error.
        max_retries: of tasks that do not say. at: nothing later is known, aware; None = when the plan is begun. access: of the run it is
        part of. sleep: waits so many seconds before a retry.

        Raises BadInput for a threshold outside 0 to 1, retries outside 0 to 5 and an instant without a zone.
        """
        if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise BadInput(Reason("threshold_is_not_between_0_and_1", threshold=f"{threshold!r}"))
        if not isinstance(max_retries, int) or not 0 <= max_retries <= MOST_RETRIES:
            raise BadInput(Reason("max_retries_is_no_whole_number_from_0", max_retries=f"{max_retries!r}", most_retries=MOST_RETRIES))
        if at is not None and at.tzinfo is None:
            raise BadInput(Reason("time_has_no_zone_write", at=at.isoformat()))
        self._registry = tool_registry if tool_registry is not None else ToolRegistry()
        self._planner, self._access = decompose_agent, access
        self._threshold, self._max_retries, self._at, self._sleep = threshold, max_retries, at, sleep

    async def run_plan(self, plan: DecompositionPlan, *, factor: str | None = None) -> PlanExecutionResult:
        """Return the outcome of every factor, in the order of the plan. factor: the only one to work through.

        Raises PlanFault for a plan that cannot be worked through, BadInput for a factor that it does not have.
        """
        require_sound(plan, self._registry)
        at = self._at if self._at is not None else utc_now()
        places = chosen_places(plan, factor)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self.run_factor(plan, place, at=at)) for place in places]
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            await self._registry.close()
        results = tuple(task.result() for task in tasks)
        warnings = tuple(Reason("about", who=each.name, what=warning) for each in results for warning in each.warnings)
        return PlanExecutionResult(question=plan.question, factors=results, warnings=warnings)

    async def run_factor(self, plan: DecompositionPlan, place: int, *, at: datetime) -> FactorExecutionResult:
        """Return the outcome of one factor. place: in the plan, from 0. at: nothing later is known."""
        factor = plan.factors[place]
        log = FactorLog(self._access, factor_node(place))
        run = FactorRun(plan, self._registry, self._planner, log, at, self._threshold, self._max_retries, self._sleep)
        final = await _on_its_own(run.build(), first_state(plan, factor))
        results: list[TaskExecutionResult] = final["task_results"]
        skipped = any(each.kind == "skip" for each in results)  # what failed for good, and what a new plan leaves out, is skipped
        result = FactorExecutionResult(
            name=factor.name,
            status="done_with_errors" if skipped else "done",
            context=final["context"],
            replanned=any(each.kind == "replan" and each.status == "replanned" for each in results),
            task_results=tuple(results),
            warnings=tuple(each.error for each in results if each.kind == "replan" and each.error is not None),
        )
        log.note(PlanFactorFinished(factor=factor.name, status=result.status, replanned=result.replanned))
        return result


def chosen_places(plan: DecompositionPlan, factor: str | None) -> tuple[int, ...]:
    """Return the places of the factors to work through. Raises BadInput for a name that the plan does not have."""
    names = [each.name for each in plan.factors]
    if factor is None:
        return tuple(range(len(names)))
    if factor not in names:
        raise BadInput(Reason("factor_is_not_in_plan", factor=f"{factor[:80]!r}", names=", ".join(names)))
    return (names.index(factor),)


async def _on_its_own(graph: Any, state: FactorState) -> Mapping[str, Any]:
    """Return the last state of a graph. Within a node of another graph it is none of its subgraphs: it has no checkpoints, and is not made
    durable by those of the other."""
    apart = contextvars.copy_context()
    apart.run(var_child_runnable_config.set, None)
    work = asyncio.create_task(graph.ainvoke(state, {"recursion_limit": _MOST_STEPS}), context=apart)
    final: Mapping[str, Any] = await work
    return final
