"""The levels of a plan among what a chart marks."""

from engine.domain.proposal import OrderPlan
from pages.frame import json_fields


def with_levels(marks: list[json_fields.Fields], plan: OrderPlan) -> list[json_fields.Fields]:
    """Return the annotations with stop and target where the plan has them, and the entry at its limit price where it has one."""
    fields = {"stop": plan.stop, "target": plan.target, "entry": plan.limit}
    levels = {name: float(value) for name, value in fields.items() if value is not None}
    return [{**mark, "price": levels[str(mark["type"])]} if mark.get("type") in levels else mark for mark in marks]


def with_held_levels(marks: list[json_fields.Fields], stop: float | None, target: float | None) -> list[json_fields.Fields]:
    """Return the annotations with the stop and the target of the position that is held, where a decision has set none of its own."""
    known = {mark.get("type") for mark in marks}
    entry = next((mark for mark in marks if mark.get("type") == "entry"), None)
    if entry is None:
        return marks
    levels = {"stop": stop, "target": target}
    return [*marks, *({**entry, "type": name, "price": level} for name, level in levels.items() if level is not None and name not in known)]


def with_entry(marks: list[json_fields.Fields], price: float) -> list[json_fields.Fields]:
    """Return the annotations with the entry at the price it was filled at."""
    return [{**mark, "price": price} if mark.get("type") == "entry" else mark for mark in marks]
