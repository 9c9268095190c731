"""Limits hold together: of many approvals of one account at once, over a slow venue, none is measured before the one in front has ended."""

import asyncio
import random
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.approvals.deps import client_id
from engine.brokers.ccxt import sending
from engine.domain.clock import utc_now
from engine.domain.errors import NotAllowed, TribunalError
from engine.domain.holding import Holding
from engine.domain.risk import RiskConfig
from tests.clocks import begun_at
from tests.engine.approvals.live_account import Process, file_entry, file_exit, journal_in
from tests.servers.exchange import PAIRS, LoopbackExchange

BASES = [base for base, *_ in PAIRS.values()]
FEE_PCT = 0.05 * 60_000 * 0.0004 / 10_000 * 100  # what one entry of 0.05 costs, percent of equity
WIDE = {"max_exposure_pct": 5_000.0, "max_open_positions": 20, "max_position_pct": 100.0, "max_orders_per_hour": 100}
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
REACHED: Counter[str] = Counter()


def rules_of(limit: str, allowed: int) -> RiskConfig:
    """A configuration that lets `allowed` entries of about 30 % of equity through before one limit binds."""
    bound: dict[str, float | int] = {
        "max_open_positions": allowed,
        "max_exposure_pct": allowed * 36.0,
        "max_orders_per_hour": allowed,
        "max_daily_loss_pct": (allowed - 0.5) * FEE_PCT,
        "max_drawdown_pct": (allowed - 0.5) * FEE_PCT,
    }
    return RiskConfig(**{**WIDE, limit: bound[limit]})  # type: ignore[arg-type]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    limit=st.sampled_from(["max_open_positions", "max_exposure_pct", "max_orders_per_hour", "max_daily_loss_pct", "max_drawdown_pct"]),
    count=st.integers(2, 8),
    allowed=st.integers(1, 3),
    seed=st.integers(0, 2**32),
)
def _together(limit: str, count: int, allowed: int, seed: int) -> None:
    chance = random.Random(seed)
    with TemporaryDirectory() as folder, LoopbackExchange() as venue:
        for answer in (False, True):
            venue.slow("", lambda: chance.choice((0.0, 0.0, 0.01, 0.03)), answer=answer)
        venue.slow("/income", lambda: chance.choice((0.0, 0.2)), answer=True)
        ended = asyncio.run(_approve_all(Path(folder), venue, rules_of(limit, allowed), count))
        filled = [each for each in venue.account.orders if each["status"] == "FILLED"]
        assert len(filled) <= allowed, f"{limit}: {len(filled)} orders, {ended}"
        assert len(filled) == min(allowed, count), ended
        assert all(venue.account.stops(name) == 1 for name in venue.account.positions)
        assert set(ended) <= {"filled", "pending", "blocked"}, ended
        REACHED[limit] += len(filled) < count


@pytest.mark.full
def test_approvals_together_never_breach_what_each_of_them_keeps() -> None:
    """Most examples have more approvals than their limit lets through; else they would prove nothing."""
    REACHED.clear()
    with begun_at(NOON):  # what is lost on a day that ends meanwhile counts no longer
        _together()
    assert sum(REACHED.values()) >= 5, REACHED


async def _approve_all(folder: Path, venue: LoopbackExchange, risk: RiskConfig, count: int) -> list[str]:
    """What became of so many approvals that began together, in two processes."""
    journal = journal_in(folder)
    processes = [Process(journal, venue, f"process-{number}") for number in (1, 2)]
    proposals = [file_entry(journal, venue, base, risk=risk) for base in BASES[:count]]

    async def approve(number: int) -> None:
        with suppress(NotAllowed):
            await processes[number % 2].answers.approve(proposals[number].id, "somebody")

    try:
        await asyncio.gather(*(approve(number) for number in range(count)))
        return [found.state for each in proposals if (found := journal.proposal_store.proposal(each.id)) is not None]
    finally:
        await asyncio.gather(*(each.close() for each in processes))
        journal.close()


async def test_a_loss_that_is_taken_meanwhile_cools_the_next_entry_down(tmp_path: Path) -> None:
    """The exit is under way when the entry is approved: its loss counts before the entry is measured."""
    with LoopbackExchange() as venue:
        journal = journal_in(tmp_path)
        first, second = (Process(journal, venue, name) for name in ("one", "two"))
        risk = RiskConfig(**WIDE, cooldown_minutes=30.0, cooldown_loss_pct=0.5)  # type: ignore[arg-type]
        price = venue.account.prices["BTCUSDT"]
        assert (await first.answers.approve(file_entry(journal, venue, "BTC", risk=risk).id, "a")).state == "filled"
        venue.account.positions["BTCUSDT"].entry = price + 2_000
        held = Holding(side="long", entry_price=float(price) + 2_000, size=0.05, leverage=5.0, opened_at=utc_now() - timedelta(hours=2))
        leaving = file_exit(journal, venue, "BTC", held, risk=risk)
        entering = file_entry(journal, venue, "ETH", risk=risk)
        loop, has_left = asyncio.get_running_loop(), asyncio.Event()

        def on_its_way() -> float:
            loop.call_soon_threadsafe(has_left.set)
            return 0.3

        async def meanwhile() -> None:
            await has_left.wait()
            await second.answers.approve(entering.id, "b")

        venue.slow("POST /fapi/v1/order?", on_its_way)
        done = await asyncio.gather(first.answers.approve(leaving.id, "a"), meanwhile(), return_exceptions=True)
        assert not isinstance(done[0], BaseException), done
        assert isinstance(done[1], NotAllowed), done
        assert "cool" in str(done[1]).lower()
        assert [each["side"] for each in venue.account.orders] == ["BUY", "SELL"]
        for each in (first, second):
            await each.close()
        journal.close()


@pytest.mark.parametrize("fault", ["drop", "drop-after"])
async def test_an_order_nobody_knows_of_leaves_the_next_approval_waiting(tmp_path: Path, fault: str) -> None:
    """Its own fate is open; another proposal of the account is not refused for good by it."""
    with LoopbackExchange() as venue:
        journal = journal_in(tmp_path)
        process = Process(journal, venue, "one")
        risk = RiskConfig(**WIDE)  # type: ignore[arg-type]
        one, two = (file_entry(journal, venue, base, risk=risk) for base in ("BTC", "ETH"))
        venue.fail("POST /fapi/v1/order?", fault)  # type: ignore[arg-type]
        venue.account.hidden.add(client_id("run-BTC", one.id, "entry"))
        with pytest.raises(TribunalError):
            await process.answers.approve(one.id, "somebody")
        assert journal.proposal_store.proposal(one.id).state == "unknown"  # type: ignore[union-attr]
        with pytest.raises(NotAllowed, match=f"the outcome of the order of proposal {one.id}"):
            await process.answers.approve(two.id, "somebody")
        assert journal.proposal_store.proposal(two.id).state == "pending"  # type: ignore[union-attr]
        venue.account.hidden.clear()
        await process.dispatcher.recover()
        became = journal.proposal_store.proposal(one.id)
        assert became is not None
        if fault == "drop-after":
            assert became.state == "filled"
            assert (await process.answers.approve(two.id, "somebody")).state == "filled"
        assert len(venue.account.orders) == (2 if fault == "drop-after" else 0)
        assert all(Decimal(each["executedQty"]) > 0 for each in venue.account.orders)
        await process.close()
        journal.close()


@pytest.mark.full
@pytest.mark.parametrize("limit", ["max_open_positions", "max_exposure_pct"])
@pytest.mark.parametrize("share", ["0", "0.4"])
@pytest.mark.parametrize("cancels", [True, False])
async def test_an_entry_that_a_dead_process_left_open_lets_no_second_one_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, share: str, cancels: bool
) -> None:
    """The venue has it and has not filled it. Whoever recovers it cancels it, or it keeps the account busy until it is cancelled."""
    monkeypatch.setattr(sending.Sender, "followed", _dies)
    with LoopbackExchange() as venue:
        journal, dead = journal_in(tmp_path), {"one"}
        first, second = Process(journal, venue, "one"), Process(journal, venue, "two", dead=dead)
        risk = rules_of(limit, 1)
        one, two = (file_entry(journal, venue, base, risk=risk) for base in ("BTC", "ETH"))
        venue.account.slow_fills(share, end="NEW")
        with pytest.raises(_Death):
            await first.answers.approve(one.id, "a")
        (order,) = venue.account.orders
        if not cancels:
            venue.fail("DELETE /fapi/v1/order?", "500")
        await second.dispatcher.recover()
        if not cancels:
            with pytest.raises(NotAllowed, match="its order is under way"):
                async with second.dispatcher.slot(two, patience_s=0.0):
                    pass
            await second.dispatcher.recover()
        venue.account.finish(order["clientOrderId"])  # too late for one that is cancelled
        with suppress(NotAllowed):
            await second.answers.approve(two.id, "b")
        assert set(venue.account.positions) == ({"BTCUSDT"} if share != "0" else {"ETHUSDT"})
        assert all(venue.account.stops(name) == 1 for name in venue.account.positions)
        became = journal.proposal_store.proposal(one.id)
        assert became is not None
        assert became.state == ("filled" if share != "0" else "failed")
        for each in (first, second):
            await each.close()
        journal.close()


class _Death(BaseException):
    """What ends a process."""


async def _dies(*_: object, **__: object) -> None:
    raise _Death
