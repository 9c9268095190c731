"""What a plan measured over time: the series that its tasks returned, drawn out of the run's own record; no market is read for it."""

from datetime import datetime
from typing import Final

import streamlit as st
from markupsafe import Markup
from pydantic import JsonValue

from pages.chart.curves import PANE_HEIGHT, Curve, curves_figure, curves_table, draw_curves
from pages.desks.research.origins import source_mark
from pages.desks.research.research_view import ResearchView, TaskTrace
from pages.desks.research.searches import source_name
from pages.desks.research.task_words import series_name
from pages.frame import json_fields as read
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.words.texts import form_word

MOST: Final = 4
_SERIES: Final = {"funding_history": "funding_rate", "open_interest_history": "open_interest", "indicator_series": ""}
_WEEK_MS: Final = 7 * 86_400_000
_HEIGHT: Final = 52  # of the card without its charts


def curves_of(view: ResearchView, show: Show) -> list[Curve]:
    """Return the series of the tasks that gave one and stayed, in the order of the plan, at most `MOST`."""
    tasks = [task for factor in view.factors for task in factor.results if task.tool in _SERIES]
    return [curve for task in tasks if (curve := _curve(task, show)) is not None][:MOST]


def expected_curves(view: ResearchView) -> int:
    """Return how many series a plan is to measure, as it is: for so many there is room from the first."""
    planned = sum(read.words(task, "tool") in _SERIES for factor in view.factors for task in factor.planned)
    return min(MOST, planned)


def measured_panel(view: ResearchView, show: Show) -> Markup:
    """Return the charts with the numbers of the results that they are of; nothing without one."""
    curves = curves_of(view, show)
    if not curves:
        return Markup()
    title = show.say("rs_measured")
    tasks = [task for factor in view.factors for task in factor.results]
    marks = [source_mark(n) for n, task in enumerate(tasks, 1) if task.tool in _SERIES and _curve(task, show) is not None][:MOST]
    count = markup("{}{}", label(show.say("rs_recorded")), joined(marks))
    return card(head(heading(title), count), curves_figure(curves, show), label=title, css_class="tb-measured")


def draw_measured(view: ResearchView, show: Show) -> None:
    """Draw the charts. While a run goes on there is room for what its plan is to measure, so that nothing moves when it comes."""
    curves = curves_of(view, show)
    count = max(len(curves), expected_curves(view) if view.ending is None else 0)
    if not count:
        return
    title, height = show.say("rs_measured"), _HEIGHT + count * PANE_HEIGHT
    waiting = card(head(heading(title)), label=title, css_class="tb-measured")
    draw_curves(measured_panel(view, show) or waiting, curves, "measured", height)
    if view.ending is not None:
        with st.expander(form_word("chart_table", show.language)):
            draw_html(curves_table(curves, show))


def _curve(task: TaskTrace, show: Show) -> Curve | None:
    """Return the series of a task; None where its values cannot be read."""
    indicator = _SERIES[task.tool] or read.words(task.result, "indicator") or ""
    factor, unit = (100.0, "%") if indicator == "funding_rate" else (1.0, "%" if indicator.endswith("_pct") else "")
    listed = task.result.get("values")
    points = tuple(sorted(filter(None, map(_point, listed if isinstance(listed, list) else ()))))
    if not points:
        return None
    points = tuple((ms, value * factor) for ms, value in points)
    symbol, timeframe = read.words(task.result, "symbol") or "", read.words(task.result, "timeframe") or ""
    parts = (symbol, timeframe, show.say("rs_each_payment") if indicator == "funding_rate" else "", source_name(task.source, show))
    note = " · ".join(part for part in parts if part)
    bars = indicator == "funding_rate"
    return Curve(series_name(indicator, show), unit, points, bars, second=_mean_of(points, show), note=note)


def _point(row: JsonValue) -> tuple[int, float] | None:
    if not isinstance(row, list) or len(row) != 2 or not isinstance(row[0], str):
        return None
    value = read.number({"value": row[1]}, "value")
    try:
        at = datetime.fromisoformat(row[0])
    except ValueError:
        return None
    return (int(at.timestamp() * 1000), value) if value is not None and at.tzinfo is not None else None


def _mean_of(points: tuple[tuple[int, float], ...], show: Show) -> tuple[str, tuple[tuple[int, float], ...]] | None:
    """Return the mean of the seven days before every point where the series is long enough to have one, else its mean as a level."""
    if len(points) < 3:
        return None
    if points[-1][0] - points[0][0] < 2 * _WEEK_MS:
        mean = sum(value for _, value in points) / len(points)
        return show.say("rs_mean_line"), ((points[-1][0], mean),)
    smooth, begin, total = [], 0, 0.0
    for at, (ms, value) in enumerate(points):
        total += value
        while points[begin][0] <= ms - _WEEK_MS:
            total -= points[begin][1]
            begin += 1
        if ms - points[0][0] >= _WEEK_MS:
            smooth.append((ms, total / (at - begin + 1)))
    return show.say("rs_week_mean"), tuple(smooth)
