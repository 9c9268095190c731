"""A run whose inputs take their time: from the first moment its page says what is being read and how far that is, and it can be stopped."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from engine.domain.errors import TribunalError
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


def test_seconds_are_counted_from_the_press_before_and_after_the_first_word() -> None:
    asked = datetime(2026, 11, 1, 8, 0, tzinfo=UTC)
    now = asked + timedelta(seconds=5)
    before = DecisionView(run_id="r", asked_at=asked)
    begun = DecisionView(run_id="r", asked_at=asked, seq=1, started_at=asked + timedelta(seconds=4), last_at=now)
    assert run_clock(before, Show(now=now)) == run_clock(begun, Show(now=now))
    assert 'elapsed <b><span data-spent="5.00">5' in run_clock(before, Show(now=now))
