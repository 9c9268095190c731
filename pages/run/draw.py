"""Drawing the panels of a run, of any flow, where they stand."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.isolation import isolated_html
from pages.frame.show import Show
from pages.run.flow_page import Panel
from pages.run.view import RunView


def slots(count: int) -> list[DeltaGenerator]:
    """Places that are there from the first frame, whatever comes into them.

    A browser that falls behind may hear what is in a place before it hears that another kind of thing is there now, and
    Streamlit's page does not survive that. Nor does it survive a gap: of a part that is drawn again by itself before the browser has heard
    of it, Streamlit takes back what it was going to say, so nothing may follow such a part in its place.
    """
    return [st.container() for _ in range(count)]


def draw_panels(panels: Sequence[Panel], places: Mapping[str, DeltaGenerator], view: RunView, show: Show) -> None:
    """Draw every panel in its column, in order. places: column -> its place. One that has nothing to say yet keeps its place, and no room;
    those of the foot are there when nothing changes any more: at every poll they would be others."""
    for panel in panels:
        with places[panel.column]:
            running = panel.column == "foot" and show.now is not None
            html = "" if running else isolated_html(show.say(panel.name), show.say, partial(panel.build, view, show))
            draw_html(markup('<div id="panel-{}">{}</div>', panel.name, html) if html else html)
