"""Which language a page speaks, and where that is chosen: in the sidebar of every page, kept by the address and over a change of page."""

import streamlit as st

from engine.api import Engine
from engine.domain.text.language import LANGUAGES, Language
from pages.frame.preferences import kept_choice
from pages.words.texts import LANGUAGE_NAMES

_KEPT = "spoken"


def page_language(engine: Engine) -> Language:
    """As chosen on this page, else by its address, else on the page before, else as this browser keeps it, else by the settings."""
    here = (st.session_state.get("language"), st.query_params.get("lang"), st.session_state.get(_KEPT))
    wanted = (*here, kept_choice("language", LANGUAGES), engine.settings.language)
    spoken = next(language for language in (*wanted, LANGUAGES[0]) if language in LANGUAGES)
    st.session_state[_KEPT] = spoken
    return spoken


def spoken_language() -> Language:
    """Return the language that this page was drawn in; English before it was drawn at all."""
    spoken: Language = st.session_state.get(_KEPT, LANGUAGES[0])
    return spoken


def choose_language(engine: Engine) -> Language:
    """Return the choice itself; the address carries it, so that a link keeps it."""
    start = LANGUAGES.index(page_language(engine))
    language: Language = st.radio(
        "Language 语言",
        LANGUAGES,
        start,
        format_func=LANGUAGE_NAMES.__getitem__,
        key="language",
        label_visibility="collapsed",
        horizontal=True,
    )
    if st.query_params.get("lang", engine.settings.language) != language:
        st.query_params["lang"] = language
    return language
