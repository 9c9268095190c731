"""What every page has: the style sheet, the marker that turns up and down colours, and how errors are shown.

Streamlit reads its messages as Markdown, which can fetch pictures from anywhere. A message may quote an address, a typed word or an
exchange, so it is shown as bare words.
"""

import re
from collections.abc import Callable

import streamlit as st

from engine.domain.errors import TribunalError
from pages.frame.escape import visible
from pages.frame.html import draw_html
from pages.frame.language import spoken_language
from pages.frame.palette import UpDown, marker, stylesheet
from pages.words.texts import page_text

NEW = "new"
"""The part of an address that asks for a desk without a run, in place of the last one."""
_MARKS = re.compile(r"([\\`*_\[\]<>~$!#|&:])")


def inject_stylesheet() -> None:
    """Put the style sheet into the page, once a page."""
    draw_html(stylesheet())


def set_up_down(up_down: UpDown) -> None:
    """Set which colour means up on this page."""
    draw_html(marker(up_down))


def say_error(text: object) -> None:
    """Show what could not be done, in one line."""
    st.error(bare_words(page_text(str(text), spoken_language())))


def say_warning(text: object) -> None:
    """Show what is odd, in one line."""
    st.warning(bare_words(page_text(str(text), spoken_language())))


def run_action(act: Callable[[], object]) -> None:
    """Do what the reader asked for and show the page anew; say so in one line when it cannot be done."""
    try:
        act()
    except TribunalError as problem:
        say_error(problem)
        return
    st.rerun()


def open_run(run_id: str) -> None:
    """Let this page show a run from now on; its address carries it."""
    st.query_params["run"] = run_id
    st.query_params.pop(NEW, None)


def show_no_run() -> None:
    """Let this page show what is there before any run, until one is begun; its address carries that."""
    st.query_params.pop("run", None)
    st.query_params[NEW] = "1"


def bare_words(text: object) -> str:
    """Markdown that shows just these words, on one line: nothing in it is a picture, a link or a colour."""
    return _MARKS.sub(r"\\\1", visible(" ".join(str(text).split())))
