"""A press that begins a run begins one, however often it is pressed before the page has followed.

A second press can interrupt the first between the beginning of the run and the change of the address: Streamlit stops a script at its next
message when there is a newer request. What was begun is therefore kept with the visitor until a page has been drawn with it.
"""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

import streamlit as st

from engine.domain.text.language import Language
from pages.frame.page_style import open_run, run_action, show_no_run
from pages.frame.shared_engine import get_engine
from pages.run.flow_page import RunForm
from pages.words.texts import form_word

_BEGUN: Final = "begun-run"
_FORM_OF: Final = "form-of"


class _Begun(NamedTuple):
    """run_id: what was begun. on: the run that the page showed when it was pressed, None for none."""

    run_id: str
    on: str | None


def draw_run_button(form: RunForm, shown: str | None, *, running: bool, primary: bool, word: str = "run") -> None:
    """Draw the button that begins what the form asks for. shown: as for `start_run`. running: that run goes on, and nothing else can be
    begun here meanwhile; nor can what is not all typed yet. primary: whether it is what the page is for
    now. word: the key of what it is called."""
    name = form_word("running" if running else word, form.language)
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"

    def begin() -> str:
        run_id = get_engine().start(form.request())
        st.session_state[_FORM_OF] = run_id  # the values in the form are what was asked for
        return run_id

    if st.button(name, type=kind, key="run-button", disabled=running or bool(form.hint), width="content") and not running:
        start_run(begin, shown)


def draw_new_button(language: Language, shown: str | None) -> None:
    """Draw the way to a desk without a run; nothing if no run is shown."""
    if shown is not None and st.button(
        form_word("new_run", language), key="new-run", icon=":material/add:", type="tertiary", width="content"
    ):
        show_no_run()
        st.rerun()  # all of the page: the button may stand in a part that is drawn by itself


def takes_over(run_id: str) -> bool:
    """Return whether the form is still to be filled with what this run was asked for: once, when the page begins to show it and did not
    begin it."""
    if st.session_state.get(_FORM_OF) == run_id:
        return False
    st.session_state[_FORM_OF] = run_id
    return True


def start_run(begin: Callable[[], str], shown: str | None) -> None:
    """Begin a run and show it; one that was begun on the same page and has not been shown yet is shown instead. begin: gives the run's id,
    raises a TribunalError. shown: the run that the page shows now."""

    def act() -> None:
        run_id = unopened_run(shown)
        if run_id is None:
            run_id = begin()
            st.session_state[_BEGUN] = _Begun(run_id, shown)
        open_run(run_id)

    run_action(act)


def unopened_run(shown: str | None) -> str | None:
    """Return the run that was begun on a page that shows `shown` and that no page has been drawn with yet, or None."""
    begun = st.session_state.get(_BEGUN)
    return begun.run_id if begun is not None and begun.on == shown else None


def forget_unopened(run_id: str | None) -> None:
    """Note that a page has been drawn with this run."""
    begun = st.session_state.get(_BEGUN)
    if begun is not None and begun.run_id == run_id:
        del st.session_state[_BEGUN]
