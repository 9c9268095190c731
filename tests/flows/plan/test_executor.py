"""A plan on its own: the happy path, retry, replan, skip, low confidence, and what each leaves in `task_results`."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from engine.desks.plan import DecomposeAgent, DecompositionPlan, LangGraphPlanExecutor, ToolRegistry, load_plan_from_json
from engine.desks.plan.decompose_agent import Replanning
from engine.desks.plan.reasoning import FailedTask, ReasonedStep, ReasoningTool, decide_by_rule
from engine.desks.plan.stages import REASONER
from engine.desks.plan.tools.protocol import PlanTool, ToolResult, ToolScope
from engine.desks.plan.validation import checked_plan
from engine.domain.errors import BadInput, ModelUnavailable, UnknownSymbol
from engine.domain.plan.results import PlanExecutionResult, QualityCheck
from tests.flows.plan.material import AT, Pauses, PlannerOf, ProbeArguments, failing, plan_json, probe, registry_with, steps, task


async def worked(
    plan: dict[str, Any], *tools: PlanTool, planner: DecomposeAgent | None = None, sleep: Pauses | None = None, **more: Any
) -> PlanExecutionResult:
    registry = registry_with(*tools)
    executor = LangGraphPlanExecutor(registry, planner, at=AT, sleep=sleep or Pauses(), **more)
    return await executor.run_plan(checked_plan(plan, registry))


def test_the_example_of_the_specification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_FEED", "simulated")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan_json(task("price", "market_snapshot"), task("paid", "funding_history"))))
    plan = load_plan_from_json(str(path))
    executor = LangGraphPlanExecutor(tool_registry=ToolRegistry(enable_reasoning_llm=False))
    result = asyncio.run(executor.run_plan(plan))
    (factor,) = result.factors
    assert (factor.status, steps(factor)) == ("done", ["task done", "task done"])
    assert all(each.confidence is not None and each.confidence >= 0.6 for each in factor.task_results)
    assert set(factor.context) == {"symbol", "price_out", "paid_out"}
    again = asyncio.run(executor.run_plan(plan))  # in a loop of its own, as a script would
    assert [each.name for each in again.factors] == ["one"]


async def test_outputs_are_handed_on_and_references_filled_in() -> None:
    tool, calls = probe(lambda call, asked: 0.9)
    plan = plan_json(task("a", args={"symbol": "{symbol}", "value": 3}), task("b", args={"symbol": "{symbol}!", "value": "{a_out.value}"}))
    (factor,) = (await worked(plan, tool)).factors
    assert [(each.symbol, each.value) for each in calls] == [("BTC/USDT:USDT", 3), ("BTC/USDT:USDT!", 3)]
    assert factor.context["b_out"] == {"value": 3}


async def test_factors_are_worked_through_at_once() -> None:
    both = asyncio.Barrier(2)

    class Meeting(ToolRegistry):
        async def run(self, *given, **more):  # type: ignore[no-untyped-def]
            await asyncio.wait_for(both.wait(), 5)  # only two at once get past this
            return await super().run(*given, **more)

    registry = Meeting()
    registry.register(probe(lambda call, asked: 1.0)[0])
    one, two = plan_json(task("a")), plan_json(task("a"), name="two")
    plan = one | {"factors": one["factors"] + two["factors"]}
    result = await LangGraphPlanExecutor(registry, at=AT).run_plan(checked_plan(plan, registry))
    assert [(each.name, each.status) for each in result.factors] == [("one", "done"), ("two", "done")]


async def test_a_retry_that_succeeds() -> None:
    tool, calls = probe(failing(2))
    pauses = Pauses()
    (factor,) = (await worked(plan_json(task("a", max_retries=2)), tool, sleep=pauses)).factors
    assert steps(factor) == ["task error", "reasoning retry", "retry error", "reasoning retry", "retry done"]
    assert [each.attempt for each in factor.task_results if each.kind != "reasoning"] == [1, 2, 3]
    assert (len(calls), factor.status) == (3, "done")
    assert pauses.seconds == [0.5, 1.0], "each pause is longer, and the first attempt waits for nothing"


async def test_a_simulated_fault_is_of_the_first_attempts_of_its_tool_alone() -> None:
    (tool, calls), (other, _) = probe(lambda call, asked: 1.0), probe(lambda call, asked: 1.0, "other")
    registry = ToolRegistry(tools=(tool, other), outage="probe")
    plan = checked_plan(plan_json(task("a"), task("b", "other"), task("c")), registry)
    (factor,) = (await LangGraphPlanExecutor(registry, at=AT, sleep=Pauses()).run_plan(plan)).factors
    retried = ["task error", "reasoning retry", "retry done"]
    assert steps(factor) == [*retried, "task done", *retried]
    assert len(calls) == 2, "the source itself is asked by the second attempt"
    assert "simulated" in str(factor.task_results[0].error)


async def test_what_cannot_pass_is_not_tried_again() -> None:
    def answer(call: int, asked: object) -> float:
        raise UnknownSymbol("NOPE/USDT is not simulated")

    tool, calls = probe(answer)
    pauses = Pauses()
    (factor,) = (await worked(plan_json(task("a", max_retries=3)), tool, sleep=pauses)).factors
    assert steps(factor) == ["task error", "reasoning skip", "skip skipped"]
    assert (len(calls), pauses.seconds, factor.task_results[0].permanent) == (1, [], True)
    assert factor.task_results[1].reason == "another attempt gives the same"


async def test_retries_that_are_exhausted_end_in_a_skip_and_the_plan_goes_on() -> None:
    tool, _ = probe(failing(3))
    (factor,) = (await worked(plan_json(task("a"), task("b"), task("c")), tool, max_retries=1)).factors
    assert steps(factor)[:5] == ["task error", "reasoning retry", "retry error", "reasoning skip", "skip skipped"]
    assert factor.context["a_out"] == {"error": "probe: the venue does not answer"}
    assert steps(factor)[-3:] == ["reasoning retry", "retry done", "task done"]
    assert factor.status == "done_with_errors"


async def test_a_result_below_the_threshold_is_an_error_with_its_reason() -> None:
    tool, _ = probe(lambda call, asked: 0.59)
    (factor,) = (await worked(plan_json(task("a", max_retries=0)), tool)).factors
    first = factor.task_results[0]
    assert (first.status, first.confidence, first.output) == ("error", 0.59, {"value": 0})
    assert "0.59 is below 0.60" in str(first.error)
    assert factor.context["a_out"] == {"error": first.error}, "what cannot be relied on is not handed on"
    (factor,) = (await worked(plan_json(task("a", max_retries=0)), tool, threshold=0.5)).factors
    assert steps(factor) == ["task done"]


async def test_what_needs_a_skipped_output_is_not_called_nor_tried_again() -> None:
    tool, calls = probe(failing(1))
    plan = plan_json(task("a", max_retries=0), task("b", args={"symbol": "{symbol}", "value": "{a_out.value}"}, max_retries=3))
    (factor,) = (await worked(plan, tool)).factors
    assert len(calls) == 1
    assert steps(factor)[-3:] == ["task error", "reasoning skip", "skip skipped"]
    assert "{a_out.value} has no value: probe: the venue does not answer" in str(factor.task_results[-1].error)


async def test_a_replan_that_works_replaces_this_factor_once() -> None:
    tool, calls = probe(lambda call, asked: 1.0 if asked.symbol == "BTC/USDT" else failing(9)(call, asked))
    other = plan_json(task("a", args={"symbol": "{coin}"}, output_key="z_out"))
    other["factors"][0]["placeholders"] = {"coin": "BTC/USDT"}
    planner = PlannerOf(other | {"factors": [*other["factors"], *plan_json(task("q"), name="two")["factors"]]})
    result = await worked(plan_json(task("a", max_retries=0)), tool, planner=planner)
    (factor,) = result.factors
    assert steps(factor) == ["task error", "reasoning replan", "replan replanned", "task done"]
    assert (factor.replanned, factor.status, factor.context.keys()) == (True, "done", {"coin", "z_out"})
    assert [(each.factor.name, each.task) for each in planner.asked] == [("one", "a")]
    assert [each.symbol for each in calls] == ["BTC/USDT:USDT", "BTC/USDT"]


async def test_an_agent_with_a_plan_of_its_own_is_asked_by_that() -> None:
    class Adding(DecomposeAgent):
        async def plan(self, question: str, replanning: Replanning | None = None) -> DecompositionPlan:
            return DecompositionPlan.model_validate(plan_json(task("a", "calculate", args={"operation": "add", "a": 1, "b": 2})))

    (factor,) = (await worked(plan_json(task("a", max_retries=0)), probe(failing(9))[0], planner=Adding())).factors
    assert steps(factor) == ["task error", "reasoning replan", "replan replanned", "task done"]
    assert factor.context["a_out"]["result"] == 3  # type: ignore[call-overload, index]


async def test_tasks_that_a_new_plan_leaves_out_are_skipped_and_the_factor_says_so() -> None:
    tool, _ = probe(lambda call, asked: 1.0 if call != 2 else failing(9)(1, asked))
    planner = PlannerOf(plan_json(task("z"), task("c")))
    old = plan_json(task("a"), task("b", max_retries=0), task("c"))
    (factor,) = (await worked(old, tool, planner=planner)).factors
    assert steps(factor)[3:] == ["replan replanned", "skip skipped", "skip skipped", "task done", "task done"]
    skipped = {each.id: each.error for each in factor.task_results if each.kind == "skip"}
    assert skipped == {"a": "the new plan of the factor leaves this task out", "b": "probe: the venue does not answer"}
    assert factor.context["b_out"] == {"error": "probe: the venue does not answer"}
    assert (factor.replanned, factor.status) == (True, "done_with_errors")


@pytest.mark.parametrize("new", [task("a", max_retries=2), task("b", "research_question", args={"question": "What moves Bitcoin?"})])
async def test_a_new_plan_about_something_else_is_refused(new: dict[str, Any]) -> None:
    tool, calls = probe(failing(9))
    old = plan_json(task("a", max_retries=0))
    old["factors"][0]["placeholders"] = {"symbol": "NOPE/USDT"}
    result = await worked(old, tool, planner=PlannerOf(plan_json(new)))
    (factor,) = result.factors
    assert steps(factor) == ["task error", "reasoning replan", "replan error", "skip skipped"]
    assert "the new plan is about BTC/USDT:USDT, which neither the question nor the old plan is about" in result.warnings[0]
    assert [each.symbol for each in calls] == ["NOPE/USDT"]
    named = old | {"question": "How is BTC?"}
    (factor,) = (await worked(named, tool, planner=PlannerOf(plan_json(new)))).factors
    assert factor.replanned, "a plan that comes back to what the question names is no other subject"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ModelUnavailable("nobody is there"), "nobody is there"),
        (plan_json(task("z"), name="another"), "no factor 'one'"),
        (plan_json(task("a", max_retries=0), task("b", max_retries=0)), "is the old one"),
        (plan_json(task("z", "moon_phase")), r"no tool 'moon_phase'"),
    ],
)
async def test_a_replan_that_fails_ends_in_a_skip_with_a_warning(answer: dict | Exception, why: str) -> None:  # type: ignore[type-arg]
    tool, _ = probe(failing(9))
    planner = PlannerOf(answer)
    result = await worked(plan_json(task("a", max_retries=0), task("b", max_retries=0)), tool, planner=planner)
    (factor,) = result.factors
    assert steps(factor)[:4] == ["task error", "reasoning replan", "replan error", "skip skipped"]
    assert steps(factor)[4:] == ["task error", "reasoning skip", "skip skipped"], "one attempt a factor"
    assert why in result.warnings[0]
    assert not factor.replanned


async def test_the_planner_without_a_model_plans_by_the_words() -> None:
    agent = DecomposeAgent()
    english = await agent.plan("What moves BTC funding this week, and is the long crowded?")
    assert [factor.name for factor in english.factors] == ["funding", "positioning", "background"]
    chinese = await agent.plan("ETH 的走势与 BTC 联动吗？")
    assert [factor.name for factor in chinese.factors] == ["correlation", "price"]
    assert chinese.factors[0].placeholders == {"symbol": "ETH/USDT:USDT"}
    company = await DecomposeAgent(symbol="AAPL").plan("Are earnings and news good?")
    assert [factor.name for factor in company.factors] == ["fundamentals", "news"]
    with pytest.raises(BadInput, match="1 to 2000"):
        await agent.plan(" ")


GIVEN_UP = ["task error", "reasoning retry", "retry error", "reasoning skip", "skip skipped"]


@pytest.mark.parametrize("problem", [KeyError("oi"), RuntimeError("closed"), AssertionError(), RecursionError("deep")])
async def test_whatever_a_tool_raises_is_an_error_of_its_task(problem: Exception) -> None:
    def fall(call: int, asked: object) -> float:
        raise problem

    (factor,) = (await worked(plan_json(task("a")), probe(fall)[0])).factors
    assert steps(factor) == GIVEN_UP
    assert type(problem).__name__ in str(factor.task_results[0].error)
    assert set(factor.context["a_out"]) == {"error"}  # type: ignore[arg-type]


@pytest.mark.parametrize("output", [{"v": float("nan")}, {"v": AT}, {1, 2}, object()], ids=["nan", "instant", "set", "object"])
async def test_a_result_that_is_no_json_is_an_error_of_its_task(output: Any) -> None:
    async def run(scope: ToolScope, asked: ProbeArguments) -> ToolResult:
        return ToolResult(output, (QualityCheck(name="shape", score=1, reason="as the test has it"),), scope.at, "test")

    tool = PlanTool("probe", "A tool of tests.", ProbeArguments, run, lambda output, language: "")
    (factor,) = (await worked(plan_json(task("a")), tool)).factors
    assert steps(factor) == GIVEN_UP
    assert str(factor.task_results[0].error).startswith("probe: output")


@pytest.mark.parametrize("bad", [{"max_retries": 100}, {"max_retries": 1.5}, {"threshold": "0.6"}])
def test_bounds_of_an_executor_are_refused_by_name(bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=next(iter(bad))):
        LangGraphPlanExecutor(ToolRegistry(), **bad)


class _OwnReasoner(ReasoningTool):
    async def decide(self, case: FailedTask, node: str = REASONER, turn: int = 1) -> ReasonedStep:
        return decide_by_rule(case)


def test_errors_are_judged_by_a_model_only_where_there_is_one() -> None:
    for without in (None, ReasoningTool()):
        with pytest.raises(BadInput, match="needs a ReasoningTool with a model"):
            ToolRegistry(enable_reasoning_llm=True, reasoning_tool=without)
    own = _OwnReasoner()
    assert ToolRegistry(enable_reasoning_llm=True, reasoning_tool=own).reasoning is own
