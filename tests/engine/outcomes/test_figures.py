"""Figures of outcomes, worked out by hand; what is over never changes."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.market.candles import Candle
from engine.domain.outcome import PlanOutcome
from engine.domain.proposal import Basis, OrderPlan
from engine.instruments.contract_fills import entries_of_candle, entries_of_order
from engine.instruments.instrument import Followed
from engine.instruments.kinds import instrument_of
from engine.instruments.quotes import FeedQuotes
from engine.outcomes.figures import figures_of
from engine.trading.history.position_history import PositionHistory
from engine.trading.protocol import ShareSession
from tests.engine.outcomes.market import (
    START,
    SYMBOL,
    TERMS,
    Access,
    Bar,
    D,
    MemoryFeed,
    MemoryQuotes,
    basis,
    entry,
)
from tests.engine.trading.test_paper_book import book, candle, order, put
from tests.engine.trading.test_share_book import START as FIRST_DAY
from tests.engine.trading.test_share_book import US, closes, opens

TARGET_LATER = [(100, 103, 99, 102), (102, 107, 101, 106)]
BOTH_IN_ONE = [(100, 107, 97, 100)]
GAP = [(100, 101, 99.5, 100.5), (95, 96, 94, 95.5)]


def shadow(bars: Sequence[Bar], plan: OrderPlan, *, rate: float | None = None, short: bool = False) -> PlanOutcome:
    """What a plan of `START`, decided at 100, has come to on these candles."""
    return followed(Access(MemoryFeed(bars, rate)), plan, basis(short=short))


def followed(access: Access, plan: OrderPlan, of: Basis) -> PlanOutcome:
    found = asyncio.run(instrument_of(of.instrument).follow(access, plan, of, "tb-shadow-0001"))  # type: ignore[arg-type]
    assert found is not None
    return figures_of(found, of.snapshot_at, of.price, of.timeframe)


def told(outcome: PlanOutcome) -> dict[str, Any]:
    return outcome.model_dump(exclude={"opened_at", "ended_at"})


@pytest.mark.parametrize(
    ("bars", "plan", "expected"),
    [
        # 1 at 100.1 (two hundredths of a percent, up to the next 0.1), fee 0.05005, 2.1 at risk; at 106 it gets 105.9, fee 0.05295
        (TARGET_LATER, entry("98", "106"), ("target", 5.697 / 1.001, 5.697 / 2.1, 5.8 / 1.001, -1.1 / 1.001, 2, 6.0)),
        # the stop comes first: 97.9, fee 0.04895
        (BOTH_IN_ONE, entry("98", "106"), ("stop", -2.299 / 1.001, -2.299 / 2.1, 0.0, -2.2 / 1.001, 1, 0.0)),
        # it opens at 95, below the stop: 94.9, fee 0.04745
        (GAP, entry("98", "106"), ("stop", -5.2975 / 1.001, -5.2975 / 2.1, 0.9 / 1.001, -5.2 / 1.001, 2, -4.5)),
        # short at 99.9, 2.1 at risk, bought back at 95.1; fees 0.04995 and 0.04755
        ([(100, 101, 94, 95.5)], entry("102", "95", short=True), ("target", 4.7025 / 0.999, 4.7025 / 2.1, 4.8 / 0.999, 0.0, 1, -4.5)),
        # at the end of what is known: at 101
        # its whole margin, a fiftieth of 100.1, and no fee on the way out
        ([(100, 100.5, 97, 98)], entry("80", "106", leverage=50), ("liquidated", -2.05205 / 1.001, -2.05205 / 20.1, 0.0, -2.0, 1, -2.0)),
    ],
)
def test_figures_of_a_plan_worked_out_by_hand(bars: list[Bar], plan: OrderPlan, expected: tuple[Any, ...]) -> None:
    names = ("exit_reason", "pnl_pct", "r", "mfe_pct", "mae_pct", "bars", "buy_and_hold_pct")
    found = told(shadow(bars, plan, short=plan.side == "sell"))
    assert found == {
        name: pytest.approx(value, abs=2e-6) if isinstance(value, float) else value for name, value in zip(names, expected, strict=True)
    }


def test_funding_is_in_the_result() -> None:
    day = [(100.0, 100.5, 99.5, 100.0)] * 33  # 8 h 15 min: one settlement, of 100 at a hundredth of a percent
    paid, free = shadow(day, entry("98", "106"), rate=0.0001), shadow(day, entry("98", "106"))
    assert free.pnl_pct == pytest.approx(-0.15005 / 1.001, abs=1e-6)
    assert paid.pnl_pct == pytest.approx(-0.16005 / 1.001, abs=1e-6)
    assert paid.bars == 33


def test_a_partial_exit_counts_by_its_size() -> None:
    made, history = book(), PositionHistory("paper:x")
    opening = order(1, leverage=5, stop=D(98), target=D(106))
    history.take(put(made, entries_of_order(made, opening, D(100), TERMS, START)))
    half = order(2, "sell", "0.5", reduce_only=True)
    history.take(put(made, entries_of_order(made, half, D(104), TERMS, START + timedelta(minutes=15))))
    history.take(put(made, entries_of_candle(made, SYMBOL, candle(15, 104, 104, 97, 97.5), TERMS)))
    record = history.record_with("tb-test-0002")
    assert record is not None
    path = asyncio.run(
        FeedQuotes(lambda: MemoryFeed([(100, 104.5, 100, 104), (104, 104, 97, 97.5)]), lambda: START).path(SYMBOL, _ms(START), None)
    )  # type: ignore[arg-type,return-value]
    found = figures_of(Followed(record, (path,)), START, 100.0, "15m")
    assert (found.exit_reason, found.bars) == ("stop", 2)
    assert found.pnl_pct == pytest.approx(0.6995 / 1.001, abs=1e-6)  # half of 3.8, half of -2.2, fees 0.1005
    assert found.r == pytest.approx(0.6995 / 2.1, abs=1e-6)


@pytest.mark.parametrize("is_split", [False, True])
def test_dividends_and_splits_of_shares(is_split: bool) -> None:
    """10 at 100.02, a dollar of fees. A dollar a share at 100, or two for one at 50.50: both bring 8.80."""
    prices = (50.0, 51.0, 49.0, 50.5) if is_split else (100.0, 101.0, 99.0, 100.0)
    morning = {"ratio": D(2)} if is_split else {"dividend": D(1)}
    found = shares(entry("95", "120", leverage=None, amount="10"), prices, "50.5" if is_split else "100", morning)
    best, worst = (51 / 50.01, 49 / 50.01) if is_split else (101 / 100.02, 99 / 100.02)
    assert told(found) == {
        "exit_reason": "open",
        "pnl_pct": pytest.approx(880 / 1000.2, abs=1e-6),
        "r": pytest.approx(8.8 / 50.2, abs=1e-6),
        "mfe_pct": pytest.approx((best - 1) * 100, abs=1e-6),
        "mae_pct": pytest.approx((worst - 1) * 100, abs=1e-6),
        "bars": 1,
        "buy_and_hold_pct": pytest.approx(1.0, abs=1e-6),
    }


def shares(plan: OrderPlan, prices: Bar, last: str, morning: dict[str, Any]) -> PlanOutcome:
    day = Candle(int(opens(1).timestamp() * 1000), *prices, 1.0)
    session = ShareSession(FIRST_DAY + timedelta(days=1), opens(1), closes(1), day, previous_close=D(100), **morning)
    return followed(Access(quotes=MemoryQuotes(US, last, [session])), plan, basis(US, at=closes(0)))


walks = st.lists(st.tuples(st.floats(-0.015, 0.015), st.floats(0, 0.01), st.floats(0, 0.01)), min_size=1, max_size=60)


def walked(steps: list[tuple[float, float, float]]) -> list[Bar]:
    bars, last = list[Bar](), 100.0
    for move, up, down in steps:
        close = round(last * (1 + move), 2)
        bars.append((last, round(max(last, close) * (1 + up), 2), round(min(last, close) * (1 - down), 2), close))
        last = close
    return bars


@pytest.mark.full
@settings(max_examples=60, deadline=None)
@given(walks, st.integers(1, 60))
def test_nothing_later_changes_what_is_over(steps: list[tuple[float, float, float]], known: int) -> None:
    bars, plan = walked(steps), entry("98.5", "102")
    then, later = shadow(bars[:known], plan), shadow(bars, plan)
    assert not then.is_over or then == later


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
