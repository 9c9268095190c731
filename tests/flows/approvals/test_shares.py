"""Shares from an order to its execution record: filed, measured, changed, signed, carried out on paper, held, closed, and followed."""

import threading
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.api import Change, WantedLevels
from engine.domain.account_ref import AccountRef
from engine.domain.clock import use_clock
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from tests.clocks import Clock
from tests.flows.approvals.share_desk import REF, RISK, ShareDesk
from tests.flows.desk import fills_in

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


def test_a_halt_keeps_buys_from_being_signed_and_lets_shares_be_closed(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    desk.trading.approve(desk.propose(known, quantity=10).id, "somebody")
    waiting = desk.propose(desk.known("AAPL", MONDAY), quantity=10)
    desk.trading.halt("somebody", "a storm")
    with pytest.raises(NotAllowed, match="halted"):
        desk.trading.approve(waiting.id, "somebody")
    assert desk.account(known).halted
    assert desk.trading.close_position(AMERICAN, "somebody").state == "filled"


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


@pytest.mark.parametrize(
    ("now", "newest", "until"),
    [
        ("2026-11-21T03:00:00+00:00", date(2026, 11, 20), "2026-11-23T14:30:00+00:00"),  # a Saturday
        ("2026-11-23T21:00:10+00:00", date(2026, 11, 23), "2026-11-24T14:30:00+00:00"),
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


def test_an_account_that_has_come_further_orders_nothing_in_the_past(desk: ShareDesk) -> None:
    desk.trading.approve(desk.propose(desk.known(AMERICAN, TUESDAY), quantity=10).id, "somebody")
    past = desk.known(AMERICAN, MONDAY)
    account = desk.account(past)
    assert (account.positions, account.cash) == ({}, 100_000.0)
    assert "past" in account.notes[0]
    with pytest.raises(TribunalError, match="no longer available"):
        desk.propose(past, quantity=10)


def test_the_limit_price_of_an_order_can_be_changed(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    price = known.current_price
    proposal = desk.propose(known, quantity=20, stop=round(price * 0.96, 2), limit_price=price)
    lower = round(price * 0.99, 2)
    preview = desk.trading.preview(proposal.id, Change(entry=lower))
    assert (preview.plan.limit, preview.locks) == (Decimal(str(lower)), ())
    assert {check.rule: check.measured for check in preview.limits}["max_stop_distance_pct"] == pytest.approx(
        (lower - round(price * 0.96, 2)) / lower * 100
    )
    with pytest.raises(NotAllowed, match="stop"):
        desk.trading.edit(proposal.id, "somebody", Change(entry=round(price * 0.95, 2)))
    edited = desk.trading.edit(proposal.id, "somebody", Change(entry=lower))
    assert (edited.state, edited.plan.limit, edited.machine.limit) == ("edited", Decimal(str(lower)), Decimal(str(price)))
    with pytest.raises(BadInput, match="entry"):
        desk.trading.edit(proposal.id, "somebody", Change(entry=-1))
    assert desk.trading.approve(proposal.id, "somebody").state == "sent", "it rests below the price"
    at_market = desk.propose(desk.known("AAPL", MONDAY), quantity=5)
    below = round(at_market.basis.price * 0.995, 2)
    assert desk.trading.edit(at_market.id, "somebody", Change(entry=below)).plan.limit == Decimal(str(below))
    with pytest.raises(BadInput, match=r"whole steps of 0\.01"):
        desk.trading.preview(at_market.id, Change(entry=below + 0.004))
    assert desk.trading.edit(at_market.id, "somebody", Change(at_market=True)).plan.limit is None


def test_a_limit_outside_what_the_session_allows_is_refused_when_it_is_set(desk: ShareDesk) -> None:
    proposal = desk.propose(desk.known(CHINESE, MONDAY), quantity=300)
    low, high = desk.trading.preview(proposal.id, Change()).conditions.session_prices
    assert float(high / low) == pytest.approx(1.1 / 0.9, abs=0.01), "ten percent either way of the close before"
    assert desk.trading.preview(proposal.id, Change(entry=float(low))).plan.limit == low
    for beyond in (low - Decimal("0.01"), high + Decimal("0.01")):
        with pytest.raises(BadInput, match=f"from {low:f} to {high:f}"):
            desk.trading.preview(proposal.id, Change(entry=float(beyond)))


def test_each_currency_of_shares_has_money_of_its_own(desk: ShareDesk) -> None:
    """Nothing is converted, so nothing of two currencies is ever added."""
    american, chinese = desk.known(AMERICAN, MONDAY), desk.known(CHINESE, MONDAY)
    before = desk.account(american)
    desk.trading.approve(desk.propose(chinese, quantity=300).id, "somebody")
    in_yuan, in_dollars = desk.account(chinese), desk.account(american)
    assert (in_yuan.account, in_dollars.account) == ("paper.CNY:simulated:3", "paper:simulated:3")
    assert (in_dollars.cash, in_dollars.positions) == (before.cash, {})
    assert set(in_yuan.positions) == {CHINESE}
    assert in_yuan.cash == pytest.approx(RISK.equity - 300 * in_yuan.positions[CHINESE].average_price, abs=10)
    (held,) = desk.trading.positions()
    assert (held.account, held.money) == (in_yuan.account, "CNY")
    assert set(desk.trading.curves()) == {in_yuan.account}
    with pytest.raises(NotAllowed, match="bought in it"):
        desk.trading.close_position(CHINESE, "somebody")
    for ref in (REF, REF.in_currency("HKD"), AccountRef(feed="recorded", data_dir="/a:b", currency="CNY")):
        assert AccountRef.of_account(ref.account).account == ref.account


@pytest.mark.full
def test_a_buy_without_a_stop_is_never_ordered_and_shares_of_an_earlier_version_get_one(
    desk: ShareDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = desk.known(AMERICAN, MONDAY)
    price = known.current_price
    refused = desk.propose(known, quantity=20, stop=None)
    assert (refused.state, refused.why) == ("blocked", f"a buy of {AMERICAN} needs a stop")
    with monkeypatch.context() as earlier:
        earlier.setattr("engine.instruments.shares.Shares.unfit", lambda *_: "")
        old = desk.propose(known, quantity=20, stop=None)
    with pytest.raises(NotAllowed, match="needs a stop"):
        desk.trading.approve(old.id, "somebody")
    with monkeypatch.context() as earlier:
        earlier.setattr("engine.instruments.shares.Shares.unfit", lambda *_: "")
        desk.trading.approve(old.id, "somebody")
    (held,) = desk.trading.positions()
    assert (held.position.stop, held.to_json()["protected"]) == (None, False)
    for share in (0.9, 0.95):
        change = desk.trading.propose_levels(WantedLevels(AMERICAN, round(price * share, 2)), "somebody")
        assert (change.limits, change.plan.protects) == ((), True)
        assert desk.trading.approve(change.id, "somebody").state == "filled"
    (held,) = desk.trading.positions()
    assert float(held.position.stop) == round(price * 0.95, 2)
    assert held.candles is not None
    assert int(held.candles.opened_at[0]) / 1000 < held.position.opened_at.timestamp() - 30 * 86_400, "from before it was bought"
    record = held.record
    assert (record.fees > 0, record.dividends, record.size) == (True, 0, 20)
    even, fees = float(held.break_even), float(record.fees)
    assert fees * 2 <= 20 * (even - float(held.position.entry_price)) <= fees * 2 + 0.5, "it pays for both ways, to the next cents"
    with pytest.raises(NotAllowed, match="stop distance"):
        desk.trading.propose_levels(WantedLevels(AMERICAN, round(price * 0.8, 2)), "somebody")
    assert desk.trading.faults() == []


def test_shares_that_may_not_be_sold_yet_keep_their_new_stop(desk: ShareDesk) -> None:
    known = desk.known(CHINESE, MONDAY)
    desk.trading.approve(desk.propose(known, quantity=300).id, "somebody")
    stop = round(known.current_price * 0.999, 2)
    change = desk.trading.propose_levels(WantedLevels(CHINESE, stop), "somebody")
    assert desk.trading.approve(change.id, "somebody").state == "filled"
    assert desk.account(known).positions[CHINESE].quantity == 300, "nothing is sold in the session it was bought in"
    (held,) = desk.trading.positions()
    assert float(held.position.stop) == stop
    assert desk.account(desk.known(CHINESE, TUESDAY)).positions == {}, "the next one reaches it"


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
