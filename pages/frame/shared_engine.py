"""The one Engine of this server, shared by every session. Bad settings are said on the page, in one line, and nothing else is shown."""

import streamlit as st

from engine.api import Engine
from engine.domain.errors import TribunalError
from pages.frame.page_style import say_error


@st.cache_resource(show_spinner=False)
def cached_engine() -> Engine:
    """Return the engine, outside of a page. Raises a TribunalError when it cannot be had."""
    return Engine(asks_live=True)


def get_engine() -> Engine:
    """Return the engine; stops the page with a clear message when it cannot be had."""
    try:
        return cached_engine()
    except TribunalError as problem:
        say_error(problem)
        st.stop()
