"""The one Engine of this server, shared by every session. Bad settings are said on the page, in one line, and nothing else is shown."""

from pathlib import Path

import streamlit as st

from engine.api import Engine
from engine.api.replays import Replays
from engine.domain.errors import TribunalError
from pages.frame.page_style import say_error


@st.cache_resource(show_spinner=False)
def cached_engine() -> Engine:
    """Return the engine, outside of a page. Raises a TribunalError when it cannot be had."""
    return Engine(asks_live=True)


@st.cache_resource(show_spinner=False, max_entries=4, on_release=Engine.close)
def _engine_of_replay(home: Path) -> Engine:
    return Engine(Replays(cached_engine().settings).settings_of(home))


def engine_of_run(run_id: str | None, replay_id: str = "") -> Engine:
    """Return the engine that a run is read from: of a replay's run, or of one that was made from it, one on the replay's own journal. Stops
    as `get_engine`."""
    engine = get_engine()
    home = Replays(engine.settings).home_of(run_id, replay_id) if run_id else None
    return engine if home is None or (replay_id and engine.run(run_id or "") is not None) else _engine_of_replay(home)


def get_engine() -> Engine:
    """Return the engine; stops the page with a clear message when it cannot be had."""
    try:
        return cached_engine()
    except TribunalError as problem:
        say_error(problem)
        st.stop()
