"""A run whose inputs take their time: from the first moment its page says what is being read and how far that is, and it can be stopped."""

import asyncio
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from engine.domain.calls.counted_reading import CountedReading, ReadingPart, ReadingProgress
from engine.domain.errors import TribunalError
from engine.domain.market.timeframe import Timeframe
from engine.equity.simulated import SimulatedEquities
from engine.market.exchange import ExchangeFeed
from engine.market.snapshot import take_snapshot
from pages.desks.decision.decision_view import DecisionView
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.run.run_clock import run_clock
from tests.pages.started import Start, page_of
from tests.servers.exchange import LoopbackExchange

SYMBOL = "BTC/USDT:USDT"


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    """An exchange that gives no answer for as long as a test looks."""
    with LoopbackExchange() as found:
        found.slow("", 60.0)
        yield found


def run_of(app: AppTest) -> str:
    named = app.query_params["run"]
    return named if isinstance(named, str) else named[0]


def stopped(app: AppTest) -> None:
    """Press Stop; the run ends by that."""
    app.button(key="stop-button").click().run()
    with pytest.raises(TribunalError, match="stopped by a person"):
        shared_engine.get_engine().wait(run_of(app), 60)
    app.run()
    assert "Stopped" in page_of(app)


@pytest.mark.full
def test_a_slow_exchange_is_shown_being_read(start: Start, venue: LoopbackExchange) -> None:
    app = start(TRIBUNAL_FEED="live", TRIBUNAL_EXCHANGE_URL=venue.url)
    app.button(key="run-button").click().run()
    shown = page_of(app)
    assert not app.exception
    assert "cannot be shown" not in shown
    assert f"Reading {SYMBOL} from binanceusdm" in shown
    assert re.search(r"[01] of 4 read · (market and account|15m candles)", shown)
    assert re.search(r"elapsed <b><span data-spent=\"\d+\.\d+\">\d", shown)
    stopped(app)


@pytest.mark.full
def test_a_slow_source_of_companies_is_shown_being_read(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    released, prices = threading.Event(), SimulatedEquities.prices

    async def slow(self: SimulatedEquities, *given: object) -> object:
        await asyncio.to_thread(released.wait, 90)
        return await prices(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(SimulatedEquities, "prices", slow)
    app = start("equities")
    try:
        app.button(key="run-button").click().run()
        shown = page_of(app)
        assert not app.exception
        assert "cannot be shown" not in shown
        assert re.search(r"Reading \w+ from the simulation", shown)
        assert "6 of 7 read · prices" in shown
        stopped(app)
    finally:
        released.set()


async def test_every_part_is_counted_once_in_the_order_it_comes(venue: LoopbackExchange) -> None:
    venue.fast()
    steps: list[ReadingProgress] = []
    feed = ExchangeFeed(url=venue.url)
    m15, h4 = Timeframe.parse("15m"), Timeframe.parse("4h")
    try:
        reading = CountedReading(SYMBOL, feed.venue, 3, steps.append)
        await take_snapshot(feed, symbol=SYMBOL, timeframe=m15, htf=h4, at=None, holding=None, bars=50, reading=reading)
    finally:
        await feed.close()
    assert {(step.subject, step.source, step.total) for step in steps} == {(SYMBOL, "binanceusdm", 3)}
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert all(len(step.being_read) <= step.total - step.done for step in steps)
    assert {part for step in steps for part in step.being_read} == {
        ReadingPart("candles", "15m"),
        ReadingPart("candles", "4h"),
        ReadingPart("surroundings"),
    }
    assert (steps[0].done, len(steps[0].being_read)) == (0, 1)
    assert (steps[-1].done, steps[-1].being_read) == (3, ())


def test_seconds_are_counted_from_the_press_before_and_after_the_first_word() -> None:
    asked = datetime(2026, 11, 1, 8, 0, tzinfo=UTC)
    now = asked + timedelta(seconds=5)
    before = DecisionView(run_id="r", asked_at=asked)
    begun = DecisionView(run_id="r", asked_at=asked, seq=1, started_at=asked + timedelta(seconds=4), last_at=now)
    assert run_clock(before, Show(now=now)) == run_clock(begun, Show(now=now))
    assert 'elapsed <b><span data-spent="5.00">5' in run_clock(before, Show(now=now))
