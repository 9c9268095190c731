"""The market of a decision, before its run and of one: the chart with its marks, out of what its events tell and of what a finished run
carries in its state; what followed; and the plan of a proposal."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import streamlit as st
from pydantic import JsonValue
from streamlit.delta_generator import DeltaGenerator

from engine.api import Engine, role_of
from engine.desks.decision.api import ChartMaterial
from engine.domain.decision import Signal
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import DecideRequest, RunRecord
from pages.chart.annotations import again_marks, false_mark, level_marks, of_type, who_said
from pages.chart.figure import ChartData
from pages.chart.live_line import PLAN_CHART
from pages.chart.market import PLAN_HEIGHT, MarketChart, draw_before
from pages.desks.decision.decision_view import DecisionView, executor_result
from pages.desks.decision.later_candles import chosen_candles, goes_on
from pages.frame import json_fields
from pages.frame.isolation import isolated_page
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.trading.levels import drafted_levels, drag_level, set_level, with_entry, with_held_levels, with_levels
from pages.trading.previews import filled_of


def live_annotations(view: DecisionView) -> list[json_fields.Fields]:
    """Return what is known so far: levels once there is a consensus, false statements once grounding has spoken, the plan once it is
    decided."""
    at = view.opening.at.isoformat() if view.opening and view.opening.at else None
    found: list[json_fields.Fields] = []
    if view.consensus:
        found += level_marks(at, support=view.consensus.support, resistance=view.consensus.resistance)
    found += _false_marks(view, at)
    held, result = view.holding, executor_result(view)
    found += level_marks(at, json_fields.words(held, "side"), entry=json_fields.number(held, "entry_price"))
    if json_fields.words(result, "action") in (Signal.ENTRY_LONG, Signal.ENTRY_SHORT) and view.opening:
        stop, target = json_fields.number(result, "stop_loss_price"), json_fields.number(result, "take_profit_price")
        found += level_marks(at, json_fields.words(result, "direction"), entry=view.opening.price, stop=stop, target=target)
    return found


def run_annotations(view: DecisionView, state: json_fields.Fields | None) -> list[json_fields.Fields]:
    """Return the state's `chart_annotations` once the run has one, else what is known so far; and every false value that the events
    tell, of any role: the state keeps a few of the debate's only, and what was drawn while the run went on stays when it has ended."""
    live = live_annotations(view)
    kept = json_fields.rows(state or {}, "chart_annotations")
    if not kept:
        return live
    drawn = {who_said(mark) for mark in of_type(kept, "false_level")}
    return [*kept, *(mark for mark in of_type(live, "false_level") if who_said(mark) not in drawn)]


def _false_marks(view: DecisionView, at: str | None) -> list[json_fields.Fields]:
    """Return a mark for every false value, once. A bound (`more than 80,000`) is not a value and gets no mark."""
    said = (*(view.checked.claims if view.checked else ()), *view.role("executor").claims)
    bounds = {(role_of(claim.source), claim.start, claim.end) for claim in said if claim.relation != "="}
    found: dict[tuple[str, str, float], json_fields.Fields] = {}
    for fix in view.corrections:
        who = role_of(fix.source)
        if isinstance(fix.claimed, float) and (who, fix.start, fix.end) not in bounds:
            found.setdefault((who, fix.key, fix.claimed), false_mark(fix.key, who, fix.claimed, fix.actual, at))
    return list(found.values())


_GOES_ON_S = 5.0
"""How often the chart is drawn while a signature is awaited and its market goes on."""


class FiledRun(NamedTuple):
    """What a run was filed as. gone: how many candles have gone by since the decision in a demo whose time goes on; None where the reader
    uncovers them."""

    proposal: Proposal
    gone: int | None = None


def chart_before(
    engine: Engine, request: Callable[[], DecideRequest], show: Show, up_down: UpDown, place: DeltaGenerator, *, poll: bool, hint: str = ""
) -> None:
    """Draw the chosen market before its run has read it: see `draw_before`. request: of the run, or of the one that could be asked for;
    raises a TribunalError where that cannot be."""

    def find() -> MarketChart | None:
        preview = engine.decisions.market_preview(request())
        if preview is None:
            return None
        seen, last = replace(show, step=preview.market.price_step), preview.candles.closed_at if len(preview.candles) else 0
        made = preview.candles, preview.market.symbol, f"before-{last}", preview.series
        return MarketChart(*made, seen, up_down, forming=preview.forming)

    draw_before(find, show, place, poll=poll, hint=hint)


def _run_chart(
    run_id: str, symbol: str, material: ChartMaterial, marks: list[json_fields.Fields], show: Show, up_down: UpDown
) -> MarketChart:
    """Return the chart of a run with its market as the run saw it."""
    made = material.candles, symbol, run_id, material.series
    return MarketChart(*made, show, up_down, marks, material.forming, material.sheet.patterns)


def _so_far(engine: Engine, chart: MarketChart) -> MarketChart:
    """Return the chart with the candles since the decision and the open one, as the market was seen last; unchanged before it was."""
    seen = engine.decisions.candles_so_far(chart.revision)
    if seen is None or (seen.forming is None and not len(seen.closed)):
        return chart
    return replace(chart, later=seen.closed, forming=seen.forming)


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
    return _run_chart(record.run_id, symbol, material, _marks(record, material, view), show, up_down).data(bars)


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
    chart, on_drag = _run_chart(record.run_id, symbol, material, marks, show, up_down), None
    if proposal is not None and movable:
        chart, on_drag = replace(chart, drag_step=float(proposal.basis.terms.price_step)), partial(drag_level, proposal)

    def draw_so_far() -> None:
        _so_far(engine, chart).draw(on_drag=on_drag)

    if proposal is not None and goes_on(proposal):
        with places[0]:
            st.fragment(isolated_page(draw_so_far, show.say), run_every=_GOES_ON_S)()
        return chart.data()
    with places[1]:
        later = None
        if ended and gone is None:
            later = chosen_candles(engine, record, show)
        elif ended and gone:
            later = engine.decisions.later_candles(record.run_id, gone)
    with places[0], st.container():  # as a fragment has one: a chart that changes its place is mounted anew
        if later is None or not len(later):
            return chart.draw(on_drag=on_drag)
        replace(chart, later=later, forming=None).draw(on_drag=on_drag)  # the candle that was open has closed since
    return chart.data()


def chart_of_plan(engine: Engine, proposal: Proposal, plan: OrderPlan, view: DecisionView, show: Show, up_down: UpDown) -> None:
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
    chart = _run_chart(run_id, proposal.basis.symbol, material, marks, show, up_down)
    chart = replace(_so_far(engine, chart) if goes_on(proposal) else chart, drag_step=step if movable else None)
    chart.draw(PLAN_CHART, height=PLAN_HEIGHT, on_drag=partial(set_level, proposal) if movable else None)
