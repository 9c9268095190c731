"""Prose that is kept for later or handed on ends with a whole word."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta

import pytest

from engine.desks.decision.briefing import entry_thesis
from engine.desks.equities.memory.controller import DatedReport
from engine.desks.equities.memory.summary import extract
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.facts import FactSheet
from engine.equity.known import known_news

DAY = date(2024, 3, 5)
CLOSE = datetime(2024, 3, 5, 21, tzinfo=UTC)
WORD = "capitulation"
LONG = " ".join([WORD] * 500)


def thesis() -> Iterable[str]:
    yield entry_thesis(LONG, FactSheet("BTC/USDT:USDT", "15m", None, {}), "en")


def memory() -> Iterable[str]:
    report = DatedReport(trade_date=DAY, trading_session="post_close", dated=CLOSE.isoformat(), source="simulated", text=LONG)
    yield extract("", [report]).partition(": ")[2]


def news() -> Iterable[str]:
    moment = TradingMoment(trade_date=DAY, trading_session="post_close", known_at=CLOSE, last_session=DAY)
    item = NewsItem(published=CLOSE - timedelta(hours=1), symbol="AAPL", source=LONG, title=LONG, text=LONG)
    (known,) = known_news([item], moment)
    yield from (known.title, known.source, known.text)


@pytest.mark.parametrize("kept", [thesis, memory, news])
def test_what_is_too_long_ends_with_a_whole_word(kept: Callable[[], Iterable[str]]) -> None:
    for text in kept():
        assert len(text) < len(LONG)
        assert text.endswith("…")
        assert set(text.removesuffix("…").split()) == {WORD}
