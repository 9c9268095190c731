"""The exchange broker's orders, through the real ccxt client, against an account on loopback that can be told to misbehave."""

from datetime import timedelta
from decimal import Decimal

import ccxt.async_support as ccxt
import pytest

from engine.brokers.ccxt.orders import UnreadableReply, exact_amount, report_of, ticket_of
from engine.domain.errors import BrokerError, BrokerRefused, BrokerUnreachable, OrderUnknown
from engine.domain.orders import Order
from engine.trading.protocol import Broker
from engine.venue.signed import SignedWire
from tests.engine.trading.exchange_desk import ADJUST, BTC, ENTRY, EXIT, KEYS, NOW, THE_ORDER, THE_STOP, Open, entry, leave, waiting
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import ExchangeAccount


async def test_an_entry_is_exact_isolated_and_protected(venue: LoopbackExchange, broker: Broker, held: ExchangeAccount) -> None:
    report = await broker.place_order(entry(), NOW)
    assert (report.state, report.filled, report.price, report.protected) == ("filled", Decimal("0.1"), Decimal(60_000), True)
    assert report.fee == Decimal("2.4"), "what the trade says, not the market's usual fee"
    assert (held.leverage["BTCUSDT"], held.isolated) == (5, {"BTCUSDT"})
    (line,) = [each for each in venue.requests if THE_ORDER in each]
    assert all(part in line for part in ("side=BUY", "quantity=0.1&", f"newClientOrderId={ENTRY}", "type=MARKET"))
    assert waiting(held) == [(f"{ENTRY}-s", Decimal(59_000), False)]
    assert waiting(held, "TAKE_PROFIT_MARKET") == [(f"{ENTRY}-t", Decimal(63_000), False)]
    assert await broker.get_order(ENTRY, BTC) == report.model_copy(update={"protected": None})


@pytest.mark.parametrize(
    "fault", ["drop-after", "hang-after", "500-after", "html-after", "cut-after", "empty-after", "429-after", "403-after"]
)
async def test_an_order_whose_answer_is_lost_is_found_by_its_id(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount, fault: FaultKind
) -> None:
    venue.fail(THE_ORDER, fault)
    report = await broker.place_order(entry(), None)
    assert (report.state, report.filled, report.protected) == ("filled", Decimal("0.1"), True)
    assert venue.asked(THE_ORDER) == len(held.orders) == 1
    assert held.stops("BTCUSDT") == 1


GATEWAY = ["429", "418", "403", "451", "-1003", "-1007"]
"""What a gateway answers as well as a venue, whether it has passed the order on or not."""


@pytest.mark.parametrize("fault", ["drop", "hang", "500", "503", "html", "cut", "400", *GATEWAY])
async def test_an_order_that_is_not_found_is_unknown_and_not_sent_again(
    venue: LoopbackExchange, hasty: Broker, held: ExchangeAccount, fault: FaultKind
) -> None:
    venue.fail(THE_ORDER, fault)
    with pytest.raises(OrderUnknown, match=f"may or may not have got order {ENTRY}"):
        await hasty.place_order(entry(), None)
    assert venue.asked(THE_ORDER) == 1
    assert held.orders == held.algos == []
    assert await hasty.get_order(ENTRY, BTC) is None


async def test_nothing_listens_is_not_unknown() -> None:
    wire = SignedWire("binanceusdm", "http://127.0.0.1:9", KEYS, sandbox=False, backoff_s=0.01)
    with pytest.raises(BrokerUnreachable, match="was not sent"):
        await wire.send("order x", lambda: wire.client.fapiPrivatePostOrder({"symbol": "BTCUSDT", "newClientOrderId": "x"}))
    await wire.close()


async def test_a_second_sending_is_an_answer_even_after_a_restart(venue: LoopbackExchange, opened: Open, held: ExchangeAccount) -> None:
    first = await opened().place_order(entry(), None)
    again = await opened().place_order(entry(), None)  # the venue itself would fill it again: a filled order's id is free
    assert (again.state, again.filled, again.venue_id) == (first.state, first.filled, first.venue_id)
    assert len(held.orders) == venue.asked(THE_ORDER) == 1


async def test_a_duplicate_that_the_venue_hides_is_unknown(venue: LoopbackExchange, hasty: Broker, held: ExchangeAccount) -> None:
    resting = entry(limit=Decimal(58_000), stop=None, target=None)
    assert (await hasty.place_order(resting, None)).state == "open"
    held.hidden.add(ENTRY)
    with pytest.raises(OrderUnknown, match="has order"):
        await hasty.place_order(resting, None)
    assert len(held.orders) == 1


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (leave("0.1"), "ReduceOnly Order is rejected"),
        (entry(amount="0.001"), "notional must be no smaller than 100"),
        (entry(amount="9"), "Margin is insufficient"),
    ],
)
async def test_the_venues_no_is_a_refusal_in_its_own_words(broker: Broker, held: ExchangeAccount, order: Order, words: str) -> None:
    report = await broker.place_order(order, None)
    assert report.state == "refused"
    assert words in (report.why or "")
    assert held.orders == held.algos == []


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (entry(amount="0.1005"), "0.1005 would have become 0.1"),
        (entry(amount="0.0001"), "0.0001 would have become 0"),
        (entry(stop=Decimal("59000.05")), "59000.05 would have become"),
        (entry(limit=Decimal("59000.01")), "59000.01 would have become"),
        (entry(leverage=125), "Leverage 125 is not valid"),
        (entry("tb-" + "a" * 31), "longer than 33"),
        (entry().model_copy(update={"symbol": "BTC/USDT"}), "no perpetual market BTC/USDT"),
    ],
)
async def test_what_cannot_be_sent_as_it_is_is_not_sent(venue: LoopbackExchange, broker: Broker, order: Order, words: str) -> None:
    with pytest.raises(BrokerRefused, match=words):
        await broker.place_order(order, None)
    assert venue.asked(THE_ORDER) == 0


async def test_a_position_is_not_turned_round_and_the_past_not_traded(venue: LoopbackExchange, broker: Broker) -> None:
    await broker.place_order(entry(), None)
    with pytest.raises(BrokerRefused, match="reverse the position"):
        await broker.place_order(entry(ADJUST, side="sell", stop=Decimal(61_000)), None)
    with pytest.raises(BrokerError, match="in the present only"):
        await broker.place_order(entry(EXIT), NOW - timedelta(minutes=5))
    assert venue.asked(THE_ORDER) == 1


@pytest.mark.parametrize("fault", ["500", "html", "shape", "drop", "hang", "echo", "451"])
async def test_an_order_that_cannot_be_asked_for_is_not_called_missing(venue: LoopbackExchange, broker: Broker, fault: FaultKind) -> None:
    await broker.place_order(entry(), None)
    venue.fail("GET /fapi/v1/order?", fault, times=99)
    with pytest.raises(BrokerUnreachable):
        await broker.get_order(ENTRY, BTC)


def test_contracts_are_counted_and_levels_attached_where_the_venue_does_so() -> None:
    client = ccxt.okx()
    client.markets = {BTC: {"symbol": BTC, "swap": True, "linear": True, "contractSize": 0.01, "precision": {"amount": 1.0, "price": 0.1}}}
    assert exact_amount(client, BTC, Decimal("0.15")) == "15"
    with pytest.raises(BrokerRefused, match="other steps"):
        exact_amount(client, BTC, Decimal("0.155"))
    assert ticket_of(client, entry()).params["stopLoss"] == {"triggerPrice": "59000"}
    assert "stopLoss" not in ticket_of(client, leave("0.1", stop=Decimal(59_000))).params


async def test_a_part_that_is_filled_has_its_stop_before_the_rest_is(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount
) -> None:
    held.slow_fills("0.4", reads=3)
    report = await broker.place_order(entry(), None)
    assert (report.state, report.filled, report.protected) == ("filled", Decimal("0.1"), True)
    stop = next(number for number, line in enumerate(venue.requests) if THE_STOP in line)
    last = max(number for number, line in enumerate(venue.requests) if "GET /fapi/v1/order?" in line)
    assert stop < last
    assert len(waiting(held)) == 1


@pytest.mark.parametrize("share", ["0", "0.4"])
async def test_what_is_left_of_an_entry_that_is_not_filled_in_time_is_cancelled(hasty: Broker, held: ExchangeAccount, share: str) -> None:
    held.slow_fills(share, end="NEW")
    report = await hasty.place_order(entry(), None)
    assert held.orders[0]["status"] == "CANCELED"
    assert report.state == ("filled" if share != "0" else "cancelled")
    assert (report.filled, held.stops("BTCUSDT")) == (Decimal("0.1") * Decimal(share), 1 if share != "0" else 0)


async def test_an_order_to_close_is_never_cancelled(broker: Broker, held: ExchangeAccount) -> None:
    await broker.place_order(entry(), None)
    held.slow_fills("0.4", reads=6, reducing=True)
    report = await broker.place_order(leave("0.1"), None)
    assert (report.state, report.filled, held.positions) == ("filled", Decimal("0.1"), {})


async def test_no_entry_where_conditional_orders_cannot_be_listed(venue: LoopbackExchange, broker: Broker, held: ExchangeAccount) -> None:
    venue.fail("openAlgoOrders", "500", times=99)
    with pytest.raises(BrokerUnreachable, match="conditional orders"):
        await broker.place_order(entry(), None)
    assert (venue.asked(THE_ORDER), held.orders) == (0, [])


TOLD = {"clientOrderId": ENTRY, "id": "7", "status": "closed", "filled": 2.0, "average": 100.5, "timestamp": 1_000}


@pytest.mark.parametrize(
    "changed",
    [
        {"clientOrderId": EXIT},
        {"clientOrderId": None},
        {"status": None},
        {"filled": None},
        {"average": None},
    ],
)
def test_an_answer_that_does_not_say_what_became_of_this_order_is_none(changed: dict[str, object]) -> None:
    assert report_of(TOLD, ENTRY, Decimal(1), Decimal("0.001"), NOW).fee == Decimal("0.2010")
    with pytest.raises(UnreadableReply):
        report_of({**TOLD, **changed}, ENTRY, Decimal(1), Decimal("0.001"), NOW)


@pytest.mark.parametrize(
    ("status", "filled", "state"),
    [
        ("open", 0.0, "open"),
        ("closed", 2.0, "filled"),
        ("canceled", 0.0, "cancelled"),
        ("expired", 1.0, "filled"),
        ("rejected", 0.0, "refused"),
    ],
)
def test_an_order_that_ended_early_is_what_was_filled_of_it(status: str, filled: float, state: str) -> None:
    report = report_of({**TOLD, "status": status, "filled": filled}, ENTRY, Decimal("0.01"), Decimal(0), NOW)
    assert (report.state, report.filled) == (state, Decimal(str(filled)) / 100)
