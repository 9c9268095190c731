"""Evidence out of research on the pages of other desks: what a run is asked with, what it was given, and what was cited of it."""

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.domain.text.language import Language
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.json_fields import Fields
from pages.frame.page_style import say_warning
from pages.frame.show import Show
from pages.run.view import RunView
from pages.words.texts import form_word

PARAMETER = "evidence"
"""The part of an address that names the run whose statements a desk is opened with."""
_TARGET = ("symbol", "at", "date", "session")
_BEGUN_WITH = "form-begun-with"
_SIGNS = {"supported": "✓", "unsupported": "✕", "no_number": "–"}


def target_of_address() -> dict[str, str]:
    """Return what an address with evidence in it asks a form to begin with: `symbol`, `at`, `date` and `session`, those that stand there.
    Once a visit for every such address: afterwards the form is its reader's. A form holds it to what it can be, as if it was typed."""
    if PARAMETER not in st.query_params:
        return {}
    found = {name: st.query_params[name][:40] for name in (PARAMETER, *_TARGET) if name in st.query_params}
    if st.session_state.get(_BEGUN_WITH) == found:
        return {}
    st.session_state[_BEGUN_WITH] = found
    return {name: text for name, text in found.items() if name in _TARGET}


def draw_attached(engine: Engine, language: Language) -> tuple[str, ...]:
    """Draw which research the next run is given, with a way to leave it out, and return its run; () without one."""
    run_id = st.query_params.get(PARAMETER)
    if not run_id:
        return ()
    try:
        dossier = engine.research.dossier(run_id[:60])
    except TribunalError as problem:
        say_warning(problem)
        return ()
    words = form_word("evidence_given", language).format(n=len(dossier.statements), question=dossier.question[:120])
    draw_html(markup('<p class="tb tb-lab"><b>{}</b> {}</p>', form_word("evidence_title", language), words))
    if st.button(form_word("evidence_remove", language), key="evidence-remove"):
        del st.query_params[PARAMETER]
        st.rerun()
    return (run_id,)


def attached_panel(view: RunView, show: Show) -> Markup:
    """Return the evidence of a run that has ended and what was cited of it; "" for a run without any."""
    items = read.rows(view.ending.shown, "evidence") if view.ending is not None else ()
    if not items or view.ending is None:
        return Markup()
    say, cited = show.say, read.rows(view.ending.shown, "evidence_cited")
    title = say("at_title")
    rows = joined(_item(each, cited, show) for each in items)
    count = label(say("at_count", n=len(items), cited=len({n for each in cited for n in read.wholes(each, "citations")})))
    return card(head(heading(title), count), markup('<ol class="tb-att">{}</ol>', rows), label=title)


def _item(item: Fields, cited: tuple[Fields, ...], show: Show) -> Markup:
    n = read.count(item, "n")
    about = " · ".join(part for part in (read.words(item, "dated") or "", *read.texts(item, "sources")) if part)
    quotes = joined(_quote(each, show) for each in cited if n in read.wholes(each, "citations"))
    sure = read.number(item, "confidence")
    bold = markup(" <b>{}</b>", numbers.number(sure, 2)) if sure is not None else ""
    text = read.words(item, "text") or ""
    return markup('<li value="{}">{}{}<div class="tb-lab">{}</div>{}</li>', n, text, bold, about, quotes)


def _quote(cited: Fields, show: Show) -> Markup:
    status = read.words(cited, "status") or ""
    css_class = " bad" if status == "unsupported" else ""
    name, word = show.name(read.words(cited, "node") or ""), show.say(f"rs_{status}") if status in _SIGNS else status
    sign = _SIGNS.get(status, "")
    said = f"{name}{show.say('colon')}{read.words(cited, 'text') or ''}"
    return markup('<div class="tb-quote{}">{} <b>{} {}</b></div>', css_class, said, sign, word)
