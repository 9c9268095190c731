"""The chart of an open position: its market since before it was entered, with everything that ends it or makes it even."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import streamlit as st
from pydantic import JsonValue

from engine.api import HeldPosition
from pages.chart.figure import chart_data, chart_table, draw_chart
from pages.frame import json_fields
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.words.form_texts import form_word

HEIGHT = 340
Levels = tuple[Decimal | None, Decimal | None]
"""A stop and a target, quote units; None = missing."""


def position_marks(held: HeldPosition, levels: Levels) -> list[json_fields.Fields]:
    """Return entry, break-even, liquidation, and the stop and target that stand in the form."""
    position = held.position
    prices = {
        "entry": position.entry_price,
        "stop": levels[0],
        "target": levels[1],
        "break_even": held.break_even,
        "liquidation": position.liquidation_price,
    }
    at = position.opened_at.isoformat() if position.opened_at else None
    found: list[json_fields.Fields] = []
    for kind, price in prices.items():
        if price is not None:
            mark: dict[str, JsonValue] = {"type": kind, "price": float(price), "timestamp": at, "direction": position.side}
            found.append(mark)
    return found


def draw_position_chart(
    held: HeldPosition, levels: Levels, show: Show, up_down: UpDown, key: str, *, step: float, on_drag: Callable[[str, float], None] | None
) -> None:
    """Draw it, and the same data as a table. step: of the market's prices. on_drag: where stop and target can be dragged. Nothing where the
    market's candles are not known."""
    if held.candles is None or not len(held.candles):
        draw_html(markup('<p class="tb tb-muted">{}</p>', show.say("no_candles")))
        return
    seen = replace(show, step=step)
    marks = position_marks(held, levels)
    made = (held.candles.closed_at, len(held.candles), show.language, up_down)
    kept = st.session_state.get(f"{key}-made")
    data = chart_data(
        held.candles,
        marks,
        seen,
        symbol=held.position.symbol,
        revision=held.account,
        series=held.series,
        forming=held.forming,
        up_down=up_down,
        bars=kept[1] if kept is not None and kept[0] == made else None,
        drag_step=step if on_drag is not None else None,
    )
    st.session_state[f"{key}-made"] = made, data.bars
    draw_chart(data, key=key, height=HEIGHT, on_drag=on_drag)
    with st.expander(form_word("chart_table", show.language)):
        draw_html(chart_table(held.candles, marks, seen))
