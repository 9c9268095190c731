"""`calculate`: arithmetic over earlier results, so that a plan can put two figures in relation."""

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, PlanTool, ToolResult, ToolScope
from engine.desks.plan.tools.quality import judged
from engine.desks.plan.tools.series import percentile_of
from engine.domain.errors import BadInput
from engine.domain.facts import number_text
from engine.domain.frozen_model import FrozenModel
from engine.domain.plan.results import QualityCheck
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

_ENOUGH = 10
_SIGNS = {"divide": "/", "subtract": "-", "multiply": "*", "add": "+"}


class CalculateArguments(FrozenModel):
    """a, b: numbers, usually `{earlier.field}`. values: what `percentile` ranks `a` in: numbers, or the [time, value] pairs of a series."""

    operation: Literal["divide", "subtract", "multiply", "add", "compare", "percentile"] = Field(description="what is done with a and b")
    a: float = Field(description="a number, {earlier.field}")
    b: float | None = Field(default=None, description="a number, {earlier.field}; not for percentile")
    values: tuple[float | tuple[str, float], ...] = Field(default=(), max_length=1000, description="for percentile: {earlier.values}")
    label: Annotated[str, Field(max_length=200)] = Field(default="", description="what the result is, in words")


async def _run(scope: ToolScope, asked: CalculateArguments) -> ToolResult:
    result = _worked_out(asked)
    if isinstance(result, float) and not isfinite(result):
        raise BadInput(Reason("of_and_is_no_finite_number", operation=asked.operation, a=f"{asked.a:g}", b=asked.b))
    output: Json = {"operation": asked.operation, "a": asked.a, "b": asked.b, "result": result, "label": asked.label}
    lowest = min(scope.inputs, default=1.0)
    made_of = Reason("least_sure_of", results=len(scope.inputs)) if scope.inputs else Reason("made_of_stated_numbers")
    checks = (judged("coverage", lowest, made_of), *_enough(asked))
    return ToolResult(output, checks, scope.at, "calculated")


def _enough(asked: CalculateArguments) -> tuple[QualityCheck, ...]:
    """Return whether a rank is one among enough values; no check of arithmetic, which is right or refused."""
    if asked.operation != "percentile":
        return ()
    return (judged("shape", len(asked.values) / _ENOUGH, Reason("ranked_among", values=len(asked.values), wanted=_ENOUGH)),)


def _worked_out(asked: CalculateArguments) -> float | str:
    if asked.operation == "percentile":
        values = [value if isinstance(value, float) else value[1] for value in asked.values]
        if not values:
            raise BadInput(Reason("percentile_needs_values"))
        return percentile_of(asked.a, values)
    if asked.b is None:
        raise BadInput(Reason("operation_needs_b", operation=asked.operation))
    match asked.operation:
        case "compare":
            return "greater" if asked.a > asked.b else "less" if asked.a < asked.b else "equal"
        case "divide":
            if asked.b == 0:
                raise BadInput(Reason("cannot_be_divided_by_0", a=f"{asked.a:g}"))
            return asked.a / asked.b
        case "subtract":
            return asked.a - asked.b
        case "multiply":
            return asked.a * asked.b
        case _:
            return asked.a + asked.b


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    result, a, b = output["result"], output["a"], output["b"]
    chinese = language == "zh"
    what = output["label"] or ("计算结果" if chinese else "Result")
    if output["operation"] == "compare":
        word = {"greater": ("greater than", "大于"), "less": ("less than", "小于"), "equal": ("equal to", "等于")}[result][chinese]
        return f"{what}{'：' if chinese else ': '}{a:.6g} {word} {b:.6g}{'。' if chinese else '.'}"
    if output["operation"] == "percentile":
        return f"{what}：{a:.6g} 处于第 {result:.0f} 百分位。" if chinese else f"{what}: {a:.6g} is at percentile {result:.0f}."
    sum_text = f"{a:.6g} {_SIGNS[output['operation']]} {b:.6g} = {number_text(result, 'amount')}"
    return f"{what}：{sum_text}。" if chinese else f"{what}: {sum_text}."


TOOL = PlanTool(
    "calculate",
    "Arithmetic over earlier results: divide, subtract, multiply, add, compare, percentile.",
    CalculateArguments,
    _run,
    _sentence,
)
