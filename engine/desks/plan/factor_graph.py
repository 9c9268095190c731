"""One factor as a graph: tasks in order, and what is done when one fails.

    START -> manager ──(a task is next)──> execute_task ──> manager
               │└──(the last one failed)──> handle_error ──> manager
               └──(none is left)──> END

`handle_error` asks for a decision: `retry` after a pause, within what the task allows and only where it may pass; `replan` once a factor,
about the same subject; `skip` with the output marked as an error. Tasks that a new plan leaves out are skipped too.
Everything that was done is in `task_results`. Whatever a tool raises is an error of its task and of no other. Only what ends the run itself
leaves the graph.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from typing import Any, Final, Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from pydantic import JsonValue

from engine.desks.plan.by_words import other_subjects
from engine.desks.plan.decompose_agent import DecomposeAgent, MadePlan, Replanning
from engine.desks.plan.factor_log import FactorLog
from engine.desks.plan.reasoning import FailedTask, decide_by_rule
from engine.desks.plan.references import filled_in, references
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.stages import planner_node, reasoner_node
from engine.desks.plan.tools.protocol import NoData, problem_in_words
from engine.desks.plan.validation import PlanFault, require_sound
from engine.domain.errors import (
    BadInput,
    ClockOutOfRange,
    MarketRefused,
    MarketUnreachable,
    NoSuchTimeframe,
    StoreError,
    TribunalError,
    UnknownSymbol,
)
from engine.domain.plan.events import PlanDecided, PlanReplanned, PlanTaskFinished, PlanTaskSkipped, PlanTaskStarted
from engine.domain.plan.plan import DecompositionPlan, FactorPlan, TaskItem
from engine.domain.plan.results import LEFT_OUT, DecidedBy, QualityCheck, TaskExecutionResult
from engine.domain.text.reason import Reason, bounded

Change = dict[str, Any]
Sleep = Callable[[float], Awaitable[object]]
_LONGEST = 400
_PERMANENT = (BadInput, UnknownSymbol, NoSuchTimeframe, ClockOutOfRange, MarketRefused, NoData)
"""What the same call at the same instant meets again."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_MEASURED: Final = ("output", "confidence", "attempt", "ms", "checks", "as_of", "source", "permanent")
_ONWARD: Final[Change] = {"last_error": None, "failed_task": None, "status": "manager"}


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


def first_state(plan: DecompositionPlan, factor: FactorPlan) -> FactorState:
    """Return the state of a factor before anything is done."""
    return {
        "context": {**plan.global_assumptions, **factor.placeholders},
        "task_index": 0,
        "current_task": None,
        "task_results": [],
        "retries": {},
        "last_error": None,
        "status": "manager",
        "failed_task": None,
        "replan_attempted": False,
        "factor": factor,
        "placeholders": dict(factor.placeholders),
        "global_assumptions": dict(plan.global_assumptions),
    }


@dataclass(frozen=True)
class FactorRun:
    """The nodes of one factor's graph. planner: None = a factor is never planned anew. threshold: confidence below which a result is an
    error. max_retries: of tasks that do not say. sleep: waits so many seconds before a retry."""

    plan: DecompositionPlan
    registry: ToolRegistry
    planner: DecomposeAgent | None
    log: FactorLog
    at: datetime
    threshold: float
    max_retries: int
    sleep: Sleep

    def build(self) -> Any:
        """Return the compiled graph. It keeps no checkpoints of its own: what it read is recalled from the run's log."""
        graph = StateGraph(FactorState)
        graph.add_node("manager", self.manager)
        graph.add_node("execute_task", self.execute_task)
        graph.add_node("handle_error", self.handle_error)
        graph.add_edge(START, "manager")
        following = {"execute": "execute_task", "error": "handle_error", "done": END}
        graph.add_conditional_edges("manager", lambda state: state["status"], following)  # type: ignore[arg-type]
        graph.add_edge("execute_task", "manager")
        graph.add_edge("handle_error", "manager")
        return graph.compile(checkpointer=False)

    def manager(self, state: FactorState) -> Change:
        """Choose the next task, or leave the last one to `handle_error`."""
        if state["status"] == "error":
            return {"status": "error"}
        tasks = state["factor"].tasks
        if state["task_index"] >= len(tasks):
            return {"status": "done", "current_task": None}
        return {"status": "execute", "current_task": tasks[state["task_index"]]}

    async def execute_task(self, state: FactorState) -> Change:
        """Fill in references, call the tool, measure what it gave."""
        task = state["current_task"]
        assert task is not None
        attempt = state["retries"].get(task.id, 0) + 1
        seen = await self._attempt(task, attempt, state)
        error = seen.error
        if error is None and (seen.confidence or 0.0) < self.threshold:
            error = _below(seen.confidence or 0.0, self.threshold, seen.checks)
        result = TaskExecutionResult(
            id=task.id,
            kind="task" if attempt == 1 else "retry",
            tool=task.tool,
            status="done" if error is None else "error",
            error=error,
            **{name: getattr(seen, name) for name in _MEASURED},
        )
        results = [*state["task_results"], result]
        if error is not None:
            return {"task_results": results, "last_error": error, "failed_task": task, "status": "error"}
        return {
            "task_results": results,
            "context": {**state["context"], task.output_key: seen.output},
            "task_index": state["task_index"] + 1,
            **_ONWARD,
        }

    async def handle_error(self, state: FactorState) -> Change:
        """Have it decided what becomes of a failed task, and do that."""
        task, error = state["failed_task"], state["last_error"]
        assert task is not None
        assert error is not None
        made, last = state["retries"].get(task.id, 0), state["task_results"][-1]
        case = FailedTask(
            factor=state["factor"].name,
            task=task.description or task.id,
            tool=task.tool,
            error=error,
            confidence=last.confidence,
            retries=made,
            max_retries=self.max_retries if task.max_retries is None else task.max_retries,
            is_final=last.permanent,
            can_replan=self.planner is not None and not state["replan_attempted"],
        )
        turn = 1 + sum(each.kind == "reasoning" for each in state["task_results"])
        step = await self.registry.reasoning.decide(case, reasoner_node(self.log.node), turn)
        if step.decision not in case.allowed:  # a factor cannot go round for ever
            step = decide_by_rule(case)
        decision: dict[str, Any] = {"decision": step.decision, "reason": step.reason, "confidence": step.confidence, "by": step.by}
        self.log.note(PlanDecided(factor=case.factor, task=task.id, **decision))
        output = {"text": step.text} if step.text else None
        decided = TaskExecutionResult(
            id=task.id, kind="reasoning", tool=task.tool, status="done", output=output, attempt=made + 1, ms=step.ms, **decision
        )
        results = [*state["task_results"], decided]
        if step.decision == "retry":
            return {"task_results": results, "retries": {**state["retries"], task.id: made + 1}, "status": "manager"}
        return await (self._replan if step.decision == "replan" else self._skip)(task, error, {**state, "task_results": results})

    async def _attempt(self, task: TaskItem, attempt: int, state: FactorState) -> PlanTaskFinished:
        name = state["factor"].name
        about: dict[str, Any] = {"factor": name, "task": task.id, "tool": task.tool, "attempt": attempt}
        arguments, missing = dict(task.args), None
        try:
            arguments = {key: filled_in(value, state["context"]) for key, value in task.args.items()}
        except BadInput as fault:
            missing = str(fault)
        kind = "task" if attempt == 1 else "retry"
        self.log.note(PlanTaskStarted(**about, description=task.description, result_kind=kind, arguments=arguments))

        async def read(n: int) -> PlanTaskFinished:
            if missing is not None:
                return PlanTaskFinished(**about, error=missing, permanent=True)
            if attempt > 1:
                await self.sleep(min(_FIRST_PAUSE_S * 2 ** (attempt - 2), _LONGEST_PAUSE_S))
            began = time.monotonic()
            try:
                if task.tool == self.registry.outage and attempt == 1:
                    raise MarketUnreachable(Reason("source_fails_as_simulated"))
                found = await self.registry.run(task.tool, arguments, self.at, _confidences(task, state), n)
                return PlanTaskFinished(
                    **about,
                    output=found.output,
                    confidence=found.confidence,
                    checks=found.checks,
                    as_of=min(found.as_of, self.at).isoformat(),
                    source=found.source,
                    ms=_since(began),
                )
            except StoreError:  # the run itself cannot go on
                raise
            except Exception as problem:  # tools, and the libraries below them, are anybody's: a fault of theirs costs their task alone
                words = bounded(Reason("about", who=task.tool, what=problem_in_words(problem)), _LONGEST)
                return PlanTaskFinished(**about, error=words, permanent=isinstance(problem, _PERMANENT), ms=_since(began))

        seen = await self.log.finished(read)
        if (seen.task, seen.tool) != (task.id, task.tool):  # a log that was changed, or belongs to another plan
            raise BadInput(Reason("run_log_holds_reading_of_for_where", tool=seen.tool, task=seen.task, tool2=task.tool, task_id=task.id))
        return seen

    async def _replan(self, task: TaskItem, error: str, state: FactorState) -> Change:
        """Plan this factor anew while others go on; what cannot be planned is skipped, with a warning."""
        factor = state["factor"]
        try:
            new = await self._new_factor(factor, task, error)
        except StoreError:
            raise
        except TribunalError as problem:
            why = bounded(Reason("planning_anew_failed", words=problem), _LONGEST)
            self.log.note(PlanReplanned(factor=factor.name, task=task.id, error=why))
            failed = TaskExecutionResult(id=task.id, kind="replan", tool=task.tool, status="error", error=why)
            skipped = await self._skip(task, error, {**state, "task_results": [*state["task_results"], failed]})
            return {**skipped, "replan_attempted": True}
        (fresh,), assumptions = new.plan.factors, new.plan.global_assumptions
        tasks = [each.model_dump(mode="json") for each in fresh.tasks]
        self.log.note(PlanReplanned(factor=factor.name, task=task.id, tasks=tuple(tasks)))
        output: JsonValue = {"tasks": [each["id"] for each in tasks], **({"text": new.text} if new.text else {})}
        by: DecidedBy = "model" if new.by == "model" else "heuristic"
        done = TaskExecutionResult(id=task.id, kind="replan", tool=task.tool, status="replanned", output=output, ms=new.ms, by=by)
        kept = {each.id for each in fresh.tasks}
        lost = {
            each.output_key: self._skipped(factor.name, each, error if each.id == task.id else LEFT_OUT)
            for each in factor.tasks
            if each.id not in kept
        }
        known = {**assumptions, **fresh.placeholders}
        taken = known.keys() | {each.output_key for each in fresh.tasks}
        marked = {key: each.output for key, each in lost.items() if key not in taken}
        return {
            "task_results": [*state["task_results"], done, *lost.values()],
            "factor": fresh,
            "placeholders": dict(fresh.placeholders),
            "global_assumptions": dict(assumptions),
            "context": {**known, **marked},
            "task_index": 0,
            "retries": {},
            "replan_attempted": True,
            **_ONWARD,
        }

    async def _new_factor(self, factor: FactorPlan, task: TaskItem, error: str) -> MadePlan:
        """Return a plan of this factor alone, made anew. Raises PlanFault for one that is missing or cannot be worked through."""
        assert self.planner is not None
        asked = Replanning(factor=factor, task=task.id, error=error, node=planner_node(self.log.node))
        made = await self.planner.replan_factor(self.plan.question, asked)
        new = made.plan.factor(factor.name)
        if new is None:
            raise PlanFault(Reason("new_plan_has_no_factor", name=f"{factor.name!r}"))
        before, after = self.plan.global_assumptions, made.plan.global_assumptions
        if strange := other_subjects(self.plan.question, factor, before, new, after):
            raise PlanFault(Reason("new_plan_is_about", strange=strange[0]))
        if new.tasks == factor.tasks and new.placeholders == factor.placeholders:
            raise PlanFault(Reason("new_plan_is_old_one"))
        alone = DecompositionPlan(question=self.plan.question, global_assumptions=after, factors=(new,))
        require_sound(alone, self.registry)
        return replace(made, plan=alone)

    def _skipped(self, factor: str, task: TaskItem, error: str) -> TaskExecutionResult:
        self.log.note(PlanTaskSkipped(factor=factor, task=task.id, reason=error))
        return TaskExecutionResult(id=task.id, kind="skip", tool=task.tool, status="skipped", output={"error": error}, error=error)

    async def _skip(self, task: TaskItem, error: str, state: FactorState) -> Change:
        skipped = self._skipped(state["factor"].name, task, error)
        return {
            "task_results": [*state["task_results"], skipped],
            "context": {**state["context"], task.output_key: skipped.output},
            "task_index": state["task_index"] + 1,
            **_ONWARD,
        }


def _confidences(task: TaskItem, state: FactorState) -> tuple[float, ...]:
    """Return how sure the earlier results are that a task's arguments come from."""
    names = {reference.split(".")[0] for _, reference in references(dict(task.args))}
    keys = {each.id: each.output_key for each in state["factor"].tasks}
    gave = (each for each in state["task_results"] if each.status == "done" and each.kind in ("task", "retry"))
    sure = {keys.get(each.id): each.confidence for each in gave}
    return tuple(found for name in sorted(names) if (found := sure.get(name)) is not None)


def _below(sure: float, threshold: float, checks: tuple[QualityCheck, ...]) -> Reason:
    """Return that a confidence is too low, with as many digits as it takes to see that it is below the threshold."""
    scored = [Reason("check_scored", name=each.name, score=f"{each.score:.2f}", reason=each.reason) for each in checks if each.score < 1]
    weakest = reduce(lambda one, other: Reason("comma", one=one, other=other), scored) if scored else Reason("no_check_was_made")
    digits = 2 if f"{sure:.2f}" != f"{threshold:.2f}" else 4
    return Reason("confidence_below", sure=f"{sure:.{digits}f}", threshold=f"{threshold:.{digits}f}", weakest=weakest)


def _since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)
