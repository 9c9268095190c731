"""Looking back at a run that has ended, of any flow: its page as it stood after any event, step by step or played in its own time.

Nothing is asked of a model: every moment is reduced from the log. The address keeps the moment; nothing that came after it is shown.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic

import streamlit as st

from engine.api import Engine
from engine.domain.events import Event
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.run.node_state import speaker
from pages.run.playback import SPEEDS, has_silences, keep_ticking, pause, play, play_times, played_to, playing
from pages.run.reducer import V, ViewReducer
from pages.run.view import RunView
from pages.words.texts import event_word

_AT, _WRITTEN, _READ, _PLAYED = "at", "moment-written", "moment-events", "moment-played"


def chosen_moment(engine: Engine, view: V, show: Show, reducer: ViewReducer[V]) -> V:
    """Return the run as it stood after the event the reader has chosen, else as it is. view: of a run that has ended. reducer: of its
    flow."""
    if view.run_id is None or view.seq < 2:
        return view
    say, key = show.say, moment_key(view)
    _take_address(key, view.seq)
    now = _played(engine, view, key)
    with st.container(key="moment-row", horizontal=True, vertical_alignment="bottom"):
        hints = say("event_before"), say("event_after")
        at = draw_stepper(say("look_back"), 1, view.seq, now or view.seq, key, hints, moves=now is not None)
        _draw_player(key, at, view.seq, show)
    keep_ticking()
    _write_address(key, at, view.seq)
    events = _events(engine, view) if at < view.seq else []
    if len(events) < at:
        return view
    draw_html(_banner(events, at, show))
    return reducer.reduce(events[:at], replace(reducer.empty, asked_at=view.asked_at))


def _played(engine: Engine, view: RunView, key: str) -> int | None:
    """Return the event that what is played has come to; None while it stands still, where it was paused last."""
    playback = playing(key)
    if playback is None:
        kept: tuple[str, int] | None = st.session_state.pop(_PLAYED, None)
        if kept is not None and kept[0] == key:
            st.session_state[key] = kept[1]
        return None
    times = play_times([event.at for event in _events(engine, view)])
    now = played_to(times, playback.origin, monotonic() - playback.begun_at, playback.speed) if times else view.seq
    st.session_state[_PLAYED] = key, now
    if now < view.seq:
        return now
    pause()
    return _played(engine, view, key)


def _events(engine: Engine, view: RunView) -> Sequence[Event]:
    """Return the log of a run that has ended: it is read once for all the moments that are looked at."""
    kept: tuple[str, Sequence[Event]] | None = st.session_state.get(_READ)
    if kept is None or kept[0] != moment_key(view):
        assert view.run_id is not None
        kept = st.session_state[_READ] = moment_key(view), engine.events(view.run_id)
    return kept[1]


def draw_moment_room(show: Show) -> None:
    """Hold the room of the slider while there is nothing to look back at, so that nothing moves when it comes."""
    with st.container(key="moment-room"), st.container():  # as deep as the slider with its buttons
        draw_html(markup('<div class="tb tb-moment">{}</div>', show.say("look_back_later")))


def moment_key(view: RunView) -> str:
    """Return where the chosen moment is kept: a run that was continued has another end, and is shown as it stands there."""
    return f"moment-{view.run_id}-{view.seq}"


def _draw_player(key: str, at: int, last: int, show: Show) -> None:
    """Draw play and pause, the speed, and the way back to the end."""
    say, is_playing = show.say, playing(key) is not None
    with st.container(key="player", horizontal=True, vertical_alignment="bottom", width="content"):
        word = say("pause") if is_playing else say("play")
        st.button(
            ("❚❚ " if is_playing else "▶ ") + word, key=f"play-{key}", help=say("play_means"), on_click=_play_or_pause, args=(key, at, last)
        )
        speed_key = f"speed-{key}"
        st.segmented_control(
            say("play_speed"),
            SPEEDS,
            format_func="{}×".format,
            default=1,
            required=True,
            key=speed_key,
            label_visibility="collapsed",
            on_change=_change_speed,
            args=(key,),
        )
        st.button("⇥ " + say("to_the_end"), key="to-the-end", disabled=at >= last, on_click=_to_the_end, args=(key, last))


def _play_or_pause(key: str, at: int, last: int) -> None:
    if playing(key) is not None:
        return pause()
    return play(key, 1 if at >= last else at, st.session_state.get(f"speed-{key}") or 1)


def _change_speed(key: str) -> None:
    if playing(key) is not None:
        play(key, st.session_state.get(_PLAYED, (key, 1))[1], st.session_state.get(f"speed-{key}") or 1)


def _to_the_end(key: str, last: int) -> None:
    pause()
    st.session_state.pop(_PLAYED, None)
    st.session_state[key] = last


def _take_address(key: str, last: int) -> None:
    """Let the moment be the address's, where somebody else than this page has put it there."""
    asked = st.query_params.get(_AT)
    if asked is None or asked == st.session_state.get(_WRITTEN):
        return
    with suppress(ValueError):
        st.session_state[key] = min(max(int(asked[:9]), 1), last)
    st.session_state[_WRITTEN] = asked
    pause()


def _write_address(key: str, at: int, last: int) -> None:
    """Keep the moment in the address while it stands still."""
    wanted = str(at) if at < last else None
    if st.query_params.get(_AT) == wanted or playing(key) is not None:
        return
    st.session_state[_WRITTEN] = wanted
    if wanted is not None:
        st.query_params[_AT] = wanted
    else:
        del st.query_params[_AT]


def _banner(events: Sequence[Event], at: int, show: Show) -> str:
    """Return that this is past, and what had just happened. Its class lets the page look like it."""
    shortened = (
        markup(' <span class="tb-lab">{}</span>', show.say("play_shortened")) if has_silences([event.at for event in events]) else ""
    )
    text = _moment_text(events[at - 1], events[0], len(events), show)
    return markup(
        '<div class="tb tb-moment tb-past" role="status"><b class="tb-tag warn">{}</b> {}{}</div>', show.say("past"), text, shortened
    )


def _moment_text(event: Event, first: Event, count: int, show: Show) -> str:
    spent, what = numbers.seconds((event.at - first.at).total_seconds()), event_word(event.kind, show.say)
    who = f"{show.name(speaker(event.node))}: " if event.node else ""
    return f"{show.say('moment', n=event.seq, of=count, spent=spent)} · {who}{what}"


def draw_stepper(label: str, least: int, most: int, start: int, key: str, hints: tuple[str, str], *, moves: bool = False) -> int:
    """Return a slider with a button for one step back and one for one step on. moves: it goes to `start` by itself, and cannot
    be moved."""
    moved = f"{key}-moves" if moves else key  # what the browser sends of one that moves is older than what it was set to
    if moves:
        st.session_state[moved] = start
    st.session_state.setdefault(moved, start)
    st.session_state[moved] = min(max(int(st.session_state[moved]), least), most)
    with st.container(key=f"stepper-{key}", horizontal=True, vertical_alignment="bottom"):
        st.button("‹", key=f"{key}-back", help=hints[0], on_click=_step, args=(key, -1, least, most), disabled=moves)
        chosen = st.slider(label, least, most, key=moved, disabled=moves)
        st.button("›", key=f"{key}-on", help=hints[1], on_click=_step, args=(key, 1, least, most), disabled=moves)
    return start if moves else int(chosen)


def _step(key: str, by: int, least: int, most: int) -> None:
    st.session_state[key] = min(max(int(st.session_state[key]) + by, least), most)
