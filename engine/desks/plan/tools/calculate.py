"""`calculate`: arithmetic over earlier results, so that a plan can put two figures in relation."""

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, PlanTool, ToolResult, ToolScope
from engine.desks.plan.tools.quality import judged
from engine.desks.plan.tools.series import percentile_of
from engine.desks.plan.words import say
from engine.domain.errors import BadInput
from engine.domain.facts import number_text
from engine.domain.frozen_model import FrozenModel
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
    checks = [judged("coverage", lowest, made_of)]
    if asked.operation == "percentile":  # arithmetic is right or refused, a rank is worth what it is among
        checks.append(judged("shape", len(asked.values) / _ENOUGH, Reason("ranked_among", values=len(asked.values), wanted=_ENOUGH)))
    return ToolResult(output, tuple(checks), scope.at, "calculated")


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
    operation, result = output["operation"], output["result"]
    what = output["label"] or say("calculate.result", language)
    if operation in _SIGNS:
        text = number_text(result, "amount")
        return say("calculate.sum", language, what=what, sign=_SIGNS[operation], text=text, **output)
    return say(f"calculate.{result if operation == 'compare' else operation}", language, what=what, **output)


CALCULATE: Final = PlanTool(
    "calculate",
    "Arithmetic over earlier results: divide, subtract, multiply, add, compare, percentile.",
    CalculateArguments,
    _run,
    _sentence,
)
