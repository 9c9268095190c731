"""Tools, reasoning and planners of others, by the public names: whatever they raise or give, a factor comes to its end."""

import asyncio
import threading
from typing import Any

import pytest

from engine.desks.plan import DecomposeAgent, DecompositionPlan, LangGraphPlanExecutor, ReasoningTool, ToolRegistry
from engine.desks.plan.planning.protocol import Replanning
from engine.desks.plan.reasoning.steps import FailedTask, ReasonedStep
from engine.desks.plan.tools.protocol import PlanTool, ToolResult, ToolScope
from engine.desks.plan.validation import checked_plan
from engine.domain.errors import BadInput
from engine.domain.plan.results import FactorExecutionResult, QualityCheck
from tests.flows.plan.material import AT, Pauses, ProbeArguments, failing, plan_json, probe, registry_with, steps, task

GIVEN_UP = ["task error", "reasoning retry", "retry error", "reasoning skip", "skip skipped"]


async def worked(tool: PlanTool, planner: Any = None, reasoning: ReasoningTool | None = None) -> FactorExecutionResult:
    registry = ToolRegistry(reasoning is not None, reasoning_tool=reasoning)
    registry.register(tool)
    (factor,) = (
        await LangGraphPlanExecutor(registry, planner, at=AT, sleep=Pauses()).run_plan(checked_plan(plan_json(task("a")), registry))
    ).factors
    return factor


class Deciding(ReasoningTool):
    """Decides as it is told, whatever is allowed."""

    def __init__(self, word: Any, confidence: float = 0.5) -> None:
        super().__init__()
        self.word, self.confidence = word, confidence

    async def decide(self, case: FailedTask, node: str = "reasoner", turn: int = 1) -> ReasonedStep:
        if isinstance(self.word, Exception):
            raise self.word
        return ReasonedStep(self.word, "so I was told", self.confidence, "model")


@pytest.mark.parametrize(
    "problem", [KeyError("oi"), RuntimeError("closed"), AttributeError("x"), TypeError("y"), AssertionError(), RecursionError("deep")]
)
async def test_whatever_a_tool_raises_is_an_error_of_its_task(problem: Exception) -> None:
    def fall(call: int, asked: ProbeArguments) -> float:
        raise problem

    factor = await worked(probe(fall)[0])
    assert steps(factor) == GIVEN_UP
    assert type(problem).__name__ in str(factor.task_results[0].error)
    assert set(factor.context["a_out"]) == {"error"}  # type: ignore[arg-type]


@pytest.mark.parametrize("output", [{"v": float("nan")}, {"v": AT}, {1, 2}, object()], ids=["nan", "instant", "set", "object"])
async def test_a_result_that_is_no_json_is_an_error_of_its_task(output: Any) -> None:
    async def run(scope: ToolScope, asked: ProbeArguments) -> ToolResult:
        return ToolResult(output, (QualityCheck(name="shape", score=1, reason="as the test has it"),), scope.at, "test")

    factor = await worked(PlanTool("probe", "A tool of tests.", ProbeArguments, run, lambda output, language: ""))
    assert steps(factor) == GIVEN_UP
    assert str(factor.task_results[0].error).startswith("probe: output")


@pytest.mark.parametrize("word", ["retry", "replan", "again", None, ValueError("lost"), RuntimeError("gone")], ids=repr)
async def test_a_decision_that_is_not_possible_is_made_by_rule(word: Any) -> None:
    factor = await worked(probe(failing(9))[0], reasoning=Deciding(word))
    assert steps(factor) == GIVEN_UP  # no retry beyond the task's, no replan without a planner, no word but the three
    assert factor.task_results[-2].by == "heuristic"


async def test_a_second_replan_is_never_made() -> None:
    factor = await worked(probe(failing(9))[0], planner=Planning("probe"), reasoning=Deciding("replan"))
    assert [each.kind for each in factor.task_results].count("replan") == 1


class Planning(DecomposeAgent):
    """An agent whose `plan` is its own."""

    def __init__(self, tool: str) -> None:
        super().__init__()
        self.tool = tool

    async def plan(self, question: str, replanning: Replanning | None = None) -> DecompositionPlan:
        return DecompositionPlan.model_validate(_other_plan(self.tool))


class Blocking:
    """A planner with nothing but a `plan` that blocks, until another factor has gone on."""

    def __init__(self, others: threading.Event, answer: Any) -> None:
        self.others, self.answer, self.thread = others, answer, ""

    def plan(self, question: str) -> Any:
        self.thread = threading.current_thread().name
        assert self.others.wait(5), "the other factor stood still"
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def _other_plan(tool: str = "calculate") -> dict[str, Any]:
    args = {"operation": "add", "a": 1, "b": 2} if tool == "calculate" else {"symbol": "BTC/USDT"}
    return plan_json(task("a", tool, args=args))


async def test_a_factor_is_planned_anew_by_the_plan_that_an_agent_overrides() -> None:
    factor = await worked(probe(failing(9))[0], planner=Planning("calculate"))
    assert steps(factor)[3:] == ["reasoning replan", "replan replanned", "task done"]
    assert factor.context["a_out"]["result"] == 3  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    "answer", [_other_plan(), None, {"factors": []}, RuntimeError("no plan today")], ids=["plan", "none", "bad", "raises"]
)
async def test_a_planner_that_blocks_does_so_in_the_background(answer: Any) -> None:
    went_on = threading.Event()

    def other(call: int, asked: ProbeArguments) -> float:
        went_on.set()
        return 1.0

    async def slow(scope: ToolScope, asked: ProbeArguments) -> ToolResult:
        await asyncio.sleep(0.05)  # the failing factor asks for its plan meanwhile
        return await probe(other)[0].run(scope, asked)

    waiting = PlanTool("waiting", "A tool of tests.", ProbeArguments, slow, lambda output, language: "")
    registry = registry_with(probe(failing(9))[0], waiting)
    one, two = plan_json(task("a", max_retries=0)), plan_json(task("a", "waiting"), name="two")
    plan = checked_plan(one | {"factors": one["factors"] + two["factors"]}, registry)
    planner = Blocking(went_on, answer)
    result = await LangGraphPlanExecutor(registry, planner, at=AT, sleep=Pauses()).run_plan(plan)  # type: ignore[arg-type]
    first, second = result.factors
    assert planner.thread != threading.main_thread().name
    assert second.status == "done"
    if isinstance(answer, dict) and answer["factors"]:
        assert steps(first)[2:] == ["replan replanned", "task done"]
    else:
        assert steps(first)[2:] == ["replan error", "skip skipped"]
        assert [warning for warning in result.warnings if warning.startswith("one: planning anew failed: ")]


@pytest.mark.parametrize(
    "bad", [{"max_retries": 100}, {"max_retries": -1}, {"max_retries": 1.5}, {"threshold": "0.6"}, {"threshold": None}]
)
def test_bounds_of_an_executor_are_refused_by_name(bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=next(iter(bad))):
        LangGraphPlanExecutor(ToolRegistry(), **bad)


async def test_what_is_hardly_below_the_threshold_is_said_with_the_digits_that_show_it() -> None:
    tool, _ = probe(lambda call, asked: 0.5996)
    factor = await worked(tool)
    assert str(factor.task_results[0].error).startswith("confidence 0.5996 is below 0.6000")
