"""Plans, tools and answers for the tests of plans."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from engine.desks.plan.decompose_agent import DecomposeAgent, MadePlan, Replanning
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.tools.protocol import PlanTool, ToolResult, ToolScope
from engine.domain.errors import MarketUnreachable
from engine.domain.frozen_model import FrozenModel
from engine.domain.plan.plan import DecompositionPlan
from engine.domain.plan.results import FactorExecutionResult, QualityCheck

AT = datetime(2026, 5, 16, 12, tzinfo=UTC)


class ProbeArguments(FrozenModel):
    """What the tool of tests is asked."""

    symbol: str
    value: float = 0.0


def probe(answer: Callable[[int, ProbeArguments], float], name: str = "probe") -> tuple[PlanTool, list[ProbeArguments]]:
    """A tool that gives its value with the confidence that `answer` says (call from 1, arguments), or raises; and its calls."""
    calls: list[ProbeArguments] = []

    async def run(scope: ToolScope, asked: ProbeArguments) -> ToolResult:
        calls.append(asked)
        sure = answer(len(calls), asked)
        return ToolResult({"value": asked.value}, (QualityCheck(name="shape", score=sure, reason="as the test has it"),), scope.at, "test")

    return PlanTool(name, "A tool of tests.", ProbeArguments, run, lambda output, language: f"It is {output['value']:g}."), calls


def failing(times: int) -> Callable[[int, ProbeArguments], float]:
    """Fails so many times, then is sure."""

    def answer(call: int, asked: ProbeArguments) -> float:
        if call <= times:
            raise MarketUnreachable("the venue does not answer")
        return 1.0

    return answer


def task(name: str, tool: str = "probe", **more: Any) -> dict[str, Any]:
    return {"id": name, "tool": tool, "args": {"symbol": "{symbol}"}, "output_key": f"{name}_out"} | more


def plan_json(*tasks: Mapping[str, Any], name: str = "one") -> dict[str, Any]:
    factor = {"name": name, "description": "", "placeholders": {"symbol": "BTC/USDT:USDT"}, "tasks": list(tasks)}
    return {"question": "What is it?", "global_assumptions": {}, "factors": [factor]}


def steps(factor: FactorExecutionResult) -> list[str]:
    """What was done, as `kind status` and, of a reasoning, its decision."""
    return [f"{each.kind} {each.decision or each.status}" for each in factor.task_results]


class PlannerOf(DecomposeAgent):
    """A planner that has its plan ready, or an error."""

    def __init__(self, plan: Mapping[str, Any] | Exception) -> None:
        super().__init__()
        self.ready, self.asked = plan, list[Replanning]()

    async def replan_factor(self, question: str, replanning: Replanning) -> MadePlan:
        self.asked.append(replanning)
        if isinstance(self.ready, Exception):
            raise self.ready
        return MadePlan(DecompositionPlan.model_validate(self.ready), "heuristic")


class Pauses:
    """Waits for nothing, and keeps how long it was asked to."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def registry_with(*tools: PlanTool) -> ToolRegistry:
    registry = ToolRegistry()
    for tool in tools:
        registry.register(tool)
    return registry


def json_block(plan: Mapping[str, Any]) -> str:
    return f"Thus.\n\n[Plan]\n```json\n{json.dumps(plan)}\n```\n"
