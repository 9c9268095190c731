"""The runs: what goes on, what has been decided, and two decisions side by side."""

from datetime import UTC, datetime

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.domain.run import RunSummary
from pages.flow_pages import page_of_flow
from pages.frame.isolation import isolated, isolated_page
from pages.frame.language import choose_language
from pages.frame.page_style import say_error
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.run.run_list import runs_panel
from pages.words.form_texts import form_word

POLL_S = 2.0
MOST = 1000
AT_ONCE = 200
MOST_COMPARED = 100  # in a box to choose from
_OPEN = frozenset({"starting", "running", "interrupted"})


def runs() -> None:
    """Draw the page."""
    engine = get_engine()
    with st.sidebar:
        language = choose_language(engine)
    found = engine.runs(MOST)
    flows = list(dict.fromkeys(run.flow for run in found))
    show = Show(language=language)
    flow = None
    with isolated(show.say("col_flow"), show.say):
        flow = _chosen_flow(flows, show)
    found = [run for run in found if flow in (None, run.flow)]
    going = [run.run_id for run in found if run.status in _OPEN]
    with isolated(show.say("compare"), show.say):
        _compare(engine, [run for run in found if run.status == "finished"], show)
    if going:  # only these change: the long list is not sent again and again
        st.fragment(isolated_page(_open_runs, show.say), run_every=POLL_S)(engine, show, going, flow)
    ended = [run for run in found if run.status not in _OPEN]
    if ended or not going:
        with isolated(show.say("runs"), show.say):
            _ended_runs(ended, show)
    engine.watch_over()


def _chosen_flow(flows: list[str], show: Show) -> str | None:
    """Return the flow whose runs the reader wants to see; None for all. Asked only where there are runs of more than one."""
    if len(flows) < 2:
        return None
    everything = form_word("all_flows", show.language)
    chosen = st.selectbox(show.say("col_flow"), [everything, *flows], key=f"flow-{show.language}")
    return None if chosen == everything else chosen


def _headline(run: RunSummary, show: Show) -> str:
    return page_of_flow(run.flow).headline(run, show)


def _open_runs(engine: Engine, show: Show, going: list[str], flow: str | None) -> None:
    try:
        now = [run for run in engine.runs(MOST) if run.status in _OPEN and flow in (None, run.flow)]
    except TribunalError as problem:
        say_error(problem)
        return
    if [run.run_id for run in now] != going:
        st.rerun()  # one has ended, or begun: the whole page once more
    st.html(runs_panel(now, show, datetime.now(UTC), title=show.say("runs_open"), headline=_headline))


def _ended_runs(ended: list[RunSummary], show: Show) -> None:
    """Draw the newest at once, the others when they are asked for: a long list takes a browser most of a second."""
    more = 0 if st.session_state.get("all-runs") else len(ended) - AT_ONCE
    st.html(runs_panel(ended[:AT_ONCE] if more > 0 else ended, show, datetime.now(UTC), headline=_headline))
    if more > 0:
        st.button(form_word("more_runs", show.language).format(n=more), key="more-runs", on_click=_show_all)


def _show_all() -> None:
    st.session_state["all-runs"] = True


def _compare(engine: Engine, finished: list[RunSummary], show: Show) -> None:
    """Draw two of the newest finished runs of one flow, of the reader's choice."""
    named = {run.run_id: run for run in finished[:MOST_COMPARED]}
    if len(named) < 2:
        return

    def name(run_id: str | None) -> str:
        return _named(named[run_id], show) if run_id in named else "—"

    with st.expander(show.say("compare")):
        left, right = st.columns(2)
    first = left.selectbox(form_word("compare_this", show.language), list(named), index=None, format_func=name, key="first-run")
    others = [run_id for run_id, run in named.items() if first is None or run.flow == named[first].flow]
    second = right.selectbox(form_word("compare_that", show.language), others, index=None, format_func=name, key="second-run")
    if first is not None and second is not None:
        page = page_of_flow(named[first].flow)
        own = Show(language=show.language, titles=page.titles(engine, show.language))
        st.html(page.compare(engine.record(first), engine.record(second), own) or Markup("<i hidden></i>"))


def _named(run: RunSummary, show: Show) -> str:
    came_to = _headline(run, show) if run.headline else ""
    return f"{run.run_id} · {run.subject} · {came_to}"


runs()
