"""A loopback venue with an account, and brokers of it."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from decimal import Decimal

import pytest
import pytest_asyncio

from engine.trading.exchange import ExchangeBroker
from engine.trading.exchange_sending import Deadlines
from engine.trading.protocol import Broker
from engine.venue.keys import Keys
from tests.engine.trading.exchange_desk import KEYS, NOW, QUICK, Desk, Journal, Open
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import ExchangeAccount


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange(lambda: NOW) as running:
        running.account.prices = dict.fromkeys(running.account.prices, Decimal(60_000))
        yield running


@pytest.fixture
def held(venue: LoopbackExchange) -> ExchangeAccount:
    return venue.account


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest_asyncio.fixture
async def opened(venue: LoopbackExchange, journal: Journal) -> AsyncIterator[Open]:
    """Opens brokers of the venue that are patient for a moment, and closes them."""
    brokers: list[ExchangeBroker] = []

    def make(
        keys: Keys = KEYS, url: str | None = None, deadlines: Deadlines = QUICK, clock: Callable[[], datetime] = lambda: NOW
    ) -> ExchangeBroker:
        records = journal.records()
        made = Desk("binanceusdm", url or venue.url, keys, clock, sandbox=False, records=records, deadlines=deadlines)
        made.journal = journal
        made._wire.client.enableRateLimit = False  # the venue is ours; Binance's limits would make every test wait for seconds
        brokers.append(made)
        return made

    yield make
    for broker in brokers:
        await broker.close()


@pytest.fixture
def broker(opened: Open) -> Broker:
    return opened()
