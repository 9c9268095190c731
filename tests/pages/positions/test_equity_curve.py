"""Equity over time: every change stands at its own instant."""

import re
from datetime import UTC, datetime, timedelta

from pages.frame.show import Show
from pages.positions.equity_curve import accounts_panel, outline
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


def test_the_panel_says_it_in_words_too() -> None:
    curve = [(START, 10_000.0), (START + timedelta(hours=3), 9_900.0)]
    html = accounts_panel({"paper:<b>": curve}, Show("en"))
    assert "Equity from 10,000.00 to 9,900.00" in html
    assert "−1.00" in Reader(html).text
    assert "<b>paper" not in html
    assert 'class="edge tb-down"' in html
    assert accounts_panel({}, Show("en")) == ""
