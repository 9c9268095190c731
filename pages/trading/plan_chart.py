"""The chart beside a proposal: the run's market with the plan as it stands in the form; stop and target can be dragged."""

from collections.abc import Callable

import streamlit as st

from engine.api import Engine
from engine.domain.proposal import OrderPlan, Proposal
from pages.chart.annotations import run_annotations
from pages.chart.figure import chart_data, chart_table, draw_chart
from pages.frame import json_fields
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.view import RunView
from pages.words.form_texts import form_word

_HEIGHT = 340


def chart_of_plan(
    engine: Engine,
    proposal: Proposal,
    plan: OrderPlan,
    view: RunView,
    show: Show,
    up_down: UpDown,
    on_drag: Callable[[str, float], None],
) -> None:
    """Draw it. plan: with the levels that stand in the form. Nothing where the run's market is not known any more."""
    run_id = proposal.basis.run_id
    material = engine.decisions.chart(run_id)
    if material is None:
        return
    record = engine.run(run_id)
    marks = with_levels(run_annotations(view, record.result if record else None), plan)
    made = run_id, show.language, up_down, 0
    kept = st.session_state.get("bars")
    movable = proposal.is_waiting and not plan.reduce_only
    data = chart_data(
        material.candles,
        marks,
        show,
        symbol=proposal.basis.symbol,
        revision=run_id,
        series=material.series,
        forming=material.forming,
        patterns=material.sheet.patterns,
        up_down=up_down,
        bars=kept[1] if kept is not None and kept[0] == made else None,
        drag_step=float(proposal.basis.terms.price_step) if movable else None,
    )
    st.session_state["bars"] = made, data.bars
    draw_chart(data, key="plan-chart", height=_HEIGHT, on_drag=on_drag if movable else None)
    with st.expander(form_word("chart_table", show.language)):
        st.html(chart_table(material.candles, marks, show))


def with_levels(marks: list[json_fields.Fields], plan: OrderPlan) -> list[json_fields.Fields]:
    """Return the annotations with stop and target where the plan has them."""
    levels = {name: float(value) for name in ("stop", "target") if (value := getattr(plan, name)) is not None}
    return [{**mark, "price": levels[str(mark["type"])]} if mark.get("type") in levels else mark for mark in marks]


def with_entry(marks: list[json_fields.Fields], price: float) -> list[json_fields.Fields]:
    """Return the annotations with the entry at the price it was filled at."""
    return [{**mark, "price": price} if mark.get("type") == "entry" else mark for mark in marks]
