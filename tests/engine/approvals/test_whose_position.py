"""Whose position it is: what a person trades by hand in a market of ours is never sold, closed or given our levels, and ours keeps its
stop. The clock may say anything."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import ccxt
import pytest

from engine.approvals import closing as closing_module
from engine.approvals.own_position import GONE, own_position, position_subject
from engine.brokers.ccxt import broker as exchange_broker
from engine.brokers.ccxt import reconcile
from engine.brokers.ccxt.guard import ProtectionStatus
from engine.domain.clock import use_clock
from engine.domain.errors import NotAllowed
from engine.domain.holding import Holding
from engine.domain.proposal import Proposal
from engine.domain.risk import RiskConfig
from engine.journal.store import Journal
from tests.engine.approvals.live_account import ACCOUNT, Process, file_entry, file_exit, journal_in
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_book import Book

SYMBOL, NAME = "BTC/USDT:USDT", "BTCUSDT"
RISK = RiskConfig(max_exposure_pct=5_000.0, max_position_pct=100.0, max_open_positions=20, cooldown_minutes=0.0)
OURS, THEIRS = Decimal("0.05"), Decimal("0.5")
STOPS = "STOP_MARKET"


def real_time() -> datetime:
    """The venue's clock, which is right: the one that its client signs requests by."""
    return datetime.fromtimestamp(ccxt.Exchange.milliseconds() / 1000, UTC)


class Clock:
    """Wall-clock time, moved."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def __call__(self) -> datetime:
        return real_time() + self.ahead


@dataclass
class Account:
    venue: LoopbackExchange
    journal: Journal
    process: Process
    clock: Clock

    @property
    def book(self) -> Book:
        return self.venue.account

    async def opened(self, ahead: timedelta = timedelta(0)) -> Proposal:
        """Sign and fill a long of 0.05. ahead: how wrong the clock is from the signature on."""
        proposal = file_entry(self.journal, self.venue, "BTC", risk=RISK)
        self.clock.ahead = ahead
        filled = await self.process.answers.approve(proposal.id, "op-1")
        assert filled.state == "filled", filled.why
        assert self.book.stops(NAME) == 1
        return proposal

    @property
    def amount(self) -> Decimal:
        held = self.book.positions.get(NAME)
        return held.amount if held is not None else Decimal(0)

    def ordered_by_us(self) -> list[str]:
        return [each["side"] for each in self.book.orders if each["clientOrderId"].startswith("tb-")]

    def levels(self) -> set[tuple[str, str, bool]]:
        """Conditional orders that wait: kind, amount, whether they close everything."""
        return {(each["orderType"], each["quantity"], each["closePosition"]) for each in self.book.open_algos()}

    def lose_protection(self) -> None:
        for each in self.book.open_algos():
            self.book.lose_algo(each["clientAlgoId"])


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange(real_time) as made:
        yield made


@pytest.fixture
async def account(venue: LoopbackExchange, tmp_path: Path) -> AsyncIterator[Account]:
    clock = Clock()
    with use_clock(clock):
        journal = journal_in(tmp_path)
        process = Process(journal, venue, "one", market_clock=real_time)
        yield Account(venue, journal, process, clock)
        await process.close()
        journal.close()


Trade = Callable[[Account], None]
TRADES: dict[str, tuple[Trade, Decimal]] = {
    "more": (lambda a: a.book.trade(NAME, "BUY", "0.5"), THEIRS),
    "as much": (lambda a: a.book.trade(NAME, "BUY", "0.05"), OURS),
    "less": (lambda a: a.book.trade(NAME, "BUY", "0.02"), Decimal("0.02")),
    "short": (lambda a: a.book.trade(NAME, "SELL", "0.5"), -THEIRS),
}


@pytest.mark.parametrize("trade", TRADES)
@pytest.mark.parametrize("price", ["-500", "+2000"], ids=["below our stop", "between our levels"])
async def test_what_is_bought_by_hand_after_our_stop_is_left_alone(account: Account, trade: str, price: str) -> None:
    """Our stop was filled while nothing of ours ran."""
    stop = (await account.opened()).plan.stop
    assert stop is not None
    account.book.move(NAME, str(stop))
    assert account.amount == 0
    account.book.prices[NAME] = stop + Decimal(price)
    act, held = TRADES[trade]
    act(account)
    for _ in range(2):
        found = await account.process.look()
        assert account.amount == held, found
    assert account.ordered_by_us() == ["BUY"]
    assert account.levels() == set(), "our old stop and target do not lie over theirs"
    assert any("is not ours and was left alone" in line for line in found)
    assert account.journal.audit.last(GONE, position_subject(ACCOUNT, SYMBOL)) is not None
    assert "gone" in [each.kind for each in account.process.alerts]


@pytest.mark.full
@pytest.mark.parametrize("seen", [False, True], ids=["before anybody looks", "and somebody looks"])
async def test_what_another_hand_closed_in_part_and_bought_again_is_theirs(account: Account, seen: bool) -> None:
    await account.opened()
    account.book.trade(NAME, "SELL", "0.04", reduce_only=True)
    if seen:
        await account.process.look()
    account.book.trade(NAME, "BUY", "0.08")
    for _ in range(2):
        await account.process.look()
        assert account.levels() == {(STOPS, "0.01", False), ("TAKE_PROFIT_MARKET", "0.01", False)}
    assert (account.amount, account.ordered_by_us()) == (Decimal("0.09"), ["BUY"])


async def test_an_exit_sells_only_ours(account: Account) -> None:
    """0.5 were added by hand, our stop is lost and the price is beyond it."""
    stop = (await account.opened()).plan.stop
    assert stop is not None
    account.book.trade(NAME, "BUY", "0.5")
    account.lose_protection()
    account.book.prices[NAME] = stop - 100
    found = await account.process.look()
    assert account.amount == THEIRS, found
    await account.process.look()
    assert (account.amount, account.levels()) == (THEIRS, set())
    assert own_position(account.journal, ACCOUNT, SYMBOL) is None


@pytest.mark.parametrize("lost", [False, True], ids=["its stop works", "it has none"])
async def test_ours_keeps_a_stop_of_its_own_size_beside_theirs(account: Account, lost: bool) -> None:
    stop = (await account.opened()).plan.stop
    account.book.trade(NAME, "BUY", "0.5")
    if lost:
        account.lose_protection()
    for _ in range(2):
        assert lost or account.levels() == {(STOPS, "0.05", False), ("TAKE_PROFIT_MARKET", "0.05", False)}, "before anybody looks, too"
        await account.process.look()
        assert account.levels() == {(STOPS, "0.05", False), ("TAKE_PROFIT_MARKET", "0.05", False)}
        lost = False
    account.book.move(NAME, str(stop))
    assert account.amount == THEIRS
    await account.process.look()
    assert (account.amount, account.levels(), account.ordered_by_us()) == (THEIRS, set(), ["BUY"])


@pytest.mark.parametrize("trouble", ["algoOrder?", "userTrades"])
async def test_where_the_venue_cannot_say_whose_it_is_nothing_is_done_and_somebody_is_told(account: Account, trouble: str) -> None:
    stop = (await account.opened()).plan.stop
    assert stop is not None
    account.book.move(NAME, str(stop))
    account.book.prices[NAME] = stop - 500
    account.lose_protection()
    account.book.trade(NAME, "BUY", "0.5")
    account.venue.fail("GET /fapi/v1/algoOrder", "500", times=9_999)
    account.venue.fail("userTrades", "500", times=9_999 if trouble == "userTrades" else 0)
    found = await account.process.look()
    assert (account.amount, account.levels(), account.ordered_by_us()) == (THEIRS, set(), ["BUY"])
    if trouble == "userTrades":
        assert any("not known whose" in line for line in found)
    assert account.process.alerts
    account.venue.heal()
    assert any("is gone" in line for line in [*found, *await account.process.look()])


def exit_of(account: Account, size: Decimal) -> Proposal:
    """A signed exit of a position of that size, as it was decided: the venue's whole position."""
    held = Holding(side="long", entry_price=60_000.0, size=float(size), leverage=5.0, opened_at=real_time() - timedelta(hours=1))
    return file_exit(account.journal, account.venue, "BTC", held, risk=RISK)


@pytest.mark.full
@pytest.mark.parametrize("when", ["filed mixed", "mixed on its way"])
async def test_a_signed_exit_sells_only_ours(account: Account, when: str) -> None:
    """0.5 were added by hand before the exit was decided, or at the last request before it leaves."""
    await account.opened()
    if when == "filed mixed":
        account.book.trade(NAME, "BUY", "0.5")
        proposal = exit_of(account, OURS + THEIRS)
    else:
        proposal = exit_of(account, OURS)
        account.book.trade(NAME, "BUY", "0.5")
        account.book.trade(NAME, "SELL", "0.52")
        account.book.trade(NAME, "BUY", "0.5")
    ours = OURS if when == "filed mixed" else Decimal("0.03")  # of what was ours, 0.02 went with theirs
    filled = await account.process.answers.approve(proposal.id, "op-1")
    assert (filled.state, account.amount, account.levels()) == ("filled", THEIRS, set()), filled.why
    assert f"{ours:f} of the {proposal.plan.amount:f} that was signed is ours" in filled.why
    await account.process.look()
    assert own_position(account.journal, ACCOUNT, SYMBOL) is None


@pytest.mark.parametrize(("before", "theirs"), [("0.05", "0"), ("0.05", "0.5"), ("0", "0.5")])
async def test_what_is_added_has_its_stop_at_once(account: Account, before: str, theirs: str) -> None:
    """Before anybody looks after it: the stop closes what was ours before and what is added, and nothing of theirs."""
    if before != "0":
        await account.opened()
    if theirs != "0":
        account.book.trade(NAME, "BUY", theirs)
    size = float(Decimal(before) + Decimal(theirs))
    held = Holding(side="long", entry_price=60_000.0, size=size, leverage=5.0, opened_at=real_time() - timedelta(hours=1))
    more = file_entry(account.journal, account.venue, "BTC", risk=RISK, held=held)
    assert (await account.process.answers.approve(more.id, "op-1")).state == "filled"
    stops = {(Decimal(amount), whole) for kind, amount, whole in account.levels() if kind == STOPS}
    assert stops == {(Decimal(before) + OURS, False)}


@pytest.mark.full
@pytest.mark.parametrize("how", ["signed", "by hand"])
@pytest.mark.parametrize("theirs", ["before the last look", "after it"])
async def test_what_closes_ours_sells_nothing_when_ours_is_gone_on_its_way(account: Account, how: str, theirs: str) -> None:
    """Ours is stopped out when the order is about to leave, and a position of theirs of the same size takes its place."""
    stop = (await account.opened()).plan.stop
    said = "no position in BTC/USDT:USDT is open" if theirs == "after it" else "none of the 0.05 BTC/USDT:USDT is ours"

    def stopped_out() -> float:
        account.book.move(NAME, str(stop))
        if theirs == "after it":
            return 0.0
        account.venue.fast()  # once
        return bought()

    def bought() -> float:
        account.book.trade(NAME, "BUY", "0.05")
        return 0.0

    account.venue.slow("GET /fapi/v1/order?", stopped_out)  # asked for by its id, before the last look
    if theirs == "after it":
        account.venue.slow("POST /fapi/v1/order?", bought)
    process = account.process
    closing = process.answers.approve(exit_of(account, OURS).id, "op-1") if how == "signed" else process.holdings.close(SYMBOL, "op-1")
    with pytest.raises(NotAllowed, match=re.escape(said)):
        await closing
    assert account.ordered_by_us() == ["BUY"]
    account.venue.fast()
    await account.process.look()
    assert account.amount == (OURS if theirs == "before the last look" else 0)
    assert [each.report is None for each in account.journal.proposal_store.orders_of(ACCOUNT)] == [False, how == "signed"]


@pytest.mark.full
@pytest.mark.parametrize("how", ["signed", "by hand"])
async def test_what_was_read_before_a_suspension_is_read_again(account: Account, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process stands still between the venue's last answer and its order, and 0.02 of ours are sold by hand meanwhile."""
    await account.opened()
    monkeypatch.setattr(closing_module, "_STALE_S", 0.2)

    def suspended() -> float:
        account.venue.fast()
        account.book.trade(NAME, "SELL", "0.02")
        account.book.trade(NAME, "BUY", "0.5")
        return 0.4

    def about_to_leave() -> float:
        account.venue.slow("positionRisk", suspended, answer=True)
        return 0.0

    account.venue.slow("GET /fapi/v1/order?", about_to_leave)  # asked for by its id, before the last look
    process = account.process
    await (process.answers.approve(exit_of(account, OURS).id, "op-1") if how == "signed" else process.holdings.close(SYMBOL, "op-1"))
    assert account.amount == THEIRS
    assert account.ordered_by_us() == ["BUY", "SELL"]


@pytest.mark.full
@pytest.mark.parametrize("theirs", ["0", "0.5"])
async def test_an_entry_that_another_process_closes_leaves_no_stop_behind(account: Account, theirs: str) -> None:
    """The entry is filled, and closed by another process while its own is about to place its stop."""
    proposal = file_entry(account.journal, account.venue, "BTC", risk=RISK)
    other = Process(account.journal, account.venue, "two", market_clock=real_time)
    ensure, closed = account.process.broker._guard.ensure, list[Decimal]()

    async def once_closed(*args: Any, **named: Any) -> ProtectionStatus:
        if not closed:
            if theirs != "0":
                account.book.trade(NAME, "BUY", theirs)
            closed.append((await other.holdings.close(SYMBOL, "op-1", amount="ours")).filled)
        return await ensure(*args, **named)

    account.process.broker._guard.ensure = once_closed  # type: ignore[method-assign]
    filled = await account.process.answers.approve(proposal.id, "op-1")
    assert closed == [OURS]
    assert (account.amount, account.levels()) == (Decimal(theirs), set()), "no stop of ours waits over nothing, or over theirs"
    assert "gone" in filled.why
    assert own_position(account.journal, ACCOUNT, SYMBOL) is None
    await other.close()


@pytest.mark.full
@pytest.mark.parametrize("share", ["0", "0.4"])
async def test_closing_ends_the_entry_that_still_works(account: Account, share: str) -> None:
    proposal = file_entry(account.journal, account.venue, "BTC", risk=RISK)
    account.book.slow_fills(share, reads=10_000, end="NEW")
    signing = asyncio.ensure_future(account.process.answers.approve(proposal.id, "op-1"))
    while not account.book.orders:  # noqa: ASYNC110 - the venue lives in a thread of its own
        await asyncio.sleep(0.01)
    other = Process(account.journal, account.venue, "two", market_clock=real_time)
    if share == "0":
        with pytest.raises(NotAllowed, match="cancelled"):
            await other.holdings.close(SYMBOL, "op-1")
    else:
        assert (await other.holdings.close(SYMBOL, "op-1")).filled == Decimal("0.02")
    entry = account.book.orders[0]
    assert entry["status"] == "CANCELED"
    account.book.finish(entry["clientOrderId"])
    await asyncio.gather(signing, return_exceptions=True)
    await other.look()
    assert (account.amount, account.levels()) == (Decimal(0), set())
    assert own_position(account.journal, ACCOUNT, SYMBOL) is None
    await other.close()


WRONG = [("entry", timedelta(minutes=4)), ("entry", -timedelta(hours=3)), ("end", timedelta(hours=2)), ("end", -timedelta(hours=3))]


@pytest.mark.full
@pytest.mark.parametrize(("moment", "ahead"), WRONG, ids=str)
async def test_a_wrong_clock_changes_nothing(account: Account, moment: str, ahead: timedelta) -> None:
    """Ahead or behind at an entry or at an end: later positions keep their stop, and a stranger's are left alone."""
    proposal = await account.opened(ahead if moment == "entry" else timedelta(0))
    account.clock.ahead = timedelta(0)
    account.book.move(NAME, str(proposal.plan.stop))
    if moment == "end":
        account.clock.ahead = ahead
    await account.process.look()
    account.clock.ahead = timedelta(0)
    account.book.trade(NAME, "BUY", "0.5")
    await account.process.look()
    assert (account.amount, account.levels(), account.ordered_by_us()) == (THEIRS, set(), ["BUY"])
    account.book.trade(NAME, "SELL", "0.5", reduce_only=True)
    await account.process.look()
    account.book.move(NAME, "60000")
    await account.opened()
    account.lose_protection()
    found = await account.process.look()
    assert account.book.stops(NAME) == 1, found


@pytest.mark.full
async def test_a_clock_that_is_put_back_keeps_no_bare_position_open(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    await account.opened()
    account.lose_protection()
    account.venue.fail("type=STOP_MARKET", "reject", times=9_999)
    await account.process.look()
    account.clock.ahead = -timedelta(hours=2)
    monkeypatch.setattr("engine.brokers.ccxt.reconcile.UNPROTECTED_LIMIT_S", 0.0)
    await account.process.look()
    assert account.amount == 0


@pytest.mark.full
@pytest.mark.parametrize("meanwhile", ["nothing", "theirs beside it", "stopped out"])
async def test_what_a_suspended_process_adds_gets_its_stop_from_whoever_watches(
    account: Account, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    """It sleeps between the fill and the stop. What it finds when it goes on is one stop for all of ours, or that this was reached."""
    await account.opened()
    held = Holding(side="long", entry_price=60_000.0, size=float(OURS), leverage=5.0, opened_at=real_time() - timedelta(hours=1))
    more = file_entry(account.journal, account.venue, "BTC", risk=RISK, held=held)
    ensure, woken = account.process.broker._guard.ensure, asyncio.Event()

    async def asleep(*args: Any, **named: Any) -> ProtectionStatus:
        await woken.wait()
        return await ensure(*args, **named)

    account.process.broker._guard.ensure = asleep  # type: ignore[method-assign]
    signing = asyncio.ensure_future(account.process.answers.approve(more.id, "op-1"))
    while account.amount < 2 * OURS:  # noqa: ASYNC110 - the venue lives in a thread of its own
        await asyncio.sleep(0.01)
    for room in (exchange_broker, reconcile):  # now that it sleeps: a slow request before is no suspension
        monkeypatch.setattr(room, "SILENT_LIMIT_S", 0.2)
    if meanwhile == "theirs beside it":
        account.venue.by_hand(lambda book: book.trade(NAME, "BUY", "0.5"))
    other = Process(account.journal, account.venue, "two", market_clock=real_time)
    found = await other.look()
    stops = {each for each in account.levels() if each[0] == STOPS}
    if meanwhile == "stopped out":
        before = account.book.prices[NAME]
        account.book.move(NAME, str(more.plan.stop))
        account.book.prices[NAME] = before
        account.book.trade(NAME, "BUY", "0.5")
    woken.set()
    assert (await signing).state == "filled"
    assert stops == {(STOPS, "0.1", False)}, found
    await other.look()
    theirs = Decimal(0) if meanwhile == "nothing" else THEIRS
    ours = 2 * OURS if meanwhile != "stopped out" else Decimal(0)
    assert account.amount == ours + theirs
    assert account.levels() == ({(STOPS, "0.1", False), ("TAKE_PROFIT_MARKET", "0.1", False)} if ours else set())
    assert account.ordered_by_us() == ["BUY", "BUY"]
    await other.close()
