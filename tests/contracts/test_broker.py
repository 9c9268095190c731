"""What every broker promises (`engine/trading/protocol.py`): the paper broker, the exchange's and a third one, at one venue's prices."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

import pytest
import pytest_asyncio

from engine.brokers.paper.broker import PaperBroker
from engine.domain.errors import BrokerError, BrokerRefused
from engine.domain.ledger import LedgerEntry
from engine.domain.orders import Order
from engine.domain.risk import RiskConfig
from engine.instruments.quotes import FeedQuotes
from engine.market.exchange import ExchangeFeed
from engine.trading.protocol import Broker
from tests.club import ClubBroker
from tests.engine.trading.exchange_desk import KEYS, PATIENT, Desk, Journal
from tests.servers.exchange import LoopbackExchange

BTC, ETH = "BTC/USDT:USDT", "ETH/USDT:USDT"
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@dataclass
class MemoryLedger:
    """A ledger in memory."""

    kept: dict[str, list[LedgerEntry]] = field(default_factory=dict)

    def entries(self, account: str, after: int) -> Sequence[LedgerEntry]:
        return self.kept.get(account, [])[after:]

    def append(self, account: str, after: int, entries: Sequence[LedgerEntry]) -> bool:
        own = self.kept.setdefault(account, [])
        if len(own) != after:
            return False
        own.extend(entries)
        return True

    def accounts(self) -> Sequence[str]:
        return sorted(self.kept)


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange(now=lambda: NOW) as made:
        yield made


@pytest_asyncio.fixture(params=["paper", "exchange", "club"])
async def broker(request: pytest.FixtureRequest, venue: LoopbackExchange) -> AsyncIterator[Broker]:
    if request.param in {"paper", "club"}:
        feed = ExchangeFeed("binanceusdm", venue.url, lambda: NOW)
        account, quotes = f"{request.param}:live:binanceusdm", FeedQuotes(lambda: feed, lambda: NOW)
        is_paper = request.param == "paper"
        yield (
            PaperBroker(account, quotes, MemoryLedger(), lambda: NOW, 10_000.0)
            if is_paper
            else ClubBroker(account, quotes, lambda: NOW, 10_000.0)
        )
        await feed.close()
    else:
        journal = Journal()
        real = Desk("binanceusdm", venue.url, KEYS, lambda: NOW, sandbox=True, records=journal.records(), deadlines=PATIENT)
        real.journal = journal
        real._wire.client.enableRateLimit = False
        yield real
        await real.close()


def order(number: int, side: str = "buy", amount: str = "0.1", **more: object) -> Order:
    levels = {} if more.get("reduce_only") else {"leverage": 5, "stop": Decimal(55_000), "target": Decimal(70_000)}
    given = {"client_id": f"tb-contract-{number}", "symbol": BTC, "side": side, "amount": Decimal(amount), **levels, **more}
    return Order.model_validate(given)


async def test_flat_is_an_answer(broker: Broker) -> None:
    assert await broker.positions(None) == ()
    assert await broker.position(BTC, None) is None
    assert await broker.get_order("tb-contract-0", BTC) is None
    view = await broker.view(RiskConfig(), None)
    assert (view.account, view.broker, view.equity > 0, view.notionals) == (broker.account, broker.name, True, {})
    assert await broker.reconcile() == ()


async def test_an_order_makes_a_protected_position_and_its_report_can_be_asked_for(broker: Broker) -> None:
    report = await broker.place_order(order(1), None)
    assert (report.state, report.filled, report.protected) == ("filled", Decimal("0.1"), True)
    assert report.price is not None
    assert report.fee > 0
    position = await broker.position(BTC, None)
    assert position is not None
    assert (position.side, position.size, position.entry_price) == ("long", Decimal("0.1"), report.price)
    assert (position.stop, position.target, position.leverage) == (Decimal(55_000), Decimal(70_000), 5)
    assert position.liquidation_price is not None
    assert position.liquidation_price < position.stop
    asked = await broker.get_order("tb-contract-1", BTC)
    assert asked is not None
    assert (asked.state, asked.filled, asked.price) == (report.state, report.filled, report.price)
    view = await broker.view(RiskConfig(), None)
    assert set(view.notionals) == {BTC}
    assert view.margins[BTC] == pytest.approx(view.notionals[BTC] / 5, rel=0.05)


async def test_the_same_id_is_the_same_order(broker: Broker) -> None:
    first = await broker.place_order(order(1), None)
    again = await broker.place_order(order(1), None)
    assert (again.client_id, again.state, again.filled) == (first.client_id, first.state, first.filled)
    (position,) = await broker.positions(None)
    assert position.size == Decimal("0.1")


async def test_enlarging_reducing_and_leaving(broker: Broker) -> None:
    await broker.place_order(order(1), None)
    await broker.place_order(order(2, amount="0.05", stop=None, target=None), None)
    assert [each.size for each in await broker.positions(None)] == [Decimal("0.15")]
    await broker.place_order(order(3, "sell", "0.07", reduce_only=True), None)
    (position,) = await broker.positions(None)
    assert (position.size, position.stop) == (Decimal("0.08"), Decimal(55_000))
    left = await broker.place_order(order(4, "sell", "0.08", reduce_only=True), None)
    assert left.state == "filled"
    assert await broker.positions(None) == ()
    assert await broker.reconcile() == ()


async def test_levels_are_changed_once_and_nothing_is_traded(broker: Broker) -> None:
    await broker.place_order(order(1), None)
    before = await broker.position(BTC, None)
    assert before is not None
    assert before.stop is not None
    given = {"stop": before.stop + 50, "target": None, "leverage": None, "reduce_only": True, "protects": True}
    change = order(2, "sell").model_copy(update=given)
    for _ in range(2):
        report = await broker.protect(change, None)
        assert (report.state, report.filled, report.protected) == ("filled", 0, True)
    now = await broker.position(BTC, None)
    assert now is not None
    assert (now.stop, now.target, now.size) == (before.stop + 50, before.target, before.size)
    refused = await broker.protect(change.model_copy(update={"client_id": order(3).client_id, "side": "buy"}), None)
    assert refused.state == "refused"
    with pytest.raises(BrokerError, match="not a trade"):
        await broker.place_order(change.model_copy(update={"client_id": order(4).client_id}), None)


async def test_what_an_order_has_come_to_is_told_or_not_known(broker: Broker) -> None:
    assert await broker.outcome("tb-contract-1") is None
    await broker.place_order(order(1), None)
    found = await broker.outcome("tb-contract-1")
    if broker.name == "paper":
        assert found is not None
        assert found.ended is None
        assert found.result < 0  # fee and slippage, and nothing else yet
    else:
        assert found is None


@pytest.mark.full
async def test_an_account_is_worth_what_it_holds_at_the_price_of_now(broker: Broker, venue: LoopbackExchange) -> None:
    """Its equity moves with the market between two fills; so does what an open position has come to."""
    await broker.place_order(order(1), None)
    first, before = list(await broker.curve())[-1], await broker.outcome("tb-contract-1")
    venue.account.move("BTCUSDT", f"{venue.account.prices['BTCUSDT'] + 1000}")
    last, after = list(await broker.curve())[-1], await broker.outcome("tb-contract-1")
    assert last[1] - first[1] == pytest.approx(100.0)
    assert last == (NOW, pytest.approx((await broker.view(RiskConfig(), None)).equity))
    if broker.name == "paper":
        assert before is not None
        assert after is not None
        assert after.result - before.result == Decimal(100)
    venue.fail("/", "500", times=1000)
    assert len(await broker.curve()) > 0, "a venue that does not answer: as far as it is known"


async def test_nothing_is_turned_round_and_nothing_is_reduced_that_is_not_there(broker: Broker) -> None:
    async def refused(each: Order) -> bool:
        try:
            return (await broker.place_order(each, None)).state == "refused"
        except BrokerRefused:
            return True

    assert await refused(order(1, "sell", reduce_only=True))
    await broker.place_order(order(2), None)
    assert await refused(order(3, "sell", stop=Decimal(70_000), target=Decimal(55_000)))
    (position,) = await broker.positions(None)
    assert (position.side, position.size) == ("long", Decimal("0.1"))


async def test_what_adds_to_a_position_that_has_ended_opens_none(broker: Broker) -> None:
    await broker.place_order(order(1, opens=True), None)
    added = await broker.place_order(order(2, amount="0.05", stop=None, target=None, adds=True), None)
    assert added.state == "filled"
    await broker.place_order(order(3, "sell", "0.15", reduce_only=True), None)
    late = await broker.place_order(order(4, amount="0.05", stop=None, target=None, adds=True), None)
    assert late.state == "refused"
    assert late.why
    assert await broker.positions(None) == ()


async def test_an_order_that_the_account_cannot_bear_is_refused(broker: Broker) -> None:
    report = await broker.place_order(order(1, amount="900"), None)
    assert report.state == "refused"
    assert report.why
    assert await broker.positions(None) == ()
