"""The journal: every decision with what it came to, whether that proves anything, calibration, people against the machine, and files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, get_args

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.calibration import Calibration
from engine.domain.clock import utc_now
from engine.domain.market.instrument import FeedName
from engine.domain.outcome import ExitReason, ExportForm, JournalFilter, JournalSummary
from pages.chart.curves import PANE_HEIGHT, curves_figure, draw_curves
from pages.desks import all_titles, flow_pages
from pages.frame.cards import card
from pages.frame.html import draw_html
from pages.frame.isolation import isolated
from pages.frame.language import choose_language
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.journal.calibration import calibration_panel
from pages.journal.learning import cases_panel, honesty_panel, lessons_panel, prompts_panel
from pages.journal.panels import curves_head, journal_head, person_panel, result_curves, verdict_panel
from pages.journal.table import SORTS, Actions, decisions_panel
from pages.run.run_list import flow_word
from pages.run_lists.at_hand import path_of

AT_ONCE: Final = 50
_ANSWERS: Final = ("none", "pending", "filled", "rejected", "expired", "blocked", "superseded", "failed")
_MIME: Final[Mapping[ExportForm, str]] = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet", "json": "application/json"}


def journal() -> None:
    """Draw the page."""
    engine = get_engine()
    with st.sidebar:
        language = choose_language(engine)
    show = Show(language=language)
    say = show.say
    known = engine.outcomes.choices()
    feed = _feed(known["feed"])
    summary, measured, honesty = engine.outcomes.summary(feed), engine.outcomes.calibration(feed=feed), engine.outcomes.honesty(feed)
    draw_html(journal_head(summary, feed, show))
    with isolated(say("journal"), say):
        draw_html(verdict_panel(summary, measured, honesty, show))
    actions: Actions = {flow: page.choices(show) for flow, page in flow_pages().items()}
    with isolated(say("journal_decisions"), say):
        wanted = _filters(known, actions, show)
        decisions, beside = st.columns([7, 3])
        with decisions:
            with isolated(say("journal_curve"), say):
                _curves(summary, show)
            _decisions(engine, wanted, actions, show)
            with isolated(say("lessons"), say):
                draw_html(lessons_panel(engine.outcomes.lessons(feed), path_of, show))
        with beside:
            with isolated(say("calibration"), say):
                draw_html(_calibration(engine, wanted, feed, measured, show))
            with isolated(say("person"), say):
                draw_html(person_panel(engine.outcomes.person_groups(feed), show))
            with isolated(say("honesty"), say):
                draw_html(honesty_panel(honesty, show))
            with isolated(say("cases"), say):
                draw_html(cases_panel(engine.cases.all(), engine.cases.newest(), actions, show))
    with isolated(say("prompts"), say):
        draw_html(prompts_panel(engine.prompts.report(), actions, replace(show, titles=all_titles(engine, language))))
    engine.watch_over()


def _feed(known: Sequence[str]) -> FeedName | None:
    """Return the kind of prices that the figures are of: the one that is asked for, else the nearest to real trading that there is. What
    simulated decisions came to says nothing of live ones."""
    asked = st.query_params.get("feed")
    by_realness: tuple[FeedName, ...] = ("live", "recorded", "simulated")
    there = [each for each in by_realness if each in known]
    return next((each for each in there if each == asked), there[0] if there else None)


def _calibration(engine: Engine, wanted: JournalFilter, feed: FeedName | None, measured: Calibration, show: Show) -> Markup:
    """Return the calibration of the desk and the model that were chosen. measured: of all on such prices."""
    of = [flow_word(wanted.desk, show.say)] if wanted.desk is not None else []
    of += [wanted.model] if wanted.model is not None else []
    return calibration_panel(engine.outcomes.calibration(wanted.desk, wanted.model, feed) if of else measured, show, " · ".join(of))


def _filters(known: Mapping[str, Sequence[str]], actions: Actions, show: Show) -> JournalFilter:
    """Draw what a reader can choose by, and return what was chosen. It is in the address. known: what there are decisions of."""
    say = show.say
    every_action = {action: words for desk in actions.values() for action, words in desk.items()}
    answers = {"none": say("answer_none"), "pending": say("state_waits"), "failed": say("state_not_ordered")}
    answers |= {name: say(f"state_{name}") for name in _ANSWERS if name not in answers}
    outcomes = {"gain": say("journal_gain"), "loss": say("journal_loss")}
    outcomes |= {reason: say(f"exit_{reason}") for reason in get_args(ExitReason)}
    sorts = {name: say(f"sort_{name}") for name in SORTS}
    feeds = {each: say(f"feed_{each}") for each in known["feed"]}
    with st.container(key="run-filters", horizontal=True, vertical_alignment="bottom"):
        chosen = {
            "feed": _box("feed", say("journal_feed"), feeds, show) if len(feeds) > 1 else None,
            "desk": _box("desk", say("journal_desk"), {flow: flow_word(flow, say) for flow in known["desk"]}, show),
            "symbol": _box("symbol", say("col_subject"), {each: each for each in known["symbol"]}, show),
            "model": _box("model", say("col_model"), {each: each for each in known["model"]}, show),
            "action": _box("action", say("col_decision"), every_action, show),
            "answer": _box("answer", say("journal_answer"), answers, show),
            "outcome": _box("outcome", say("col_outcome"), outcomes, show),
        }
        key = f"journal-find-{show.language}"
        if key not in st.session_state:
            st.session_state[key] = st.query_params.get("find", "")[:200]
        help_, changed = say("find_text_help"), partial(_chose, "find", key, "")
        text = st.text_input(
            say("find_text"), key=key, placeholder=say("find_text_hint"), help=help_, max_chars=200, width=140, on_change=changed
        )
        sort, descending = SORTS[_box("sort", say("journal_sort"), sorts, show, first="newest") or "newest"]
    wanted = {name: value or None for name, value in chosen.items()}
    return JournalFilter.model_validate(wanted | {"text": text, "sort": sort, "descending": descending})


def _box(name: str, word: str, options: Mapping[str, str], show: Show, *, first: str = "") -> str:
    """Draw one choice as the address has it."""
    key = f"journal-{name}-{show.language}"
    asked = st.query_params.get(name, first)
    if key not in st.session_state and (asked in options or asked == first):
        st.session_state[key] = asked
    every = [*([] if first else [""]), *options]
    empty = show.say("find_any")
    return st.selectbox(
        word, every, format_func=lambda each: options.get(each, empty), key=key, width=132, on_change=partial(_chose, name, key, first)
    )


def _chose(name: str, key: str, first: str) -> None:
    value = st.session_state.get(key)
    st.query_params.pop("page", None)
    if value and value != first:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def _decisions(engine: Engine, wanted: JournalFilter, actions: Actions, show: Show) -> None:
    asked = st.query_params.get("page", "1")
    page = max(1, int(asked)) if asked.isdecimal() and len(asked) < 7 else 1
    found = engine.outcomes.lines(wanted, AT_ONCE, AT_ONCE * (page - 1))
    first = AT_ONCE * (page - 1) + 1
    draw_html(decisions_panel(found, first, wanted, actions, path_of, show))
    with st.container(key="journal-pages", horizontal=True):
        if found.total > AT_ONCE:
            _step(page - 1, f"← {show.say('journal_before')}", disabled=page == 1)
            _step(page + 1, f"{show.say('journal_after')} →", disabled=first + AT_ONCE > found.total)
        if found.total:
            _exports(engine, wanted, get_args(ExportForm))


def _step(to: int, word: str, *, disabled: bool) -> None:
    st.button(word, key=f"journal-page-{word}", on_click=_go_to, args=(to,), disabled=disabled)


def _go_to(page: int) -> None:
    st.query_params["page"] = str(page)


def _exports(engine: Engine, wanted: JournalFilter, forms: Sequence[ExportForm]) -> None:
    """Offer the decisions as files; each is made when it is asked for."""
    name = f"journal-{utc_now():%Y-%m-%d}"
    for form in forms:
        words = {"csv": "CSV", "parquet": "Parquet", "json": "JSON"}[form]
        st.download_button(
            words, partial(engine.outcomes.export, wanted, form), f"{name}.{form}", _MIME[form], key=f"save-{form}", on_click="ignore"
        )


def _curves(summary: JournalSummary, show: Show) -> None:
    if not (curves := result_curves(summary, show)):
        return
    html = card(curves_head(show, summary.plans.n), curves_figure(curves, show), label=show.say("journal_curve"))
    draw_curves(html, curves, "journal-curves", 60 + PANE_HEIGHT * len(curves))


journal()
