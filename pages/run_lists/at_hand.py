"""The runs at hand, in the sidebar of every page: what is open, then the newest. They follow by themselves while something may still
change: a run that goes on, a proposal that waits.
"""

from typing import Final

import streamlit as st

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.run import RunSummary
from engine.domain.shown_state import ShownState
from pages.desks import page_of_flow
from pages.frame.html import draw_html
from pages.frame.isolation import isolated
from pages.frame.language import page_language
from pages.frame.show import Show
from pages.run.run_links import RunLine, runs_aside
from pages.run_lists.follow_ups import follow_ups_of, proposals_of

MOST: Final = 5
POLL_S: Final = 2.0
_SETTLED: Final[frozenset[ShownState]] = frozenset(
    ("stopped", "failed", "invalid", "finished", "blocked", "no_order", "filled", "rejected", "expired", "superseded", "not_ordered")
)
"""What changes no more by itself."""


def draw_runs_at_hand(engine: Engine) -> None:
    """Draw them below whatever a page has put into its sidebar, where they push nothing."""
    show = Show(language=page_language(engine))
    with st.sidebar, st.container(key="runs-at-hand"), isolated(show.say("at_hand"), show.say):
        lines = _lines(engine)
        follows = any(line.state not in _SETTLED for line in lines)
        st.fragment(_draw, run_every=POLL_S if follows else None)(engine, show, [lines])


def _draw(engine: Engine, show: Show, read: list[list[RunLine]]) -> None:
    """Draw the list. read: the runs as they were read for the first drawing, then nothing."""
    with isolated(show.say("at_hand"), show.say):
        lines, shown = read.pop() if read else _lines(engine), st.query_params.get("run")
        draw_html(runs_aside(lines, shown, show, utc_now(), headline_of, path_of))


def _lines(engine: Engine) -> list[RunLine]:
    """Return the runs with how each is shown; none where the journal cannot be read, which the page itself says."""
    try:
        found = engine.runs_at_hand(MOST)
        came = follow_ups_of(found, proposals_of(engine, found), {})
    except TribunalError:
        return []
    return [RunLine(run, came[run.run_id].state) for run in found]


def headline_of(run: RunSummary, show: Show) -> str:
    """Return what a run came to, in the words of its flow's page."""
    return page_of_flow(run.flow).headline(run, show)


def path_of(flow: str) -> str:
    """Return the path of the page that runs of a flow are shown on."""
    return page_of_flow(flow).path
