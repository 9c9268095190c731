"""Looking back at a run that has ended: its page as it stood after any event, and what the market did after the decision.

Nothing is asked of a model: every moment is reduced from the log.
"""

import streamlit as st

from engine.api import Engine
from engine.domain.candles import Candles
from engine.domain.errors import TribunalError
from engine.domain.events import Event
from engine.domain.run import RunRecord
from pages.parts import figures
from pages.parts.aftermath import told_aftermath
from pages.parts.escape import plain
from pages.parts.panel_frame import speaker
from pages.parts.run_nouns import RunView
from pages.parts.run_view import reduce
from pages.parts.showing import Show

MOST_LATER = 96


def chosen_moment(engine: Engine, view: RunView, show: Show) -> RunView:
    """The run as it stood after the event the reader has chosen, else as it is. view: of a run that has ended."""
    if view.run_id is None or view.seq < 2:
        return view
    say = show.say
    key = f"moment-{view.run_id}-{view.seq}"  # a run that was continued has another end, and is shown as it stands there
    at = _stepper(say("look_back"), 1, view.seq, view.seq, key, (say("event_before"), say("event_after")))
    events = engine.events(view.run_id) if at < view.seq else []
    if len(events) < at:
        return view
    st.html(f'<div class="tb tb-moment" role="status">{plain(_told(events[at - 1], events[0], len(events), show))}</div>')
    return reduce(events[:at])


def _told(event: Event, first: Event, count: int, show: Show) -> str:
    say = show.say
    spent = figures.seconds((event.at - first.at).total_seconds())
    what = f"{show.name(speaker(event.node))}: {say('ev_' + event.kind)}" if event.node else say("ev_" + event.kind)
    return f"{say('moment', n=event.seq, of=count, spent=spent)} · {what}"


def chosen_candles(engine: Engine, record: RunRecord, show: Show) -> Candles | None:
    """The candles after the decision that the reader has uncovered, one by one; None for a live market, or while there are none."""
    try:
        known = engine.later_candles(record.run_id, MOST_LATER)
    except TribunalError as problem:
        st.html(f'<div class="tb tb-muted">{plain(show.say("later_gone", reason=problem))}</div>')
        return None
    if known is None or not len(known):
        return None
    say = show.say
    count = _stepper(say("later"), 0, len(known), 0, f"later-{record.run_id}", (say("candle_before"), say("candle_after")))
    shown = known.slice(0, count)
    if count:
        st.html(f'<div class="tb tb-moment" role="status">{plain(told_aftermath(record.result or {}, shown, show))}</div>')
    return shown


def _stepper(label: str, least: int, most: int, start: int, key: str, hints: tuple[str, str]) -> int:
    """A slider with a button for one step back and one for one step on."""
    st.session_state.setdefault(key, start)
    st.session_state[key] = min(max(int(st.session_state[key]), least), most)
    with st.container(key=f"stepper-{key}", horizontal=True, vertical_alignment="bottom"):
        st.button("‹", key=f"{key}-back", help=hints[0], on_click=_step, args=(key, -1, least, most))
        chosen = st.slider(label, least, most, key=key)
        st.button("›", key=f"{key}-on", help=hints[1], on_click=_step, args=(key, 1, least, most))
    return int(chosen)


def _step(key: str, by: int, least: int, most: int) -> None:
    st.session_state[key] = min(max(int(st.session_state[key]) + by, least), most)
