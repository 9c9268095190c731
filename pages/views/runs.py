"""The runs: what goes on, what has been decided, and two decisions side by side."""

from datetime import UTC, datetime

import streamlit as st

from engine.api import Engine
from engine.domain.run import RunSummary
from pages.parts.ask_form import choose_language
from pages.parts.door import open_door
from pages.parts.form_words import form_word
from pages.parts.panel_runs import compared_runs, runs_panel
from pages.parts.showing import Show

POLL_S = 2.0
MOST = 200
_OPEN = frozenset({"starting", "running", "interrupted"})


def runs() -> None:
    """The page."""
    engine = open_door()
    with st.sidebar:
        language = choose_language(engine)
    titles = {analyst.key: analyst.title[language] for analyst in engine.analysts}
    show = Show(language=language, titles=titles)
    _compare(engine, show)
    active = any(run.status in _OPEN for run in engine.runs(MOST))
    st.fragment(_list, run_every=POLL_S if active else None)(engine, show)
    engine.watch_over()


def _list(engine: Engine, show: Show) -> None:
    st.html(runs_panel(engine.runs(MOST), show, datetime.now(UTC)))


def _compare(engine: Engine, show: Show) -> None:
    """Two finished runs of the reader's choice."""
    finished = {run.run_id: run for run in engine.runs(MOST) if run.status == "finished"}
    if len(finished) < 2:
        return

    def name(run_id: str | None) -> str:
        return _named(finished[run_id], show) if run_id in finished else "—"

    with st.expander(show.say("compare")):
        left, right = st.columns(2)
    first = left.selectbox(form_word("compare_this", show.language), list(finished), index=None, format_func=name, key="first-run")
    second = right.selectbox(form_word("compare_that", show.language), list(finished), index=None, format_func=name, key="second-run")
    if first is not None and second is not None:
        st.html(compared_runs(engine.record(first), engine.record(second), show))


def _named(run: RunSummary, show: Show) -> str:
    return f"{run.run_id} · {run.symbol} · {show.say(run.final_action) if run.final_action else ''}"


runs()
