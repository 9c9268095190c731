"""A paper account under a clock that is put forward and back: what a market did is played through once, and nothing of before the entry."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bootstrap.share_quotes import CompanyQuotes
from engine.brokers.paper.broker import PaperBroker
from engine.domain.orders import Order
from engine.equity.simulated import SimulatedEquities
from engine.instruments.quotes import FeedQuotes
from engine.market.simulated import SimulatedFeed
from engine.trading.protocol import Quotes
from tests.contracts.test_broker import MemoryLedger

BEGIN = datetime(2024, 6, 7, 20, 30, tzinfo=UTC)  # after a close; ten new shares for one on the Monday
STEPS = st.lists(st.sampled_from([-4_000, -1_500, -700, -300, -90, -1, 1, 45, 600, 1_500, 4_000]), min_size=1, max_size=10)
"""Minutes."""


async def played(symbol: str, instants: Sequence[datetime]) -> list[tuple[Any, ...]]:
    """Every fill, settlement, split and dividend of an account that opens a long at BEGIN and is read at each instant."""
    now = [BEGIN]
    coins, companies = SimulatedFeed(3, lambda: now[0]), SimulatedEquities(3, lambda: now[0])
    quotes: Quotes = FeedQuotes(lambda: coins, lambda: now[0]) if "/" in symbol else CompanyQuotes(lambda: companies)
    ledger = MemoryLedger()
    broker = PaperBroker("paper", quotes, ledger, lambda: now[0], 100_000.0)
    price = (await quotes.path(symbol, None, None)).price
    terms = await quotes.terms(symbol)
    stop, target = (terms.price(price * Decimal(share)) for share in ("0.996", "1.02"))
    amount, leverage = (Decimal("0.05"), 3) if "/" in symbol else (Decimal(20), None)
    order = Order(client_id="tb-steps-0001", symbol=symbol, side="buy", amount=amount, leverage=leverage, stop=stop, target=target)
    opened = await broker.place_order(order, None)
    assert opened.state == "filled"
    for instant in instants:
        now[0] = instant
        held = await broker.positions(None)
        assert all(each.opened_at == opened.at for each in held)
    return [
        (each.kind, each.at, each.side, each.amount, each.price, each.cash, each.ratio)
        for each in ledger.entries("paper", 0)
        if each.kind != "mark"
    ]


@pytest.mark.parametrize("symbol", ["BTC/USDT:USDT", "NVDA"])
@settings(max_examples=25)
@given(steps=STEPS)
def test_steps_back_change_nothing(symbol: str, steps: list[int]) -> None:
    instants = [BEGIN + timedelta(minutes=sum(steps[: count + 1])) for count in range(len(steps))]
    instants += [max(*instants, BEGIN) + timedelta(minutes=1)]
    forward = [each for count, each in enumerate(instants) if each >= max([BEGIN, *instants[:count]])]
    assert asyncio.run(played(symbol, instants)) == asyncio.run(played(symbol, forward))
