"""`calculate`: arithmetic over earlier results, so that a plan can put two figures in relation."""

from collections.abc import Callable, Mapping
from math import isfinite
from operator import add, mul, sub, truediv
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, ToolResult, ToolScope, plan_tool
from engine.desks.plan.tools.quality import judged
from engine.desks.plan.tools.series import percentile_of
from engine.desks.plan.words import say
from engine.domain.errors import BadInput
from engine.domain.facts import number_text
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

_ENOUGH = 10
_ARITHMETIC: Final[Mapping[str, tuple[str, Callable[[float, float], float]]]] = {
    "divide": ("/", truediv), "subtract": ("-", sub), "multiply": ("*", mul), "add": ("+", add),
}  # fmt: skip
Operation = Literal["divide", "subtract", "multiply", "add", "compare", "percentile"]


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    operation, result = output["operation"], output["result"]
    what = output["label"] or say("calculate.result", language)
    if operation in _ARITHMETIC:
        text = number_text(result, "amount")
        return say("calculate.sum", language, what=what, sign=_ARITHMETIC[operation][0], text=text, **output)
    return say(f"calculate.{result if operation == 'compare' else operation}", language, what=what, **output)


@plan_tool("Arithmetic over earlier results: divide, subtract, multiply, add, compare, percentile.", _sentence)
async def calculate(
    scope: ToolScope,
    operation: Annotated[Operation, Field(description="what is done with a and b")],
    a: Annotated[float, Field(description="a number, {earlier.field}")],
    b: Annotated[float | None, Field(description="a number, {earlier.field}; not for percentile")] = None,
    values: Annotated[tuple[float | tuple[str, float], ...], Field(max_length=1000, description="for percentile: {earlier.values}")] = (),
    label: Annotated[str, Field(max_length=200, description="what the result is, in words")] = "",
) -> ToolResult:
    """a, b: numbers, usually `{earlier.field}`. values: what `percentile` ranks `a` in: numbers, or the [time, value] pairs of a series."""
    if operation == "percentile":
        if not values:
            raise BadInput(Reason("percentile_needs_values"))
        result: float | str = percentile_of(a, [value if isinstance(value, float) else value[1] for value in values])
    elif b is None:
        raise BadInput(Reason("operation_needs_b", operation=operation))
    elif operation == "compare":
        result = "greater" if a > b else "less" if a < b else "equal"
    elif operation == "divide" and b == 0:
        raise BadInput(Reason("cannot_be_divided_by_0", a=f"{a:g}"))
    else:
        result = _ARITHMETIC[operation][1](a, b)
    if isinstance(result, float) and not isfinite(result):
        raise BadInput(Reason("of_and_is_no_finite_number", operation=operation, a=f"{a:g}", b=b))
    made_of = Reason("least_sure_of", results=len(scope.inputs)) if scope.inputs else Reason("made_of_stated_numbers")
    checks = [judged("coverage", min(scope.inputs, default=1.0), made_of)]
    if operation == "percentile":  # arithmetic is right or refused, a rank is worth what it is among
        checks.append(judged("shape", len(values) / _ENOUGH, Reason("ranked_among", values=len(values), wanted=_ENOUGH)))
    output: Json = {"operation": operation, "a": a, "b": b, "result": result, "label": label}
    return ToolResult(output, tuple(checks), scope.at, "calculated")
