"""What is particular to an order for shares in a person's hands: its limit price, its lots, the prices its session allows."""

from decimal import Decimal

import streamlit as st

from engine.domain.holding import NATURES
from engine.domain.proposal import Proposal
from pages.frame import numbers
from pages.frame.show import Show
from pages.trading.proposal_state import PreviewState


def has_limit(proposal: Proposal) -> bool:
    """Return whether a limit price can be set: of shares alone; contracts are ordered at market."""
    return NATURES[proposal.basis.instrument].in_sessions


def limit_input(proposal: Proposal, start: float | None, key: str, show: Show) -> float | None:
    """Draw the input of the limit price and return what is in it, currency a share; None = at market. start: what it begins with."""
    step = float(proposal.basis.terms.price_step)
    digits = max(0, -int(proposal.basis.terms.price_step.normalize().as_tuple().exponent))
    return st.number_input(
        show.say("eq_limit"),
        min_value=step,
        value=start,
        step=step,
        format=f"%.{digits}f",
        placeholder=show.say("at_market_now"),
        help=show.say("limit_help"),
        key=key,
        disabled=not proposal.is_waiting,
    )


def limit_remark(proposal: Proposal, value: float | None, price: float, show: Show) -> str:
    """Return `was 113.50 · −1.58 %`, how far the limit is from the price; what the machine had where that was another."""
    machine, step = proposal.machine.limit, float(proposal.basis.terms.price_step)
    parts = []
    if (float(machine) if machine is not None else None) != value:
        was = numbers.price(float(machine), step) if machine is not None else show.say("at_market_now")
        parts.append(f"{show.say('was')} {was}")
    if value is not None and price:
        parts.append(numbers.signed_percent((value / price - 1) * 100))
    return " · ".join(parts)


def whole_lots_remark(proposal: Proposal, value: float, show: Show) -> str:
    """Return that a size is cut to whole lots, "" where it is one already, and of contracts."""
    lot = proposal.basis.terms.amount_step
    if not has_limit(proposal) or lot <= 1 or (proposal.plan.reduce_only and Decimal(str(value)) == proposal.plan.amount):
        return ""
    rest = Decimal(str(value)) % lot
    return show.say("lots_cut", lot=f"{lot:f}", n=numbers.number(float(Decimal(str(value)) - rest))) if rest else ""


def limit_trouble(proposal: Proposal, value: float | None, preview_state: PreviewState, show: Show) -> str:
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
