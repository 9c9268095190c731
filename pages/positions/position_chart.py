"""The chart of an open position: its market since before it was entered, with everything that ends it or makes it even."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial

import streamlit as st

from engine.api import Engine, HeldPosition
from engine.domain.errors import TribunalError
from engine.domain.proposal import OrderPlan, Proposal
from pages.chart.annotations import level_marks
from pages.chart.market import PLAN_HEIGHT, MarketChart
from pages.frame import json_fields
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.trading.levels import set_level

Levels = tuple[Decimal | None, Decimal | None]
"""A stop and a target, quote units; None = missing."""


def position_marks(held: HeldPosition, levels: Levels) -> list[json_fields.Fields]:
    """Return entry, break-even, liquidation, and the stop and target that stand in the form."""
    position = held.position
    at = position.opened_at.isoformat() if position.opened_at else None
    made = {"entry": position.entry_price, "stop": levels[0], "target": levels[1]}
    return level_marks(at, position.side, **made, break_even=held.break_even, liquidation=position.liquidation_price)


def draw_position_chart(
    held: HeldPosition, levels: Levels, show: Show, up_down: UpDown, key: str, *, step: float, on_drag: Callable[[str, float], None] | None
) -> None:
    """Draw it, and the same data as a table. step: of the market's prices. on_drag: where stop and target can be dragged. Nothing where the
    market's candles are not known."""
    if held.candles is None or not len(held.candles):
        draw_html(markup('<p class="tb tb-muted">{}</p>', show.say("no_candles")))
        return
    chart = MarketChart(
        held.candles,
        held.position.symbol,
        held.account,
        held.series,
        replace(show, step=step),
        up_down,
        position_marks(held, levels),
        held.forming,
        drag_step=step if on_drag is not None else None,
    )
    chart.draw(key, height=PLAN_HEIGHT, on_drag=on_drag)


def draw_change_chart(engine: Engine, proposal: Proposal, plan: OrderPlan, show: Show, up_down: UpDown, key: str) -> bool:
    """Draw the market of what is held, as it is now and not as its run saw it, with the levels that stand in the form of a change to them;
    False, and nothing, where it is not held any more or its market cannot be read. key: of the chart, over which the form puts the price
    of now."""
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
