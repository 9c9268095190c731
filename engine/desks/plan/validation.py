"""Is a plan one that can be worked through? Every fault is named by its path: `factors[1].tasks[0].tool`.

What a schema can say is checked by it; here are tools, their arguments as far as they are known, and what names refer to.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError

from engine.desks.plan.references import filled_in, references
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.tools.protocol import PlanTool
from engine.domain.errors import BadInput
from engine.domain.plan.plan import DecompositionPlan, FactorPlan, TaskItem
from engine.domain.text.plain_json import TwiceTheSame, read_json
from engine.domain.text.reason import Reason

_MOST_CHARACTERS = 1_000_000
_MOST_VALUES = 100_000
_MOST_DEPTH = 8
_MOST_FAULTS = 5
_FREE = ("global_assumptions", "placeholders", "args")


class PlanFault(BadInput):
    """A plan cannot be worked through. The message names the path of each fault, up to five, and what would be right."""


def load_plan_from_json(source: str | Path | Mapping[str, Any], registry: ToolRegistry | None = None) -> DecompositionPlan:
    """Return the plan in a file (a path), in JSON text, or in an object. registry: whose tools it may use; None = the standard ones.

    Raises PlanFault, and BadInput for a file that cannot be read. What someone wrote is held to more than a model's plan: no reference
    where none is filled in.
    """
    plan = checked_plan(_parsed(source) if isinstance(source, str | Path) else source, registry or ToolRegistry())
    if faults := list(_unfilled_values(plan)):
        raise PlanFault(_joined(faults))
    return plan


def _parsed(source: str | Path) -> Any:
    is_text = isinstance(source, str) and source.lstrip()[:1] in {"{", "["}
    text = str(source) if is_text else _read(source)
    if len(text) > _MOST_CHARACTERS:
        raise PlanFault(Reason("plan_is_longer_than_characters", most_characters=f"{_MOST_CHARACTERS:,}"))
    try:
        return read_json(text)
    except TwiceTheSame as problem:
        raise PlanFault(Reason("plan_fault", problem=problem)) from None
    except (ValueError, RecursionError) as problem:
        raise PlanFault(Reason("plan_is_not_json", problem=str(problem)[:200])) from None


def _read(source: str | Path) -> str:
    """Return the text of a file, no more of it than a plan can be long."""
    if not str(source).strip():
        raise BadInput(Reason("plan_is_file"))
    try:
        with Path(source).open(encoding="utf-8-sig") as file:
            return file.read(_MOST_CHARACTERS + 1)
    except (OSError, ValueError) as problem:  # no such file, no text, no path
        raise BadInput(
            Reason("plan_file_cannot_be_read", source=str(source)[:200], problem=getattr(problem, "strerror", None) or problem)
        ) from None


def checked_plan(data: Any, registry: ToolRegistry) -> DecompositionPlan:
    """Return the plan that JSON holds. Raises PlanFault."""
    if not isinstance(data, Mapping):
        raise PlanFault(Reason("plan_is_no_object"))
    if fault := _too_large(data):
        raise PlanFault(fault)
    try:
        plan = DecompositionPlan.model_validate(data)
    except ValidationError as problem:
        raise PlanFault(_joined([_of_schema(error) for error in _own_faults(problem)])) from None
    require_sound(plan, registry)
    return plan


def require_sound(plan: DecompositionPlan, registry: ToolRegistry) -> None:
    """Raise PlanFault for a plan that cannot be worked through."""
    if faults := list(_faults_of(plan, registry)):
        raise PlanFault(_joined(faults))


def _faults_of(plan: DecompositionPlan, registry: ToolRegistry) -> Iterator[str]:
    """Yield what keeps a plan from being worked through, each with its path."""
    others = {task.output_key: factor.name for factor in plan.factors for task in factor.tasks}
    yield from _twice([factor.name for factor in plan.factors], "factors[{}].name", "plan_has_factor_twice")
    for place, factor in enumerate(plan.factors):
        yield from _faults_of_factor(factor, f"factors[{place}]", plan.global_assumptions, others, registry)


def _faults_of_factor(
    factor: FactorPlan, path: str, assumptions: Mapping[str, JsonValue], others: Mapping[str, str], registry: ToolRegistry
) -> Iterator[str]:
    """Yield the faults of a factor. others: output of any task of the plan -> the name of its factor."""
    outputs = [task.output_key for task in factor.tasks]
    yield from _twice([task.id for task in factor.tasks], path + ".tasks[{}].id", "plan_has_task_twice")
    yield from _twice(outputs, path + ".tasks[{}].output_key", "plan_has_output_twice")
    for name in sorted(factor.placeholders.keys() & assumptions.keys()):
        yield _at(f"{path}.placeholders.{name}", Reason("plan_name_is_an_assumption"))
    given = {**assumptions, **factor.placeholders}
    for index, task in enumerate(factor.tasks):
        where, tool, known = f"{path}.tasks[{index}]", registry.get(task.tool), {*given, *outputs[:index]}
        if task.output_key in given:
            yield _at(f"{where}.output_key", Reason("plan_output_is_named_already", name=repr(task.output_key)))
        if tool is None:
            yield _at(f"{where}.tool", Reason("there_is_no_tool", name=repr(task.tool), tools=", ".join(registry.names)))
        named = ((place, reference.split(".")[0]) for place, reference in references(dict(task.args)))
        missing = [(place, name) for place, name in named if name not in known]
        for place, name in missing:
            yield _at(f"{where}.args.{place}", _missing(name, outputs, others, known))
        if tool is not None and not missing:
            yield from _faults_of_arguments(task, where, tool, given)


def _missing(name: str, outputs: Sequence[str], others: Mapping[str, str], known: Set[str]) -> Reason:
    """Return why nothing can be put in for a name."""
    if name in outputs:
        return Reason("plan_output_is_not_known_yet", name=f"{{{name}}}")
    if name in others:
        return Reason("plan_output_is_of_another_factor", name=f"{{{name}}}", factor=repr(others[name]))
    return Reason("plan_placeholder_is_missing", name=f"{{{name}}}", known=", ".join(sorted(known)) or "none")


def _faults_of_arguments(task: TaskItem, where: str, tool: PlanTool, values: Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield what a tool's schema says against arguments, as far as they are known before anything is executed."""
    arguments: dict[str, JsonValue] = {}
    open_ended = set()
    for name, value in task.args.items():
        if all(reference.split(".")[0] in values for _, reference in references(value)):
            try:
                arguments[name] = filled_in(value, values)
            except BadInput as fault:  # no value, or one that is too long
                yield _at(f"{where}.args.{name}", str(fault))
                return
        else:
            open_ended.add(name)
    try:
        tool.arguments.model_validate(arguments)
    except ValidationError as problem:
        for error in problem.errors(include_url=False):
            if not (error["type"] == "missing" and error["loc"][0] in open_ended):
                yield Reason("plan_fault_of_tool", fault=_of_schema(error, f"{where}.args"), tool=task.tool)
    for name in sorted(open_ended - set(tool.arguments.model_fields)):
        yield _at(
            f"{where}.args.{name}", Reason("plan_argument_is_unknown", tool=task.tool, arguments=", ".join(tool.arguments.model_fields))
        )


def _twice(names: Sequence[str], path: str, key: str) -> Iterator[str]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield _at(path.format(index), Reason(key, name=repr(name)))


def _unfilled_values(plan: DecompositionPlan) -> Iterator[str]:
    """Yield placeholders and assumptions that refer to others, in a circle or not: values are put in as they are."""
    outputs = {task.output_key for factor in plan.factors for task in factor.tasks}
    rooms = [("global_assumptions", plan.global_assumptions)]
    rooms += [(f"factors[{place}].placeholders", factor.placeholders) for place, factor in enumerate(plan.factors)]
    known = outputs.union(*(values for _, values in rooms))
    for room, values in rooms:
        for path, reference in references(dict(values)):
            if reference.split(".")[0] in known:
                yield _at(f"{room}.{path}", Reason("plan_value_is_not_filled_in", reference=f"{{{reference}}}"))


def _own_faults(problem: ValidationError) -> list[Any]:
    """Return the faults of a schema, without those that only follow from one inside: a list is not too short because its entry is wrong."""
    errors = problem.errors(include_url=False, include_input=False)
    places = [error["loc"] for error in errors]

    def follows(error: Any) -> bool:
        own = error["loc"]
        return error["type"] == "too_short" and any(len(place) > len(own) and place[: len(own)] == own for place in places)

    return [error for error in errors if not follows(error)]


def _of_schema(error: Any, before: str = "") -> Reason:
    """Return a fault of a schema. before: the path of what has the schema."""
    place, limits = _without_tags(error["loc"]), error.get("ctx", {})
    path = before + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place if part != "[key]")
    message = f"{error['msg'][0].lower()}{error['msg'][1:]}"
    if error["type"] == "too_long" and "max_length" in limits:
        most, found = limits["max_length"], limits.get("actual_length")
        message = Reason("plan_holds_too_many", most=most, found=found) if found else Reason("plan_holds_at_most", most=most)
    elif error["type"] == "hidden":
        message = Reason("plan_text_is_hidden", text=limits["text"])
    return _at(path.removeprefix(".") or "plan", message)


def _without_tags(place: Sequence[Any]) -> Sequence[Any]:
    """Return where a fault is without what a schema adds inside of a free value: the kind of each thing that it went into."""
    room = next((at for at, part in enumerate(place) if part in _FREE), None)
    if room is None or "[key]" in place:
        return place
    return (*place[: room + 2], *place[room + 3 :: 2])


def _at(path: str, fault: str) -> Reason:
    return Reason("about", who=path, what=fault)


def _joined(faults: Sequence[str]) -> str:
    more = len(faults) - _MOST_FAULTS
    shown = Reason.listed(faults[:_MOST_FAULTS])
    return Reason("faults_and_more", faults=shown, more=more) if more > 0 else shown


def _too_large(data: Any) -> Reason | None:
    """Return why JSON is too deep or too much to be a plan, None where it is not. No more values are looked at than a plan may have."""
    waiting, values, characters = [(data, 0)], 0, 0
    while waiting:
        value, depth = waiting.pop()
        values += 1
        if isinstance(value, str):
            characters += len(value)
        elif isinstance(value, Mapping | list | tuple):
            if depth > _MOST_DEPTH + 5:
                return Reason("plan_is_nested_too_deeply", most=_MOST_DEPTH)
            inside = value.values() if isinstance(value, Mapping) else value
            characters += sum(len(key) for key in value if isinstance(key, str)) if isinstance(value, Mapping) else 0
            waiting += [(item, depth + 1) for item in islice(inside, _MOST_VALUES)]
        if values > _MOST_VALUES or len(waiting) > 2 * _MOST_VALUES:
            return Reason("plan_has_too_many_values", most=f"{_MOST_VALUES:,}")
        if characters > _MOST_CHARACTERS:
            return Reason("plan_is_longer_than_characters", most_characters=f"{_MOST_CHARACTERS:,}")
    return None
