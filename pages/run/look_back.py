"""Looking back at a run that has ended, of any flow: its page as it stood after any event.

Nothing is asked of a model: every moment is reduced from the log.
"""

import streamlit as st

from engine.api import Engine
from engine.domain.events import Event
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.node_state import speaker
from pages.run.reducer import V, ViewReducer
from pages.run.view import RunView
from pages.words.texts import event_word


def chosen_moment(engine: Engine, view: V, show: Show, reducer: ViewReducer[V]) -> V:
    """Return the run as it stood after the event the reader has chosen, else as it is. view: of a run that has ended. reducer: of its
    flow."""
    if view.run_id is None or view.seq < 2:
        return view
    say, key = show.say, moment_key(view)
    at = draw_stepper(say("look_back"), 1, view.seq, view.seq, key, (say("event_before"), say("event_after")))
    events = engine.events(view.run_id) if at < view.seq else []
    if len(events) < at:
        return view
    st.html(markup('<div class="tb tb-moment" role="status">{}</div>', _moment_text(events[at - 1], events[0], len(events), show)))
    return reducer.reduce(events[:at])


def draw_moment_room(show: Show) -> None:
    """Hold the room of the slider while there is nothing to look back at, so that nothing moves when it comes."""
    with st.container(key="moment-room"):
        st.html(markup('<div class="tb tb-moment">{}</div>', show.say("look_back_later")))


def moment_key(view: RunView) -> str:
    """Return where the chosen moment is kept: a run that was continued has another end, and is shown as it stands there."""
    return f"moment-{view.run_id}-{view.seq}"


def _moment_text(event: Event, first: Event, count: int, show: Show) -> str:
    spent, what = numbers.seconds((event.at - first.at).total_seconds()), event_word(event.kind, show.say)
    who = f"{show.name(speaker(event.node))}: " if event.node else ""
    return f"{show.say('moment', n=event.seq, of=count, spent=spent)} · {who}{what}"


def draw_stepper(label: str, least: int, most: int, start: int, key: str, hints: tuple[str, str]) -> int:
    """Return a slider with a button for one step back and one for one step on."""
    st.session_state.setdefault(key, start)
    st.session_state[key] = min(max(int(st.session_state[key]), least), most)
    with st.container(key=f"stepper-{key}", horizontal=True, vertical_alignment="bottom"):
        st.button("‹", key=f"{key}-back", help=hints[0], on_click=_step, args=(key, -1, least, most))
        chosen = st.slider(label, least, most, key=key)
        st.button("›", key=f"{key}-on", help=hints[1], on_click=_step, args=(key, 1, least, most))
    return int(chosen)


def _step(key: str, by: int, least: int, most: int) -> None:
    st.session_state[key] = min(max(int(st.session_state[key]) + by, least), most)
