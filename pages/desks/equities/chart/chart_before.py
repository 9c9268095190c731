"""The chosen company before a run has read it: its daily candles with what is known beside them, in the place of the run's chart."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.api import Engine
from engine.desks.equities.chart_material import CompanyChart
from engine.domain.errors import TribunalError
from engine.domain.run import RunRequest
from pages.chart.figure import chart_data, chart_table, draw_chart
from pages.chart.waiting_room import draw_waiting_room
from pages.desks.equities.chart.price_chart import EVENTS_ROOM, company_events, events_key, events_table
from pages.frame.html import draw_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.words.form_texts import form_word


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
    """Draw it, or say that it is being read or why it cannot be. found: of `company_before`. poll: whether nothing else draws the page
    again until the company is there. hint: what has to be typed first, "" when nothing."""
    company, trouble = found
    if company is None:
        words = hint or f"{show.say('chart_failed')} {show.translated(trouble)}" if trouble else show.say("chart_later")
        is_read = None if trouble or not poll else (lambda: company_before(engine, request) != (None, ""))
        draw_waiting_room(words, show, place, is_read, below=EVENTS_ROOM)
        return
    listing = company.listing
    show = replace(show, step=float(listing.price_step) if listing.price_step is not None else None)
    last = company.candles.closed_at if len(company.candles) else 0
    data = chart_data(
        company.candles,
        (),
        show,
        symbol=listing.symbol,
        revision=f"before-{last}",
        series=company.series,
        up_down=up_down,
        events=company_events(company, show),
    )
    with place:
        draw_chart(data, key="chart")
        draw_html(events_key(company, show))
        with st.expander(form_word("chart_table", show.language)):
            draw_html(chart_table(company.candles, (), show))
            draw_html(events_table(company, show))
