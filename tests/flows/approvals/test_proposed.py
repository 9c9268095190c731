"""What a decision proposes: sized, costed, measured against its limits, on either path, and asked again."""

import copy
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from engine.api import Change, verify_bundle
from engine.domain.errors import NotAllowed
from engine.domain.proposal import context_hash
from tests.flows.answers import executor
from tests.flows.desk import END, Desk


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
        with pytest.raises(NotAllowed, match="has been blocked since"):
            answered()
    assert desk.trading.proposal(waiting.id).state == "pending"  # locked by the newer run, and can be refreshed
    assert desk.trading.shadow(card.id) is not None
    assert desk.fills() == []
    assert desk.trading.faults() == []


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE events SET data = replace(data, 'Buyers', 'Sellers') WHERE seq = {said}", "event {said} (node.tokens) was changed"),
        ("DELETE FROM events WHERE seq = {said}", "event {said} was deleted"),
        ("DELETE FROM events", "event 1 was deleted"),
        (
            "INSERT INTO events (run_id, seq, at, kind, data) SELECT run_id, {more}, at, 'run.stopped', '{{}}' FROM events WHERE seq = 1",
            "event {more} (run.stopped) was added",
        ),
        ("UPDATE proposals SET log = NULL", "its seal was changed"),
    ],
)
def test_what_the_signer_saw_is_sealed(desk: Desk, statement: str, named: str) -> None:
    proposal = desk.propose()
    assert desk.trading.faults() == []
    events = desk.engine.events(proposal.basis.run_id)
    said = next(event.seq for event in events if event.kind == "node.tokens" and "Buyers" in str(event.data.to_json()["text"]))
    places = {"said": said, "last": len(events), "more": len(events) + 1}
    with closing(sqlite3.connect(desk.home / "tribunal.db")) as journal:
        assert journal.execute(statement.format(**places)).rowcount > 0
        journal.commit()
    (fault,) = desk.trading.faults()
    assert fault.startswith(f"proposal {proposal.id}: the log of run {proposal.basis.run_id}: {named.format(**places)}")


STAMPS = ("analysis_timestamp", "debate_timestamp", "grounding_timestamp", "executor_timestamp")


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of everything in a state that is no object and no list."""
    if isinstance(value, dict | list) and value:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, key))
    else:
        yield path


@pytest.mark.full
def test_the_context_is_what_was_decided_with_and_not_when(desk: Desk) -> None:
    state = desk.decide()
    written = desk.trading.proposal(state["proposal_id"]).basis.context_hash
    assert context_hash(state) == written
    for path in leaves(state):
        changed = copy.deepcopy(state)
        inner: Any = changed
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = "something else"
        when = str(path[-1]).endswith("_ms") or path[0] in {"created_at", "completed_at", *STAMPS}
        unmoved = when or path[0] in {"proposal_id", "warnings", "did_it_matter", "stability", "execution_record", "reasons"}
        assert (context_hash(changed) == written) == unmoved, path


def test_automatic_approval_is_for_paper(desk: Desk) -> None:
    bold = desk.another(approval="automatic")
    state = desk.decide(engine=bold)
    assert desk.trading.proposal(state["proposal_id"]).state == "filled"
    assert desk.trading.proposal(state["proposal_id"]).signatures[0].who == "automatic"
    (filed,) = [event.data for event in bold.events(state["run_id"]) if event.kind == "proposal.filed"]
    assert filed.to_json()["state"] == "approved", "nobody is told that it waits"
    record = state["execution_record"]
    assert (record["status"], record["side"], record["signed_by"]) == ("filled", "buy", ["automatic"])
    assert bold.run(state["run_id"]).result["execution_record"] == record  # type: ignore[union-attr,index]
    assert verify_bundle(bold.bundle(state["run_id"])) == []
    assert desk.trading.faults() == [], "the state that was signed is the one in the journal"


@pytest.mark.full
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


@pytest.mark.full
def test_a_plan_that_does_not_pay_for_its_costs_is_refused(desk: Desk) -> None:
    state = desk.decide(executor(stop=99.65, target=100.55))  # 1.57 before costs
    assert (state["is_valid"], state["final_action"]) == (False, "signal_wait")
    assert "risk/reward ratio after costs" in state["errors"][0]
    filed = desk.trading.proposals()[0]
    assert filed.state == "blocked"
    assert [check.rule for check in filed.limits if not check.passed] == ["min_risk_reward_after_costs"]
