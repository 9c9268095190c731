"""The stop and target of a position at the venue, changed: the new stop stands before the old one goes, whatever happens on the way."""

import asyncio
from decimal import Decimal

import pytest

from engine.domain.errors import BrokerError, NotAllowed, OrderUnknown
from engine.domain.orders import Order
from engine.trading.history.ownership import SignedLevels
from engine.trading.protocol import Broker
from tests.engine.trading.exchange_desk import BTC, ENTRY, THE_STOP, Journal, Open, Sleep, entry, never_unprotected, waiting
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import ExchangeAccount

LEVELS = "tb-levels-001"
TARGETS = "TAKE_PROFIT_MARKET"


def levels(stop: str | None = "59400", target: str | None = None, side: str = "sell", client_id: str = LEVELS) -> Order:
    given = {"stop": Decimal(stop) if stop else None, "target": Decimal(target) if target else None}
    return Order(client_id=client_id, symbol=BTC, side=side, amount=Decimal("0.1"), reduce_only=True, protects=True, **given)


def stops(held: ExchangeAccount) -> set[Decimal]:
    return {trigger for _, trigger, _ in waiting(held)}


@pytest.mark.parametrize("level", ["59400", "58200"], ids=["nearer", "farther"])
@pytest.mark.parametrize("fault", [None, "500", "drop-after", "hang-after", "500-after"])
async def test_the_new_stop_stands_before_the_old_one_goes(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount, level: str, fault: FaultKind | None
) -> None:
    await broker.place_order(entry(), None)
    if fault is not None:
        venue.fail("/fapi/v1/algoOrder?", fault, times=2)
    report = await broker.protect(levels(level, "64000"), None)
    assert (report.state, report.filled, report.protected, report.why) == ("filled", 0, True, None)
    assert [(trigger, whole) for _, trigger, whole in waiting(held)] == [(Decimal(level), False)]
    assert {trigger for _, trigger, _ in waiting(held, TARGETS)} == {Decimal(64_000)}
    assert never_unprotected(held)
    assert len(held.orders) == 1, "nothing is traded"


async def test_a_level_that_is_not_named_stays(broker: Broker, held: ExchangeAccount) -> None:
    await broker.place_order(entry(), None)
    assert (await broker.protect(levels(None, "64000"), None)).protected is None
    assert (stops(held), {trigger for _, trigger, _ in waiting(held, TARGETS)}) == ({Decimal(59_000)}, {Decimal(64_000)})


async def test_asked_again_it_is_not_done_twice(broker: Broker, opened: Open, held: ExchangeAccount) -> None:
    await broker.place_order(entry(), None)
    for each in (broker, broker, opened()):
        assert (await each.protect(levels(), None)).state == "filled"
    assert [client_id for client_id, _, _ in waiting(held)] == [f"{LEVELS}-s"]


@pytest.mark.parametrize("fault", [None, "reject", "500"])
async def test_a_stop_that_cannot_be_placed_leaves_the_old_one(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount, fault: FaultKind | None
) -> None:
    """None: the price is beyond it already, which the venue says itself."""
    await broker.place_order(entry(), None)
    if fault is not None:
        venue.fail(THE_STOP, fault, times=99)
    report = await broker.protect(levels("60100" if fault is None else "59400"), None)
    assert report.state == "refused"
    assert "the levels before it stay in place" in (report.why or "")
    assert [client_id for client_id, _, _ in waiting(held)] == [f"{ENTRY}-s"]
    assert held.positions["BTCUSDT"].amount == Decimal("0.1"), "a change that fails closes nothing"
    assert never_unprotected(held)


async def test_where_nobody_can_say_what_stands_it_is_unknown_and_is_finished_later(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount
) -> None:
    await broker.place_order(entry(), None)
    venue.fail("openAlgoOrders", "shape", times=99, spare=1)  # before the change they could be listed
    with pytest.raises(OrderUnknown):
        await broker.protect(levels(), None)
    assert held.stops("BTCUSDT") >= 1
    venue.heal()
    assert (await broker.protect(levels(), None)).state == "filled"
    assert (stops(held), never_unprotected(held)) == ({Decimal(59_400)}, True)


async def test_an_old_stop_that_cannot_be_cancelled_is_not_called_done(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount
) -> None:
    await broker.place_order(entry(), None)
    venue.fail("DELETE /fapi/v1/algoOrder", "500", times=99)
    with pytest.raises(OrderUnknown, match="could not be cancelled"):
        await broker.protect(levels(), None)
    assert stops(held) == {Decimal(59_000), Decimal(59_400)}


async def test_where_conditional_orders_cannot_be_listed_nothing_is_sent(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount
) -> None:
    await broker.place_order(entry(), None)
    sent = venue.asked(THE_STOP)
    venue.fail("openAlgoOrders", "500", times=99)
    with pytest.raises(BrokerError):
        await broker.protect(levels(), None)
    assert (venue.asked(THE_STOP), stops(held)) == (sent, {Decimal(59_000)})


async def test_the_last_look_comes_before_anything_is_sent(venue: LoopbackExchange, broker: Broker, held: ExchangeAccount) -> None:
    await broker.place_order(entry(), None)
    sent = venue.asked("/fapi/v1/algoOrder?")

    async def no() -> None:
        raise NotAllowed("trading was halted")

    with pytest.raises(NotAllowed):
        await broker.protect(levels(), None, no)
    assert (venue.asked("/fapi/v1/algoOrder?"), stops(held)) == (sent, {Decimal(59_000)})


async def test_without_the_position_or_on_its_other_side_it_is_refused(broker: Broker, held: ExchangeAccount) -> None:
    assert (await broker.protect(levels(), None)).state == "refused"
    await broker.place_order(entry(), None)
    report = await broker.protect(levels("61000", side="buy"), None)
    assert (report.state, stops(held)) == ("refused", {Decimal(59_000)})
    with pytest.raises(BrokerError, match="not a trade"):
        await broker.place_order(levels(), None)


async def test_a_change_that_may_not_go_on_is_taken_back(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount, journal: Journal
) -> None:
    await broker.place_order(entry(), None)
    journal.signed_levels[BTC] = SignedLevels(ENTRY, Decimal(59_000), Decimal(63_000))
    venue.fail("DELETE /fapi/v1/algoOrder", "500", times=99)
    with pytest.raises(OrderUnknown):
        await broker.protect(levels(), None)
    venue.heal()
    await broker.restore_levels(BTC)
    assert (stops(held), never_unprotected(held)) == ({Decimal(59_000)}, True)


async def test_another_process_does_not_take_a_change_back_that_is_under_way(
    broker: Broker, opened: Open, held: ExchangeAccount, journal: Journal
) -> None:
    """The journal knows the old levels until the change has been reported."""
    await broker.place_order(entry(), None)
    journal.signed_levels[BTC] = SignedLevels(ENTRY, Decimal(59_000), Decimal(63_000))
    journal.under_way.add(BTC)
    await broker.protect(levels(), None)
    assert await opened().reconcile() == ()
    assert stops(held) == {Decimal(59_400)}
    journal.under_way.clear()
    journal.signed_levels[BTC] = SignedLevels(LEVELS, Decimal(59_400), Decimal(63_000))
    assert await opened().reconcile() == ()
    held.lose_algo(f"{LEVELS}-s")
    assert await opened().reconcile() == (f"{BTC}: the stop was missing: placed at 59400",)


@pytest.mark.parametrize("answer", [False, True], ids=["before the venue has it", "before its answer is read"])
@pytest.mark.parametrize("meanwhile", ["nothing", "stopped out", "a stranger's short", "a stranger's long", "more by hand"])
async def test_a_change_of_levels_that_was_suspended_touches_nothing_of_a_stranger(
    venue: LoopbackExchange, opened: Open, held: ExchangeAccount, answer: bool, meanwhile: str
) -> None:
    """Its process sleeps in the request of the new stop. What it finds when it wakes up is its position, or that it has ended."""
    asleep = opened()
    await asleep.place_order(entry(), None)
    sleep = Sleep(venue, THE_STOP, answer=answer)
    changing = asyncio.ensure_future(asleep.protect(levels("59400", "64000"), None))
    await sleep.begins()
    is_over = meanwhile not in {"nothing", "more by hand"}
    if is_over:
        held.move("BTCUSDT", "58900")
        held.move("BTCUSDT", "60000")
    if meanwhile in {"a stranger's long", "a stranger's short"}:
        held.trade("BTCUSDT", "BUY" if meanwhile.endswith("long") else "SELL", "0.1")
    if meanwhile == "more by hand":
        held.trade("BTCUSDT", "BUY", "1")
    theirs = {"a stranger's long": Decimal("0.1"), "a stranger's short": Decimal("-0.1"), "more by hand": Decimal(1)}.get(meanwhile)
    sleep.ends()
    report = await changing
    assert report.state == ("refused" if is_over else "filled"), report.why
    assert stops(held) == (set() if is_over else {Decimal(59_400)})
    assert {trigger for _, trigger, _ in waiting(held, TARGETS)} == (set() if is_over else {Decimal(64_000)})
    held.move("BTCUSDT", "59300")
    assert (held.positions["BTCUSDT"].amount if theirs else dict(held.positions)) == (theirs or {})
