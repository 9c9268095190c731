"""Stop and target at the venue: placed, read back, changed, put in order after a crash; a position is never left without its stop."""

import asyncio
from datetime import timedelta
from decimal import Decimal

import pytest

from engine.brokers.ccxt import broker as exchange_broker
from engine.brokers.ccxt import reconcile
from engine.domain.errors import BrokerError, NotAllowed, OrderUnknown
from engine.domain.orders import Order
from engine.trading.history.ownership import SignedLevels
from engine.trading.protocol import Broker
from tests.engine.trading.exchange_desk import (
    ADJUST,
    BTC,
    ENTRY,
    ETH,
    HASTY,
    NOW,
    THE_ORDER,
    THE_STOP,
    Journal,
    Open,
    Sleep,
    always_covered,
    entry,
    leave,
    never_unprotected,
    waiting,
)
from tests.servers.exchange import FaultKind, LoopbackExchange
from tests.servers.exchange_account import ExchangeAccount


async def test_a_limit_order_rests_and_its_position_is_protected_when_the_account_is_put_in_order(
    broker: Broker, held: ExchangeAccount, journal: Journal
) -> None:
    report = await broker.place_order(entry(limit=Decimal(59_500)), None)
    assert (report.state, report.filled, report.protected) == ("open", 0, None)
    assert held.orders[0]["timeInForce"] == "GTC"
    held.move("BTCUSDT", "59500")
    assert (await broker.get_order(ENTRY, BTC) or report).state == "filled"
    journal.signed_levels[BTC] = SignedLevels(ENTRY, Decimal(59_000), None)
    assert await broker.reconcile() == (f"{BTC}: the stop was missing: placed at 59000",)


@pytest.mark.parametrize(
    ("fault", "times"), [("500", 2), ("drop", 2), ("hang", 1), ("500-after", 1), ("drop-after", 1), ("hang-after", 1), ("empty-after", 3)]
)
async def test_a_stop_is_placed_once_whatever_happens_to_its_requests(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount, fault: FaultKind, times: int
) -> None:
    venue.fail(THE_STOP, fault, times)
    report = await broker.place_order(entry(), None)
    assert (report.protected, report.why) == (True, None)
    assert len(waiting(held)) == len(held.orders) == 1


@pytest.mark.parametrize("fault", ["reject", "500", "drop"])
async def test_an_entry_whose_stop_cannot_be_placed_is_closed_again(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount, fault: FaultKind
) -> None:
    venue.fail(THE_STOP, fault, times=99)
    report = await broker.place_order(entry(), None)
    assert (report.state, report.filled, report.protected) == ("filled", Decimal("0.1"), False)
    assert report.why is not None
    assert "the position was closed again at 60000" in report.why
    assert held.positions == {}
    assert [(each["clientOrderId"], each["reduceOnly"]) for each in held.orders] == [(ENTRY, False), (f"{ENTRY}-x", True)]
    assert held.open_algos() == []


async def test_a_stop_that_cannot_be_read_back_is_not_called_missing(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount
) -> None:
    venue.fail("openAlgoOrders", "shape", times=99, spare=1)  # before the entry they could be listed
    report = await broker.place_order(entry(), None)
    assert report.protected is False
    assert len(held.orders) == 1, "nothing is closed on a guess"
    assert held.stops("BTCUSDT") == 1


async def test_an_entry_into_a_protected_position_is_closed_again_without_its_stop_and_the_rest_keeps_its_own(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount
) -> None:
    await broker.place_order(entry(), None)
    venue.fail(THE_STOP, "reject", times=99)
    report = await broker.place_order(entry(ADJUST, stop=Decimal(59_400)), None)
    assert report.protected is False
    assert held.positions["BTCUSDT"].amount == Decimal("0.1")
    assert waiting(held) == [(f"{ENTRY}-s", Decimal(59_000), False)]
    assert held.stops("BTCUSDT") == 1


@pytest.mark.parametrize("order", [entry(ADJUST, stop=Decimal(59_400)), leave("0.04", ADJUST, stop=Decimal(59_400))], ids=["more", "less"])
@pytest.mark.parametrize("fault", [None, "500", "drop-after", "hang-after"])
async def test_new_levels_stand_before_the_old_ones_go(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount, order: Order, fault: FaultKind | None
) -> None:
    await broker.place_order(entry(), None)
    if fault is not None:
        venue.fail("/fapi/v1/algoOrder?", fault, times=2)
    report = await broker.place_order(order.model_copy(update={"target": Decimal(64_000)}), None)
    assert (report.protected, report.why) == (True, None)
    assert ({trigger for _, trigger, _ in waiting(held)}, held.stops("BTCUSDT")) == ({Decimal(59_400)}, 1)
    assert {trigger for _, trigger, _ in waiting(held, "TAKE_PROFIT_MARKET")} == {Decimal(64_000)}
    assert always_covered(held, "0.1" if not order.reduce_only else "0.06"), "what is added waits for its own"


async def test_an_exit_takes_our_protection_with_it_and_no_one_elses(broker: Broker, held: ExchangeAccount) -> None:
    await broker.place_order(entry(), None)
    held.add_algo("BTCUSDT", "SELL", "STOP_MARKET", "50000", "web_stranger", whole=False, amount="0.5")
    report = await broker.place_order(leave("0.1"), None)
    assert (report.state, report.filled, report.protected) == ("filled", Decimal("0.1"), None)
    assert held.positions == {}
    assert [client_id for client_id, _, _ in waiting(held)] == ["web_stranger"]


async def test_reconciling_leaves_strangers_alone(broker: Broker, held: ExchangeAccount, journal: Journal) -> None:
    journal.signed_levels[BTC] = SignedLevels(ENTRY, Decimal(59_000), None)
    held.open_position("BTCUSDT", "0.1", "60000")
    held.open_position("ETHUSDT", "-2", "60000")
    held.add_algo("SOLUSDT", "SELL", "STOP_MARKET", "50000", f"{ENTRY}-s")
    held.add_algo("SOLUSDT", "SELL", "TAKE_PROFIT_MARKET", "70000", "web_stranger")
    held.add_algo("SOLUSDT", "SELL", "STOP_MARKET", "51000", "tc-of-another-program-s")
    for client_id in ("web_resting", "tb-resting-01"):
        held.new_order("SOLUSDT", "BUY", Decimal(1), client_id, "LIMIT", reduce_only=False, price="50000")
    lines = await broker.reconcile()
    assert [line.split(": ", 1) for line in lines] == [
        ["SOL/USDT:USDT", f"stop {ENTRY}-s at 50000 had no position: cancelled"],
        ["SOL/USDT:USDT", "order web_stranger is not ours and was left alone"],
        ["SOL/USDT:USDT", "order tc-of-another-program-s is not ours and was left alone"],
        ["SOL/USDT:USDT", "order web_resting is not ours and was left alone"],
        [BTC, "the stop was missing: placed at 59000"],
        [ETH, "a short position of 2 is not ours and was left alone"],
    ]
    assert [client_id for client_id, _, _ in waiting(held)] == ["tc-of-another-program-s", f"{ENTRY}-s"]
    assert [client_id for client_id, _, _ in waiting(held, "TAKE_PROFIT_MARKET")] == ["web_stranger"]
    assert held.positions["ETHUSDT"].amount == -2
    assert {order["status"] for order in held.orders} == {"NEW"}


async def test_a_strangers_stop_over_our_position_stays_and_ours_stands_beside_it(
    broker: Broker, held: ExchangeAccount, journal: Journal
) -> None:
    journal.signed_levels[BTC] = SignedLevels(ENTRY, Decimal(59_000), None)
    held.open_position("BTCUSDT", "0.1", "60000")
    held.add_algo("BTCUSDT", "SELL", "STOP_MARKET", "58000", "web_stranger")
    assert f"{BTC}: the stop was at 58000: placed at 59000" in await broker.reconcile()
    assert {trigger for _, trigger, _ in waiting(held)} == {Decimal(58_000), Decimal(59_000)}


async def test_a_caller_that_goes_away_leaves_no_position_without_its_stop(
    venue: LoopbackExchange, opened: Open, held: ExchangeAccount
) -> None:
    broker = opened()
    venue.fail(THE_STOP, "500", times=2)
    caller = asyncio.ensure_future(broker.place_order(entry(), None))
    while not held.positions:  # noqa: ASYNC110 - the venue lives in a thread of its own
        await asyncio.sleep(0.001)
    caller.cancel()
    await broker.close()
    assert held.stops("BTCUSDT") == 1


@pytest.mark.parametrize("age_s", [0, 29, 31])
async def test_a_stop_that_is_refused_after_a_crash_closes_the_position_after_half_a_minute(
    venue: LoopbackExchange, opened: Open, held: ExchangeAccount, journal: Journal, age_s: int
) -> None:
    """Since when it stands bare is written down: a watcher that was started again goes on counting."""
    journal.signed_levels[BTC] = SignedLevels(ENTRY, Decimal(59_000), Decimal(63_000))
    held.open_position("BTCUSDT", "0.1", "60000")
    venue.fail(THE_STOP, "reject", times=9999)
    (line,) = await opened().reconcile()
    assert line.startswith(f"{BTC}: NO STOP for 0 s: the stop was missing and could not be placed at 59000: Margin is insufficient.")
    assert journal.alerts == [f"{BTC}: the stop was missing and could not be placed at 59000: Margin is insufficient. (-2019)"]
    (line,) = await opened(clock=lambda: NOW + timedelta(seconds=age_s)).reconcile()
    assert ("closed again at 60000" in line) == (age_s > 30)
    assert (held.positions == {}) == (age_s > 30)
    assert len(journal.alerts) == (2 if age_s > 30 else 1), "told once, and its end"


async def test_a_position_that_cannot_be_read_back_is_not_closed(
    venue: LoopbackExchange, opened: Open, held: ExchangeAccount, journal: Journal
) -> None:
    journal.signed_levels[BTC], journal.unprotected[BTC] = SignedLevels(ENTRY, Decimal(59_000), None), NOW - timedelta(minutes=5)
    held.open_position("BTCUSDT", "0.1", "60000")
    venue.fail("openAlgoOrders", "500", times=9999)
    with pytest.raises(BrokerError, match="conditional orders"):
        await opened().reconcile()
    assert (held.orders, held.stops("BTCUSDT")) == ([], 1), "the stop is placed blindly, since its id is fixed"


async def test_two_watchers_close_a_position_once(venue: LoopbackExchange, opened: Open, held: ExchangeAccount, journal: Journal) -> None:
    journal.signed_levels[BTC], journal.unprotected[BTC] = SignedLevels(ENTRY, Decimal(59_000), None), NOW - timedelta(minutes=1)
    held.open_position("BTCUSDT", "0.1", "60000")
    venue.fail(THE_STOP, "reject", times=9999)
    await asyncio.gather(*(opened().reconcile() for _ in range(4)))
    assert held.positions == {}
    assert sum(Decimal(each["executedQty"]) for each in held.orders) == Decimal("0.1")


async def test_a_closing_order_that_is_filled_in_part_is_followed_by_another(
    venue: LoopbackExchange, opened: Open, held: ExchangeAccount, journal: Journal
) -> None:
    journal.signed_levels[BTC], journal.unprotected[BTC] = SignedLevels(ENTRY, Decimal(59_000), None), NOW - timedelta(minutes=1)
    held.open_position("BTCUSDT", "0.1", "60000")
    held.slow_fills("0.4", reads=1, end="EXPIRED", times=2)
    venue.fail(THE_STOP, "reject", times=9999)
    await opened().reconcile()
    assert held.positions == {}
    assert [each["clientOrderId"] for each in held.orders] == [f"{ENTRY}-x", f"{ENTRY}-x1", f"{ENTRY}-x2"]


async def test_an_order_under_way_is_not_a_stranger(opened: Open, held: ExchangeAccount, journal: Journal) -> None:
    held.open_position("BTCUSDT", "0.1", "60000")
    journal.under_way.add(BTC)
    assert await opened().reconcile() == ()
    assert journal.unprotected == {}


async def test_a_strangers_position_without_a_stop_is_told_of_and_left_alone(
    broker: Broker, held: ExchangeAccount, journal: Journal
) -> None:
    held.open_position("ETHUSDT", "-2", "60000")
    await broker.reconcile()
    assert journal.unprotected == {ETH: NOW}
    held.add_algo("ETHUSDT", "BUY", "STOP_MARKET", "61000", "web_stranger")
    await broker.reconcile()
    assert (journal.unprotected, held.positions["ETHUSDT"].amount) == ({}, -2)


@pytest.mark.parametrize(("amounts", "stop"), [(["0.06"], None), (["0.06", "0.04"], Decimal(58_000)), (["0.1"], Decimal(58_000))])
async def test_a_stop_over_a_part_is_none(broker: Broker, held: ExchangeAccount, amounts: list[str], stop: Decimal | None) -> None:
    held.open_position("BTCUSDT", "0.1", "60000")
    for number, amount in enumerate(amounts):
        held.add_algo("BTCUSDT", "SELL", "STOP_MARKET", f"{58_000 + 500 * number}", f"web_{number}", whole=False, amount=amount)
    for algo in held.algos:
        algo["reduceOnly"] = True
    (position,) = await broker.positions(None)
    assert position.stop == stop


def soon_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """For when a process sleeps already: before, a slow request would count as a suspension."""
    for room in (exchange_broker, reconcile):
        monkeypatch.setattr(room, "SILENT_LIMIT_S", 0.2)


@pytest.mark.parametrize("silent_in", [THE_ORDER, THE_STOP])
@pytest.mark.parametrize("meanwhile", ["nothing", "stopped out", "a stranger's short", "a stranger's long", "more by hand"])
async def test_an_entry_of_a_suspended_process_gets_its_own_stop_from_whoever_watches(
    venue: LoopbackExchange,
    opened: Open,
    held: ExchangeAccount,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    silent_in: str,
    meanwhile: str,
) -> None:
    """Its process sleeps between two requests, from the fill on; it wakes up when the other one has done its work, and doubles nothing."""
    asleep, watcher = opened(), opened()
    sleep = Sleep(venue, silent_in, answer=silent_in == THE_ORDER)
    approving = asyncio.ensure_future(asleep.place_order(entry(opens=True), None))
    await sleep.begins()
    soon_silent(monkeypatch)
    journal.under_way.add(BTC)
    journal.sent[BTC] = entry(opens=True)
    assert await watcher.reconcile() == (f"{BTC}: the stop was missing: placed at 59000",)
    assert waiting(held) == [(f"{ENTRY}-s", Decimal(59_000), False)]
    assert [each.split(": ", 1)[1] for each in journal.alerts] == [
        f"order {ENTRY} is filled, and the process that sent it has placed no stop",
        "over: the stop is in place at 59000",
    ]
    if meanwhile not in {"nothing", "more by hand"}:
        held.move("BTCUSDT", "58900")
    if meanwhile in {"a stranger's short", "a stranger's long"}:
        held.trade("BTCUSDT", "BUY" if meanwhile.endswith("long") else "SELL", "0.05")
    if meanwhile == "more by hand":
        held.trade("BTCUSDT", "BUY", "1")
    sleep.ends()
    report = await approving
    assert report.state == "filled"
    assert len([each for each in held.orders if each["clientOrderId"].startswith(ENTRY) and not each["reduceOnly"]]) == 1
    assert len([each for each in held.open_algos() if each["orderType"] == "STOP_MARKET"]) == (meanwhile in {"nothing", "more by hand"})
    if meanwhile not in {"nothing", "more by hand"}:
        assert (report.protected, report.why) == (None, "its position is already gone")
        theirs = {"a stranger's short": Decimal("-0.05"), "a stranger's long": Decimal("0.05")}.get(meanwhile)
        assert (each.amount if (each := held.positions.get("BTCUSDT")) else None) == theirs, "it is not sold"
    if meanwhile == "nothing":
        assert (report.protected, report.why) == (True, None)
        assert len([each for each in held.algos if each["orderType"] == "STOP_MARKET"]) == 1
        assert len(waiting(held, "TAKE_PROFIT_MARKET")) == 1


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


async def test_an_old_stop_that_cannot_be_cancelled_is_not_called_done(
    venue: LoopbackExchange, broker: Broker, held: ExchangeAccount
) -> None:
    await broker.place_order(entry(), None)
    venue.fail("DELETE /fapi/v1/algoOrder", "500", times=99)
    with pytest.raises(OrderUnknown, match="could not be cancelled"):
        await broker.protect(levels(), None)
    assert stops(held) == {Decimal(59_000), Decimal(59_400)}


async def test_a_position_whose_stop_and_close_are_refused_is_told_of_and_closed_by_whoever_watches(
    venue: LoopbackExchange, opened: Open, held: ExchangeAccount, journal: Journal
) -> None:
    for part, kind in ((THE_STOP, "reject"), ("reduceOnly=true", "-2022")):
        venue.fail(part, kind, times=9999)
    report = await opened(deadlines=HASTY).place_order(entry(), None)
    assert report.protected is False
    assert "IT HAS NO STOP" in (report.why or "")
    assert journal.unprotected == {BTC: NOW}
    journal.signed_levels[BTC] = SignedLevels(ENTRY, Decimal(59_000), Decimal(63_000))
    venue.heal()
    venue.fail(THE_STOP, "reject", times=9999)
    (line,) = await opened(clock=lambda: NOW + timedelta(seconds=31)).reconcile()
    assert "the position was closed again at 60000" in line
    assert (held.positions, held.open_algos(), journal.unprotected) == ({}, [], {})


async def test_what_a_stranger_adds_to_the_position_of_a_suspended_process_is_left_alone(
    opened: Open, held: ExchangeAccount, journal: Journal, venue: LoopbackExchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleep = Sleep(venue, THE_ORDER, answer=True)
    approving = asyncio.ensure_future(opened().place_order(entry(opens=True), None))
    await sleep.begins()
    soon_silent(monkeypatch)
    held.trade("BTCUSDT", "BUY", "1")
    journal.under_way.add(BTC)
    journal.sent[BTC] = entry(opens=True)
    assert await opened().reconcile() == (f"{BTC}: the stop was missing: placed at 59000 for 0.1",)
    sleep.ends()
    assert (await approving).protected is True
    assert [each[1:] for each in waiting(held)] == [(Decimal(59_000), False)]
    held.move("BTCUSDT", "58900")
    assert held.positions["BTCUSDT"].amount == 1
