"""Bars of time within their axis, and how many documents were left out, both out of a real search."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.research.events import DocumentsReranked
from engine.domain.text.reason import Reason
from pages.desks.research.research_view import ResearchView, SourceAnswer
from pages.desks.research.searches import funnel_panel, sources_panel, time_places
from pages.frame.show import Show
from tests.pages.desks.research.conftest import SLOW_S
from tests.pages.desks.research.runs import Log, at_end
from tests.pages.reader import Reader

BEGAN = datetime(2026, 5, 16, 12, tzinfo=UTC)


def answered(source: str, start_s: float, took_s: float) -> SourceAnswer:
    """A source that was asked so long after the run began, and took so long."""
    return SourceAnswer(source, 1, took_s * 1000, None, ended_at=BEGAN + timedelta(seconds=start_s + took_s))


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=1, max_size=8))
def test_no_bar_leaves_the_axis_and_one_begins_it(times: list[tuple[float, float]]) -> None:
    places, span = time_places([answered("s", *each) for each in times], BEGAN)
    assert all(0 <= left <= 100 and left + width <= 100 + 1e-6 for left, width in places)
    assert span == timedelta() or min(left for left, _ in places) == 0


@pytest.mark.full
def test_a_real_search_shows_its_threshold_and_when_each_source_was_asked(logs: Callable[[str], Log]) -> None:
    view = at_end(logs("research"))
    words = Reader(funnel_panel(view, Show())).text
    assert "below the threshold: 1" in words
    assert "bm25 · scored: 5 · threshold 0.02" in words
    took = {each.source: each.ms or 0.0 for each in view.searches}
    assert took["openalex"] >= 1000 * SLOW_S
    bars = zip(took, (width for _, width in time_places(view.searches, view.started_at)[0]), strict=True)
    widths = [width for source, width in sorted(bars, key=lambda bar: took[bar[0]])]
    assert widths == sorted(widths), "each is as wide as it took"
    assert widths[0] < widths[-1]
    words = Reader(sources_panel(view, Show())).text
    assert "could not be reached, in 3 attempts" in words
    assert "Connect call failed" not in words, "what the network said is told to whoever points at it"


def test_what_is_beyond_the_most_that_are_kept_is_not_called_below_the_threshold() -> None:
    found = SourceAnswer("openalex", 5, 10.0, None)
    reranked = DocumentsReranked(dropped=3, dropped_scores=(0.6, 0.5, 0.1), threshold=0.5, model="bm25")
    words = Reader(funnel_panel(ResearchView(searches=(found,), rerank=reranked), Show())).text
    assert "below the threshold: 1" in words
    assert "left out: 2" in words


def test_documents_without_an_order_say_why_in_the_language_of_the_page() -> None:
    found = SourceAnswer("openalex", 5, 10.0, None)
    why = Reason("reranker_gave_no_scores", reranker="bm25", reason=Reason("its_scores_cannot_be_used"))
    view = ResearchView(searches=(found,), rerank=DocumentsReranked(note=why))
    assert "按来源顺序：bm25 没有给出评分：其评分不可用" in Reader(funnel_panel(view, Show(language="zh"))).text
