"""Is a plan one that can be worked through? Every fault is named by its path: `factors[1].tasks[0].tool`.

What a schema can say is checked by it; here are tools, their arguments as far as they are known, and what names refer to.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, ValidationError

from engine.domain.errors import BadInput
from engine.domain.plan.plan import DecompositionPlan, FactorPlan, TaskItem
from engine.domain.text.plain_json import read_json
from engine.flows.plan.references import InputMissing, filled_in, references

if TYPE_CHECKING:
    from engine.flows.plan.registry import ToolRegistry
    from engine.flows.plan.tools.protocol import PlanTool

_MOST_BYTES = 1_000_000
_MOST_DEPTH = 8
_MOST_FAULTS = 5


class PlanFault(BadInput):
    """A plan cannot be worked through. The message names the path of each fault, up to five, and what would be right."""


def load_plan_from_json(source: str | Path | Mapping[str, Any], registry: "ToolRegistry | None" = None) -> DecompositionPlan:
    """Return the plan in a file (a path), in JSON text, or in an object. registry: whose tools it may use; None = the standard ones.

    Raises PlanFault, and BadInput for a file that cannot be read.
    """
    if registry is None:
        from engine.flows.plan.registry import ToolRegistry  # noqa: PLC0415 - tools take long to import

        registry = ToolRegistry()
    return checked_plan(_parsed(source) if isinstance(source, str | Path) else source, registry)


def _parsed(source: str | Path) -> Any:
    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    try:
        text = str(source) if is_text else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"plan {str(source)[:200]} cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    if len(text) > _MOST_BYTES:
        raise PlanFault(f"the plan is {len(text)} characters long: {_MOST_BYTES} at most")
    try:
        return read_json(text)
    except (ValueError, RecursionError) as problem:
        raise PlanFault(f"the plan is not JSON: {str(problem)[:200]}") from None


def checked_plan(data: Any, registry: "ToolRegistry") -> DecompositionPlan:
    """Return the plan that JSON holds. Raises PlanFault."""
    if not isinstance(data, Mapping):
        raise PlanFault('the plan is no object: write {"question": ..., "factors": [...]}')
    if _too_deep(data, _MOST_DEPTH + 6):
        raise PlanFault(f"the plan is nested too deeply: arguments and placeholders go {_MOST_DEPTH} levels at most")
    try:
        plan = DecompositionPlan.model_validate(data)
    except ValidationError as problem:
        raise PlanFault(_joined([_line(error) for error in problem.errors(include_url=False)])) from None
    if faults := list(faults_of(plan, registry)):
        raise PlanFault(_joined(faults))
    return plan


def faults_of(plan: DecompositionPlan, registry: "ToolRegistry") -> Iterator[str]:
    """Yield what keeps a plan from being worked through, each with its path."""
    others = {task.output_key: factor.name for factor in plan.factors for task in factor.tasks}
    yield from _twice([factor.name for factor in plan.factors], "factors[{}].name", "factor")
    for place, factor in enumerate(plan.factors):
        path = f"factors[{place}]"
        yield from _twice([task.id for task in factor.tasks], path + ".tasks[{}].id", "task")
        yield from _twice([task.output_key for task in factor.tasks], path + ".tasks[{}].output_key", "output")
        known: dict[str, JsonValue] = {**plan.global_assumptions, **factor.placeholders}
        for name in sorted(factor.placeholders.keys() & plan.global_assumptions.keys()):
            yield f"{path}.placeholders.{name}: a global assumption has that name already"
        given = set(known)
        for index, task in enumerate(factor.tasks):
            where = f"{path}.tasks[{index}]"
            if task.output_key in given:
                yield f"{where}.output_key: {task.output_key!r} is the name of a placeholder or global assumption already"
            yield from _faults_of_task(task, where, factor, index, known, others, registry)
            known.setdefault(task.output_key, None)


def _faults_of_task(
    task: TaskItem,
    where: str,
    factor: FactorPlan,
    index: int,
    known: Mapping[str, JsonValue],
    others: Mapping[str, str],
    registry: "ToolRegistry",
) -> Iterator[str]:
    tool = registry.get(task.tool)
    if tool is None:
        yield f"{where}.tool: there is no tool {task.tool!r}; tools are {', '.join(registry.names)}"
    earlier = {each.output_key for each in factor.tasks[:index]}
    later = {each.output_key for each in factor.tasks[index:]}
    missing = False
    for path, reference in references(dict(task.args)):
        name = reference.split(".")[0]
        if name in known:
            continue
        missing = True
        if name in later:
            yield f"{where}.args.{path}: {{{name}}} is the output of this or a later task: it is not known yet"
        elif name in others:
            yield f"{where}.args.{path}: {{{name}}} is an output of the factor {others[name]!r}: another factor's outputs cannot be used"
        else:
            there = ", ".join(sorted(known)) or "none"
            yield f"{where}.args.{path}: the placeholder {{{name}}} is missing; known here: {there}"
    if tool is not None and not missing:
        yield from _faults_of_arguments(task, where, tool, {name: known[name] for name in known if name not in earlier})


def _faults_of_arguments(task: TaskItem, where: str, tool: "PlanTool", values: Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield what a tool's schema says against arguments, as far as they are known before anything is executed."""
    arguments: dict[str, JsonValue] = {}
    open_ended = set()
    for name, value in task.args.items():
        if all(reference.split(".")[0] in values for _, reference in references(value)):
            try:
                arguments[name] = filled_in(value, values)
            except InputMissing as fault:
                yield f"{where}.args.{name}: {fault}"
                return
        else:
            open_ended.add(name)
    try:
        tool.arguments.model_validate(arguments)
    except ValidationError as problem:
        for error in problem.errors(include_url=False):
            if not (error["type"] == "missing" and error["loc"][0] in open_ended):
                yield f"{where}.args.{_line(error)} (tool {task.tool})"
    for name in sorted(open_ended - set(tool.arguments.model_fields)):
        yield f"{where}.args.{name}: the tool {task.tool} has no such argument; it takes {', '.join(tool.arguments.model_fields)}"


def _twice(names: Sequence[str], path: str, what: str) -> Iterator[str]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield f"{path.format(index)}: there is another {what} {name!r}"


def _line(error: Any) -> str:
    """Return a fault of a schema as `path: message`."""
    path = ""
    for part in error["loc"]:
        if part != "[key]":
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    message = str(error["msg"])
    return f"{path or 'plan'}: {message[0].lower()}{message[1:]}"


def _joined(faults: Sequence[str]) -> str:
    more = len(faults) - _MOST_FAULTS
    return "; ".join(faults[:_MOST_FAULTS]) + (f"; and {more} more" if more > 0 else "")


def _too_deep(value: Any, levels: int) -> bool:
    if not isinstance(value, Mapping | list | tuple):
        return False
    if levels == 0:
        return True
    return any(_too_deep(item, levels - 1) for item in (value.values() if isinstance(value, Mapping) else value))
