"""The sidebar and the question of the research desk. Gives what was asked for; starts nothing."""

from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from engine.api import Engine
from engine.domain.market.instrument import FeedName
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.desks.research.dossiers import draw_dossiers
from pages.frame.form_words import FormWords, choose_up_down, instant_text
from pages.frame.isolation import isolated
from pages.frame.language import choose_language
from pages.run.flow_page import RunForm
from pages.words.texts import words_in

_FEEDS: tuple[FeedName, ...] = ("simulated", "recorded", "live")
_WAYS: Final = ("rs_way_plan", "rs_way_research")


@dataclass(frozen=True)
class QuestionForm(RunForm):
    """The values in the form. question: as typed, "" for none yet. feed: as chosen."""

    question: str
    feed: FeedName


def question_form(engine: Engine) -> QuestionForm:
    """Draw the form and give what is in it."""
    with st.sidebar:
        language = choose_language(engine)
        word = FormWords(language)
        settings = engine.settings
        way = word.choice("rs_way", _WAYS, "rs_way_plan", "research-way")
        feed = word.choice("feed", _FEEDS, settings.default_feed, "research-feed")
        data_dir = st.text_input(word("folder"), str(settings.data_dir or ""), key="research-folder") if feed == "recorded" else ""
        symbol = st.text_input(word("rs_symbol"), "BTC/USDT:USDT", help=word("rs_symbol_help"), key="research-symbol")
        at = st.text_input(word("at"), help=word("rs_at_help"), placeholder="2026-05-16T12:00Z", key="research-at")
        download = st.toggle(word("rs_download"), value=True, key="research-download") if way == "rs_way_research" else True
        model = _model(engine, word)
        lies = 0.0
        if model == "scripted":
            lies = st.number_input(word("lies"), 0.0, 100.0, 0.0, step=5.0, help=word("lies_help"), key="research-lies", format="%.0f")
        up_down = choose_up_down(engine, language)
        with isolated(words_in(language)("rs_dossiers"), words_in(language)):
            draw_dossiers(engine, language)
    usual = word("rs_example")
    key = f"research-question-{language}"
    question = st.text_input(word("rs_question"), usual, max_chars=2000, key=key, label_visibility="collapsed")
    if "run" not in st.query_params:
        with st.container(key="examples", horizontal=True):
            for number, example in enumerate(word("rs_examples").split("\n")):
                st.button(example, key=f"example-{number}", on_click=_ask_instead, args=(key, example), width="content")

    def request() -> RunRequest:
        about: dict[str, Any] = {"symbol": symbol.strip() or None, "feed": feed, "data_dir": data_dir or None, "at": at.strip() or None}
        how: dict[str, Any] = {"model": model, "language": language, "lies": lies / 100}
        if way == "rs_way_plan":
            return engine.plans.request(question, **about, **how)
        return engine.research.request(question, download=download, **about, **how)

    return QuestionForm(language, up_down, model, request, question, feed)


def _ask_instead(key: str, question: str) -> None:
    st.session_state[key] = question


def fill_question_form(request: RunRequest, language: Language) -> None:
    """Put what a run was asked into the form and the question's field, before they are drawn."""
    asked, word, state = request.model_dump(mode="json"), FormWords(language), st.session_state
    word.put("research-way", "rs_way_plan" if request.flow == "plan" else "rs_way_research")
    word.put("research-feed", asked["feed"])
    state["research-folder"], state["research-symbol"] = asked["data_dir"] or "", asked["symbol"] or ""
    state["research-at"] = instant_text(request.market_clock)
    state["research-download"] = asked.get("download", True)
    state["research-model"], state["research-lies"] = request.model, round(100 * request.lies, 6)
    if asked["question"]:
        state[f"research-question-{language}"] = asked["question"]


def _model(engine: Engine, word: FormWords) -> str:
    options = list(dict.fromkeys([engine.settings.default_model, "scripted"]))
    return str(st.selectbox(word("model"), options, help=word("model_help"), accept_new_options=True, key="research-model"))
