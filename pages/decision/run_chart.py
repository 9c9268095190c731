"""The market on the desk, before a run and of one: the chart, mounted once, what followed the decision, and the same data as a table."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.api import ChartMaterial, Engine, MarketPreview
from engine.domain.errors import TribunalError
from engine.domain.market.candles import Candles
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import DecideRequest, RunRecord
from pages.chart.figure import ChartData, chart_data, chart_table, draw_chart
from pages.chart.live_line import PLAN_CHART
from pages.chart.waiting_room import draw_waiting_room
from pages.decision.annotations import run_annotations
from pages.decision.decision_view import DecisionView
from pages.decision.later_candles import chosen_candles
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.trading.edit_form import drafted_levels, drag_level
from pages.trading.plan_marks import with_entry, with_held_levels, with_levels
from pages.trading.previews import filled_of
from pages.words.engine_texts import engine_text
from pages.words.form_texts import form_word

_PLAN_HEIGHT = 340


def chart_before(
    engine: Engine, request: Callable[[], DecideRequest], show: Show, up_down: UpDown, place: DeltaGenerator, *, poll: bool, hint: str = ""
) -> None:
    """Draw the chosen market before its run has read it: candles only, in the place and the room of the run's chart.

    request: of the run, or of the one that could be asked for; raises a TribunalError where that cannot be. poll: whether nothing else
    draws the page again until the market is there. hint: what has to be typed before there is a market, "" when nothing.
    """
    say = show.say
    if hint:
        draw_waiting_room(hint, show, place, None)
        return
    try:
        preview = engine.decisions.market_preview(request())
    except TribunalError as problem:
        words = f"{say('chart_failed')} {engine_text(str(problem), show.language)}"
    else:
        if preview is not None:
            _draw_preview(preview, show, up_down, place)
            return
        words = say("chart_later")
    waits = poll and words == say("chart_later")
    draw_waiting_room(words, show, place, (lambda: engine.decisions.market_preview(request()) is not None) if waits else None)


def _draw_preview(preview: MarketPreview, show: Show, up_down: UpDown, place: DeltaGenerator) -> None:
    seen = replace(show, step=preview.market.price_step)
    last = preview.candles.closed_at if len(preview.candles) else 0
    data = chart_data(
        preview.candles,
        (),
        seen,
        symbol=preview.market.symbol,
        revision=f"before-{last}",
        series={},
        forming=preview.forming,
        up_down=up_down,
    )
    with place:
        draw_chart(data, key="chart")
        with st.expander(form_word("chart_table", show.language)):
            st.html(chart_table(preview.candles, (), seen))


def chart_of_run(
    engine: Engine,
    record: RunRecord,
    material: ChartMaterial,
    view: DecisionView,
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
    marks = with_held_levels(run_annotations(view, record.result if ended else None), material.stop, material.target)
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


def chart_of_plan(
    engine: Engine,
    proposal: Proposal,
    plan: OrderPlan,
    view: DecisionView,
    show: Show,
    up_down: UpDown,
    on_drag: Callable[[str, float], None],
) -> None:
    """Draw the market of a proposal with its plan. plan: with the levels that stand in the form. Nothing where the run's market is not
    known any more."""
    run_id = proposal.basis.run_id
    material = engine.decisions.chart(run_id)
    if material is None:
        return
    step = float(proposal.basis.terms.price_step)
    show = replace(show, step=step)
    record = engine.run(run_id)
    marks = with_levels(with_held_levels(run_annotations(view, record.result if record else None), material.stop, material.target), plan)
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
        drag_step=step if movable else None,
    )
    st.session_state["bars"] = made, data.bars
    draw_chart(data, key=PLAN_CHART, height=_PLAN_HEIGHT, on_drag=on_drag if movable else None)
    with st.expander(form_word("chart_table", show.language)):
        st.html(chart_table(material.candles, marks, show))
