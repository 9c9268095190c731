"""Who may answer a proposal, and that of many answers one wins and one order is made."""

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from engine.api import Change
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from engine.domain.proposal import Proposal
from tests.flows.answers import executor
from tests.flows.desk import END, Desk


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
        (Change(leverage=50), "leverage"),
        (Change(size=5_000), "margin"),
        (Change(stop=90, target=130), "stop distance"),
    ],
)
def test_an_edit_that_breaches_a_limit_changes_nothing(desk: Desk, change: Change, why: str) -> None:
    proposal = desk.propose()
    with pytest.raises(NotAllowed, match=why):
        desk.trading.edit(proposal.id, "somebody", change)
    assert desk.trading.proposal(proposal.id) == proposal


@pytest.mark.full
@pytest.mark.parametrize(
    "change", [Change(size=-1), Change(size=float("nan")), Change(stop=float("inf")), Change(leverage=500), Change(size=1e-9)]
)
def test_an_edit_that_makes_no_plan_is_bad_input(desk: Desk, change: Change) -> None:
    with pytest.raises(BadInput):
        desk.trading.edit(desk.propose().id, "somebody", change)


def test_nobody_answers_in_time(desk: Desk) -> None:
    hasty = desk.another(proposal_minutes=1e-9)
    proposal_id = desk.decide(engine=hasty)["proposal_id"]
    with pytest.raises(NotAllowed, match="expired"):
        desk.trading.approve(proposal_id, "somebody")
    assert desk.trading.proposal(proposal_id).state == "expired"


@pytest.mark.full
def test_a_newer_run_that_orders_nothing_locks_the_card(desk: Desk) -> None:
    older = desk.propose(at=END - timedelta(hours=1))
    desk.decide(executor("WAIT", leverage=0), at=END)
    with pytest.raises(NotAllowed, match=r"locked: run .* has decided about this market since"):
        desk.trading.approve(older.id, "somebody")
    assert desk.trading.proposal(older.id).state == "pending"


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


@pytest.mark.full
@pytest.mark.parametrize("proposal_id", ["../../etc/passwd", "' OR 1=1 --", "p-20260101-000000-abcdef", "", "p" * 5000, "\x00"])
def test_ids_that_are_none_are_refused(desk: Desk, proposal_id: str) -> None:
    desk.propose()
    for act in (desk.trading.approve, lambda each, who: desk.trading.reject(each, who, "no")):
        with pytest.raises(NotAllowed, match="not known"):
            act(proposal_id, "somebody")
    assert desk.trading.faults() == []


@pytest.mark.full
@pytest.mark.usefixtures("each_database")
def test_two_proposals_of_one_market_approved_together_make_one_position(desk: Desk) -> None:
    """What is checked before an order leaves must still be true when it does: of one account one order is under way at a time."""
    first, second = desk.propose(), desk.propose()
    assert {first.state, second.state} == {"pending"}  # about the same instant: neither is newer
    other, gate, outcomes = desk.another(), threading.Barrier(2), list[str]()

    def answer(trading: Any, proposal: Proposal) -> None:
        gate.wait()
        try:
            outcomes.append(trading.approve(proposal.id, "somebody").state)
        except TribunalError as problem:
            outcomes.append(str(problem))

    threads = [threading.Thread(target=answer, args=each) for each in ((desk.trading, first), (other.trading, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome == "filled" for outcome in outcomes) == [False, True]
    assert len(desk.fills()) == 1
    assert desk.trading.positions()[0].position.size == first.plan.amount
