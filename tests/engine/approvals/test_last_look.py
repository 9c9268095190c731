"""The last look: between the measuring and the order lie requests of a slow venue. What happened meanwhile is not ordered over."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from engine.domain.clock import utc_now
from engine.domain.errors import NotAllowed
from engine.domain.holding import Holding
from engine.domain.proposal import Proposal
from engine.domain.risk import RiskConfig
from engine.journal.store import Journal
from tests.engine.approvals.live_account import Process, file_entry, file_exit, journal_in
from tests.servers.exchange import LoopbackExchange

THE_ORDER, PREPARING, PRICE = "POST /fapi/v1/order?", "POST /fapi/v1/leverage", "/fapi/v1/klines"
RISK = RiskConfig(max_exposure_pct=5_000.0, max_position_pct=100.0)


class Clock:
    """The product's clock, moved. stopped: where it goes on from only by being moved."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)
        self.stopped: datetime | None = None

    def __call__(self) -> datetime:
        return (self.stopped or utc_now()) + self.ahead


@dataclass
class Account:
    venue: LoopbackExchange
    journal: Journal
    process: Process
    clock: Clock

    def filed(self, **changed: float) -> Proposal:
        return file_entry(self.journal, self.venue, "BTC", risk=RISK, **changed)  # type: ignore[arg-type]

    def state(self, proposal: Proposal) -> str:
        found = self.journal.proposal_store.proposal(proposal.id)
        assert found is not None
        return found.state

    async def refuses(self, proposal: Proposal, why: str) -> None:
        """It is signed, and nothing is ordered."""
        with pytest.raises(NotAllowed, match=why):
            await self.process.answers.approve(proposal.id, "somebody")
        assert self.venue.account.orders == []
        assert self.state(proposal) == "failed"


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange() as made:
        yield made


@pytest.fixture
async def account(venue: LoopbackExchange, tmp_path: Path) -> AsyncIterator[Account]:
    clock, journal = Clock(), journal_in(tmp_path)
    process = Process(journal, venue, "one", clock)
    yield Account(venue, journal, process, clock)
    await process.close()
    journal.close()


def when(venue: LoopbackExchange, part: str, act: Callable[[], object], *, often: bool = False) -> None:
    """Do something while a request is on its way, once or every time."""
    done: list[bool] = []

    def once() -> float:
        if often or not done:
            done.append(True)
            act()
        return 0.0

    venue.slow(part, once)


@pytest.mark.full
@pytest.mark.parametrize("moment", range(0, 30, 2))
async def test_once_a_halt_has_returned_no_order_arrives(account: Account, moment: int) -> None:
    """Whatever request of the approval the halt falls into: an order that is at the venue was there before, or on its very way."""
    venue, arrived, halted = account.venue, list[int](), list[int]()
    proposal, count = account.filed(), iter(range(10_000))

    def each() -> float:
        if next(count) == moment:
            account.journal.audit.switch("halt", "somebody", "enough")
            halted.append(len(venue.requests))
        return 0.05

    venue.slow("", each)
    when(venue, THE_ORDER, lambda: arrived.append(len(venue.requests)))
    try:
        await account.process.answers.approve(proposal.id, "somebody")
    except NotAllowed as problem:
        assert "trading is halted" in str(problem) or "trading was halted" in str(problem)  # noqa: PT017 - both ends are fine, told apart below
    if halted and arrived:
        assert arrived[0] <= halted[0], "the order is a later request than the one that the halt fell into"
    assert bool(arrived) == (account.state(proposal) == "filled") == bool(venue.account.orders)
    assert bool(arrived) or bool(halted)


async def test_a_price_that_runs_away_while_the_order_is_prepared_is_not_bought(account: Account) -> None:
    proposal = account.filed()
    when(account.venue, PREPARING, lambda: account.venue.account.move("BTCUSDT", str(proposal.basis.price + 4_000)))
    await account.refuses(proposal, "ATR since the decision")


async def test_a_stop_that_is_crossed_while_the_order_is_prepared_is_seen(account: Account) -> None:
    proposal = account.filed(atr=6_000.0)
    when(account.venue, PREPARING, lambda: account.venue.account.move("BTCUSDT", str(float(proposal.plan.stop or 0) - 10)))
    await account.refuses(proposal, r"stop .* has already been crossed")


async def test_a_price_that_runs_away_under_the_order_itself_is_beyond_its_collar(account: Account) -> None:
    """Nothing of ours can look that late: the order carries the worst price it may be filled at."""
    proposal = account.filed()
    when(account.venue, THE_ORDER, lambda: account.venue.account.move("BTCUSDT", str(proposal.basis.price + 4_000)))
    with pytest.raises(Exception, match="nothing to offer at"):
        await account.process.answers.approve(proposal.id, "somebody")
    (order,) = account.venue.account.orders
    assert (order["type"], order["timeInForce"], order["status"], order["executedQty"]) == ("LIMIT", "IOC", "EXPIRED", "0")
    assert 0 <= Decimal(str(proposal.basis.price)) + 300 - Decimal(order["price"]) < Decimal("0.1"), "half an ATR above the decision"
    assert account.venue.account.positions == {}
    assert account.state(proposal) == "failed"


async def test_a_price_that_comes_too_late_is_none(account: Account) -> None:
    proposal = account.filed()
    when(account.venue, PREPARING, lambda: account.venue.slow(PRICE, lambda: _later(account.clock, 3.5)))
    await account.refuses(proposal, r"took .* s to give its price")


async def test_what_was_measured_too_long_ago_does_not_leave(account: Account) -> None:
    proposal = account.filed()
    when(account.venue, PREPARING, lambda: _later(account.clock, 41))
    await account.refuses(proposal, "from the measuring to the order")


@pytest.mark.parametrize(("seconds", "leaves"), [(9.0, True), (11.0, False)])
async def test_nothing_leaves_after_its_proposal_expired(account: Account, seconds: float, leaves: bool) -> None:
    """It is signed ten seconds before its time is over, and prepared for so long."""
    proposal = account.filed()
    account.clock.stopped = proposal.expires_at - timedelta(seconds=10)
    when(account.venue, PREPARING, lambda: _later(account.clock, seconds - 1))
    when(account.venue, "openAlgoOrders", lambda: _later(account.clock, 1))
    if leaves:
        assert (await account.process.answers.approve(proposal.id, "somebody")).state == "filled"
        return
    await account.refuses(proposal, "the proposal expired at")


async def test_a_clock_that_is_put_back_makes_nothing_fresh(account: Account) -> None:
    """How long ago it was measured nobody can say then; the next approval measures anew."""
    proposal = account.filed()
    when(account.venue, PREPARING, lambda: _later(account.clock, -3_600))
    await account.refuses(proposal, "clock was set back")


async def test_what_takes_risk_away_does_not_wait_for_a_price(account: Account) -> None:
    venue = account.venue
    price = venue.account.prices["BTCUSDT"]
    assert (await account.process.answers.approve(account.filed().id, "somebody")).state == "filled"
    held = Holding(side="long", entry_price=float(price), size=0.05, leverage=5.0, opened_at=utc_now() - timedelta(hours=2))
    proposal = file_exit(account.journal, venue, "BTC", held, risk=RISK)
    when(venue, "positionSide", lambda: venue.account.move("BTCUSDT", str(price - 9_000)))
    venue.slow(PRICE, lambda: _later(account.clock, 3.5))
    assert (await account.process.answers.approve(proposal.id, "somebody")).state == "filled"
    assert venue.account.positions == {}
    assert venue.account.orders[-1]["type"] == "MARKET"


async def test_a_halt_takes_back_what_was_approved_and_names_what_was_sent(account: Account) -> None:
    """What a dead process left approved is not ordered after a halt; what it sent is named."""
    proposal, proposal_store = account.filed(), account.journal.proposal_store
    approved = proposal.model_copy(update={"state": "approved", "order_ids": ("tb-never-sent",), "changed_by": "somebody"})
    assert proposal_store.change(proposal, approved, worked_by="dead")
    sent = file_entry(account.journal, account.venue, "ETH", risk=RISK)
    account.venue.account.slow_fills(end="NEW")
    loop, asked = asyncio.get_running_loop(), asyncio.Event()
    when(account.venue, "GET /fapi/v1/order?", lambda: account.venue.account.orders and loop.call_soon_threadsafe(asked.set), often=True)
    order = asyncio.ensure_future(account.process.answers.approve(sent.id, "somebody"))
    await asked.wait()  # the venue has the order, and somebody follows it
    account.journal.audit.switch("halt", "op", "enough")
    met = {each.proposal.id: each.what for each in await account.process.dispatcher.cancel_in_flight("op")}
    assert met == {proposal.id: "called_off", sent.id: "cancelled"}
    assert account.state(proposal) == "failed"
    with pytest.raises(Exception, match=r"nothing was ordered|refused"):
        await order
    assert account.venue.account.positions == {}
    await account.process.dispatcher.recover()
    assert len(account.venue.account.orders) == 1


def _later(clock: Clock, seconds: float) -> float:
    clock.ahead += timedelta(seconds=seconds)
    return 0.0
