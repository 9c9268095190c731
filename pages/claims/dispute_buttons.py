"""What a press on the button beside a struck claim does. The buttons are HTML in panels and cards; the script `assets/disputes/disputes.js`
hears them, and here is what it tells."""

from collections.abc import Mapping

import streamlit as st

from engine.api import Engine
from engine.domain.errors import TribunalError
from pages.frame import json_fields
from pages.frame.page_style import say_error
from pages.server.static_files import mount

_REFUSED = "dispute-refused"


def hear_disputes(engine: Engine, run_id: str, who: str) -> None:
    """Let the buttons of this run's claims work, and say what could not be done. who: presses them."""
    key = "disputes"

    def pressed() -> None:
        press = getattr(st.session_state.get(key), "press", None)
        if isinstance(press, Mapping):
            take_press(engine, run_id, who, press)

    if refused := st.session_state.pop(_REFUSED, None):
        say_error(refused)
    mount("disputes/disputes.js", key, {"run": run_id}, on_press_change=pressed)


def take_press(engine: Engine, run_id: str, who: str, press: json_fields.Fields) -> None:
    """Dispute a claim, or withdraw that. press: as the browser tells it: `run`, `claim`, and `undo` or `why`. One that was meant for
    another run is left out."""
    claim_id = json_fields.words(press, "claim")
    if claim_id is None or json_fields.words(press, "run") != run_id:
        return
    try:
        if json_fields.flag(press, "undo"):
            engine.disputes.withdraw(run_id, claim_id, who)
        else:
            engine.disputes.dispute(run_id, claim_id, who, json_fields.words(press, "why") or "")
    except TribunalError as problem:
        st.session_state[_REFUSED] = str(problem)
