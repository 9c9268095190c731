"""The daily chart of a run of the desk: candles adjusted for splits, with splits, filings and news marked, false prices as ghost lines, and
the order."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import partial

import streamlit as st
from markupsafe import Markup
from pydantic import JsonValue
from streamlit.delta_generator import DeltaGenerator

from engine.api import Engine
from engine.desks.equities.chart_material import CompanyChart, EquityChartMaterial
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.stability import RepeatedAnswer
from pages.chart.annotations import again_marks
from pages.chart.figure import ChartData, chart_data, chart_table, draw_chart
from pages.chart.live_line import PLAN_CHART
from pages.desks.equities.equity_view import EquityView, role_of_node
from pages.frame import json_fields, numbers
from pages.frame.cards import card, heading
from pages.frame.escape import joined, markup, visible
from pages.frame.html import draw_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.trading.levels import drafted_levels, drag_level, set_level, with_levels
from pages.words.form_texts import form_word

MOST_NEWS, MOST_REPORTS = 12, 8
EVENTS_ROOM = Markup('<div class="tb tb-key tb-events" aria-hidden="true"></div>')
"""The place of `events_key`, as high as that is with most companies."""
_PLAN_HEIGHT = 340


def annotations(view: EquityView, material: EquityChartMaterial) -> list[json_fields.Fields]:
    """Return the levels that were measured, the false values that were stated, and the order, as the chart reads them."""
    at = material.known_at.isoformat()
    found: list[dict[str, JsonValue]] = []
    for name in ("support", "resistance"):
        fact = material.sheet.facts.get(name)
        if fact is not None and fact.number is not None:
            found.append({"type": name, "price": fact.number, "timestamp": at})
    seen = set()
    for speech in view.in_order:
        for claim in speech.claims:
            if claim.verdict != "false" or claim.relation != "=" or not isinstance(claim.claimed, float):
                continue
            who = role_of_node(speech.name)
            if (who, claim.key, claim.claimed) in seen:
                continue
            seen.add((who, claim.key, claim.claimed))
            mark: dict[str, JsonValue] = {"type": "false_level", "price": claim.claimed, "timestamp": at, "label": claim.key}
            found.append({**mark, "source": who, "claimed": claim.claimed, "actual": claim.actual})
    order, long = view.order, json_fields.words(view.order, "side") == "buy"
    for kind, field in (("entry", "price"), ("stop", "stop_price"), ("target", "target_price")):
        price = json_fields.number(order, field)
        if price is not None:
            found.append({"type": kind, "price": price, "timestamp": at, "direction": "LONG" if long else "SHORT"})
    return [*found]


def company_events(material: CompanyChart, show: Show) -> list[JsonValue]:
    """Return what happened to the company, at the candle of its day or the next one: `{"t", "kind", "mark", "name"}`, oldest first."""
    days = [int(opened) for opened in material.candles.opened_at]
    marks: list[tuple[date, str, str, str]] = []
    for split in material.splits:
        ratio = f"{split.ratio:g}:1" if split.ratio >= 1 else f"1:{1 / split.ratio:g}"
        marks.append((split.date, "split", ratio, show.say("eq_split", ratio=ratio, date=split.date.isoformat())))
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


def events_key(material: CompanyChart, show: Show) -> Markup:
    """Return the list of what is marked, and up to when anything is known here."""
    say = show.say
    parts = [markup("<span><b>{}</b></span>", say("eq_adjusted"))]
    for split in material.splits[-3:]:
        ratio = f"{split.ratio:g}:1" if split.ratio >= 1 else f"1:{1 / split.ratio:g}"
        parts.append(markup("<span>{}</span>", say("eq_split_key", ratio=ratio, date=split.date.isoformat())))
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
    marks = [*annotations(view, material), *again_marks(again)]
    movable = proposal is not None and proposal.is_waiting and not proposal.plan.reduce_only
    if proposal is not None and movable:
        marks = with_levels(marks, drafted_levels(proposal))
    data = chart_of(
        run_id, material, marks, show, up_down, float(proposal.basis.terms.price_step) if proposal is not None and movable else None
    )
    with place:
        draw_chart(data, key="chart", on_drag=partial(drag_level, proposal) if proposal is not None and movable else None)
        draw_html(events_key(material, show))
        with st.expander(form_word("chart_table", show.language)):
            draw_html(chart_table(material.candles, marks, show))
            draw_html(events_table(material, show))
    return data


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
    data = chart_of(run_id, material, marks, show, up_down, step if movable else None)
    draw_chart(data, key=PLAN_CHART, height=_PLAN_HEIGHT, on_drag=partial(set_level, proposal) if movable else None)
    with st.expander(form_word("chart_table", show.language)):
        draw_html(chart_table(material.candles, marks, show))


def chart_of(
    run_id: str,
    material: EquityChartMaterial,
    marks: Sequence[json_fields.Fields],
    show: Show,
    up_down: UpDown,
    drag_step: float | None = None,
) -> ChartData:
    """Return what is drawn; the bars are made once and kept with the session."""
    made = run_id, show.language, up_down, 0
    kept = st.session_state.get("bars")
    bars = kept[1] if kept is not None and kept[0] == made else None
    data = drawn_chart(run_id, material, marks, show, up_down, drag_step=drag_step, bars=bars)
    st.session_state["bars"] = made, data.bars
    return data


def drawn_chart(
    run_id: str,
    material: EquityChartMaterial,
    marks: Sequence[json_fields.Fields],
    show: Show,
    up_down: UpDown,
    *,
    drag_step: float | None = None,
    bars: dict[str, JsonValue] | None = None,
) -> ChartData:
    """Return what is drawn. bars: what this gave before for the same candles, language and colours."""
    return chart_data(
        material.candles,
        marks,
        show,
        symbol=material.listing.symbol,
        revision=run_id,
        series=material.series,
        patterns=material.sheet.patterns,
        up_down=up_down,
        drag_step=drag_step,
        bars=bars,
        events=company_events(material, show),
    )


def events_table(material: CompanyChart, show: Show) -> Markup:
    """Return the marks of the lane as a list, for screen readers."""
    rows = [event for event in company_events(material, show) if isinstance(event, dict)]
    shown = joined(
        markup('<li class="{}">{} {}</li>', row["kind"], numbers.bar_time(int(str(row["t"])))[:10], row["name"]) for row in reversed(rows)
    )
    if not shown:
        return Markup("")
    title = show.say("eq_marked")
    return card(heading(title), markup("<ul>{}</ul>", shown), label=title)
