"""The plan of a proposal in a person's hands: levels, size and leverage as inputs, and what a change would mean, answered at once.

The inputs and the lines of the chart are the same numbers: a dragged line sets its input.
"""

from dataclasses import dataclass, replace
from decimal import Decimal

import streamlit as st
from markupsafe import Markup

from engine.api import Change, Engine
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.risk import MOST_LEVERAGE
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.escape import markup, plain
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.trading.change_table import Measured, change_faults, change_table
from pages.trading.previews import AS_IT_IS, beside
from pages.trading.proposal_state import PreviewState, base_unit, breached, is_priced_now, price_sentence, quote_unit
from pages.trading.share_orders import has_limit, limit_input, limit_remark, limit_trouble, whole_lots_remark
from pages.trading.signed_numbers import away

_INPUTS = ("limit", "stop", "target", "amount", "leverage")
_DRAWN = "drawn-levels"


@dataclass(frozen=True)
class Draft:
    """The values in the form. change: what differs from the proposal. preview_state: what that would mean now; without a preview before
    one was asked for. refused: why what is there is no order, "" where it is one."""

    change: Change
    plan: OrderPlan
    preview_state: PreviewState
    refused: str = ""

    @property
    def is_changed(self) -> bool:
        """Whether a person wants something else than what is there."""
        return self.change != AS_IT_IS

    def can_be_signed(self, proposal: Proposal) -> bool:
        """Return whether this draft of a proposal was measured at the price of now, and nothing that is known keeps it from being
        signed."""
        seen = self.preview_state
        if self.refused or seen.halted or seen.trouble or seen.preview is None or not is_priced_now(proposal, seen):
            return False
        return not (seen.preview.locks or breached(seen.preview.limits))


@dataclass
class _Given:
    """What the inputs of one version of a proposal begin with, where that is not its plan. version: counts up with every such change, and
    makes new inputs: a value that is set into an existing one can be lost on the way to a browser that has just come."""

    version: int
    values: dict[str, float | None]


def _given(proposal: Proposal) -> _Given:
    kept: dict[str, _Given] = st.session_state.setdefault("given-plans", {})
    return kept.setdefault(proposal.hash, _Given(0, {}))


def input_key(proposal: Proposal, name: str) -> str:
    """Of an input; another version of the proposal, or of what its inputs begin with, has inputs of its own."""
    return f"plan-{name}-{proposal.id}-{proposal.hash[:8]}-{_given(proposal).version}"


def _value(proposal: Proposal, name: str) -> float | None:
    """Return the value of an input, or the one it will begin with; None if there is no limit price."""
    key = input_key(proposal, name)
    kept = st.session_state.get(key)
    if isinstance(kept, int | float) or (key in st.session_state and name == "limit"):
        return float(kept) if kept is not None else None
    return _begins(proposal, name)


def _begins(proposal: Proposal, name: str) -> float | None:
    """Return what an input begins with."""
    planned = getattr(proposal.plan, name)
    return _given(proposal).values.get(name, float(planned) if planned is not None else None)


def _has(proposal: Proposal, name: str) -> bool:
    """Return whether a plan has an input of this name."""
    return getattr(proposal.plan, name) is not None or (name == "limit" and has_limit(proposal))


def _give(proposal: Proposal, values: dict[str, float | None]) -> None:
    """Begin anew with these values, and with what is in the other inputs."""
    names = [name for name in _INPUTS if _has(proposal, name)]
    given = _given(proposal)
    given.values = {name: _value(proposal, name) for name in names} | {name: values[name] for name in names if name in values}
    given.version += 1


def set_level(proposal: Proposal, name: str, price: float) -> None:
    """Set a level to where its line of the chart was dragged. What is no level of this plan changes nothing."""
    if proposal.is_waiting and getattr(proposal.plan, name, None) is not None and 0 < price < float("inf"):
        _give(proposal, {name: float(proposal.basis.terms.price(Decimal(str(price))))})


def drafted_levels(proposal: Proposal) -> OrderPlan:
    """Return the plan with limit, stop and target as they stand in the inputs, where there are any."""
    levels = [name for name in ("limit", "stop", "target") if _has(proposal, name)]
    return proposal.plan.model_copy(update={name: _exact(_value(proposal, name), name) for name in levels})


def opened(proposal: Proposal, what: str) -> str:
    """Return the name under which the desk remembers that something of a proposal was opened: `edits`, `rejects`."""
    return f"{what}-{proposal.id}"


def drag_level(proposal: Proposal, name: str, price: float) -> None:
    """Open the form with a level that was dragged on the desk's chart, in place of the reasons to reject."""
    st.session_state[opened(proposal, "edits")] = True
    st.session_state[opened(proposal, "rejects")] = False
    set_level(proposal, name, price)


def levels_are_drawn(proposal: Proposal | None) -> None:
    """Note that the desk's chart is drawn with the levels of the form; None: without any that can change. Called before drawing."""
    st.session_state[_DRAWN] = _levels(proposal) if proposal is not None else None


def are_drawn(proposal: Proposal) -> bool:
    """Return whether the desk's chart shows the levels of the form."""
    return st.session_state.get(_DRAWN) in (None, _levels(proposal))


def _levels(proposal: Proposal) -> tuple[str, Decimal | None, Decimal | None, Decimal | None]:
    plan = drafted_levels(proposal)
    return proposal.id, plan.limit, plan.stop, plan.target


def plan_inputs(engine: Engine, proposal: Proposal, preview_state: PreviewState, show: Show) -> Draft:
    """Draw the inputs and give what is in them. preview_state: of the proposal as it is."""
    plan = proposal.plan
    price = preview_state.preview.conditions.price if preview_state.preview else float(proposal.figures.price)
    limits = preview_state.preview.conditions.limits(proposal.basis) if preview_state.preview else proposal.basis.risk
    most = limits.max_leverage
    names = ["amount"] if plan.reduce_only else [name for name in ("stop", "target") if getattr(plan, name) is not None]
    if not (plan.reduce_only or plan.protects):
        names += ["amount", "leverage"] if plan.leverage is not None else ["amount"]
    names = ["limit", *names] if has_limit(proposal) else names
    values: dict[str, float | None] = {}
    with st.container(key="plan-inputs"):
        for column, name in zip(st.columns(len(names)), names, strict=True):
            with column:
                values[name] = _input(proposal, name, show)
                draw_html(markup('<div class="tb tb-lab">{}</div>', _remark(proposal, name, values[name], price, most, show)))
    change = _change(proposal, values)
    drafted = plan.model_copy(update={name: _exact(value, name) for name, value in values.items()})
    if refused := limit_trouble(proposal, values.get("limit"), preview_state, show):
        return Draft(change, drafted, preview_state, refused)
    if change != AS_IT_IS and (preview_state.preview or preview_state.trouble):
        preview_state = beside(engine, proposal, change, preview_state)
    return Draft(change, drafted, preview_state)


def _input(proposal: Proposal, name: str, show: Show) -> float | None:
    say, terms = show.say, proposal.basis.terms
    key, value = input_key(proposal, name), _begins(proposal, name)
    if name == "limit":
        return limit_input(proposal, value, key, show)
    assert value is not None  # the plan has it
    label = say("size_in", unit=base_unit(proposal, say)) if name == "amount" else say(name).capitalize()
    if name == "leverage":
        most = min(terms.max_leverage, MOST_LEVERAGE)
        return st.number_input(label, 1, most, min(int(value), most), step=1, key=key, disabled=not proposal.is_waiting)
    step = float(terms.amount_step if name == "amount" else terms.price_step)
    digits = max(0, -int(Decimal(str(step)).normalize().as_tuple().exponent))
    return st.number_input(
        label, min_value=step, value=max(value, step), step=step, format=f"%.{digits}f", key=key, disabled=not proposal.is_waiting
    )


def _remark(proposal: Proposal, name: str, value: float | None, price: float, most: float, show: Show) -> Markup:
    """Return `was 78,200.0 · +0.23 % · 1.9 ATR`. most: the leverage that is allowed now, x."""
    if name == "limit" or value is None:
        return plain(limit_remark(proposal, value, price, show))
    say, machine, step = show.say, getattr(proposal.machine, name), float(proposal.basis.terms.price_step)
    is_level = name in ("stop", "target")
    parts = []
    if machine is not None and float(machine) != value:
        old = numbers.price(float(machine), step) if is_level else f"{machine:f}" if isinstance(machine, Decimal) else f"{machine}×"
        parts.append(markup("{} <s>{}</s>", say("was"), old))
    if is_level:
        parts.append(plain(away(proposal, value, price, show)))
    elif name == "amount":
        parts.append(plain(f"{numbers.number(value * price)} {quote_unit(proposal)}"))
        parts.append(plain(whole_lots_remark(proposal, value, show)))
    else:
        parts.append(plain(say("most_x", n=numbers.number(most))))
    return Markup(" · ").join(part for part in parts if part)


def _exact(value: float | None, name: str) -> Decimal | int | None:
    if value is None:
        return None
    return int(value) if name == "leverage" else Decimal(str(value))


def _change(proposal: Proposal, values: dict[str, float | None]) -> Change:
    planned = {name: float(own) if (own := getattr(proposal.plan, name)) is not None else None for name in values}
    changed = {name: value for name, value in values.items() if planned[name] != value}
    leverage = changed.get("leverage")
    return Change(
        changed.get("stop"),
        changed.get("target"),
        changed.get("amount"),
        int(leverage) if leverage is not None else None,
        changed.get("limit"),
        at_market="limit" in changed and changed["limit"] is None,
    )


def back_to_machine(proposal: Proposal) -> None:
    """Put what the machine planned back into the inputs."""
    planned = {name: getattr(proposal.machine, name) for name in _INPUTS if _has(proposal, name)}
    _give(proposal, {name: float(value) if value is not None else None for name, value in planned.items()})


def draw_comparison(engine: Engine, proposal: Proposal, draft: Draft, show: Show, *, folded: bool = False) -> None:
    """Draw machine / yours / change, or the one column of a plan that was not changed; what cannot be worked out is said in its place.
    folded: the table can be unfolded, and what keeps the plan from being signed is there in any case: the chart whose lines are dragged
    stays in sight."""
    if draft.refused:
        draw_html(message(draft.refused, bad=True))
        return
    if draft.preview_state.trouble:
        draw_html(message(show.say("lock_unseen", why=show.translated(draft.preview_state.trouble)), bad=True))
        return
    machine: Measured | None = (proposal.machine_figures, proposal.limits)
    yours: Measured = (proposal.figures, proposal.limits)
    if draft.preview_state.preview is not None:
        yours = draft.preview_state.preview.figures, draft.preview_state.preview.limits
        same = draft.plan == proposal.machine and not draft.plan.protects
        machine = None if same else _machine_now(engine, proposal, draft.preview_state, (proposal.machine_figures, proposal.limits))
    measured_at = price_sentence(proposal, draft.plan, draft.preview_state, float(yours[0].price), show)
    compared = change_table(proposal, machine, yours, show, measured_at)
    against = change_faults(proposal, yours, show, draft.plan, draft.preview_state.preview)
    if not folded:
        draw_html(markup('<div class="tb tb-change">{}{}</div>', compared, against))
        return
    draw_html(markup('<div class="tb tb-change">{}</div>', against) if against else Markup())
    with st.expander(show.say("compare_plans"), key=f"compare-{proposal.id}"):
        draw_html(markup('<div class="tb tb-change">{}</div>', compared))


def _machine_now(engine: Engine, proposal: Proposal, seen: PreviewState, as_filed: Measured) -> Measured:
    """Return the machine's plan at the same price as the other one, so that only the plans differ."""
    plan = proposal.machine
    stop, target = (float(value) if value is not None else None for value in (plan.stop, plan.target))
    if plan.protects:
        current = seen.preview.conditions.current_stop if seen.preview else None
        change = Change(float(current) if current is not None else stop, target)
    else:
        entry = float(plan.limit) if plan.limit is not None else None
        limit = Change(entry=entry, at_market=entry is None) if has_limit(proposal) else AS_IT_IS
        sized = Change(size=float(plan.amount)) if plan.reduce_only else Change(stop, target, float(plan.amount), plan.leverage)
        change = replace(sized, entry=limit.entry, at_market=limit.at_market)
    preview_state = beside(engine, proposal, change, seen)
    return (preview_state.preview.figures, preview_state.preview.limits) if preview_state.preview else as_filed
