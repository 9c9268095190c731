"""The plan of a proposal as inputs: levels, size and leverage, with what each is worth; a change is measured at once."""

from dataclasses import dataclass
from decimal import Decimal

import streamlit as st
from markupsafe import Markup

from engine.api import Change, Engine
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.risk import MOST_LEVERAGE
from pages.frame import numbers
from pages.frame.escape import markup, plain
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.trading.levels import exact, first_value, has_limit, input_key, number, step_format
from pages.trading.previews import AS_IT_IS, beside
from pages.trading.proposal_state import PreviewState, base_unit, breached, is_priced_now, quote_unit
from pages.trading.signed_numbers import away


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


def draft_as_it_is(proposal: Proposal, preview_state: PreviewState) -> Draft:
    """Return the draft of a form in which nothing was changed."""
    return Draft(AS_IT_IS, proposal.plan, preview_state)


def plan_inputs(engine: Engine, proposal: Proposal, preview_state: PreviewState, show: Show) -> Draft:
    """Draw the inputs and give what is in them. preview_state: of the proposal as it is."""
    plan, seen = proposal.plan, preview_state.preview
    price = seen.conditions.price if seen else float(proposal.figures.price)
    most = (seen.conditions.limits(proposal.basis) if seen else proposal.basis.risk).max_leverage
    has = {
        "limit": has_limit(proposal),
        "stop": not plan.reduce_only and plan.stop is not None,
        "target": not plan.reduce_only and plan.target is not None,
        "amount": plan.reduce_only or not plan.protects,
        "leverage": not plan.reduce_only and not plan.protects and plan.leverage is not None,
    }
    names = [name for name, is_there in has.items() if is_there]
    values: dict[str, float | None] = {}
    with st.container(key="plan-inputs"):
        for column, name in zip(st.columns(len(names)), names, strict=True):
            with column:
                values[name] = _input(proposal, name, show)
                draw_html(markup('<div class="tb tb-lab">{}</div>', _remark(proposal, name, values[name], price, most, show)))
    change = _change(proposal, values)
    drafted = plan.model_copy(update={name: exact(value, name) for name, value in values.items()})
    if refused := _limit_trouble(proposal, values.get("limit"), preview_state, show):
        return Draft(change, drafted, preview_state, refused)
    if change != AS_IT_IS and (seen or preview_state.trouble):
        preview_state = beside(engine, proposal, change, preview_state)
    return Draft(change, drafted, preview_state)


def _input(proposal: Proposal, name: str, show: Show) -> float | None:
    """Draw one input and return what is in it; None of a limit price = at market."""
    say, terms, is_limit = show.say, proposal.basis.terms, name == "limit"
    key, value, shut = input_key(proposal, name), first_value(proposal, name), not proposal.is_waiting
    if name == "leverage":
        assert value is not None  # the plan has it
        most = min(terms.max_leverage, MOST_LEVERAGE)
        return st.number_input(say(name).capitalize(), 1, most, min(int(value), most), step=1, key=key, disabled=shut)
    step = terms.amount_step if name == "amount" else terms.price_step
    return st.number_input(
        say("size_in", unit=base_unit(proposal, say)) if name == "amount" else say("eq_limit") if is_limit else say(name).capitalize(),
        min_value=float(step),
        value=max(value, float(step)) if value is not None else None,
        step=float(step),
        format=step_format(step),
        placeholder=say("at_market_now") if is_limit else None,
        help=say("limit_help") if is_limit else None,
        key=key,
        disabled=shut,
    )


def _remark(proposal: Proposal, name: str, value: float | None, price: float, most: float, show: Show) -> Markup:
    """Return `was 78,200.0 · +0.23 % · 1.9 ATR`. most: the leverage that is allowed now, x."""
    say, machine, step = show.say, getattr(proposal.machine, name), float(proposal.basis.terms.price_step)
    parts, is_level = [], name in ("stop", "target")
    if name == "limit" or value is None:
        if number(machine) != value:
            parts.append(plain(f"{say('was')} {numbers.price(float(machine), step) if machine is not None else say('at_market_now')}"))
        if value is not None and price:
            parts.append(plain(numbers.signed_percent((value / price - 1) * 100)))
        return Markup(" · ").join(parts)
    if machine is not None and float(machine) != value:
        old = numbers.price(float(machine), step) if is_level else f"{machine:f}" if isinstance(machine, Decimal) else f"{machine}×"
        parts.append(markup("{} <s>{}</s>", say("was"), old))
    if is_level:
        parts.append(plain(away(proposal, value, price, show)))
    elif name == "amount":
        parts.append(plain(f"{numbers.number(value * price)} {quote_unit(proposal)}"))
        parts.append(plain(_whole_lots_remark(proposal, value, show)))
    else:
        parts.append(plain(say("most_x", n=numbers.number(most))))
    return Markup(" · ").join(part for part in parts if part)


def _whole_lots_remark(proposal: Proposal, value: float, show: Show) -> str:
    """Return that a size is cut to whole lots, "" where it is one already, and of contracts."""
    size, lot = Decimal(str(value)), proposal.basis.terms.amount_step
    if not has_limit(proposal) or lot <= 1 or (proposal.plan.reduce_only and size == proposal.plan.amount) or not size % lot:
        return ""
    return show.say("lots_cut", lot=f"{lot:f}", n=numbers.number(float(size - size % lot)))


def _limit_trouble(proposal: Proposal, value: float | None, preview_state: PreviewState, show: Show) -> str:
    """Return why a limit price cannot be ordered at, "" where it can: between two steps of the market, or outside what its session
    allows. preview_state: of the proposal as it is."""
    if value is None:
        return ""
    asked, terms = Decimal(str(value)), proposal.basis.terms
    step = float(terms.price_step)
    if asked % terms.price_step:
        nearest = numbers.price(float(terms.price(asked)), step)
        return show.say("limit_off_step", x=numbers.grouped(f"{asked:f}"), step=f"{terms.price_step:f}", nearest=nearest)
    bounds = preview_state.preview.conditions.session_prices if preview_state.preview is not None else None
    if bounds is None or bounds[0] <= asked <= bounds[1]:
        return ""
    low, high = (numbers.price(float(bound), step) for bound in bounds)
    return show.say("limit_beyond_session", x=numbers.price(value, step), low=low, high=high)


def _change(proposal: Proposal, values: dict[str, float | None]) -> Change:
    changed = {name: value for name, value in values.items() if number(getattr(proposal.plan, name)) != value}
    leverage = changed.get("leverage")
    return Change(
        changed.get("stop"),
        changed.get("target"),
        changed.get("amount"),
        int(leverage) if leverage is not None else None,
        changed.get("limit"),
        at_market="limit" in changed and changed["limit"] is None,
    )
