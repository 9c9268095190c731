"""The runs at hand, in the sidebar of every page: what is open, then the newest. Read once whenever a page is drawn, never by itself."""

from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.run import RunSummary
from pages.flow_pages import page_of_flow
from pages.frame.isolation import isolated
from pages.frame.language import page_language
from pages.frame.show import Show
from pages.run.run_links import runs_aside

MOST: Final = 5


def draw_runs_at_hand(engine: Engine) -> None:
    """Draw them above whatever a page puts into its sidebar; their place is there without any, too."""
    show = Show(language=page_language(engine))
    with st.sidebar, st.container(key="runs-at-hand"), isolated(show.say("at_hand"), show.say):
        try:
            found = engine.runs_at_hand(MOST)
        except TribunalError:  # the page itself says that the journal cannot be read
            found = []
        shown = st.query_params.get("run")
        st.html(runs_aside(found, shown, show, utc_now(), headline_of, path_of) or Markup("<i hidden></i>"))


def headline_of(run: RunSummary, show: Show) -> str:
    """Return what a run came to, in the words of its flow's page."""
    return page_of_flow(run.flow).headline(run, show)


def path_of(flow: str) -> str:
    """Return the path of the page that runs of a flow are shown on."""
    return page_of_flow(flow).path
