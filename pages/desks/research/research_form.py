"""What the research desk can be asked with, and the question. Gives what was asked for; starts nothing."""

from dataclasses import replace
from typing import Final

import streamlit as st

from engine.api import Engine
from engine.domain.run import RunRequest
from engine.domain.text.language import Language
from pages.desks.form import AT, FEED, FOLDER, LIES, MODEL, DeskForm, Drawn, Field
from pages.desks.research.dossiers import draw_dossiers
from pages.desks.research.guided_demo import GUIDE
from pages.frame.isolation import isolated
from pages.run.flow_page import RunForm
from pages.words.texts import words_in


def _way(form: Drawn, flow: str) -> str:
    return form.word(f"rs_way_{flow}")


_FORM: Final = DeskForm(
    "research-",
    (
        Field("flow", "choice", "way", "rs_way", "plan", ("plan", "research"), _way, folded=False),
        FEED,
        FOLDER,
        Field("symbol", "text", "symbol", "rs_symbol", "BTC/USDT:USDT", folded=False),
        MODEL,
        replace(AT, help="rs_at_help"),
        Field("download", "toggle", "download", "rs_download", start=True, when=lambda form: form["flow"] == "research"),
        replace(LIES, start=0.0),
    ),
)


def question_form(engine: Engine) -> RunForm:
    """Draw the form and give what is in it."""
    with st.sidebar:
        form = _FORM.draw(engine, {})
        say, word = words_in(form.language), form.word
        with isolated(say("rs_dossiers"), say):
            draw_dossiers(engine, form.language)
    key = _question_key(form.language)
    question = st.text_input(word("rs_question"), word("rs_example"), 2000, key, label_visibility="collapsed", persist_state="session")
    if "run" not in st.query_params:
        with st.container(key="examples", horizontal=True):
            for number, example in enumerate(word("rs_examples").split("\n")):
                st.button(example, key=f"example-{number}", on_click=_ask_instead, args=(key, example), width="content")

    def request() -> RunRequest:
        asked = _FORM.asked(form)
        return engine.plans.request(question, **asked) if asked.pop("flow") == "plan" else engine.research.request(question, **asked)

    return RunForm(form.language, form.up_down, form["model"], request, form)


def _question_key(language: Language) -> str:
    return f"research-question-{language}"


def _ask_instead(key: str, question: str) -> None:
    st.session_state[key] = question


def fill_question_form(request: RunRequest, language: Language) -> None:
    """Put what a run was asked into the form and the question's field, before they are drawn."""
    _FORM.fill(request.model_dump(), language, opened=GUIDE.is_own(request))
    if question := request.model_dump()["question"]:
        st.session_state[_question_key(language)] = question
