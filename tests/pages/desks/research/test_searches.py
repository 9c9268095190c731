"""Bars of time within their axis, the histogram with its threshold, and both out of a real search."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages.desks.research.rerank import histogram, rerank_panel
from pages.desks.research.research_view import SourceAnswer
from pages.desks.research.searches import sources_panel, time_places
from pages.frame.show import Show
from tests.pages.desks.research.conftest import SLOW_S
from tests.pages.desks.research.runs import Log, at_end
from tests.pages.reader import Reader

BEGAN = datetime(2026, 5, 16, 12, tzinfo=UTC)
SCORES = st.lists(st.floats(-5, 5, allow_nan=False), max_size=12)


def answered(source: str, start_s: float, took_s: float) -> SourceAnswer:
    """A source that was asked so long after the run began, and took so long."""
    return SourceAnswer(source, 1, took_s * 1000, None, ended_at=BEGAN + timedelta(seconds=start_s + took_s))


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=1, max_size=8))
def test_no_bar_leaves_the_axis_and_one_begins_it(times: list[tuple[float, float]]) -> None:
    places, span = time_places([answered("s", *each) for each in times], BEGAN)
    assert all(0 <= left <= 100 and left + width <= 100 + 1e-6 for left, width in places)
    assert span == timedelta() or min(left for left, _ in places) == 0


@given(SCORES, SCORES, st.floats(-5, 5, allow_nan=False))
@example([], [-5e-324], 0.0)
def test_no_bin_is_on_both_sides_of_the_threshold(first: list[float], second: list[float], threshold: float) -> None:
    scores = [*first, *second, 0.0]
    kept, dropped = [each for each in scores if each >= threshold], [each for each in scores if each < threshold]
    found = histogram(kept, dropped, threshold)
    assert sum(found.counts) == len(scores)
    assert found.low <= min(scores) + 1e-9
    assert found.high >= max(scores) - 1e-9
    assert sum(found.counts[found.passing :]) == len(kept)


@pytest.mark.full
def test_a_real_search_shows_its_threshold_and_when_each_source_was_asked(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("research"))
    html = rerank_panel(view, Show())
    assert "threshold 0.02" in Reader(html).text
    assert "scored: 5 · kept: 4" in Reader(html).text
    assert len(re.findall(r'class="lo"[^>]*><em>', html)) == 1
    earlier = replace(view, rerank={key: value for key, value in view.rerank.items() if key not in ("threshold", "dropped_scores")})
    old = rerank_panel(earlier, Show())
    assert "threshold" not in old
    assert "left out: 1" in old
    took = {each.source: each.ms or 0.0 for each in view.searches}
    assert took["openalex"] >= 1000 * SLOW_S
    bars = zip(took, (width for _, width in time_places(view.searches, view.started_at)[0]), strict=True)
    widths = [width for source, width in sorted(bars, key=lambda bar: took[bar[0]])]
    assert widths == sorted(widths), "each is as wide as it took"
    assert widths[0] < widths[-1]
    words = Reader(sources_panel(view, Show())).text
    assert "could not be reached, in 3 attempts" in words
    assert "Connect call failed" not in words, "what the network said is told to whoever points at it"
