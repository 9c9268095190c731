"""The chart of another stop or target that waits for a signature: the market of the position as it is now, and not that of its run."""

from functools import partial

import streamlit as st

from engine.api import Engine, HeldPosition
from engine.domain.errors import TribunalError
from engine.domain.proposal import OrderPlan, Proposal
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.positions.position_chart import draw_position_chart
from pages.trading.levels import set_level


def draw_change_chart(engine: Engine, proposal: Proposal, plan: OrderPlan, show: Show, up_down: UpDown, key: str) -> bool:
    """Draw the market of what is held with the levels that stand in the form; False, and nothing, where it is not held any more or its
    market cannot be read. key: of the chart, over which the form puts the price of now."""
    basis = proposal.basis
    held = _held(engine, basis.account, basis.symbol)
    if held is None or held.candles is None or not len(held.candles):
        return False
    drag = partial(set_level, proposal) if proposal.is_waiting else None
    draw_position_chart(held, (plan.stop, plan.target), show, up_down, key, step=float(basis.terms.price_step), on_drag=drag)
    return True


@st.cache_data(ttl=1.0, show_spinner=False)
def _held(_engine: Engine, account: str, symbol: str) -> HeldPosition | None:
    try:
        held = _engine.trading.positions()
    except TribunalError:  # why it cannot be read is said where the proposal is locked
        return None
    return next((each for each in held if (each.account, each.position.symbol) == (account, symbol)), None)
