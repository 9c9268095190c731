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
from engine.domain.errors import StoreError
from engine.domain.ledger import LedgerEntry
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


class FullLedger(MemoryLedger):
    """It cannot be written while it is full."""

    full = False

    def append(self, account: str, after: int, entries: Sequence[LedgerEntry]) -> bool:
        if self.full:
            raise StoreError("the disk is full")
        return super().append(account, after, entries)


async def test_an_account_that_cannot_be_written_is_read_and_nothing_is_ordered() -> None:
    """What the market did meanwhile is written once, when that works again."""
    now = [BEGIN]
    coins, ledger = SimulatedFeed(3, lambda: now[0]), FullLedger()
    broker = PaperBroker("paper", FeedQuotes(lambda: coins, lambda: now[0]), ledger, lambda: now[0], 100_000.0)
    asked = {"symbol": "BTC/USDT:USDT", "amount": Decimal("0.05")}
    opens = Order.model_validate({**asked, "client_id": "tb-full-0001", "side": "buy", "leverage": 3})
    closes = Order.model_validate({**asked, "client_id": "tb-full-0002", "side": "sell", "reduce_only": True})
    await broker.place_order(opens, None)
    written, ledger.full = len(ledger.entries("paper", 0)), True
    for hours in (9, 18, 27):
        now[0] = BEGIN + timedelta(hours=hours)
        (held,) = await broker.positions(None)
        assert held.size == Decimal("0.05")
        assert len(await broker.curve()) > 1
        with pytest.raises(StoreError, match="the disk is full"):
            await broker.place_order(closes, None)
    assert len(ledger.entries("paper", 0)) == written
    ledger.full = False
    assert (await broker.place_order(closes, None)).state == "filled"
    assert await broker.positions(None) == ()
    entries = ledger.entries("paper", 0)
    assert len({(each.kind, each.at) for each in entries if each.kind == "funding"}) == sum(each.kind == "funding" for each in entries) > 0
    assert sum(each.kind == "fill" for each in entries) == 2
