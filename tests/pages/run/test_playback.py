"""A run is played in the time it took, but for long silences."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.run.playback import LONGEST_SILENCE_S, has_silences, play_times
from tests.pages.proposals import START

GAPS = st.lists(st.floats(0, 100), max_size=30)


@given(GAPS)
def test_no_silence_is_longer_than_is_said_and_no_event_comes_before_its_time(gaps: list[float]) -> None:
    instants = [START + timedelta(seconds=sum(gaps[:at])) for at in range(len(gaps) + 1)]
    times = play_times(instants)
    assert times[0] == 0.0
    assert len(times) == len(instants)
    for at, gap in enumerate(gaps):
        assert times[at + 1] - times[at] == pytest.approx(min(gap, LONGEST_SILENCE_S), abs=1e-5)
    assert has_silences(instants) == (max(gaps, default=0.0) > LONGEST_SILENCE_S)
