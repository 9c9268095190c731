"""The levels of a plan in a person's hands. The inputs of its form and the lines of its chart are the same numbers: a dragged line sets its
input.
"""

from dataclasses import dataclass, field
from decimal import Decimal

import streamlit as st

from engine.domain.holding import NATURES
from engine.domain.proposal import OrderPlan, Proposal
from pages.frame import json_fields

_INPUTS = ("limit", "stop", "target", "amount", "leverage")
_DRAWN = "drawn-levels"


@dataclass
class _Given:
    """What the inputs of one version of a proposal begin with, where that is not its plan. version: counts up with every such change, and
    makes new inputs: a value that is set into an existing one can be lost on the way to a browser that has just come."""

    version: int = 0
    values: dict[str, float | None] = field(default_factory=dict)


def _given(proposal: Proposal) -> _Given:
    kept: dict[str, _Given] = st.session_state.setdefault("given-plans", {})
    return kept.setdefault(proposal.hash, _Given())


def input_key(proposal: Proposal, name: str) -> str:
    """Of an input; another version of the proposal, or of what its inputs begin with, has inputs of its own."""
    return f"plan-{name}-{proposal.id}-{proposal.hash[:8]}-{_given(proposal).version}"


def first_value(proposal: Proposal, name: str) -> float | None:
    """Return what an input begins with; None if there is no limit price."""
    return _given(proposal).values.get(name, number(getattr(proposal.plan, name)))


def _value(proposal: Proposal, name: str) -> float | None:
    """Return the value of an input, or the one it will begin with."""
    key = input_key(proposal, name)
    kept = st.session_state.get(key)
    if isinstance(kept, int | float) or (key in st.session_state and name == "limit"):
        return number(kept)
    return first_value(proposal, name)


def has_limit(proposal: Proposal) -> bool:
    """Return whether a limit price can be set: of shares alone; contracts are ordered at market."""
    return NATURES[proposal.basis.instrument].in_sessions


def _inputs(proposal: Proposal, *names: str) -> list[str]:
    """Return those names of which the plan has an input."""
    return [name for name in names if getattr(proposal.plan, name) is not None or (name == "limit" and has_limit(proposal))]


def _give(proposal: Proposal, values: dict[str, float | None]) -> None:
    """Begin anew with these values, and with what is in the other inputs."""
    given = _given(proposal)
    given.values = {name: values[name] if name in values else _value(proposal, name) for name in _inputs(proposal, *_INPUTS)}
    given.version += 1


def back_to_machine(proposal: Proposal) -> None:
    """Put what the machine planned back into the inputs."""
    _give(proposal, {name: number(getattr(proposal.machine, name)) for name in _inputs(proposal, *_INPUTS)})


def set_level(proposal: Proposal, name: str, price: float) -> None:
    """Set a level to where its line of the chart was dragged. What is no level of this plan changes nothing."""
    if proposal.is_waiting and getattr(proposal.plan, name, None) is not None and 0 < price < float("inf"):
        _give(proposal, {name: float(proposal.basis.terms.price(Decimal(str(price))))})


def drag_level(proposal: Proposal, name: str, price: float) -> None:
    """Open the form with a level that was dragged on the desk's chart, in place of the reasons to reject."""
    st.session_state[opened(proposal, "edits")] = True
    st.session_state[opened(proposal, "rejects")] = False
    set_level(proposal, name, price)


def opened(proposal: Proposal, what: str) -> str:
    """Return the name under which a page remembers that something of a proposal was opened: `edits`, `rejects`."""
    return f"{what}-{proposal.id}"


def drafted_levels(proposal: Proposal) -> OrderPlan:
    """Return the plan with limit, stop and target as they are in the inputs, where there are any."""
    levels = {name: exact(_value(proposal, name), name) for name in _inputs(proposal, "limit", "stop", "target")}
    return proposal.plan.model_copy(update=levels)


def levels_are_drawn(proposal: Proposal | None) -> None:
    """Note that the desk's chart is drawn with the levels of the form; None: without any that can change. Called before drawing."""
    st.session_state[_DRAWN] = _levels(proposal) if proposal is not None else None


def are_drawn(proposal: Proposal) -> bool:
    """Return whether the desk's chart shows the levels of the form."""
    return st.session_state.get(_DRAWN) in (None, _levels(proposal))


def _levels(proposal: Proposal) -> tuple[str, Decimal | None, Decimal | None, Decimal | None]:
    plan = drafted_levels(proposal)
    return proposal.id, plan.limit, plan.stop, plan.target


def number(value: Decimal | float | None) -> float | None:
    """Return a level or an amount as an input has it."""
    return float(value) if value is not None else None


def exact(value: float | None, name: str) -> Decimal | int | None:
    """Return the value of an input as a plan has it."""
    if value is None:
        return None
    return int(value) if name == "leverage" else Decimal(str(value))


def step_format(step: Decimal | float) -> str:
    """Return how an input writes a number of so many steps: `%.1f`."""
    return f"%.{max(0, -int(Decimal(str(step)).normalize().as_tuple().exponent))}f"


def with_levels(marks: list[json_fields.Fields], plan: OrderPlan) -> list[json_fields.Fields]:
    """Return a chart's annotations with stop and target where the plan has them, and the entry at its limit price where it has one."""
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
