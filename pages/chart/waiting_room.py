"""What is in a chart's place while its market is being read, or cannot be: as high as the chart, so that nothing moves."""

from collections.abc import Callable

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from engine.domain.errors import TribunalError
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.words.form_texts import form_word

_READ_S = 1.0


def draw_waiting_room(
    words: str, show: Show, place: DeltaGenerator, is_read: Callable[[], bool] | None, *, below: Markup | None = None
) -> None:
    """Draw the room. words: why there is no chart. is_read: asked once a second, the page is drawn anew when it is so; None = nothing is
    waited for, or the page is drawn again anyhow. below: what keeps the place of what will be between the chart and its table."""
    with place:
        draw_html(markup('<div class="tb tb-card tb-chart-room tb-muted" role="status">{}</div>', words))
        if below is not None:
            draw_html(below)
        with st.expander(form_word("chart_table", show.language)):
            draw_html(markup('<p class="tb tb-muted">{}</p>', words))
        if is_read is not None:
            st.fragment(_look_again, run_every=_READ_S)(is_read)


def _look_again(is_read: Callable[[], bool]) -> None:
    try:
        there = is_read()
    except TribunalError:
        there = True  # the page says why there is nothing
    if there:
        st.rerun()
