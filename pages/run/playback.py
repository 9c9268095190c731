"""Playing a run that has ended, in the time it took: which event is reached when, and whether this visitor is playing one.

Long silences (a model that thinks, a retry that waits) are shortened, because nothing is seen in them.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise
from time import monotonic
from typing import Final

import streamlit as st

LONGEST_SILENCE_S: Final = 1.5
_PLAYING: Final = "playing"
_TICKS: Final = "play-ticks"
_DRAWN: Final = "play-drawn-in"


@dataclass(frozen=True)
class Playback:
    """One run being played. key: which moment it moves. begun_at: seconds of a clock that only grows, when it stood at event `origin`
    (from 1)."""

    key: str
    begun_at: float
    origin: int


def play_times(instants: Sequence[datetime]) -> list[float]:
    """Return when each event is reached, seconds after the first; no silence is longer than `LONGEST_SILENCE_S`."""
    gaps = (min(max((later - earlier).total_seconds(), 0.0), LONGEST_SILENCE_S) for earlier, later in pairwise(instants))
    return list(accumulate(gaps, initial=0.0)) if instants else []


def played_to(times: Sequence[float], origin: int, elapsed_s: float) -> int:
    """Return the number (from 1) of the last event reached. times: of `play_times`. origin: the event that it began at."""
    return max(origin, bisect_right(times, times[origin - 1] + elapsed_s))


def has_silences(instants: Sequence[datetime]) -> bool:
    """Return whether something is shortened."""
    return any((later - earlier).total_seconds() > LONGEST_SILENCE_S for earlier, later in pairwise(instants))


def playing(key: str) -> Playback | None:
    """Return what this visitor is playing, where it moves that moment."""
    kept: Playback | None = st.session_state.get(_PLAYING)
    return kept if kept is not None and kept.key == key else None


def play(key: str, origin: int) -> None:
    """Begin to play."""
    st.session_state[_PLAYING] = Playback(key, monotonic(), origin)


def pause() -> None:
    """Stand still."""
    st.session_state.pop(_PLAYING, None)


def tick_s(every_s: float) -> float | None:
    """Return how often the page has to be drawn for what is played, seconds; None while nothing is. Called when the whole page is drawn.

    The browser asks without waiting for an answer: a machine that is slower than that would hear a press of "pause" late, so it is asked
    half as often as it can draw.
    """
    moves = _PLAYING in st.session_state
    st.session_state[_TICKS] = moves
    return max(every_s, 2 * st.session_state.get(_DRAWN, 0.0)) if moves else None


def note_drawing(seconds: float) -> None:
    """Note how long this visitor's page took to draw."""
    st.session_state[_DRAWN] = seconds


def keep_ticking() -> None:
    """Draw the whole page once more where it is drawn too often, or not often enough, for what is played."""
    if st.session_state.get(_TICKS, False) != (_PLAYING in st.session_state):
        st.rerun()
