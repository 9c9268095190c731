"""Settings: what this program was started with, what this browser keeps, the bench, and the typed confirmation of real orders."""

import streamlit as st

from engine.api import Engine
from engine.domain.text.language import LANGUAGES
from pages.desks import DESKS
from pages.frame.cards import head, heading, message
from pages.frame.escape import markup
from pages.frame.form_words import UP_DOWN, choose_up_down
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.language import choose_language
from pages.frame.login import asks_login, bound_to, who_acts
from pages.frame.page_frame import paths_of
from pages.frame.page_style import run_action, set_up_down
from pages.frame.preferences import draw_theme_switch, keep_choice, kept_choice, send_kept_choices
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.run.live_stream import end_visit
from pages.run.notifications import draw_notification_choice
from pages.trading.settings import bench_panel, program_panel, risk_panel, settings_panel
from pages.words.texts import LANGUAGE_NAMES


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
        draw_html(message(show.say("live_open")))
    left, right = st.columns(2)
    say = show.say
    with left:
        with isolated(say("looks_title"), say):
            _looks(engine, show)
        draw_html(isolated_html(say("program_title"), say, lambda: program_panel(engine, show)))
        draw_html(isolated_html(say("settings_title"), say, lambda: settings_panel(engine, who, bound_to(), show, login=asks_login())))
    with right:
        with isolated(say("bench_title"), say):
            _bench(engine, show)
        draw_html(isolated_html(say("risk_limits"), say, lambda: risk_panel(engine.settings.risk, show)))
    if asks_login():
        st.button(show.say("logout"), key="logout", on_click=_log_out, width="content")


def _log_out() -> None:
    end_visit()
    st.logout()


def _looks(engine: Engine, show: Show) -> None:
    """Draw what this browser keeps: dark or light, colours, language, notifications."""
    say = show.say
    with st.container(border=True, key="looks"):
        draw_html(markup('<div class="tb">{}<p class="tb-muted">{}</p></div>', head(heading(say("looks_title"))), say("looks_text")))
        draw_theme_switch(paths_of(DESKS), say)
        before = kept_choice("up_down", UP_DOWN) or engine.settings.up_down
        set_up_down(choose_up_down(engine, show.language))
        if (chosen := st.session_state.get("chosen-up_down", before)) != before:
            keep_choice("up_down", chosen)
        start = LANGUAGES.index(show.language)
        st.selectbox(
            say("language_default"), LANGUAGES, start, LANGUAGE_NAMES.__getitem__, key="language-default", on_change=_keep_language
        )
        draw_notification_choice(say)
        send_kept_choices()


def _keep_language() -> None:
    language = st.session_state["language-default"]
    keep_choice("language", language)
    st.session_state["language"] = st.query_params["lang"] = language


def _bench(engine: Engine, show: Show) -> None:
    """Draw what the bench is for, its command, and what the last one found of the settings' model."""
    say, model = show.say, engine.settings.default_model
    with st.container(border=True, key="bench"):
        text = say("bench_text", model=model)
        draw_html(markup('<div class="tb">{}<p class="tb-muted">{}</p></div>', head(heading(say("bench_title"))), text))
        st.code("python -m engine bench", language=None)
    if (result := engine.benches.newest(model)) is None:
        return
    draw_html(isolated_html(say("bench_title"), say, lambda: bench_panel(result, show)))
    if result.settings:
        draw_html(markup('<p class="tb-lab">{}</p>', say("bench_proposed")))
        st.code("\n".join(f"{name}={value}" for name, value in result.env.items()), language=None)


def _confirm(engine: Engine, who: str, show: Show) -> None:
    """Ask for the words of this start to be typed: they are shown in the terminal, so that real orders are not opened by a slip."""
    say = show.say
    draw_html(message(say("live_ask"), f"{say('live_ask_text')} {say('live_where')}", bad=True))
    with st.form("live", border=False, clear_on_submit=True):
        typed = st.text_input(say("live_typed"), key="live-typed", max_chars=80, autocomplete="off")
        if st.form_submit_button(say("live_confirm"), key="live-confirm"):
            run_action(lambda: engine.trading.confirm_live(typed, who))


settings()
