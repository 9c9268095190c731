"""What an answer leads to: the position that was signed, what it earned or would have, and how it is closed."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.api import Change
from engine.domain.clock import use_clock
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from tests.clocks import Clock
from tests.flows.answers import executor, write_candles
from tests.flows.desk import END, SYMBOL, Desk
from tests.flows.shop import near


def test_approving_makes_the_position_that_was_signed(desk: Desk) -> None:
    proposal = desk.propose()
    filled = desk.trading.approve(proposal.id, "somebody", proposal.hash)
    assert filled.state == "filled"
    assert desk.fills() == list(filled.order_ids)
    (held,) = desk.trading.positions()
    assert (held.position.side, held.position.size, held.position.stop, held.position.target) == (
        "long", proposal.plan.amount, proposal.plan.stop, proposal.plan.target,
    )  # fmt: skip
    assert held.checked
    assert desk.trading.faults() == []
    with pytest.raises(NotAllowed, match=filled.order_ids[0]):
        desk.trading.approve(proposal.id, "somebody else")
    assert len(desk.fills()) == 1


@pytest.mark.full
def test_what_came_of_an_answer_is_told_in_money(desk: Desk) -> None:
    proposal = desk.propose(at=END - timedelta(hours=1))
    assert desk.trading.outcome(proposal.id) is None
    desk.trading.edit(proposal.id, "somebody", Change(size=20.0))
    desk.trading.approve(proposal.id, "somebody")
    standing, shadow = desk.trading.outcome(proposal.id), desk.trading.shadow(proposal.id)
    assert standing is not None
    assert standing.ended is None
    assert shadow is not None  # the machine's own plan, followed to the end of the recording
    desk.trading.close_position(SYMBOL, "somebody")
    closed = desk.trading.outcome(proposal.id)
    assert closed is not None
    assert closed.ended == "order"
    assert float(closed.result) == pytest.approx(desk.equity() - 10_000, abs=0.01)


@pytest.mark.full
def test_a_rejection_has_a_reason_and_is_followed_on_paper(desk: Desk) -> None:
    proposal = desk.propose(at=END - timedelta(hours=3))
    with pytest.raises(BadInput, match="reason"):
        desk.trading.reject(proposal.id, "somebody", "  ")
    rejected = desk.trading.reject(proposal.id, "somebody", "the level is wrong")
    assert (rejected.state, rejected.why, rejected.changed_by) == ("rejected", "the level is wrong", "somebody")
    with pytest.raises(NotAllowed, match="the level is wrong"):
        desk.trading.approve(proposal.id, "another")
    assert desk.fills() == []
    assert desk.trading.shadow(proposal.id) is not None


@pytest.mark.full
def test_a_clock_that_was_put_back_hides_no_position_and_keeps_none_open(desk: Desk) -> None:
    """The day before, this market was 3 % lower, below the stop: what it did before the position was opened does nothing to it."""
    clock = Clock(datetime(2026, 12, 25, 15, 0, 10, tzinfo=UTC))
    with use_clock(clock):
        engine = desk.another()
        state = desk.decide(near, engine, feed="simulated", data_dir=None)
        assert engine.trading.approve(state["proposal_id"], "somebody").state == "filled"
        (opened,) = engine.trading.positions()
        for back in (timedelta(seconds=30), timedelta(hours=1), timedelta(days=1)):
            clock.move(-back)
            (held,) = engine.trading.positions()
            assert (held.price, held.position.symbol) == (None, SYMBOL)
            assert "after the time of the decision" in held.why
            assert engine.trading.faults() == []
            clock.move(back)
            (held,) = engine.trading.positions()
            assert (held.position.size, held.position.opened_at) == (opened.position.size, opened.position.opened_at)
        clock.move(timedelta(days=-1))
        assert engine.trading.close_position(SYMBOL, "somebody").state == "filled"
        assert engine.trading.positions() == []
        (ended,) = engine.trading.closed_positions()
        assert ended.record.closed_at is not None
        assert ended.record.opened_at <= ended.record.closed_at, "it was not closed before it was opened"


@pytest.mark.full
def test_scaling_in_keeps_one_position_with_an_average_price(desk: Desk) -> None:
    roomy = {"max_position_pct": 60.0, "max_leverage": 10.0}
    desk.trading.approve(desk.propose(at=END - timedelta(hours=2), risk=roomy).id, "somebody")
    before = desk.trading.positions()[0].position
    more = desk.propose(executor("SCALE_IN", adjustment=30, stop=98, target=106), risk=roomy)
    desk.trading.approve(more.id, "somebody")
    (held,) = desk.trading.positions()
    assert float(held.position.size) == pytest.approx(float(before.size) * 1.3, rel=0.01)
    assert held.position.opened_at == before.opened_at


def test_closing_by_hand_is_allowed_while_halted(desk: Desk) -> None:
    desk.trading.approve(desk.propose().id, "somebody")
    desk.trading.halt("somebody")
    assert desk.trading.close_position(SYMBOL, "somebody").state == "filled"
    assert desk.trading.positions() == []
    with pytest.raises(NotAllowed, match="no position"):
        desk.trading.close_position(SYMBOL, "somebody")
    assert desk.trading.faults() == []


@pytest.mark.full
def test_an_account_is_not_asked_about_what_is_past(desk: Desk) -> None:
    desk.trading.approve(desk.propose().id, "somebody")
    with pytest.raises(TribunalError, match="is no longer available"):
        desk.decide(at=END - timedelta(hours=5))


def test_not_to_know_the_position_is_not_to_be_flat(desk: Desk, tmp_path: Any) -> None:
    """The candles since the entry are gone: the run ends before a model is asked."""
    folder = write_candles(tmp_path / "market")
    desk.trading.approve(desk.propose(at=END - timedelta(hours=6), data_dir=str(folder)).id, "somebody")
    lines = (folder / "binance_perp_BTCUSDT_15m.csv").read_text().splitlines()
    (folder / "binance_perp_BTCUSDT_15m.csv").write_text("\n".join([lines[0], *lines[-8:]]) + "\n")
    before = len(desk.server.requests)
    with pytest.raises(TribunalError):
        desk.decide(data_dir=str(folder))
    with pytest.raises(TribunalError):
        desk.trading.positions()
    assert len(desk.server.requests) == before


@pytest.mark.full
def test_what_is_forgotten_on_purpose_is_not_missed(desk: Desk) -> None:
    desk.trading.approve(desk.propose().id, "somebody")
    assert desk.engine.prune(0) == 1
    assert desk.trading.faults() == []


@pytest.mark.full
def test_what_a_run_decided_is_vouched_for(desk: Desk) -> None:
    proposal = desk.propose()
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as connection:
        connection.execute("UPDATE runs SET result = replace(result, 'Buyers are in charge', 'Sellers are in charge')")
        connection.commit()
    assert proposal.basis.run_id in desk.trading.faults()[0]


@pytest.mark.full
def test_the_first_order_opens_the_account_it_was_sized_for(desk: Desk) -> None:
    proposal = desk.propose(risk={"equity": 20_000.0})
    assert float(proposal.plan.amount) == pytest.approx(100.0, abs=0.2)
    desk.trading.approve(proposal.id, "somebody")
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as connection:
        (cash,) = connection.execute("SELECT json_extract(body, '$.cash') FROM paper_ledger WHERE seq = 1").fetchone()
    assert float(cash) == 20_000.0


@pytest.mark.full
def test_what_was_filled_is_told_against_what_was_signed(desk: Desk) -> None:
    proposal = desk.propose()
    assert desk.trading.filled(proposal.id) is None
    after = desk.trading.approve(proposal.id, "somebody")
    filled = desk.trading.filled(proposal.id)
    assert filled is not None
    report, made = filled.report, filled.figures
    assert report.price is not None
    assert f"{report.filled:f} at {report.price:f}" in after.why
    assert filled.slipped == (report.price - after.figures.price) * report.filled
    assert filled.slipped > 0, "paper fills are worse than the last price"
    assert made.price == report.price
    assert after.plan.stop is not None
    assert made.loss_at_stop is not None
    terms = after.basis.terms
    got = terms.price_towards(after.plan.stop * Decimal("0.9998"), -1)
    assert made.loss_at_stop == pytest.approx(report.filled * (report.price - got + got * terms.taker_fee) + report.fee)
    assert after.figures.loss_at_stop is not None
    assert made.loss_at_stop == after.figures.loss_at_stop, "slippage was expected as it came"
