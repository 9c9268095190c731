"""Shares from an order to its execution record: filed, measured, signed, carried out on paper, held, closed, and followed when refused."""

import os
import threading
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.api import Change
from engine.domain.account_ref import AccountRef
from engine.domain.clock import use_clock
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from engine.equity.sessions import calendar_of
from tests.clocks import Clock
from tests.flows.approvals.share_desk import RISK, ShareDesk
from tests.flows.desk import fills_in
from tests.processes import run_python

if TYPE_CHECKING:
    from engine.api import Engine

AMERICAN, CHINESE = "NVDA", "600028.SH"
MONDAY, TUESDAY = date(2024, 3, 4), date(2024, 3, 5)


@pytest.fixture
def desk(make_engine: "Callable[..., Engine]", tmp_path: Path) -> ShareDesk:
    return ShareDesk(make_engine, tmp_path / "home")


def test_from_an_order_to_its_execution_record(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    price = known.current_price
    before = desk.account(known)
    assert before.state_fields() == {
        "account_cash": 100_000.0, "account_total_value": 100_000.0, "portfolio_positions": {}, "max_drawdown": 0.0
    }  # fmt: skip
    proposal = desk.propose(known, quantity=20, stop=round(price * 0.96, 2), target=round(price * 1.1, 2))
    assert (proposal.state, proposal.why) == ("pending", "")
    assert proposal.basis.market_clock == known.moment.known_at
    assert {check.rule for check in proposal.limits if not check.applies} >= {"max_leverage", "max_stop_to_liquidation_pct"}
    assert (proposal.plan.leverage, proposal.figures.funding, proposal.figures.liquidation) == (None, 0, None)
    filled = desk.trading.approve(proposal.id, "somebody", proposal.hash)
    assert filled.state == "filled"
    record = desk.trading.execution_record(proposal.id)
    assert record["price"] == pytest.approx(price * 1.0002, abs=0.01)
    assert record["cash_change"] == pytest.approx(-20 * record["price"] - record["fee"])
    assert (record["quantity"], record["signed_by"], record["trade_date"]) == (20.0, ["somebody"], "2024-03-04")
    after = desk.account(known)
    assert after.cash == pytest.approx(100_000 + record["cash_change"])
    assert after.positions[AMERICAN].model_dump() == {
        "quantity": 20.0, "average_price": record["price"], "market_value": pytest.approx(20 * price),
        "unrealized_pnl": pytest.approx(20 * (price - record["price"])), "sellable": 20.0,
    }  # fmt: skip
    (held,) = desk.trading.positions()
    assert (held.position.instrument, held.is_protected, held.position.liquidation_price) == ("shares", True, None)
    assert held.to_json()["profit_pct"] == pytest.approx((price / record["price"] - 1) * 100)
    report = desk.trading.close_position(AMERICAN, "somebody")
    assert (report.state, report.filled) == ("filled", 20)
    assert desk.trading.positions() == []
    assert desk.trading.faults() == []


def test_nothing_later_than_its_clock_is_read(desk: ShareDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    known = desk.known(AMERICAN, MONDAY)
    source = desk.engine._container.providers.equities("simulated", None, desk.ref.seed)
    asked = []
    prices = source.prices

    async def watched(listing: object, moment: object, bars: int) -> object:
        asked.append(moment)
        return await prices(listing, moment, bars)  # type: ignore[arg-type]

    monkeypatch.setattr(source, "prices", watched)
    proposal = desk.propose(known, quantity=10)
    desk.trading.approve(proposal.id, "somebody")
    assert asked
    assert all(moment.known_at <= known.moment.known_at for moment in asked)  # type: ignore[attr-defined]
    assert desk.trading.execution_record(proposal.id)["executed_at"] == known.moment.known_at.isoformat()


def test_before_the_open_the_price_is_the_last_close(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, TUESDAY, "pre_open")
    proposal = desk.propose(known, quantity=10)
    desk.trading.approve(proposal.id, "somebody")
    record = desk.trading.execution_record(proposal.id)
    assert record["executed_at"] == calendar_of("XNYS").session(TUESDAY).open.isoformat()
    assert record["price"] == pytest.approx(desk.known(AMERICAN, MONDAY).current_price * 1.0002, abs=0.01)


def test_shares_bought_in_china_are_sold_the_next_session_in_lots(desk: ShareDesk) -> None:
    known = desk.known(CHINESE, MONDAY)
    odd = desk.propose(known, quantity=150)
    assert (odd.state, "lots of 100" in odd.why) == ("blocked", True)
    desk.trading.approve(desk.propose(known, quantity=300).id, "somebody")
    assert desk.account(known).positions[CHINESE].sellable == 0
    early = desk.propose(known, "sell", 300, held=300)
    assert (early.state, "can be sold in this session" in early.why) == ("blocked", True)
    with pytest.raises(NotAllowed, match="bought in it"):
        desk.trading.close_position(CHINESE, "somebody")
    later = desk.known(CHINESE, TUESDAY)
    assert desk.account(later).positions[CHINESE].sellable == 300
    sale = desk.propose(later, "sell", 200, held=300)
    assert (sale.state, sale.basis.action.value, sale.limits) == ("pending", "adjust_position", ())
    assert desk.trading.approve(sale.id, "somebody").state == "filled"
    assert desk.account(later).positions[CHINESE].quantity == 100
    with pytest.raises(BadInput, match="one lot"):
        desk.trading.close_position(CHINESE, "somebody", amount=50)


def test_a_split_while_they_are_held(desk: ShareDesk) -> None:
    split = date(2024, 6, 10)  # ten for one
    evening = desk.known(AMERICAN, date(2024, 6, 7))
    desk.trading.approve(desk.propose(evening, quantity=10, stop=round(evening.current_price * 0.96, 2)).id, "somebody")
    before = desk.account(evening)
    morning = desk.known(AMERICAN, split, "pre_open")
    after = desk.account(morning)
    assert after.positions[AMERICAN].quantity == 100
    assert after.total_value == pytest.approx(before.total_value, abs=0.01)
    sale = desk.propose(morning, "sell", 100, held=100)
    assert sale.basis.action.value == "signal_exit"
    assert desk.trading.approve(sale.id, "somebody").state == "filled"


@pytest.mark.parametrize(
    ("quantity", "more", "why"),
    [
        (70, {}, "max_position_pct"),
        (24, {"risk": RISK.model_copy(update={"risk_per_trade_pct": 0.5})}, "risk_per_trade_pct"),
        (20, {"confidence": 40.0}, "min_confidence"),
        (20, {"risk": RISK.model_copy(update={"max_drawdown_pct": 1.0})}, "drawdown_share_pct"),
        (20, {"risk": RISK.model_copy(update={"max_exposure_pct": 5.0})}, "max_exposure_pct"),
        (20, {"risk": RISK.model_copy(update={"max_orders_per_hour": 0})}, "max_orders_per_hour"),
        (20, {"risk": RISK.model_copy(update={"allowed_symbols": ["AAPL"]})}, "allowed_symbols"),
    ],
)
def test_a_limit_that_the_account_breaches_blocks_it(desk: ShareDesk, quantity: int, more: dict[str, object], why: str) -> None:
    proposal = desk.propose(desk.known(AMERICAN, MONDAY), quantity=quantity, **more)
    assert proposal.state == "blocked"
    assert why in {check.rule for check in proposal.limits if not check.passed}
    with pytest.raises(NotAllowed, match="blocked"):
        desk.trading.approve(proposal.id, "somebody")
    assert fills_in(desk.home) == []


def test_an_edit_a_rejection_and_what_it_would_have_come_to(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    proposal = desk.propose(known, quantity=20, stop=round(known.current_price * 0.96, 2))
    with pytest.raises(BadInput, match="no leverage"):
        desk.trading.edit(proposal.id, "somebody", Change(leverage=2))
    with pytest.raises(NotAllowed, match="percent of equity"):
        desk.trading.edit(proposal.id, "somebody", Change(size=90))
    edited = desk.trading.edit(proposal.id, "somebody", Change(size=10.7))
    assert (edited.state, edited.plan.amount) == ("edited", 10)
    with pytest.raises(NotAllowed, match="changed by somebody"):
        desk.trading.approve(proposal.id, "another", proposal.hash)
    desk.trading.reject(proposal.id, "somebody", "not today")
    shadow = desk.trading.shadow(proposal.id)
    assert shadow is not None
    assert shadow.ended in {"stop", None}, "it has no target"
    assert shadow.ended is None or shadow.result < 0
    assert fills_in(desk.home) == []
    assert {row.kind for row in desk.trading.history(proposal.id)} == {"proposal.filed", "proposal.edited", "proposal.rejected"}


def test_a_position_says_how_it_has_gone_since_it_was_bought(desk: ShareDesk) -> None:
    """Bought on a Friday evening, seen on the Monday of the split (ten for one) and the days after: all in shares of today."""
    friday, seen = desk.known(AMERICAN, date(2024, 6, 7)), desk.known(AMERICAN, date(2024, 6, 12))
    desk.trading.approve(desk.propose(friday, quantity=10).id, "somebody")
    (held,) = desk.trading.positions()
    row = held.to_json()
    assert (row["currency"], row["hold_count"]) == ("USD", 0.0)
    assert row["mae_pct"] <= row["profit_pct"] <= row["mfe_pct"]
    desk.trading.approve(desk.propose(seen, quantity=10, held=100).id, "somebody")
    (held,) = desk.trading.positions()
    row, candles = held.to_json(), seen.candles
    entry = row["entry_price"]
    assert (row["size"], row["hold_count"]) == (110.0, 3.0)
    assert row["mfe_pct"] == pytest.approx((max(*candles.high[-3:], entry) / entry - 1) * 100)
    assert row["mae_pct"] == pytest.approx((min(*candles.low[-3:], entry) / entry - 1) * 100)
    assert row["drawdown_from_peak_pct"] == pytest.approx(row["mfe_pct"] - row["profit_pct"])
    chinese = desk.known(CHINESE, MONDAY)
    other = ShareDesk(desk.make, desk.home.parent / "other")
    other.trading.approve(other.propose(chinese, quantity=300).id, "somebody")
    assert [each.to_json()["currency"] for each in other.trading.positions()] == ["CNY"]


def test_a_halt_keeps_buys_from_being_signed_and_lets_shares_be_closed(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    desk.trading.approve(desk.propose(known, quantity=10).id, "somebody")
    waiting = desk.propose(desk.known("AAPL", MONDAY), quantity=10)
    desk.trading.halt("somebody", "a storm")
    with pytest.raises(NotAllowed, match="halted"):
        desk.trading.approve(waiting.id, "somebody")
    assert desk.account(known).halted
    assert desk.trading.close_position(AMERICAN, "somebody").state == "filled"


def test_a_part_that_is_no_number_of_shares_is_not_sold_and_more_than_all_is_all(desk: ShareDesk) -> None:
    desk.trading.approve(desk.propose(desk.known(AMERICAN, MONDAY), quantity=10).id, "somebody")
    for amount in (float("nan"), -1.0, 0.0, 0.5):
        with pytest.raises(BadInput, match="below one lot"):
            desk.trading.close_position(AMERICAN, "somebody", amount=amount)
    assert desk.trading.close_position(AMERICAN, "somebody", amount=float("inf")).filled == 10


def test_a_limit_order_rests_for_a_session_and_keeps_its_account_free(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    below = round(known.current_price * 0.999, 2)
    rests = desk.trading.approve(desk.propose(known, quantity=20, limit_price=below).id, "somebody")
    assert (rests.state, "rests" in rests.why) == ("sent", True)
    assert not desk.trading.is_unprotected(rests)
    account = desk.account(known)
    assert account.reserved == pytest.approx(20 * below + 1)
    assert account.waiting == (AMERICAN,)
    as_contracts_see_it = desk.ask(desk.engine._container.approvals.brokers.broker(desk.ref).view(RISK, None))
    assert as_contracts_see_it.notionals == {AMERICAN: pytest.approx(20 * below + 1)}, "it is exposure, and a position, for the others too"
    other = desk.trading.approve(desk.propose(desk.known("AAPL", MONDAY), quantity=10).id, "somebody")
    assert other.state == "filled"  # a resting order does not keep the account busy
    later = desk.known(AMERICAN, TUESDAY)
    desk.propose(later, quantity=1)  # takes the account through the session
    ended = {each.id: each for each in desk.trading.recover()}[rests.id]
    assert ended.state == ("filled" if later.candles.low[-1] < below else "failed")
    assert desk.account(later).reserved == 0


def test_two_limits_hold_together_when_two_are_approved_at_once(desk: ShareDesk) -> None:
    """Each is within every limit alone; both together hold more positions than are allowed."""
    risk = RISK.model_copy(update={"max_open_positions": 1})
    first = desk.propose(desk.known(AMERICAN, MONDAY), quantity=10, risk=risk)
    second = desk.propose(desk.known("AAPL", MONDAY), quantity=10, risk=risk)
    assert (first.state, second.state) == ("pending", "pending")
    outcomes: list[str] = []
    engines = [desk.engine, desk.another()]

    def approve(engine: "Engine", proposal_id: str) -> None:
        try:
            outcomes.append(engine.trading.approve(proposal_id, "somebody").state)
        except TribunalError as problem:
            outcomes.append(str(problem))

    threads = [threading.Thread(target=approve, args=pair) for pair in zip(engines, (first.id, second.id), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("filled") == 1
    assert any("number of open positions" in outcome for outcome in outcomes)
    assert len(fills_in(desk.home)) == 1


def test_a_contract_and_shares_are_one_account_with_one_equity(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    desk.trading.approve(desk.propose(known, quantity=10).id, "somebody")
    from engine.domain.orders import Order

    broker = desk.engine._container.approvals.brokers.broker(desk.ref)
    order = Order(client_id="tb-coin-0001", symbol="BTC/USDT:USDT", side="buy", amount=Decimal("0.01"), leverage=5)
    assert desk.ask(broker.place_order(order, known.moment.known_at)).state == "filled"
    account = desk.account(known)
    view = desk.ask(broker.view(RISK, known.moment.known_at))
    assert (account.contracts, set(account.positions)) == (1, {AMERICAN})
    assert view.equity == pytest.approx(account.total_value)
    assert set(view.notionals) == {AMERICAN, "BTC/USDT:USDT"}
    margin = view.margins["BTC/USDT:USDT"]
    shares = account.positions[AMERICAN].market_value
    assert account.cash + margin + shares == pytest.approx(account.total_value, abs=margin)
    assert {held.position.instrument for held in desk.trading.positions()} == {"contract", "shares"}


@pytest.mark.parametrize(
    ("now", "newest", "until"),
    [
        ("2026-11-21T03:00:00+00:00", date(2026, 11, 20), "2026-11-23T14:30:00+00:00"),  # a Saturday
        ("2026-11-23T14:29:00+00:00", date(2026, 11, 20), "2026-11-23T14:30:00+00:00"),
        ("2026-11-23T21:00:10+00:00", date(2026, 11, 23), "2026-11-24T14:30:00+00:00"),
        ("2026-12-25T15:00:00+00:00", date(2026, 12, 24), "2026-12-28T14:30:00+00:00"),
        ("2027-03-14T06:59:59+00:00", date(2027, 3, 12), "2027-03-15T13:30:00+00:00"),  # the clocks go forward a second later
    ],
)
def test_what_is_of_today_is_answered_until_the_next_open(desk: ShareDesk, now: str, newest: date, until: str) -> None:
    with use_clock(Clock(datetime.fromisoformat(now))):
        proposal = desk.propose(desk.known(AMERICAN, newest), quantity=10)
        assert proposal.expires_at == datetime.fromisoformat(until)
        assert proposal.basis.market_clock is None
        assert desk.trading.approve(proposal.id, "somebody").state == "filled"


@pytest.mark.parametrize("now", ["2026-11-23T14:30:00+00:00", "2026-11-23T17:00:00+00:00", "2026-11-23T20:59:00+00:00"])
def test_while_the_exchange_is_open_its_last_session_is_the_past(desk: ShareDesk, now: str) -> None:
    with use_clock(Clock(datetime.fromisoformat(now))):
        for session in (date(2026, 11, 20), MONDAY):
            known = desk.known(AMERICAN if session != MONDAY else "AAPL", session)
            past = desk.propose(known, quantity=10)
            waits = past.expires_at - past.created_at
            assert waits / timedelta(minutes=1) == pytest.approx(desk.engine.settings.proposal_minutes, abs=0.1)
            assert past.basis.market_clock == known.moment.known_at


def test_a_run_is_filed_once_and_a_newer_decision_supersedes(desk: ShareDesk) -> None:
    ticket = desk.ticket(desk.known(AMERICAN, MONDAY), quantity=10, run_id="r-one")
    assert desk.file(ticket) == desk.file(ticket)
    desk.propose(desk.known(AMERICAN, TUESDAY), quantity=5)
    assert desk.trading.proposal("p-r-one").state == "superseded"


def test_without_a_person_it_is_carried_out_at_once(make_engine: "Callable[..., Engine]", tmp_path: Path) -> None:
    desk = ShareDesk(make_engine, tmp_path / "home")
    desk.another(approval="automatic")
    filed = desk.file(desk.ticket(desk.known(AMERICAN, MONDAY), quantity=10))
    assert filed.state == "filled"
    assert desk.trading.execution_record(filed.id) is not None
    assert desk.file(desk.ticket(desk.known(AMERICAN, MONDAY), quantity=10, run_id=filed.basis.run_id)) == filed


def test_an_account_that_has_come_further_orders_nothing_in_the_past(desk: ShareDesk) -> None:
    desk.trading.approve(desk.propose(desk.known(AMERICAN, TUESDAY), quantity=10).id, "somebody")
    past = desk.known(AMERICAN, MONDAY)
    account = desk.account(past)
    assert (account.positions, account.cash) == ({}, 100_000.0)
    assert "past" in account.notes[0]
    with pytest.raises(TribunalError, match="no longer available"):
        desk.propose(past, quantity=10)


def test_an_index_and_an_exchange_take_no_order(desk: ShareDesk) -> None:
    with pytest.raises(BadInput, match="index"):
        desk.propose(desk.known("^GSPC", MONDAY), quantity=1)
    desk.ref = AccountRef(broker="exchange", feed="live", exchange="binanceusdm")
    with pytest.raises(TribunalError):
        desk.account(ShareDesk(desk.make, desk.home).known(AMERICAN, MONDAY))


DIES = """
import os, signal, sys
point, moment = int(sys.argv[1]), 0

def pass_by():
    global moment
    if moment == point:
        os.kill(os.getpid(), signal.SIGKILL)
    moment += 1

import tests.flows.approvals.share_desk  # its kind of run is known
from engine.cli.main import main
from engine.journal.chain import Chain
append, keep = Chain.append, Chain.keep_head
Chain.append = lambda *a, **k: (pass_by(), append(*a, **k))[1]
Chain.keep_head = lambda *a, **k: (pass_by(), keep(*a, **k))[1]
sys.exit(main(["approve", sys.argv[2]]))
"""


@pytest.mark.full
@pytest.mark.parametrize("point", range(0, 11, 2))
def test_killed_between_approval_and_fill_it_is_filled_once(desk: ShareDesk, point: int) -> None:
    proposal = desk.propose(desk.known(AMERICAN, MONDAY), quantity=10)
    desk.engine.close()
    killed = run_python("-c", DIES, str(point), proposal.id, environment={**os.environ, "TRIBUNAL_HOME": str(desk.home)})
    assert killed.returncode == -9
    trading = desk.another().trading
    trading.recover()
    found = trading.proposal(proposal.id)
    assert found.state in {"pending", "filled"}
    if found.state == "pending":
        trading.approve(proposal.id, "somebody")
    assert len(fills_in(desk.home)) == 1
    assert trading.faults() == []
    assert trading.execution_record(proposal.id)["quantity"] == 10.0
    (held,) = trading.positions()
    assert held.position.size == 10


def test_a_recorded_split_of_four_to_one(make_engine: "Callable[..., Engine]", tmp_path: Path, company_data: Path) -> None:
    """Apple closed at 499.23 on 2020-08-28 and traded in new shares from the 31st: 499.23 / 4 = 124.8075."""
    desk = ShareDesk(make_engine, tmp_path / "home", AccountRef(feed="recorded", data_dir=str(company_data / "equity")))
    friday = desk.known("AAPL", date(2020, 8, 28))
    assert desk.trading.approve(desk.propose(friday, quantity=20, stop=480.0, target=550.0).id, "somebody").state == "filled"
    morning = desk.known("AAPL", date(2020, 8, 31), "pre_open")
    account = desk.account(morning)
    assert account.positions["AAPL"].quantity == 80
    assert account.positions["AAPL"].average_price == pytest.approx(499.33 / 4)
    assert account.positions["AAPL"].market_value == pytest.approx(20 * 499.23)
    assert account.cash == pytest.approx(100_000 - 20 * 499.33 - 1)
    evening = desk.known("AAPL", date(2020, 8, 31))
    assert desk.account(evening).total_value == pytest.approx(100_000 - 20 * 499.33 - 1 + 80 * 129.04)
    (held,) = desk.trading.positions()  # the account stays where it was taken to: Friday
    assert (held.position.size, held.position.stop) == (20, 480)
