"""The daily chart of a company, before a run and of one: candles adjusted for splits, with splits, filings and news marked, false prices as
ghost lines, and the order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import partial

import streamlit as st
from markupsafe import Markup
from pydantic import JsonValue
from streamlit.delta_generator import DeltaGenerator

from engine.api import Engine
from engine.desks.equities.chart_material import CompanyChart, EquityChartMaterial
from engine.domain.equity.share_events import Split
from engine.domain.errors import TribunalError
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import RunRequest
from engine.domain.stability import RepeatedAnswer
from pages.chart.annotations import again_marks, false_mark, level_marks
from pages.chart.figure import ChartData
from pages.chart.live_line import PLAN_CHART
from pages.chart.market import PLAN_HEIGHT, MarketChart, draw_before
from pages.desks.equities.equity_view import EquityView, role_of_node
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import joined, markup, visible
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.trading.levels import drafted_levels, drag_level, set_level, with_levels

MOST_NEWS, MOST_REPORTS = 12, 8
EVENTS_ROOM = Markup('<div class="tb tb-key tb-events" aria-hidden="true"></div>')
"""The place of `events_key`, as high as that is with most companies."""


def annotations(view: EquityView, material: EquityChartMaterial) -> list[json_fields.Fields]:
    """Return the levels that were measured, the false values that were stated, and the order, as the chart reads them."""
    at, facts, order = material.known_at.isoformat(), material.sheet.facts, view.order
    measured = {name: facts[name].number for name in ("support", "resistance") if name in facts}
    false: dict[tuple[str, str, float], json_fields.Fields] = {}
    for speech in view.in_order:
        for claim in speech.claims:
            if claim.verdict == "false" and claim.relation == "=" and isinstance(claim.claimed, float):
                who = role_of_node(speech.name)
                false.setdefault((who, claim.key, claim.claimed), false_mark(claim.key, who, claim.claimed, claim.actual, at))
    fields = {"entry": "price", "stop": "stop_price", "target": "target_price"}
    prices = {kind: json_fields.number(order, field) for kind, field in fields.items()}
    direction = "LONG" if json_fields.words(order, "side") == "buy" else "SHORT"
    return [*level_marks(at, **measured), *false.values(), *level_marks(at, direction, **prices)]


def company_events(material: CompanyChart, show: Show) -> list[JsonValue]:
    """Return what happened to the company, at the candle of its day or the next one: `{"t", "kind", "mark", "name"}`, oldest first."""
    days = [int(opened) for opened in material.candles.opened_at]
    marks: list[tuple[date, str, str, str]] = []
    for split in material.splits:
        name = show.say("eq_split", ratio=_ratio(split), date=split.date.isoformat())
        marks.append((split.date, "split", _ratio(split), name))
    for report in material.reports[-MOST_REPORTS:]:
        marks.append((report.known_from, "report", "E", show.say("eq_results", period=report.period_end.isoformat())))
    for news in material.news[-MOST_NEWS:]:
        marks.append((news.published.date(), "news", "N", visible(f"{news.published:%m-%d}: {news.title}")[:120]))
    found: list[JsonValue] = []
    for day, kind, mark, name in sorted(marks):
        ms = int(datetime.combine(day, time(), UTC).timestamp() * 1000)
        at = next((opened for opened in days if opened >= ms), days[-1] if days else None)
        if at is not None and days and ms >= days[0]:
            found.append({"t": at, "kind": kind, "mark": mark, "name": name})
    return found


def _ratio(split: Split) -> str:
    return f"{split.ratio:g}:1" if split.ratio >= 1 else f"1:{1 / split.ratio:g}"


def events_key(material: CompanyChart, show: Show) -> Markup:
    """Return the list of what is marked, and up to when anything is known here."""
    say = show.say
    parts = [markup("<span><b>{}</b></span>", say("eq_adjusted"))]
    for split in material.splits[-3:]:
        parts.append(markup("<span>{}</span>", say("eq_split_key", ratio=_ratio(split), date=split.date.isoformat())))
    if material.reports:
        days = ", ".join(report.known_from.isoformat() for report in material.reports[-4:])
        parts.append(markup('<span class="fundamentals"><b class="tb-mark sq">E</b> {}</span>', say("eq_results_key", days=days)))
    for news in material.news[-3:]:
        words = f"{news.published:%m-%d} {news.title}"
        parts.append(markup('<span class="news"><b class="tb-mark">N</b> {}</span>', visible(words)[:100]))
    for layer in ("filings", "news"):
        if layer in material.missing:
            parts.append(
                markup(
                    '<span class="tb-muted">{} {}</span>',
                    say("eq_no_layer", layer=say(f"eq_layer_of_{layer}")),
                    show.translated(material.missing[layer]),
                )
            )
    parts.append(markup("<span>{}</span>", say("eq_nothing_after", at=show.stamp(material.known_at))))
    return markup('<div class="tb tb-key tb-events">{}</div>', joined(parts))


def company_before(engine: Engine, request: Callable[[], RunRequest]) -> tuple[CompanyChart | None, str]:
    """Return the company as it is known at the moment that is asked for; else None and why: "" while it is being read. request: raises a
    TribunalError where nothing can be asked for yet."""
    try:
        return engine.equities.preview(request()), ""
    except TribunalError as problem:
        return None, str(problem)


def draw_chart_before(
    engine: Engine,
    request: Callable[[], RunRequest],
    found: tuple[CompanyChart | None, str],
    show: Show,
    up_down: UpDown,
    place: DeltaGenerator,
    *,
    poll: bool,
    hint: str = "",
) -> None:
    """Draw the chosen company before a run has read it: see `draw_before`. found: of `company_before`. hint: what has to be typed first."""

    def find() -> MarketChart | None:
        company = engine.equities.preview(request())
        if company is None:
            return None
        step, last = company.listing.price_step, company.candles.closed_at if len(company.candles) else 0
        seen = replace(show, step=float(step) if step is not None else None)
        return _with_events(company_chart(f"before-{last}", company, seen, up_down), company)

    draw_before(find, show, place, poll=poll, hint=hint if found[1] else "", below=EVENTS_ROOM)


def equity_chart(
    run_id: str,
    material: EquityChartMaterial,
    view: EquityView,
    show: Show,
    up_down: UpDown,
    place: DeltaGenerator,
    proposal: Proposal | None = None,
    again: Sequence[RepeatedAnswer] = (),
) -> ChartData:
    """Draw it as the run is in `view`, and give what was drawn. proposal: what the run was filed as: while it waits its stop and target
    can be dragged. again: plans that it came to when it was asked again."""
    marks, step, on_drag = [*annotations(view, material), *again_marks(again)], None, None
    if proposal is not None and proposal.is_waiting and not proposal.plan.reduce_only:
        marks, step = with_levels(marks, drafted_levels(proposal)), float(proposal.basis.terms.price_step)
        on_drag = partial(drag_level, proposal)
    chart = company_chart(run_id, material, show, up_down, marks, step)
    with place, st.container():  # as before the run: a chart that changes its place is mounted anew
        return _with_events(chart, material).draw(on_drag=on_drag)


def chart_of_plan(engine: Engine, proposal: Proposal, plan: OrderPlan, view: EquityView, show: Show, up_down: UpDown) -> None:
    """Draw the company's chart with the plan of a proposal. plan: with the levels that stand in the form. Nothing where the run's prices
    are not known any more."""
    run_id = proposal.basis.run_id
    material = engine.equities.chart(run_id)
    if material is None:
        return
    step = float(proposal.basis.terms.price_step)
    show = replace(show, step=step, facts=material.sheet.facts)
    record = engine.run(run_id)
    again = again_marks(engine.repetitions.plans_of_stamp(record)) if record is not None else []
    marks = [*with_levels(annotations(view, material), plan), *again]
    movable = proposal.is_waiting and not plan.reduce_only
    chart = company_chart(run_id, material, show, up_down, marks, step if movable else None)
    chart.draw(PLAN_CHART, height=PLAN_HEIGHT, on_drag=partial(set_level, proposal) if movable else None)


def company_chart(
    revision: str, company: CompanyChart, show: Show, up_down: UpDown, marks: Sequence[json_fields.Fields] = (), step: float | None = None
) -> MarketChart:
    """Return the chart of a company. revision: of what is drawn. step: of prices, where stop and target can be dragged."""
    patterns = company.sheet.patterns if isinstance(company, EquityChartMaterial) else ()
    made = company.candles, company.listing.symbol, revision, company.series, show, up_down, marks, None, patterns
    return MarketChart(*made, company_events(company, show), drag_step=step)


def _with_events(chart: MarketChart, company: CompanyChart) -> MarketChart:
    """Return the chart with what happened to the company below it and below its table."""
    return replace(chart, below=events_key(company, chart.show), listed=events_table(company, chart.show))


def events_table(material: CompanyChart, show: Show) -> Markup:
    """Return the marks of the lane as a list, for screen readers."""
    rows = [event for event in company_events(material, show) if isinstance(event, dict)]
    shown = joined(
        markup('<li class="{}">{} {}</li>', row["kind"], numbers.bar_time(int(str(row["t"])))[:10], row["name"]) for row in reversed(rows)
    )
    if not shown:
        return Markup("")
    title = show.say("eq_marked")
    return card(head(heading(title)), markup("<ul>{}</ul>", shown), label=title)
