"""Figures of outcomes, worked out by hand; an order and the shadow of its plan come to the same; what is over never changes."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.brokers.paper.broker import PaperBroker
from engine.domain.market.candles import Candle
from engine.domain.orders import Order
from engine.domain.outcome import PlanOutcome
from engine.domain.proposal import Basis, OrderPlan
from engine.instruments.contract_fills import entries_of_candle, entries_of_order
from engine.instruments.instrument import Followed
from engine.instruments.kinds import instrument_of
from engine.instruments.quotes import FeedQuotes
from engine.outcomes.figures import figures_of
from engine.trading.history.position_history import PositionHistory
from engine.trading.protocol import MarketPath, ShareSession
from tests.contracts.test_broker import MemoryLedger
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
        ([(100, 102, 99, 101)], entry("98", "106"), ("open", 0.84995 / 1.001, 0.84995 / 2.1, 1.9 / 1.001, -1.1 / 1.001, 1, 1.0)),
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


def _near(value: Any) -> Any:
    return pytest.approx(value, abs=2e-6) if isinstance(value, float) else value


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


def test_an_order_that_was_never_filled_has_expired_and_has_no_figures() -> None:
    plan = entry("85", "120", leverage=None, amount="10").model_copy(update={"limit": D(90)})
    assert told(shares(plan, (100.0, 101.0, 95.0, 100.0), "100", {})) == told(PlanOutcome(exit_reason="expired"))


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
@given(walks, st.booleans(), st.floats(-0.001, 0.001))
def test_an_order_and_the_shadow_of_its_plan_come_to_the_same(steps: list[tuple[float, float, float]], short: bool, rate: float) -> None:
    bars, plan = walked(steps), entry("103" if short else "97", "94" if short else "106", short=short)
    assert asyncio.run(_ordered(bars, plan, rate, short)) == shadow(bars, plan, rate=rate, short=short)


async def _ordered(bars: list[Bar], plan: OrderPlan, rate: float, short: bool) -> PlanOutcome:
    """What the order of a plan comes to on a paper account whose clock stands at the decision."""
    feed, of = MemoryFeed(bars, rate), basis(short=short)
    quotes = FeedQuotes(lambda: feed, lambda: START)  # type: ignore[arg-type,return-value]
    broker = PaperBroker("paper:memory", quotes, MemoryLedger(), lambda: START, 10_000.0)
    placed = Order(
        client_id="tb-order-0001", symbol=SYMBOL, side=plan.side, amount=plan.amount, leverage=plan.leverage, stop=plan.stop,
        target=plan.target, decided_at=D(100),
    )  # fmt: skip
    assert (await broker.place_order(placed, START)).state == "filled"
    record = await broker.played_on(placed.client_id)
    path = await quotes.path(SYMBOL, _ms(START), None)
    assert record is not None
    position = await broker.position(SYMBOL, START)
    assert position is not None, "the account stays where it is"
    return figures_of(Followed(record, (path,)), START, of.price, of.timeframe)


@pytest.mark.full
@settings(max_examples=60, deadline=None)
@given(walks, st.integers(1, 60))
def test_nothing_later_changes_what_is_over(steps: list[tuple[float, float, float]], known: int) -> None:
    bars, plan = walked(steps), entry("98.5", "102")
    then, later = shadow(bars[:known], plan), shadow(bars, plan)
    assert not then.is_over or then == later


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(walks)
def test_an_open_outcome_has_the_best_and_worst_price_of_the_fact_sheet(steps: list[tuple[float, float, float]]) -> None:
    from engine.domain.holding import Holding
    from engine.domain.market.instrument import Surroundings
    from engine.domain.market.snapshot import Snapshot
    from engine.facts.position import position_facts

    bars = walked(steps)
    feed, found = MemoryFeed(bars), shadow(bars, entry("1", "10000"))
    path: MarketPath = asyncio.run(FeedQuotes(lambda: feed, lambda: START).path(SYMBOL, _ms(START), None))  # type: ignore[arg-type,return-value]
    assert path.candles is not None
    holding = Holding(side="long", entry_price=100.1, size=1.0, opened_at=START)
    snapshot = Snapshot(
        asyncio.run(feed.market(SYMBOL)), "memory", "recorded", path.at, path.candles, None, None, None, Surroundings(), holding
    )
    facts = {fact.key: fact.value for fact in position_facts(snapshot, holding, float(path.price))}
    assert (found.mfe_pct, found.mae_pct) == (pytest.approx(facts["mfe_pct"], abs=1e-6), pytest.approx(facts["mae_pct"], abs=1e-6))
    assert found.bars == facts["hold_count"]


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
