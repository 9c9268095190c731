"""Orders for shares as people change them: the limit price and its grid; and what keeps accounts apart and shares from being bought."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.api import Change
from engine.domain.account_ref import AccountRef
from engine.domain.errors import BadInput, NotAllowed
from tests.flows.approvals.share_desk import REF, RISK, ShareDesk

if TYPE_CHECKING:
    from engine.api import Engine

AMERICAN, CHINESE = "NVDA", "600028.SH"
MONDAY = date(2024, 3, 4)


@pytest.fixture
def desk(make_engine: "Callable[..., Engine]", tmp_path: Path) -> ShareDesk:
    return ShareDesk(make_engine, tmp_path / "home")


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


def test_a_share_whose_lot_is_not_known_is_not_bought(desk: ShareDesk) -> None:
    known = desk.known(AMERICAN, MONDAY)
    unknown = replace(known, listing=known.listing.model_copy(update={"lot_assumed": True}))
    proposal = desk.propose(unknown, quantity=100)
    assert (proposal.state, "the lot of NVDA is not known" in proposal.why) == ("blocked", True)
