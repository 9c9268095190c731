"""The one way of HTML onto a page. `st.html` raises for an empty text, and what a builder of HTML returns may be empty."""

from typing import Final, Literal

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

NOTHING: Final = Markup('<i class="tb-nothing" hidden></i>')
"""Keeps the place of HTML that has nothing to say yet, and takes no room: what comes into the place later is of the same kind, so that a
browser that falls behind never meets another kind of element there."""


def draw_html(html: str, place: DeltaGenerator | None = None, *, width: int | Literal["stretch", "content"] = "stretch") -> None:
    """Draw HTML that is safe to show, or nothing where it is empty. place: where, None for the place that is being drawn."""
    (st if place is None else place).html(html or NOTHING, width=width)
