"""From a decision to a position: what is proposed, who may answer, and that of many answers one wins and one order is made."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.api import Change
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from engine.domain.proposal import Proposal
from tests.flows.answers import executor, write_candles
from tests.flows.desk import END, SYMBOL, Desk


def test_an_entry_is_sized_costed_and_measured(desk: Desk) -> None:
    proposal = desk.propose()
    plan, figures = proposal.plan, proposal.figures
    assert proposal.state == "pending"
    assert (plan.side, plan.leverage, float(plan.stop or 0), float(plan.target or 0)) == ("buy", 3, 98.0, 106.0)
    # 1 % of 10,000 lost at a stop 2 % away is 5,000: half of equity at 3x is 16.7 % of margin, below every cap
    assert float(plan.amount) == pytest.approx(50.0, abs=0.1)
    assert float(figures.notional) == pytest.approx(5_000, rel=0.002)
    costs = float(figures.fees + figures.slippage)
    assert costs == pytest.approx(5_000 * (2 * 0.0005 + 2 * 0.0002), rel=0.002)
    assert float(figures.loss_at_stop or 0) == pytest.approx(100 + costs, rel=0.002)
    assert float(figures.gain_at_target or 0) == pytest.approx(300 - costs, rel=0.002)
    assert float(figures.liquidation or 0) == pytest.approx(100 * (1 - 1 / 3) / (1 - 0.005), rel=0.001)
    assert all(check.passed for check in proposal.limits)
    assert [check.rule for check in proposal.limits][:2] == ["kill_switch", "max_price_gap_pct"]


@pytest.mark.parametrize("answer", [executor("WAIT", leverage=0), executor(stop=101), "nothing"])
def test_what_has_no_order_in_it_is_not_proposed(desk: Desk, answer: str) -> None:
    assert desk.decide(answer)["proposal_id"] is None
    assert desk.trading.proposals() == []


@pytest.mark.parametrize(
    ("answer", "risk", "rule"),
    [
        (executor(confidence=20), {}, "min_confidence"),
        (executor(leverage=20), {"max_leverage": 5.0}, "max_leverage"),
        (executor(), {"min_risk_reward_ratio": 9.0}, "min_risk_reward_ratio"),
        (executor(), {"allowed_symbols": ["ETH/USDT:USDT"]}, "allowed_symbols"),
    ],
)
def test_what_the_limits_refuse_is_shown_and_cannot_be_ordered(desk: Desk, answer: str, risk: dict[str, Any], rule: str) -> None:
    waiting = desk.propose(at=END - timedelta(hours=1))
    state = desk.decide(answer, risk=risk)
    assert (state["is_valid"], state["final_action"], state["proposal_id"]) == (False, "signal_wait", None)
    assert (state["final_leverage"], state["stop_loss_price"]) == (None, None)
    card = next(each for each in desk.trading.proposals() if each.basis.run_id == state["run_id"])
    assert (card.state, card.plan.side, float(card.plan.stop or 0)) == ("blocked", "buy", 98.0)
    assert [check.rule for check in card.limits if not check.passed] == [rule]
    assert card.why in " ".join(state["errors"])
    for answered in (
        lambda: desk.trading.approve(card.id, "somebody"),
        lambda: desk.trading.edit(card.id, "somebody", Change(leverage=1)),
        lambda: desk.trading.reject(card.id, "somebody", "no"),
    ):
        with pytest.raises(NotAllowed, match="is blocked"):
            answered()
    assert desk.trading.proposal(waiting.id).state == "pending"  # locked by the newer run, and can be refreshed
    assert desk.trading.shadow(card.id) is not None
    assert desk.fills() == []
    assert desk.trading.faults() == []


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
    assert all("is " in outcome for outcome in outcomes if outcome not in {"filled", "rejected"})
    assert desk.trading.faults() == []


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


@pytest.mark.parametrize(
    "change", [Change(size=-1), Change(size=float("nan")), Change(stop=float("inf")), Change(leverage=500), Change(size=1e-9)]
)
def test_an_edit_that_makes_no_plan_is_bad_input(desk: Desk, change: Change) -> None:
    with pytest.raises(BadInput):
        desk.trading.edit(desk.propose().id, "somebody", change)


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


def test_nobody_answers_in_time(desk: Desk) -> None:
    hasty = desk.another(proposal_minutes=0.0001)
    proposal_id = desk.decide(engine=hasty)["proposal_id"]
    with pytest.raises(NotAllowed, match="expired"):
        desk.trading.approve(proposal_id, "somebody")
    assert desk.trading.proposal(proposal_id).state == "expired"


def test_a_newer_proposal_takes_the_place_of_the_older(desk: Desk) -> None:
    older = desk.propose(at=END - timedelta(hours=1))
    newer = desk.propose()
    assert desk.trading.proposal(older.id).state == "superseded"
    with pytest.raises(NotAllowed, match=newer.id):
        desk.trading.approve(older.id, "somebody")


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


def test_automatic_approval_is_for_paper(desk: Desk) -> None:
    bold = desk.another(approval="automatic")
    state = desk.decide(engine=bold)
    assert desk.trading.proposal(state["proposal_id"]).state == "filled"
    assert desk.trading.proposal(state["proposal_id"]).signatures[0].who == "automatic"


def test_with_a_position_open_a_run_takes_the_position_path_by_itself(desk: Desk) -> None:
    desk.trading.approve(desk.propose(at=END - timedelta(hours=3)).id, "somebody")
    state = desk.decide(executor("PARTIAL_EXIT", adjustment=-50, stop="N/A", target="N/A"))
    assert (state["execution_path"], state["position_side"]) == ("position", "long")
    asked = [request.body for request in desk.server.requests if "what would break that" in str(request.body)]
    assert len(asked) == 4  # bull, bear, judge and executor of the position path
    reduce = desk.trading.proposal(state["proposal_id"])
    held = desk.trading.positions()[0].position.size
    assert (reduce.plan.side, reduce.plan.reduce_only) == ("sell", True)
    assert float(reduce.plan.amount) == pytest.approx(float(held) / 2, rel=0.01)
    desk.trading.approve(reduce.id, "somebody")
    assert desk.trading.positions()[0].position.size == held - reduce.plan.amount
    leave = desk.propose(executor("EXIT", stop="N/A", target="N/A"))
    desk.trading.approve(leave.id, "somebody")
    assert desk.trading.positions() == []
    assert desk.trading.faults() == []


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


def test_an_account_is_not_asked_about_what_is_past(desk: Desk) -> None:
    desk.trading.approve(desk.propose().id, "somebody")
    with pytest.raises(TribunalError, match="is past"):
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


@pytest.mark.parametrize("proposal_id", ["../../etc/passwd", "' OR 1=1 --", "p-20260101-000000-abcdef", "", "p" * 5000, "\x00"])
def test_ids_that_are_none_are_refused(desk: Desk, proposal_id: str) -> None:
    desk.propose()
    for act in (desk.trading.approve, lambda each, who: desk.trading.reject(each, who, "no")):
        with pytest.raises(NotAllowed, match="not known"):
            act(proposal_id, "somebody")
    assert desk.trading.faults() == []


def test_a_refresh_takes_a_new_snapshot_and_asks_the_executor_only(desk: Desk, tmp_path: Any) -> None:
    folder = write_candles(tmp_path / "market")
    file = folder / "binance_perp_BTCUSDT_15m.csv"
    whole = file.read_text()
    file.write_text("\n".join(whole.splitlines()[:-12]) + "\n")
    old = desk.propose(data_dir=str(folder))
    file.write_text(whole)
    before = len(desk.server.requests)
    run_id = desk.engine.fork(old.basis.run_id, "executor", fresh=True)
    state = desk.engine.wait(run_id, 60).result
    assert state is not None
    assert len(desk.server.requests) == before + 1
    fresh = desk.trading.proposal(state["proposal_id"])
    assert fresh.basis.snapshot_at - old.basis.snapshot_at == timedelta(hours=3)
    assert state["bull_argument"]["text"] == "Buyers are in charge.\n\n[Vote]\nconfidence: 72\n"
    assert desk.trading.proposal(old.id).state == "superseded"
    assert desk.trading.approve(fresh.id, "somebody").state == "filled"


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


def test_a_run_that_is_not_proposed_leaves_the_account_where_it_is(desk: Desk) -> None:
    desk.trading.approve(desk.propose(at=END - timedelta(hours=6)).id, "somebody")
    leave = desk.propose(executor("EXIT", stop="N/A", target="N/A"), at=END - timedelta(hours=5))
    before = desk.fills()
    looked = desk.decide(executor("HOLD", stop="N/A", target="N/A"), at=END, propose=False)
    assert looked["execution_path"] == "position"
    assert desk.fills() == before
    early = desk.decide(at=END - timedelta(hours=20), propose=False)
    assert early["execution_path"] == "entry"
    assert "is past" in " ".join(early["warnings"])
    assert desk.trading.approve(leave.id, "somebody").state == "filled"


def test_what_is_forgotten_on_purpose_is_not_missed(desk: Desk) -> None:
    desk.trading.approve(desk.propose().id, "somebody")
    assert desk.engine.prune(0) == 1
    assert desk.trading.faults() == []


def test_what_a_run_decided_is_vouched_for(desk: Desk) -> None:
    proposal = desk.propose()
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as connection:
        connection.execute("UPDATE runs SET result = replace(result, 'Buyers are in charge', 'Sellers are in charge')")
        connection.commit()
    assert proposal.basis.run_id in desk.trading.faults()[0]


def test_the_first_order_opens_the_account_it_was_sized_for(desk: Desk) -> None:
    proposal = desk.propose(risk={"equity": 20_000.0})
    assert float(proposal.plan.amount) == pytest.approx(100.0, abs=0.2)
    desk.trading.approve(proposal.id, "somebody")
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as connection:
        (cash,) = connection.execute("SELECT json_extract(body, '$.cash') FROM paper_ledger WHERE seq = 1").fetchone()
    assert float(cash) == 20_000.0


@pytest.mark.parametrize("target", ["99999999999999999999999999", "1e300", "1e25"])
def test_a_number_that_no_market_knows_is_no_decision(desk: Desk, target: str) -> None:
    state = desk.decide(executor(target=target))
    assert (state["is_valid"], state["final_action"], state["proposal_id"]) == (False, "signal_wait", None)
    with pytest.raises(BadInput):
        desk.trading.edit(desk.propose().id, "somebody", Change(size=1e300))


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
    exit_costs = made.fees - report.fee + made.slippage
    assert made.loss_at_stop == pytest.approx(report.filled * (report.price - after.plan.stop) + report.fee + exit_costs)
    assert after.figures.loss_at_stop is not None
    assert made.loss_at_stop != after.figures.loss_at_stop


def test_a_preview_in_a_world_that_was_seen_asks_nobody_and_says_what_is_judged_at_the_decision(desk: Desk) -> None:
    proposal = desk.propose(executor(target=103.02))  # 1.51 at 100
    seen = desk.trading.preview(proposal.id, Change())
    assert seen.as_decided == frozenset()
    drifted = replace(seen, now=replace(seen.now, price=seen.now.price + 0.02))
    tried = desk.trading.preview(proposal.id, Change(), drifted)
    assert tried.now == drifted.now
    assert tried.figures.price == Decimal(str(drifted.now.price))
    assert tried.as_decided == frozenset({"min_risk_reward_ratio"})
    judged = next(check for check in tried.limits if check.rule == "min_risk_reward_ratio")
    assert judged.measured != tried.figures.reward_risk
    assert judged.passed
