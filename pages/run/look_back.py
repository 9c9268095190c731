"""Looking back at a run that has ended, of any flow: its page as it was after any event, step by step or played in its own time.

Nothing is asked of a model: every moment is reduced from the log. The address keeps the moment; nothing that came after it is shown.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import Final

import streamlit as st

from engine.api import Engine
from engine.domain.events import Event
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.run.playback import has_silences, keep_ticking, pause, play, play_times, played_to, playing
from pages.run.reducer import V, ViewReducer
from pages.run.states import speaker
from pages.run.view import RunView
from pages.words.texts import event_word

_AT, _WRITTEN, _REPLACED, _READ = "at", "moment-written", "moment-replaced", "moment-events"
_PLAYED, _ENDED = "moment-played", "moment-played-out"
_ECHO_S: Final = 10.0
"""So long a browser that falls behind may still name an address that the page has replaced."""
_LATE_S: Final = 1.0
"""So long after the end a press of the button is one of "pause", which it said until then."""


def chosen_moment(engine: Engine, view: V, show: Show, reducer: ViewReducer[V]) -> V:
    """Draw the slider that lies over the strip of the run, which has just been drawn. Return the run as it was after the event the reader
    has chosen, else as it is. view: of a run that has ended. reducer: of its flow."""
    if view.run_id is None or view.seq < 2:
        return view
    say, key = show.say, moment_key(view)
    _take_address(key, view.seq)
    now = _played(engine, view, key)
    with st.container(key="scrub", horizontal=True, vertical_alignment="center"):
        at = _slider(say("look_back"), 1, view.seq, now or view.seq, key, moves=now is not None, bare=True)
        _draw_play(key, at, view.seq, show)
    keep_ticking()
    _write_address(key, at, view.seq)
    events = _events(engine, view) if at < view.seq else []
    if len(events) < at:
        return view
    with st.container(key="past", horizontal=True, vertical_alignment="center"):
        draw_html(_banner(events, at, show), width="stretch")
        _draw_moves(key, at, view.seq, show, moves=now is not None)
    return reducer.reduce(events[:at], replace(reducer.empty, asked_at=view.asked_at, whole=view))


def _played(engine: Engine, view: RunView, key: str) -> int | None:
    """Return the event that what is played has come to; None while it is paused, where it was paused last."""
    playback = playing(key)
    if playback is None:
        kept: tuple[str, int] | None = st.session_state.pop(_PLAYED, None)
        if kept is not None and kept[0] == key:
            _move(key, kept[1])
        return None
    times = play_times([event.at for event in _events(engine, view)])
    now = played_to(times, playback.origin, monotonic() - playback.begun_at) if times else view.seq
    st.session_state[_PLAYED] = key, now
    if now < view.seq:
        return now
    pause()
    st.session_state[_ENDED] = key, monotonic()
    return _played(engine, view, key)


def _events(engine: Engine, view: RunView) -> Sequence[Event]:
    """Return the log of a run that has ended: it is read once for all the moments that are looked at."""
    kept: tuple[str, Sequence[Event]] | None = st.session_state.get(_READ)
    if kept is None or kept[0] != moment_key(view):
        assert view.run_id is not None
        kept = st.session_state[_READ] = moment_key(view), engine.events(view.run_id)
    return kept[1]


def moment_key(view: RunView) -> str:
    """Return where the chosen moment is kept: a run that was continued has another end, and is shown as it is there."""
    return f"moment-{view.run_id}-{view.seq}"


def _draw_play(key: str, at: int, last: int, show: Show) -> None:
    """Draw play and pause, at the end of the strip, which has room for the sign alone."""
    say = show.say
    word = f"❚❚ {say('pause')}" if playing(key) is not None else f"▶ {say('play')}"
    st.button(word, key=f"play-{key}", help=say("play_means"), on_click=_play_or_pause, args=(key, at, last), type="tertiary")


def _draw_moves(key: str, at: int, last: int, show: Show, *, moves: bool) -> None:
    """Draw one step back and one on, and the way back to the end, beside what the moment is."""
    say = show.say
    _draw_steps(key, 1, last, (say("event_before"), say("event_after")), moves=moves)
    st.button("⇥ " + say("to_the_end"), key="to-the-end", disabled=at >= last, on_click=_to_the_end, args=(key, last))


def _play_or_pause(key: str, at: int, last: int) -> None:
    if playing(key) is not None:
        return pause()
    ended: tuple[str, float] = st.session_state.get(_ENDED, ("", 0.0))
    if ended[0] == key and monotonic() < ended[1] + _LATE_S:
        return None  # it said "pause" when it was pressed
    return play(key, 1 if at >= last else at)


def _to_the_end(key: str, last: int) -> None:
    pause()
    st.session_state.pop(_PLAYED, None)
    _move(key, last)


def _take_address(key: str, last: int) -> None:
    """Take the moment from the address, unless this page has put it there."""
    asked = st.query_params.get(_AT)
    if asked is None or asked == st.session_state.get(_WRITTEN) or monotonic() < _replaced().get(asked, 0.0) + _ECHO_S:
        return
    with suppress(ValueError):
        _move(key, min(max(int(asked[:9]), 1), last))
    st.session_state[_WRITTEN] = asked
    pause()


def _replaced() -> dict[str, float]:
    """Return the moments that this page has taken out of the address, each with when that was, seconds of a clock that only grows."""
    kept: dict[str, float] = st.session_state.setdefault(_REPLACED, {})
    return kept


def _write_address(key: str, at: int, last: int) -> None:
    """Keep the moment in the address while it is paused."""
    wanted = str(at) if at < last else None
    asked = st.query_params.get(_AT)
    if asked == wanted or playing(key) is not None:
        return
    if asked is not None:
        _replaced()[asked] = monotonic()
    if wanted is not None:
        _replaced().pop(wanted, None)
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
    text = moment_text(events[at - 1], events[0], len(events), show)
    return markup(
        '<div class="tb tb-moment tb-past" role="status"><b class="tb-tag warn">{}</b> {}{}</div>', show.say("past"), text, shortened
    )


def moment_text(event: Event, first: Event, count: int, show: Show) -> str:
    """Return which event of how many it is, how long after the first, and what happened. first: event of the run. count: of its events."""
    spent, what = numbers.seconds((event.at - first.at).total_seconds()), event_word(event.kind, show.say)
    who = f"{show.name(speaker(event.node))}: " if event.node else ""
    return f"{show.say('moment', n=event.seq, of=count, spent=spent)} · {who}{what}"


def draw_stepper(label: str, least: int, most: int, start: int, key: str, hints: tuple[str, str]) -> int:
    """Return a slider with a button for one step back and one for one step on."""
    with st.container(key=f"stepper-{key}", horizontal=True, vertical_alignment="bottom"):
        chosen = _slider(label, least, most, start, key)
        _draw_steps(key, least, most, hints)
    return chosen


def _slider(label: str, least: int, most: int, start: int, key: str, *, moves: bool = False, bare: bool = False) -> int:
    """Draw a slider and return its position. moves: it goes to `start` by itself, and cannot be moved. bare: its label is for those
    who do not see it."""
    moved = f"{key}-moves" if moves else _seat(key)  # what the browser sends of one that moves is older than what it was set to
    now = start if moves else st.session_state.get(moved, start)
    st.session_state[moved] = min(max(int(now), least), most)  # said each time: a slider that was away would begin at its least
    chosen = st.slider(label, least, most, key=moved, disabled=moves, label_visibility="collapsed" if bare else "visible")
    return start if moves else int(chosen)


def _seat(key: str) -> str:
    """Return the key of the slider itself: another one after every move that the reader has not made with it. What a browser that falls
    behind still sends of the one before would put it back."""
    times = st.session_state.get(f"{key}-seats", 0)
    return f"{key}-{times}" if times else key


def _move(key: str, to: int) -> None:
    """Put a slider somewhere."""
    st.session_state[f"{key}-seats"] = st.session_state.get(f"{key}-seats", 0) + 1
    st.session_state[_seat(key)] = to


def _draw_steps(key: str, least: int, most: int, hints: tuple[str, str], *, moves: bool = False) -> None:
    st.button("‹", key=f"{key}-back", help=hints[0], on_click=_step, args=(key, -1, least, most), disabled=moves)
    st.button("›", key=f"{key}-on", help=hints[1], on_click=_step, args=(key, 1, least, most), disabled=moves)


def _step(key: str, by: int, least: int, most: int) -> None:
    _move(key, min(max(int(st.session_state[_seat(key)]) + by, least), most))
