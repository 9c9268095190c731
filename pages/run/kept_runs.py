"""Runs as this visitor's pages have read them, kept with the session: one that goes on is read from where the page left off."""

import time
from typing import Any

import streamlit as st

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.events import Event
from pages.run.reducer import V, ViewReducer
from pages.run.view import RunView

FIRST_WORDS_S = 0.35


def known_run(run_id: str, reducer: ViewReducer[V]) -> V:
    """Return the run as far as this visitor's page has read it; its flow's empty view before that. reducer: of the run's flow."""
    found: V | None = _views().get(run_id)
    return found if found is not None else reducer.empty


def first_words(engine: Engine, run_id: str | None, reducer: ViewReducer[V]) -> V:
    """Return the same as `catch_up`. A run that has just begun is given a moment, `FIRST_WORDS_S` at most: drawn with its first
    words, nobody looks at empty panels for a poll."""
    view, until = catch_up(engine, run_id, reducer), time.monotonic() + FIRST_WORDS_S
    while run_id is not None and _has_just_begun(view) and (left := until - time.monotonic()) > 0:
        if not engine.wait_events(run_id, view.seq, left):
            break
        view = catch_up(engine, run_id, reducer)
    return view


def _has_just_begun(view: RunView) -> bool:
    """Return whether a role that is not late has yet to say its first word."""
    if view.ending is not None or (view.nodes and all(node.texts for node in view.nodes.values())):
        return False
    return view.started_at is None or (utc_now() - view.started_at).total_seconds() < FIRST_WORDS_S


def catch_up(engine: Engine, run_id: str | None, reducer: ViewReducer[V]) -> V:
    """Return the run as its log tells it now; what was read before is not read again."""
    if run_id is None:
        return reducer.empty
    view = known_run(run_id, reducer)
    if view.ending is None or view.ending.stopped:
        view, _ = caught_up(engine, run_id, view, reducer)
        _views()[run_id] = view
    return view


def caught_up(engine: Engine, run_id: str, view: V, reducer: ViewReducer[V]) -> tuple[V, list[Event]]:
    """Return a run as its log tells it now, and the events that were read for it. view: as far as it is known."""
    events = engine.events(run_id, max(0, view.seq - 1))
    if view.seq and (not events or events[0].at != view.last_at):  # shown once, never written down, and by now written otherwise
        view, events = reducer.empty, engine.events(run_id)
    return reducer.reduce(events, view), events


def run_behind(engine: Engine, run_id: str, reducer: ViewReducer[V]) -> V:
    """Return the run as its log tells it; it has ended, so its log is read once. Empty where the journal does not keep it any more."""
    view: V | None = _views().get(run_id)
    if view is None or view.ending is None:
        view = _views()[run_id] = reducer.reduce(engine.events(run_id))
    return view


def _views() -> dict[str, Any]:
    """Return run -> its view, each made by the reducer of its flow."""
    kept: dict[str, Any] = st.session_state.setdefault("views", {})
    return kept
