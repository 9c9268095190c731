"""The loopback venue does what Binance does: slow and partial fills, stops that trigger, refusals, ids that come free, its ledger."""

from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import ccxt.async_support as ccxt
import pytest
import pytest_asyncio

from engine.venue.client import open_client
from tests.engine.trading.exchange_desk import BTC, KEYS, NOW
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import ExchangeAccount


@pytest_asyncio.fixture
async def client(venue: LoopbackExchange) -> AsyncIterator[Any]:
    """The real ccxt client."""
    made = open_client("binanceusdm", venue.url, 5.0, KEYS)
    made.enableRateLimit = False
    await made.load_markets()
    yield made
    await made.close()


async def bought(client: Any, client_id: str, amount: float = 0.1, **params: object) -> Any:
    return await client.create_order(BTC, "market", "buy", amount, None, {"clientOrderId": client_id, **params})


async def asked(client: Any, client_id: str) -> Any:
    return await client.fetch_order("", BTC, {"clientOrderId": client_id})


@pytest.mark.parametrize(("end", "status", "filled"), [("FILLED", "closed", 0.1), ("EXPIRED", "expired", 0.04)])
async def test_an_order_is_filled_in_parts(client: Any, held: ExchangeAccount, end: Any, status: str, filled: float) -> None:
    held.slow_fills("0.4", reads=2, end=end)
    first = await bought(client, "tb-slow-0001")
    assert (first["status"], first["filled"]) == ("open", 0.04)
    assert held.positions["BTCUSDT"].amount == Decimal("0.04")
    assert (await asked(client, "tb-slow-0001"))["status"] == "open"
    last = await asked(client, "tb-slow-0001")
    assert (last["status"], last["filled"]) == (status, filled)
    assert held.positions["BTCUSDT"].amount == Decimal(str(filled))


async def test_an_order_that_takes_at_once_or_never(client: Any, held: ExchangeAccount) -> None:
    for price, status in ((60_000, "closed"), (59_000, "expired")):
        params = {"clientOrderId": f"tb-ioc-{price}", "timeInForce": "IOC"}
        assert (await client.create_order(BTC, "limit", "buy", 0.1, price, params))["status"] == status
    assert held.positions["BTCUSDT"].amount == Decimal("0.1")


async def test_a_stop_triggers_and_one_without_a_position_is_refused(client: Any, held: ExchangeAccount) -> None:
    await bought(client, "tb-entry-0001")
    held.add_algo("BTCUSDT", "SELL", "STOP_MARKET", "59000", "tb-entry-0001-s")
    held.add_algo("ETHUSDT", "SELL", "STOP_MARKET", "59000", "tb-other-0001-s")
    held.move("BTCUSDT", "58900")
    held.move("ETHUSDT", "58900")
    assert held.positions == {}
    assert [each["algoStatus"] for each in held.algos] == ["FINISHED", "REJECTED"]


@pytest.mark.parametrize("fault", ["-2021", "-2022", "-4116", "-4130", "-1007"])
async def test_a_refusal_can_be_planted(client: Any, venue: LoopbackExchange, held: ExchangeAccount, fault: FaultKind) -> None:
    venue.fail("POST /fapi/v1/order?", fault)
    with pytest.raises(ccxt.BaseError, match=fault):
        await bought(client, "tb-entry-0001")
    assert held.orders == []


async def test_a_conditional_order_can_be_taken_and_lost(client: Any, venue: LoopbackExchange, held: ExchangeAccount) -> None:
    await bought(client, "tb-entry-0001")
    venue.fail("algoOrder", "lost-after")
    await client.create_order(BTC, "market", "sell", None, None, {"stopLossPrice": 59_000, "closePosition": True, "clientAlgoId": "tb-s"})
    assert await client.fetch_open_orders(BTC, params={"trigger": True}) == []
    assert held.stops("BTCUSDT") == 0


async def test_an_id_comes_free_when_its_order_has_ended(client: Any, held: ExchangeAccount) -> None:
    held.slow_fills(end="NEW")
    await bought(client, "tb-entry-0001")
    with pytest.raises(ccxt.BaseError, match="-4116"):
        await bought(client, "tb-entry-0001")
    held.finish("tb-entry-0001", "EXPIRED")
    await bought(client, "tb-entry-0001", 0.2)
    assert (await asked(client, "tb-entry-0001"))["filled"] == 0.2


async def test_the_income_history_is_told_in_pages(client: Any, held: ExchangeAccount) -> None:
    now, hour = int(NOW.timestamp() * 1000), 3_600_000
    for hours in (24 * 100, 24 * 8, 30, 2):
        held.earn("REALIZED_PNL", "-10", now - hours * hour)
    rows = await client.fapiPrivateGetIncome({"startTime": now - 24 * 200 * hour, "limit": 2, "page": 2})
    assert [int(row["time"]) for row in rows] == [now - 2 * hour]
    assert len(await client.fapiPrivateGetIncome({})) == 2, "seven days, where no start is named"


async def test_requests_wait_when_they_are_told_to(client: Any, venue: LoopbackExchange) -> None:
    venue.slow("openOrders", 30.0)
    client.timeout = 50
    with pytest.raises(ccxt.RequestTimeout):
        await client.fetch_open_orders(BTC)
    venue.fast()
    client.timeout = 5000
    assert await client.fetch_open_orders(BTC) == []
