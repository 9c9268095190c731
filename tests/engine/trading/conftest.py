"""A loopback venue with an account, and brokers of it."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from decimal import Decimal

import pytest
import pytest_asyncio

from engine.brokers.ccxt.broker import ExchangeBroker
from engine.brokers.ccxt.sending import Deadlines
from engine.trading.protocol import Broker
from engine.venue.keys import Keys
from tests.engine.trading.exchange_desk import HASTY, KEYS, NOW, PATIENT, Desk, Journal, Open, give_up_on_what_hangs
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
    """Opens brokers of the venue, and closes them."""
    brokers: list[ExchangeBroker] = []

    def make(
        keys: Keys = KEYS, url: str | None = None, deadlines: Deadlines = PATIENT, clock: Callable[[], datetime] = lambda: NOW
    ) -> ExchangeBroker:
        records = journal.records()
        made = Desk("binanceusdm", url or venue.url, keys, clock, sandbox=False, records=records, deadlines=deadlines)
        made.journal = journal
        made._wire.client.enableRateLimit = False  # the venue is ours; Binance's limits would make every test wait for seconds
        give_up_on_what_hangs(made._wire.client, venue)
        brokers.append(made)
        return made

    yield make
    for broker in brokers:
        await broker.close()


@pytest.fixture
def broker(opened: Open) -> Broker:
    return opened()


@pytest.fixture
def hasty(opened: Open) -> Broker:
    """Gives up soon: for tests in which what it waits for never comes."""
    return opened(deadlines=HASTY)
