"""The run behind a proposal or a position, as a page that shows either of them draws it."""

import streamlit as st

from engine.api import Engine
from pages.run.reducer import reduce
from pages.run.view import RunView


def run_behind(engine: Engine, run_id: str) -> RunView:
    """Return the run as its log tells it; it has ended, so its log is read once. Empty where the journal does not keep it any more."""
    views: dict[str, RunView] = st.session_state.setdefault("views", {})
    view = views.get(run_id)
    if view is None or view.ending is None:
        view = views[run_id] = reduce(engine.events(run_id))
    return view
