"""A page that asks for runs of one flow and shows a run of any: it is watched being argued by the page of its own flow.

A run lives in the engine, not in the page. The address carries its id; the page reads its event log from where it left off, whenever its
script in the browser says that something has happened (`pages/run/live_stream.py`), so a reload or a second browser shows the same run,
whole.
"""

import re
from contextlib import suppress
from dataclasses import replace
from time import monotonic

import streamlit as st

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.run import RunRecord
from engine.domain.shown_state import state_of_run
from pages.desks import flows_at, page_of_flow
from pages.desks.desk_page import DeskPage
from pages.frame.isolation import isolated, isolated_page
from pages.frame.language import page_language
from pages.frame.page_frame import SEEN_LOCKED, SHOWN_HALTED, page_word
from pages.frame.page_style import NEW, open_run, say_warning, set_up_down
from pages.frame.shared_engine import engine_of_run, get_engine
from pages.frame.show import Show
from pages.frame.tab_title import say_tab_title
from pages.run.attached import PARAMETER
from pages.run.flow_page import FlowPage, RunForm
from pages.run.guide import is_paused
from pages.run.kept_runs import catch_up, first_words
from pages.run.live_stream import follow_run
from pages.run.notifications import draw_notification_switch
from pages.run.playback import note_drawing, tick_s
from pages.run.run_links import run_title
from pages.run.starting import forget_unopened, takes_over, unopened_run
from pages.run.view import RunView
from pages.words.texts import form_word

PLAYED_S = 0.5
"""How often a run is drawn that is played again."""
_LAST = "last-run-on-"
_RUN_ID = re.compile(r"[0-9a-z-]{1,40}")


def draw_run_page(start: FlowPage) -> None:
    """Draw the run that the address names, by the page of its flow. start: what is there without one."""
    asked_for = st.query_params.get("run")
    engine = engine_of_run(asked_for, st.query_params.get("replay", ""))
    if (begun := unopened_run(asked_for)) is not None:
        open_run(asked_for := begun)
    elif asked_for is None:
        asked_for = _last_run(engine, start)
    record = engine.run(asked_for) if asked_for is not None and _RUN_ID.fullmatch(asked_for) else None
    page = page_of_flow(record.request.flow) if record is not None else start
    run_id = record.run_id if record is not None else None
    if record is not None and takes_over(record.run_id):
        page.fill_form(record.request, page_language(engine))
    form = page.draw_form(get_engine())
    set_up_down(form.up_down)
    if asked_for is not None and run_id is None:
        say_warning(form_word("unknown_run", form.language).format(run=asked_for[:40]))
    forget_unopened(asked_for)
    view, show = first_words(engine, run_id, page.reducer), Show(language=form.language)
    if record is None:
        say_tab_title(show.say(page_word(start.path)))
    else:
        st.session_state[f"{_LAST}{page.path}"] = run_id
    is_open = record is not None and (record.is_open or view.ending is None)
    every_s = tick_s(PLAYED_S)
    watching = st.fragment(isolated_page(_watch, show.say), run_every=None if is_open else every_s)
    subject = record.request.subject if record is not None else ""
    watching(engine, page, form, run_id, subject, was_open=is_open)
    with st.sidebar, isolated(show.say("part_notifications"), show.say):
        draw_notification_switch(run_id, view, show, subject, page.outcome(view, show))
    get_engine().watch_over()  # never that of a replay: what it left unfinished goes on under its own clock alone


def _stands_still(page: FlowPage, record: RunRecord) -> bool:
    """Return whether the run is a guided demo that is paused: no word of it may come."""
    return isinstance(page, DeskPage) and page.guide is not None and is_paused(page.guide, record)


def _last_run(engine: Engine, start: FlowPage) -> str | None:
    """Return the run that the page showed last in this visit, else the newest of its flows that anybody has begun here, and let the address
    name it. None where the address asks for something else to begin with."""
    if NEW in st.query_params or PARAMETER in st.query_params:
        return None
    found = st.session_state.get(f"{_LAST}{start.path}")
    if found is None:
        with suppress(TribunalError):  # a journal that cannot be read says so elsewhere
            found = engine.last_run(flows_at(start.path))
    if found is not None:
        open_run(found)
    return found


def _say_title(engine: Engine, page: FlowPage, view: RunView, run_id: str, subject: str, show: Show) -> None:
    proposal = engine.trading.proposal_of(run_id) if view.ending is not None else None
    proposal = proposal.as_at(utc_now()) if proposal is not None else None
    locked = proposal is not None and proposal.id in st.session_state.get(SEEN_LOCKED, frozenset())
    is_valid = view.ending.is_valid if view.ending is not None else None
    state = state_of_run(view.status, proposal, is_valid=is_valid, halted=bool(st.session_state.get(SHOWN_HALTED)), locked=locked)
    say_tab_title(run_title(state, subject, page.progress(view), page.tab_word(view, show), show))


def _watch(engine: Engine, page: FlowPage, form: RunForm, run_id: str | None, subject: str, *, was_open: bool) -> None:
    """Draw everything that changes while a run goes on, or while the reader looks back at one. was_open: the run had not ended for the
    journal when the whole page was drawn: its log tells of the end a moment before."""
    if (opened := unopened_run(run_id)) is not None:
        open_run(opened)
        st.rerun()
    view, record = catch_up(engine, run_id, page.reducer), engine.run(run_id) if run_id is not None else None
    is_over = record is not None and view.ending is not None and not record.is_open
    if was_open and is_over:
        st.rerun()  # the whole page once more, with the lists that the journal fills; and to stop polling
    if record is not None:
        reading = engine.reading(record.run_id) if view.seq == 0 else None
        view = replace(view, run_id=record.run_id, asked_at=record.created_at, reading=reading, interrupted=record.status == "interrupted")
    begun = monotonic()
    page.draw_run(engine, form, view, run_id)
    note_drawing(monotonic() - begun)
    if record is not None:
        show = Show(language=form.language)
        with isolated(show.say("part_frame"), show.say):
            _say_title(engine, page, view, record.run_id, subject, show)
        if not is_over and not _stands_still(page, record):
            with isolated(show.say("part_frame"), show.say):
                follow_run(record.run_id, view.seq, show)
