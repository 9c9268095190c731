"""Positions that the venue has closed by itself: at what price, read out of its fills; and nothing where those do not say it."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine.approvals.own_position import GONE, position_subject
from engine.brokers.ccxt.closing_fills import closing_entries
from engine.domain.clock import utc_now
from engine.domain.position_record import PositionRecord
from engine.domain.risk import RiskConfig
from engine.journal.store import Journal
from tests.engine.approvals.live_account import ACCOUNT, Process, file_entry, journal_in
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_book import FEE

SYMBOL, NAME = "BTC/USDT:USDT", "BTCUSDT"
RISK = RiskConfig(max_exposure_pct=5_000.0, max_position_pct=100.0)
AT = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange() as made:
        yield made


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = journal_in(tmp_path)
    yield made
    made.close()


@pytest.fixture
async def process(venue: LoopbackExchange, journal: Journal) -> AsyncIterator[Process]:
    made = Process(journal, venue, "one")
    yield made
    await made.close()


async def opened(process: Process, journal: Journal, venue: LoopbackExchange) -> Decimal:
    """Sign and fill a long of 0.05; returns its stop."""
    proposal = file_entry(journal, venue, "BTC", risk=RISK)
    filled = await process.answers.approve(proposal.id, "op-1")
    assert filled.state == "filled", filled.why
    assert proposal.plan.stop is not None
    return proposal.plan.stop


async def gone(process: Process, journal: Journal) -> PositionRecord:
    """What is told of the position once it was seen to be gone."""
    journal.audit.note(GONE, ACCOUNT, position_subject(ACCOUNT, SYMBOL), "it is gone")
    (record,) = await process.broker.history()
    return record


@pytest.mark.full
async def test_a_stop_that_the_venue_filled_has_its_price_its_fee_and_its_result(
    process: Process, journal: Journal, venue: LoopbackExchange
) -> None:
    stop = await opened(process, journal, venue)
    book = venue.account
    before = book.wallet + Decimal("0.05") * book.positions[NAME].entry * FEE  # before it paid for the opening
    book.move(NAME, str(stop - 10))
    record = await gone(process, journal)
    assert (record.ended, record.closed_by, record.exit_price, record.closed_size) == ("venue", None, stop - 10, record.size)
    assert record.result == book.wallet - before, "the venue's own money says the same"
    asked = venue.asked("userTrades")
    await process.broker.history()
    assert venue.asked("userTrades") == asked, "the past is not asked for twice"


async def test_what_another_hand_closed_in_parts_has_their_average(process: Process, journal: Journal, venue: LoopbackExchange) -> None:
    await opened(process, journal, venue)
    book = venue.account
    price = book.positions[NAME].entry
    for moved, amount in ((100, "0.02"), (200, "0.03")):
        book.prices[NAME] = price + moved
        book.match(book.new_order(NAME, "SELL", Decimal(amount), f"elsewhere-{moved}", "MARKET", reduce_only=True))
    record = await gone(process, journal)
    assert record.exit_price == price + 160
    assert record.closed_at is not None
    assert record.closed_at <= utc_now()


@pytest.mark.parametrize("trouble", ["lost", "larger", "unreadable"])
async def test_where_the_fills_do_not_say_it_nothing_is_said(
    process: Process, journal: Journal, venue: LoopbackExchange, trouble: str
) -> None:
    stop = await opened(process, journal, venue)
    book = venue.account
    if trouble == "larger":
        book.match(book.new_order(NAME, "BUY", Decimal("0.01"), "elsewhere", "MARKET", reduce_only=False))
    book.move(NAME, str(stop - 10))
    if trouble == "lost":
        book.trades.pop()
    if trouble == "unreadable":
        venue.fail("userTrades", "html", times=99)
    record = await gone(process, journal)
    assert (record.ended, record.exit_price, record.result) == ("venue", None, None)


def record(**changed: Any) -> PositionRecord:
    known = {"account": ACCOUNT, "symbol": SYMBOL, "side": "short", "opened_at": AT, "size": Decimal(2), "entry_price": Decimal(100)}
    end = {"first_size": Decimal(2), "first_price": Decimal(100), "closed_at": AT.replace(hour=14), "ended": "venue"}
    return PositionRecord.model_validate({**known, **end, **changed})


def trade(amount: float, price: float = 90, **changed: Any) -> dict[str, Any]:
    at = int(AT.replace(hour=13).timestamp() * 1000)
    known = {"order": "7", "timestamp": at, "side": "buy", "amount": amount, "price": price}
    return {**known, "fee": {"cost": 0.1, "currency": "USDT"}, **changed}


@pytest.mark.parametrize(
    ("rows", "amounts"),
    [
        ([trade(20)], [Decimal(2)]),
        ([trade(15), trade(5)], [Decimal("1.5"), Decimal("0.5")]),
        ([trade(20), trade(9, order="ours", side="sell")], [Decimal(2)]),
        ([trade(20), trade(1, timestamp=1)], [Decimal(2)]),
        ([trade(20), trade(1)], []),
        ([trade(19)], []),
        ([trade(20), trade(1, side="sell")], []),
        ([trade(20, price=None)], []),
        ([trade(20), "strange"], []),
        (None, []),
    ],
)
def test_only_fills_that_are_exactly_what_is_missing_count(rows: Any, amounts: list[Decimal]) -> None:
    found = closing_entries(record(), rows, {"ours"}, Decimal("0.1"))
    assert [each.amount for each in found] == amounts
    assert all(each.reason == "venue" and each.side == "buy" and each.cash == (100 - 90) * each.amount - each.fee for each in found)  # type: ignore[operator]
