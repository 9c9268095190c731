"""A signature on the pages, without a browser. Nothing ticks here: a second run is a second look."""

from datetime import timedelta
from typing import Any

import pytest
import streamlit as st

from engine.api import Engine
from engine.domain.errors import BrokerUnreachable, NotAllowed
from engine.domain.proposal import Proposal
from pages.frame import shared_engine
from pages.trading import answering
from pages.trading.previews import MOST_PREVIEWED
from tests.pages.started import Start, filed, keyed, page_of


def test_a_proposal_is_approved_from_the_queue_and_told(start: Start) -> None:
    app = start("approvals")
    assert "Nothing to sign." in page_of(app)
    assert "Nothing has been answered today." in page_of(app)
    proposal = filed(shared_engine.get_engine())
    app.run()
    assert "to sign" in page_of(app)
    assert "equity" not in page_of(app), "the market is not asked before it has been painted"
    app.run()
    assert "equity" in page_of(app)
    assert "The argument in three lines" in page_of(app)
    keyed(app, "approve-").click().run()
    assert not app.exception
    assert "Approved and filled." in page_of(app)
    assert shared_engine.get_engine().trading.proposal(proposal.id).state == "filled"
    assert not [button for button in app.button if str(button.key).startswith("approve-")]


@pytest.mark.full
def test_a_change_is_answered_at_once_and_signed_under_its_own_hash(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    app.run()
    app.run()
    size = next(each for each in app.number_input if "amount" in str(each.key))
    size.set_value(float(size.value) / 2).run()
    assert "<s>" in page_of(app), "what it was"
    assert keyed(app, "approve-").label == "✓ Approve with your changes"
    keyed(app, "machine-").click().run()
    assert keyed(app, "approve-").label in {"✓ Approve long", "✓ Approve short"}
    size = next(each for each in app.number_input if "amount" in str(each.key))
    size.set_value(float(proposal.plan.amount) * 50).run()
    assert "✕" in page_of(app)
    assert keyed(app, "approve-").disabled, "a limit is breached"
    size = next(each for each in app.number_input if "amount" in str(each.key))
    size.set_value(float(proposal.plan.amount) / 2).run()
    keyed(app, "approve-").click().run()
    after = engine.trading.proposal(proposal.id)
    assert (after.state, after.is_edited) == ("filled", True)
    assert after.signatures[-1].hash == after.hash


def test_a_second_press_of_the_same_button_is_no_second_order(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    app.run()
    app.run()
    button = keyed(app, "approve-")
    engine.trading.approve(proposal.id, "op-1", proposal.hash)  # the same person's other press was quicker
    button.click().run()
    assert not app.exception
    assert "Approved and filled." in page_of(app)
    assert len(engine.trading.proposal(proposal.id).order_ids) == 1


@pytest.mark.full
def test_who_comes_second_is_told_who_was_first(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    app.run()
    app.run()
    button = keyed(app, "approve-")
    engine.trading.reject(proposal.id, "op-2", "too late")
    button.click().run()
    assert "Answered already: rejected by op-2" in page_of(app)
    assert engine.trading.proposal(proposal.id).order_ids == ()


@pytest.mark.full
def test_a_halted_desk_refuses_a_signature_and_says_why(start: Start) -> None:
    app = start()
    proposal = filed(shared_engine.get_engine())
    app.query_params["run"] = proposal.basis.run_id
    app.run()
    app.run()
    assert not keyed(app, "approve-").disabled
    app.button(key="halt").click().run()
    assert keyed(app, "approve-").disabled
    assert ">‖</b> halted<" in page_of(app)


def test_two_people_sign_what_is_large(start: Start) -> None:
    app = start("approvals", TRIBUNAL_TWO_SIGN_ABOVE="1")
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    app.run()
    app.run()
    assert "0 of 2 signatures" in page_of(app)
    keyed(app, "approve-").click().run()
    assert "Signed: 1 of 2." in page_of(app)
    assert "You have signed it already" in page_of(app)
    assert keyed(app, "approve-").disabled
    engine.trading.approve(proposal.id, "op-2", proposal.hash)
    app.run()
    assert engine.trading.proposal(proposal.id).state == "filled"


@pytest.mark.full
def test_not_to_know_what_is_held_is_no_empty_list(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start("positions")
    assert "No open position." in page_of(app)

    def unreachable() -> list[Any]:
        raise BrokerUnreachable("nothing listens at the exchange")

    monkeypatch.setattr(shared_engine.get_engine().trading, "positions", unreachable)
    st.cache_data.clear()
    app.run()
    assert "What is held cannot be said" in page_of(app)
    assert "nothing listens at the exchange" in page_of(app)
    assert "No open position." not in page_of(app)


def queue_of(engine: Engine, count: int) -> list[Proposal]:
    """That many waiting ones, each of a market of its own. What expires first was filed last: it is the last in the engine's order."""
    first = filed(engine)
    asked = engine.record(first.basis.run_id).request
    found = [first]
    for seed in range(400, 900):
        if len(found) == count:
            break
        run = engine.wait(engine.start(asked.model_copy(update={"seed": seed})), 60)
        proposal = engine.trading.proposal_of(run.run_id)
        found += [proposal] if proposal is not None and proposal.is_waiting else []
    assert len(found) == count
    return found


@pytest.mark.full
def test_the_chosen_of_a_long_queue_is_priced_first_and_nothing_is_approved_before(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start("approvals")
    engine = shared_engine.get_engine()
    queue = sorted(queue_of(engine, MOST_PREVIEWED + 3), key=lambda each: each.expires_at)
    listed = [each.id for each in engine.trading.proposals(200)]
    assert listed.index(queue[0].id) >= MOST_PREVIEWED, "the engine lists the newest first"
    asked: list[str] = []
    look = type(engine.trading).latest_preview

    def noting(self: Any, proposal: Proposal) -> Any:
        asked.append(proposal.id)
        return look(self, proposal)

    monkeypatch.setattr(type(engine.trading), "latest_preview", noting)
    app.run()
    assert not asked, "painted before anybody is asked"
    assert keyed(app, "approve-").disabled
    assert "the price when it was decided. Approve waits for the price of now." in page_of(app)
    assert "the price of now." not in page_of(app).replace("Approve waits for the price of now.", "")
    app.run()
    assert asked[0] == queue[0].id
    assert not keyed(app, "approve-").disabled
    assert len(asked) <= MOST_PREVIEWED
    for _ in range(2):
        app.run()
    assert set(asked) == {each.id for each in queue}, "the others have their turns"


@pytest.mark.full
def test_a_refused_approval_stays_on_its_ticket_with_what_to_do(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    app = start("approvals")
    engine = shared_engine.get_engine()
    proposal = filed(engine)
    app.run()
    app.run()

    def refuse(*_: Any) -> Proposal:
        raise NotAllowed(f"proposal {proposal.id} is locked: at the price of now, max_leverage 9 > 5")

    with monkeypatch.context() as refusing:
        refusing.setattr(type(engine.trading), "approve", refuse)
        keyed(app, "approve-").click().run()
    app.run()
    row = next(line for line in page_of(app).split("\n") if "tb-row" in line and "aria-current" in line)
    assert "refused, still open" in row
    assert "Your approval was refused at" in page_of(app)
    assert "max_leverage" in page_of(app)
    assert "Check the price of now, then approve again, or reject it." in page_of(app)
    assert keyed(app, f"refresh-{proposal.id}")
    keyed(app, "approve-").click().run()
    assert engine.trading.proposal(proposal.id).state == "filled"
    assert "was refused at" not in page_of(app)


def buttons(app: Any, key: str) -> list[Any]:
    """Those that begin with a key."""
    return [button for button in app.button if str(button.key).startswith(key)]


def rows_of(app: Any) -> list[str]:
    """The ids of the rows, in their order."""
    return [str(button.key).removeprefix("choose-") for button in buttons(app, "choose-")]


@pytest.mark.full
def test_after_an_answer_every_row_and_the_ticket_stay_and_the_next_one_is_asked_for(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.get_engine()
    filed_ones = queue_of(engine, 3)
    app.run()
    app.run()
    before = rows_of(app)
    assert sorted(before) == sorted(each.id for each in filed_ones)
    assert keyed(app, "approve-").key == f"approve-{engine.trading.proposal(before[0]).hash[:12]}"
    keyed(app, "approve-").click().run()
    assert engine.trading.proposal(before[0]).state == "filled"
    assert rows_of(app) == before
    assert not buttons(app, "approve-"), "nothing that signs stands where the answer was given"
    assert "Approved and filled." in page_of(app)
    engine.trading.reject(before[1], "op-2", "too late")  # somebody else's answer moves nothing either
    app.run()
    assert rows_of(app) == before
    app.button(key="next-proposal").click().run()
    app.run()
    assert keyed(app, "approve-").key == f"approve-{engine.trading.proposal(before[2]).hash[:12]}"
    app.button(key="tidy-queue").click().run()
    assert rows_of(app) == before[2:]


@pytest.mark.full
def test_what_signs_is_deaf_until_it_has_stood_for_a_moment(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(answering, "monotonic", lambda: now[0])
    app = start("approvals")
    monkeypatch.setattr(answering, "PAUSE_S", 0.7)
    engine = shared_engine.get_engine()
    first, second = queue_of(engine, 2)
    for _ in range(2):
        app.run()
    assert keyed(app, "approve-").disabled, "priced, and not there for long enough"
    now[0] += 0.8
    app.run()
    assert not keyed(app, "approve-").disabled
    other = second if keyed(app, "approve-").key.endswith(first.hash[:12]) else first
    app.button(key=f"choose-{other.id}").click().run()
    assert keyed(app, "approve-").key.endswith(other.hash[:12])
    assert keyed(app, "approve-").disabled, "another one has come under the hand"
    now[0] += 0.8
    app.run()
    assert not keyed(app, "approve-").disabled
    now[0] += 60.0  # the reader was elsewhere
    app.run()
    assert keyed(app, "approve-").disabled


@pytest.mark.full
def test_all_that_are_locked_are_rejected_at_once_and_no_other(start: Start) -> None:
    app = start("approvals")
    engine = shared_engine.get_engine()
    queue = queue_of(engine, 3)
    moved = queue[:2]
    for each in moved:
        engine.wait(engine.start(newer(engine, each)), 60)
    for _ in range(4):
        app.run()
    assert app.button(key="reject-locked").label == "Reject all locked (2)"
    app.button(key="reject-locked").click().run()
    assert {engine.trading.proposal(each.id).state for each in moved} == {"pending"}, "asked once more"
    app.button(key="reject-locked-yes").click().run()
    states = {each.id: engine.trading.proposal(each.id).state for each in queue}
    assert [states[each.id] for each in moved] == ["rejected", "rejected"]
    assert list(states.values()).count("rejected") == 2
    assert engine.trading.proposal(moved[0].id).why == "it was locked"


def newer(engine: Engine, proposal: Proposal) -> Any:
    """The request of the same market at a later instant: a newer run locks it."""
    asked = engine.record(proposal.basis.run_id).request
    return asked.model_copy(update={"at": asked.at + timedelta(hours=1), "propose": False}) if asked.at else asked
