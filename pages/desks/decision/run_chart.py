"""The market on the desk, before a run and of one: the chart, mounted once, what followed the decision, and the same data as a table."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import streamlit as st
from pydantic import JsonValue
from streamlit.delta_generator import DeltaGenerator

from engine.api import Engine
from engine.desks.decision.api import ChartMaterial, MarketPreview
from engine.domain.errors import TribunalError
from engine.domain.market.candles import Candle, Candles
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import DecideRequest, RunRecord
from pages.chart.annotations import again_marks
from pages.chart.figure import ChartData, chart_data, chart_table, draw_chart
from pages.chart.live_line import PLAN_CHART
from pages.chart.waiting_room import draw_waiting_room
from pages.desks.decision.annotations import run_annotations
from pages.desks.decision.decision_view import DecisionView
from pages.desks.decision.later_candles import chosen_candles, goes_on
from pages.frame import json_fields
from pages.frame.html import draw_html
from pages.frame.isolation import isolated_page
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.trading.levels import drafted_levels, drag_level, with_entry, with_held_levels, with_levels
from pages.trading.previews import filled_of
from pages.words.form_texts import form_word

_PLAN_HEIGHT = 340
_GOES_ON_S = 5.0
"""How often the chart is drawn while a signature is awaited and its market goes on."""


class FiledRun(NamedTuple):
    """What a run was filed as. gone: how many candles have gone by since the decision in a demo whose time goes on; None where the reader
    uncovers them."""

    proposal: Proposal
    gone: int | None = None


@dataclass(frozen=True)
class _RunChart:
    """The chart of one run. drag_step: of prices, where stop and target can be dragged."""

    run_id: str
    symbol: str
    material: ChartMaterial
    marks: list[json_fields.Fields]
    show: Show
    up_down: UpDown
    drag_step: float | None

    def data(self, later: Candles | None, forming: Candle | None) -> ChartData:
        """Return what is drawn. The bars are the same at most polls: they are made once, and kept with the session."""
        made = self.run_id, self.show.language, self.up_down, len(later) if later is not None else 0
        kept = st.session_state.get("bars")
        data = self.drawn(later, forming, kept[1] if kept is not None and kept[0] == made else None)
        st.session_state["bars"] = made, data.bars
        return data

    def drawn(self, later: Candles | None, forming: Candle | None, bars: dict[str, JsonValue] | None = None) -> ChartData:
        """Return what is drawn. bars: what this gave before for the same candles, language and colours."""
        return chart_data(
            self.material.candles,
            self.marks,
            self.show,
            symbol=self.symbol,
            revision=self.run_id,
            series=self.material.series,
            forming=forming,
            patterns=self.material.sheet.patterns,
            up_down=self.up_down,
            later=later,
            drag_step=self.drag_step,
            bars=bars,
        )

    def so_far(self, engine: Engine) -> tuple[Candles | None, Candle | None]:
        """Return the candles since the decision and the open one, as the market was seen last; the run's own open one before it was."""
        seen = engine.decisions.candles_so_far(self.run_id)
        if seen is None or (seen.forming is None and not len(seen.closed)):
            return None, self.material.forming
        return seen.closed, seen.forming

    def draw_table(self, later: Candles | None) -> None:
        """Draw the same candles as a table that can be unfolded."""
        candles = self.material.candles if later is None else self.material.candles.followed_by(later)
        with st.expander(form_word("chart_table", self.show.language)):
            draw_html(chart_table(candles, self.marks, self.show))


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
        words = f"{say('chart_failed')} {show.translated(str(problem))}"
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
        series=preview.series,
        forming=preview.forming,
        up_down=up_down,
    )
    with place, st.container():  # as a fragment has one: see chart_of_run
        draw_chart(data, key="chart")
        with st.expander(form_word("chart_table", show.language)):
            draw_html(chart_table(preview.candles, (), seen))


def chart_at(
    record: RunRecord,
    material: ChartMaterial,
    view: DecisionView,
    show: Show,
    up_down: UpDown,
    bars: dict[str, JsonValue] | None = None,
) -> ChartData:
    """Return the chart of a run as it is in `view`, without what came after the decision. bars: of another chart of the run."""
    symbol = view.opening.symbol if view.opening else record.request.subject
    return _RunChart(record.run_id, symbol, material, _marks(record, material, view), show, up_down, None).drawn(
        None, material.forming, bars
    )


def _marks(record: RunRecord, material: ChartMaterial, view: DecisionView) -> list[json_fields.Fields]:
    ended = view.ending is not None and record.result is not None
    return with_held_levels(run_annotations(view, record.result if ended else None), material.stop, material.target)


def chart_of_run(
    engine: Engine,
    record: RunRecord,
    material: ChartMaterial,
    view: DecisionView,
    show: Show,
    up_down: UpDown,
    places: tuple[DeltaGenerator, DeltaGenerator],
    filed: FiledRun | None = None,
) -> ChartData:
    """Draw it as the run is in `view`, and give what was drawn, without what came after the decision.

    places: for the chart, and for what followed. filed: what the run was filed as. While that waits, its stop and target are drawn at the
    form's values and can be dragged, and new candles of its market appear; once its order is filled, the entry is drawn at that price.
    """
    proposal, gone = filed or (None, None)
    ended = view.ending is not None and record.result is not None
    marks = _marks(record, material, view)
    if ended:
        marks = [*marks, *again_marks(engine.repetitions.plans_of_stamp(record))]
    movable = proposal is not None and proposal.is_waiting and not proposal.plan.reduce_only
    filled = filled_of(engine, proposal) if proposal is not None and proposal.basis.holding is None else None
    if proposal is not None and movable:
        marks = with_levels(marks, drafted_levels(proposal))
    if filled is not None:
        marks = with_entry(marks, float(filled.figures.price))
    symbol = view.opening.symbol if view.opening else record.request.subject
    drag_step = float(proposal.basis.terms.price_step) if proposal is not None and movable else None
    chart = _RunChart(record.run_id, symbol, material, marks, show, up_down, drag_step)

    def draw(later: Candles | None, forming: Candle | None) -> ChartData:
        data = chart.data(later, forming)
        draw_chart(data, key="chart", on_drag=partial(drag_level, proposal) if proposal is not None and movable else None)
        chart.draw_table(later)
        return data

    def draw_so_far() -> None:
        draw(*chart.so_far(engine))

    if proposal is not None and goes_on(proposal):
        with places[0]:
            st.fragment(isolated_page(draw_so_far, show.say), run_every=_GOES_ON_S)()
        return chart.data(None, material.forming)
    with places[1]:
        later = _later(engine, record, show, gone) if ended else None
    with places[0], st.container():  # as a fragment has one: a chart that changes its place is mounted anew
        if later is None or not len(later):
            return draw(None, material.forming)
        draw(later, None)  # the one that was open has closed since
    return chart.data(None, material.forming)


def _later(engine: Engine, record: RunRecord, show: Show, gone: int | None) -> Candles | None:
    if gone is None:
        return chosen_candles(engine, record, show)
    return engine.decisions.later_candles(record.run_id, gone) if gone else None


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
    if record is not None:
        marks = [*marks, *again_marks(engine.repetitions.plans_of_stamp(record))]
    movable = proposal.is_waiting and not plan.reduce_only
    chart = _RunChart(run_id, proposal.basis.symbol, material, marks, show, up_down, step if movable else None)
    later, forming = chart.so_far(engine) if goes_on(proposal) else (None, material.forming)
    draw_chart(chart.data(later, forming), key=PLAN_CHART, height=_PLAN_HEIGHT, on_drag=on_drag if movable else None)
    chart.draw_table(later)
