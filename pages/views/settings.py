"""Settings: what this program was started with, never a secret of it; and the typed confirmation that real orders wait for."""

import streamlit as st

from engine.api import Engine
from pages.frame.cards import message
from pages.frame.isolation import isolated_html
from pages.frame.language import choose_language
from pages.frame.login import asks_login, bound_to, who_acts
from pages.frame.page_style import run_action
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.trading.settings import risk_panel, settings_panel


def settings() -> None:
    """Draw the page."""
    engine = get_engine()
    who = who_acts(engine)
    with st.sidebar:
        language = choose_language(engine)
    show = Show(language=language)
    if engine.trading.asks_live:
        _confirm(engine, who, show)
    elif engine.trading.is_live:
        st.html(message(show.say("live_open")))
    left, right = st.columns(2)
    say = show.say
    left.html(isolated_html(say("settings_title"), say, lambda: settings_panel(engine, who, bound_to(), show, login=asks_login())))
    right.html(isolated_html(say("risk_limits"), say, lambda: risk_panel(engine.settings.risk, show)))
    if asks_login():
        st.button(show.say("logout"), key="logout", on_click=st.logout, width="content")


def _confirm(engine: Engine, who: str, show: Show) -> None:
    """Ask for the words of this start to be typed: nobody opens this by a slip, and nobody who has not seen the terminal."""
    say = show.say
    st.html(message(say("live_ask"), f"{say('live_ask_text')} {say('live_where')}", bad=True))
    with st.form("live", border=False, clear_on_submit=True):
        typed = st.text_input(say("live_typed"), key="live-typed", max_chars=80, autocomplete="off")
        if st.form_submit_button(say("live_confirm"), key="live-confirm"):
            run_action(lambda: engine.trading.confirm_live(typed, who))


settings()
