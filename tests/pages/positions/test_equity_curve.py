"""Equity over time: every change stands at its own instant, and no fall is left out."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame.show import Show
from pages.positions.equity_curve import POINTS, accounts_panel, outline, thinned
from tests.pages.reader import Reader

START = datetime(2026, 5, 17, 8, 10, tzinfo=UTC)


def across(polygon: str) -> list[float]:
    return [float(each) for each in re.findall(r"(?:^|,)([\d.]+)% [\d.]+%", polygon)]


def test_a_change_stands_where_its_instant_is() -> None:
    """Flat for three hours, then a loss, then an hour."""
    curve = [(START, 10_000.0), (START + timedelta(hours=3), 9_900.0), (START + timedelta(hours=4), 9_950.0)]
    line, ground = outline(curve)
    assert across(line) == [0, 75, 75, 100, 100]
    assert across(ground) == [0, 0, 75, 75, 100, 100, 100]
    heights = [float(each) for each in re.findall(r"(?:^|,)[\d.]+% ([\d.]+)%", line)]
    assert heights == [6, 6, 94, 94, 50], "it holds until it changes"


def test_what_happened_at_one_instant_is_a_line_at_what_it_came_to() -> None:
    assert across(outline([(START, 10_000.0), (START, 9_994.0)])[0]) == [0, 100]
    assert across(outline([(START, 10_000.0)])[0]) == [0, 100]


@pytest.mark.full
@given(st.lists(st.tuples(st.integers(0, 10_000), st.floats(1, 1e6)), min_size=2, max_size=900))
def test_what_is_left_out_of_a_long_curve_is_neither_an_end_nor_an_extreme(points: list[tuple[int, float]]) -> None:
    curve = sorted(((START + timedelta(minutes=at), value) for at, value in points), key=lambda each: each[0])
    shown = thinned(curve)
    values = [value for _, value in curve]
    assert len(shown) <= POINTS
    assert (shown[0], shown[-1]) == (curve[0], curve[-1])
    assert {min(values), max(values)} <= {value for _, value in shown}
    assert [at for at, _ in shown] == sorted(at for at, _ in shown)


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(0), ["05-17 08:10 UTC"]),
        (timedelta(hours=2), ["08:30", "09:00", "09:30", "10:00"]),
        (timedelta(days=900), ["2026-12", "2027-12"]),
    ],
)
def test_the_axis_names_instants_by_what_tells_them_apart(span: timedelta, words: list[str]) -> None:
    html = accounts_panel({"paper:BTC": [(START, 10_000.0), (START + span, 9_900.0)]}, Show("en"))
    shown = re.findall(r'<span style="left:[\d.]+%">([^<]+)</span>', str(html))
    assert shown == words


def test_the_panel_says_it_in_words_too() -> None:
    curve = [(START, 10_000.0), (START + timedelta(hours=3), 9_900.0)]
    html = accounts_panel({"paper:<b>": curve}, Show("en"))
    assert "Equity from 10,000.00 to 9,900.00" in html
    assert "−1.00" in Reader(html).text
    assert "<b>paper" not in html
    assert 'class="edge tb-down"' in html
    assert accounts_panel({}, Show("en")) == ""
