"""Equity over time: every change stands at its own instant."""

from datetime import UTC, datetime, timedelta

from pages.frame.show import Show
from pages.positions.equity_curve import accounts_panel, equity_curve
from tests.pages.reader import Reader

START = datetime(2026, 5, 17, 8, 10, tzinfo=UTC)
HOUR_MS = 3_600_000


def test_a_value_holds_until_it_changes() -> None:
    """Flat for three hours, then a loss, then an hour."""
    equity = [(START, 10_000.0), (START + timedelta(hours=3), 9_900.0), (START + timedelta(hours=4), 9_950.0)]
    points = equity_curve("paper", equity, Show("en")).points
    begins = int(START.timestamp() * 1000)
    assert [((ms - begins) / HOUR_MS, value) for ms, value in points] == [(0, 10_000), (3, 10_000), (3, 9_900), (4, 9_900), (4, 9_950)]
    assert equity_curve("paper", [(START, 10_000.0), (START, 9_900.0)], Show("en")).points == ((begins, 9_900.0),)


def test_the_panel_says_it_in_words_too() -> None:
    equity = [(START, 10_000.0), (START + timedelta(hours=3), 9_900.0)]
    html = accounts_panel([equity_curve("paper:<b>", equity, Show("en"))], Show("en"))
    assert "lowest 9,900.00 · highest 10,000.00" in Reader(html).text
    assert '<span class="tb-down">−1.00' in html
    assert "<b>9,900.00</b>" in html
    assert "<b>paper" not in html.replace("<b>paper:&lt;b&gt;</b>", "")
