"""What became of a plan, against a slow reading of the same candles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from pages.desks.decision.later_candles import aftermath_text
from pages.frame import numbers
from pages.frame.show import Show

PLAN = {"LONG": {"stop_loss_price": 98.0, "take_profit_price": 104.0}, "SHORT": {"stop_loss_price": 102.0, "take_profit_price": 96.0}}
QUARTER_MS = 900_000
bars = st.lists(st.tuples(st.integers(94, 106), st.integers(94, 106)), min_size=1, max_size=8)


def candles(spans: list[tuple[int, int]]) -> Candles:
    low = np.array([min(span) for span in spans], dtype=float)
    high = np.array([max(span) for span in spans], dtype=float)
    times = np.arange(len(spans), dtype=np.int64) * QUARTER_MS
    return Candles(Timeframe.parse("15m"), times, low, high, low, high, np.ones(len(spans)))


@pytest.mark.full
@given(bars, st.sampled_from(["LONG", "SHORT"]))
def test_the_first_touch_is_told(spans: list[tuple[int, int]], side: str) -> None:
    told = aftermath_text({"final_direction": side, **PLAN[side]}, candles(spans), Show())
    assert told.startswith(f"After candle {len(spans)}, at its close {numbers.bar_time(len(spans) * QUARTER_MS)}:")
    worst, best = PLAN[side]["stop_loss_price"], PLAN[side]["take_profit_price"]
    for number, span in enumerate(spans, 1):
        prices = set(range(min(span), max(span) + 1))
        lost = any(price <= worst for price in prices) if side == "LONG" else any(price >= worst for price in prices)
        won = any(price >= best for price in prices) if side == "LONG" else any(price <= best for price in prices)
        if lost or won:
            words = "both touched" if lost and won else "stop touched" if lost else "target touched"
            assert f"{words} in candle {number}, which closed {numbers.bar_time(number * QUARTER_MS)}" in told
            return
    assert "neither stop nor target touched" in told


def test_without_a_plan_only_the_price_is_told() -> None:
    told = aftermath_text({"final_direction": "NEUTRAL"}, candles([(99, 101)]), Show())
    assert "touched" not in told
    assert "After candle 1" in told
