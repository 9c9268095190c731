"""Who may answer a proposal; that of many answers one wins and one order is made; and the position that it leads to."""

import re
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.api import Change
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from engine.domain.proposal import Proposal
from tests.flows.answers import write_candles
from tests.flows.desk import END, SYMBOL, Desk


@pytest.mark.usefixtures("each_database")
def test_of_many_answers_at_once_one_wins(desk: Desk) -> None:
    """Double clicks, two tabs, two processes."""
    proposal, other = desk.propose(), desk.another()
    outcomes: list[str] = []
    gate = threading.Barrier(8)

    def answer(number: int) -> None:
        trading = (desk.trading, other.trading)[number % 2]
        gate.wait()
        try:
            act: Callable[[], Proposal] = lambda: trading.approve(proposal.id, f"person {number}", proposal.hash)  # noqa: E731
            act = act if number < 6 else (lambda: trading.reject(proposal.id, f"person {number}", "too late"))
            outcomes.append(act().state)
        except TribunalError as problem:
            outcomes.append(str(problem))

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won = [outcome for outcome in outcomes if outcome in {"filled", "rejected"}]
    assert len(won) >= 1
    assert len(set(won)) == 1
    assert won.count("rejected") <= 1
    assert len(desk.fills()) == (1 if won[0] == "filled" else 0)
    assert [each for each in outcomes if each not in {"filled", "rejected"} and not re.search(r"(is|has been) \w+", each)] == []
    assert desk.trading.faults() == []


@pytest.mark.full
def test_a_signature_stands_under_what_was_looked_at(desk: Desk) -> None:
    proposal = desk.propose()
    edited = desk.trading.edit(proposal.id, "somebody", Change(stop=98.5))
    assert edited.state == "edited"
    assert edited.hash != proposal.hash
    assert edited.machine == proposal.machine
    with pytest.raises(NotAllowed, match="changed by somebody"):
        desk.trading.approve(proposal.id, "another", proposal.hash)
    filled = desk.trading.approve(proposal.id, "another", edited.hash)
    assert float(filled.plan.stop or 0) == 98.5
    (row,) = [row for row in desk.trading.history(proposal.id) if row.kind == "proposal.edited"]
    assert row.data["changed"] == {"stop": ["98", "98.5"]}


@pytest.mark.full
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Change(stop=101), "stop"),
        (Change(stop=99.9999, target=100.0001), "risk/reward"),
        (Change(size=5_000), "margin"),
    ],
)
def test_an_edit_that_breaches_a_limit_changes_nothing(desk: Desk, change: Change, why: str) -> None:
    proposal = desk.propose()
    with pytest.raises(NotAllowed, match=why):
        desk.trading.edit(proposal.id, "somebody", change)
    assert desk.trading.proposal(proposal.id) == proposal


def test_nobody_answers_in_time(desk: Desk) -> None:
    hasty = desk.another(proposal_minutes=1e-9)
    proposal_id = desk.decide(engine=hasty)["proposal_id"]
    with pytest.raises(NotAllowed, match="expired"):
        desk.trading.approve(proposal_id, "somebody")
    assert desk.trading.proposal(proposal_id).state == "expired"


def test_the_kill_switch_stops_every_process(desk: Desk) -> None:
    proposal, other = desk.propose(), desk.another()
    desk.trading.halt("somebody", "the market is mad")
    with pytest.raises(NotAllowed, match="halted"):
        other.trading.approve(proposal.id, "another")
    state = desk.decide()
    assert (state["is_valid"], state["final_action"], state["proposal_id"]) == (False, "signal_wait", None)
    assert "halted" in " ".join(state["errors"])
    other.trading.unhalt("another")
    assert desk.trading.approve(proposal.id, "somebody").state == "filled"


def test_two_people_sign_what_is_large(desk: Desk) -> None:
    careful = desk.another(two_sign_above=1_000.0)
    proposal = careful.trading.proposal(desk.decide(engine=careful)["proposal_id"])
    first = careful.trading.approve(proposal.id, "somebody", proposal.hash)
    assert (first.state, [each.who for each in first.signatures]) == ("pending", ["somebody"])
    assert desk.fills() == []
    with pytest.raises(NotAllowed, match="second person"):
        careful.trading.approve(proposal.id, "somebody", proposal.hash)
    edited = careful.trading.edit(proposal.id, "another", Change(stop=98.2))
    assert edited.signatures == ()  # what was signed is not this any more
    careful.trading.approve(proposal.id, "somebody")
    assert careful.trading.approve(proposal.id, "another").state == "filled"
    assert len(desk.fills()) == 1


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


def test_closing_by_hand_is_allowed_while_halted(desk: Desk) -> None:
    desk.trading.approve(desk.propose().id, "somebody")
    desk.trading.halt("somebody")
    assert desk.trading.close_position(SYMBOL, "somebody").state == "filled"
    assert desk.trading.positions() == []
    with pytest.raises(NotAllowed, match="no position"):
        desk.trading.close_position(SYMBOL, "somebody")
    assert desk.trading.faults() == []


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


@pytest.mark.full
def test_what_a_run_decided_is_vouched_for(desk: Desk) -> None:
    proposal = desk.propose()
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as connection:
        connection.execute("UPDATE runs SET result = replace(result, 'Buyers are in charge', 'Sellers are in charge')")
        connection.commit()
    assert proposal.basis.run_id in desk.trading.faults()[0]
