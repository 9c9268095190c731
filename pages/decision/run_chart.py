"""The run's market on the desk: the chart, mounted once, what followed the decision, and the same data as a table."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.api import ChartMaterial, Engine
from engine.domain.market.candles import Candles
from engine.domain.proposal import Proposal
from engine.domain.run import RunRecord
from pages.chart.annotations import run_annotations
from pages.chart.figure import ChartData, chart_data, chart_table, draw_chart
from pages.decision.later_candles import chosen_candles
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.view import RunView
from pages.trading.edit_form import drafted_levels, drag_level
from pages.trading.plan_chart import with_entry, with_levels
from pages.trading.previews import filled_of
from pages.words.form_texts import form_word


def chart_of_run(
    engine: Engine,
    record: RunRecord,
    material: ChartMaterial,
    view: RunView,
    show: Show,
    up_down: UpDown,
    places: tuple[DeltaGenerator, DeltaGenerator],
    proposal: Proposal | None = None,
) -> ChartData:
    """Draw it as the run stands in `view`, and give what was drawn, without what came after the decision.

    places: for the chart, and for what followed. proposal: what the run was filed as: while it waits its stop and target stand where they
    stand in the form, and can be dragged; once its order is filled the entry stands at that price. The bars are the same at every poll:
    they are made once, and kept with the session.
    """
    ended = view.ending is not None and record.result is not None
    marks = run_annotations(view, record.result if ended else None)
    movable = proposal is not None and proposal.is_waiting and not proposal.plan.reduce_only
    filled = filled_of(engine, proposal) if proposal is not None and proposal.basis.holding is None else None
    if proposal is not None and movable:
        marks = with_levels(marks, drafted_levels(proposal))
    if filled is not None:
        marks = with_entry(marks, float(filled.figures.price))
    with places[1]:
        later = chosen_candles(engine, record, show) if ended else None

    def drawn(later: Candles | None) -> ChartData:
        made = record.run_id, show.language, up_down, len(later) if later is not None else 0
        kept = st.session_state.get("bars")
        data = chart_data(
            material.candles,
            marks,
            show,
            symbol=view.facts.symbol if view.facts else record.request.subject,
            revision=record.run_id,
            series=material.series,
            forming=material.forming,
            patterns=material.sheet.patterns,
            up_down=up_down,
            later=later,
            drag_step=float(proposal.basis.terms.price_step) if proposal is not None and movable else None,
            bars=kept[1] if kept is not None and kept[0] == made else None,
        )
        st.session_state["bars"] = made, data.bars
        return data

    data = drawn(later)
    with places[0]:
        draw_chart(data, key="chart", on_drag=partial(drag_level, proposal) if proposal is not None and movable else None)
        with st.expander(form_word("chart_table", show.language)):
            st.html(chart_table(material.candles, marks, show))
    return drawn(None) if later is not None and len(later) else data
