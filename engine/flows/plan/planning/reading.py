"""The plan in a model's answer: the last JSON object with factors in it, or the arguments of a call. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from engine.domain.plan.plan import DecompositionPlan
from engine.flows.plan.registry import ToolRegistry
from engine.flows.plan.validation import PlanFault, checked_plan
from engine.llm.blocks import visible
from engine.llm.values import Unreadable

_MOST_CHARACTERS = 60_000
_MOST_TRIES = 200


def read_plan(text: str, question: str, registry: ToolRegistry) -> DecompositionPlan:
    """Return the plan in an answer. question: stands in it whatever the model writes. Raises Unreadable, with the path of the fault."""
    shown = visible(text)
    if len(shown) > _MOST_CHARACTERS:
        raise Unreadable(f"the answer is longer than {_MOST_CHARACTERS} characters")
    decoder, at, found = json.JSONDecoder(), shown.find("{"), None
    for _ in range(_MOST_TRIES):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(shown, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = value if isinstance(value, dict) and "factors" in value else found
        at = shown.find("{", end)
    if found is None:
        raise Unreadable("there is no JSON object with `factors` in the answer")
    return plan_of(found, question, registry)


def read_call(arguments: str, question: str, registry: ToolRegistry) -> DecompositionPlan:
    """Return the plan in the arguments of a call. Raises Unreadable."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        raise Unreadable("the arguments are no JSON") from None
    if not isinstance(value, dict):
        raise Unreadable("the arguments are no object")
    return plan_of(value, question, registry)


def plan_of(value: Mapping[str, Any], question: str, registry: ToolRegistry) -> DecompositionPlan:
    """Return the plan that JSON of a model holds. Raises Unreadable."""
    try:
        return checked_plan({**value, "question": question}, registry)
    except PlanFault as fault:
        raise Unreadable(str(fault)) from None
