"""The title of the browser's tab: what waits, goes on or is looked at, then the program's name. It is updated
without a reload, by the part that polls.
"""

from typing import Final

import streamlit as st

PROGRAM: Final = "Tribunal"
_SAID: Final = "tab-title"
_MOST: Final = 80


def tab_title(*parts: str) -> str:
    """Return `2 wait - Approvals - Tribunal`: the parts that say something, on one line, then the program's name."""
    said = [" ".join(part.split()) for part in parts]
    return " - ".join([*(part[:_MOST] for part in said if part), PROGRAM])


def begin_tab_title() -> None:
    """Let whatever is said from now on be sent, even if the tab should be called so already."""
    st.session_state.pop(_SAID, None)


def say_tab_title_if_none(*parts: str) -> None:
    """Let the tab be called so where the page itself has not said anything since `begin_tab_title`."""
    if _SAID not in st.session_state:
        say_tab_title(*parts)


def say_tab_title(*parts: str) -> None:
    """Let the tab of this visitor be called so; nothing is sent where it is called so already."""
    title = tab_title(*parts)
    if st.session_state.get(_SAID) != title:
        st.session_state[_SAID] = title
        st.set_page_config(page_title=title)
