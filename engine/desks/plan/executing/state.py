"""What the nodes of a factor's graph share: the fields of the specification."""

from typing import Literal, TypedDict

from pydantic import JsonValue

from engine.domain.plan.plan import FactorPlan, TaskItem
from engine.domain.plan.results import TaskExecutionResult


class FactorState(TypedDict):
    """context: placeholders, global assumptions and what tasks wrote. task_index: of the task that is next. current_task: the one that is
    to be executed. task_results: all that was done, in order. retries: by task id. last_error: of the last execution that failed. status:
    whose turn it is. failed_task: what `last_error` is about. replan_attempted: there is one replan a factor. factor, placeholders,
    global_assumptions: as planned, or as planned anew."""

    context: dict[str, JsonValue]
    task_index: int
    current_task: TaskItem | None
    task_results: list[TaskExecutionResult]
    retries: dict[str, int]
    last_error: str | None
    status: Literal["manager", "execute", "error", "done"]
    failed_task: TaskItem | None
    replan_attempted: bool
    factor: FactorPlan
    placeholders: dict[str, JsonValue]
    global_assumptions: dict[str, JsonValue]
