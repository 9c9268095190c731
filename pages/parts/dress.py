"""What every page wears: the style sheet, and the marker that turns up and down colours."""

import streamlit as st

from pages.parts.palette import UpDown, marker, stylesheet


def dress_page() -> None:
    """The one style sheet, once a page."""
    st.html(stylesheet())


def set_up_down(up_down: UpDown) -> None:
    """Which colour means up on this page."""
    st.html(marker(up_down))
