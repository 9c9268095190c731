"""What decisions have come to: of an order, of a refusal, of what nobody filed; in the state, in the shell, and kept for ever."""

import json
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import Change
from engine.domain.clock import use_clock
from engine.domain.errors import BadInput
from engine.domain.outcome import DecisionOutcome, JournalFilter, PlanOutcome
from engine.outcomes import outcome_service
from tests.clocks import Clock
from tests.flows.answers import cast, executor, near, state_of
from tests.flows.desk import END, SYMBOL, Desk
from tests.processes import run_engine
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange import candles as made_candles
from tests.servers.llm import LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

EARLIER = END - timedelta(days=3)
SIMULATED_AT = "2026-11-01T08:00:00Z"
KEYS = {
    "run_id", "decided_at", "action", "followed", "pnl_pct", "r", "mfe_pct", "mae_pct", "bars", "exit_reason", "buy_and_hold_pct",
}  # fmt: skip
tight = near(target=0.03)  # stopped 1.5 % below, which this market reaches within three days


def come(desk: Desk, run_id: str) -> DecisionOutcome:
    assert desk.engine.outcomes.catch_up() == {}
    found = desk.engine.outcomes.of(run_id)
    assert found is not None
    return found


def test_an_order_a_refusal_and_an_unfiled_decision_of_the_same_plan_come_to_the_same(desk: Desk) -> None:
    ordered, refused = desk.propose(tight, at=EARLIER), desk.propose(tight, at=EARLIER)
    unfiled = desk.decide(tight, at=EARLIER, propose=False)
    assert desk.engine.record(unfiled["run_id"]).result["actual_outcome"] is None  # type: ignore[index]
    assert unfiled["expected_outcome"].startswith("after costs: stop -")
    desk.trading.reject(refused.id, "somebody", "not today")
    desk.trading.approve(ordered.id, "somebody")
    order, shadow, alone = (come(desk, each) for each in (ordered.basis.run_id, refused.basis.run_id, unfiled["run_id"]))
    assert (order.followed, shadow.followed, alone.followed) == ("order", "shadow", "shadow")
    assert order.decided_at == shadow.decided_at == EARLIER
    assert order.came.is_over
    assert order.came == shadow.came == alone.came, "the account stands at the decision and is played on beyond it"
    assert (shadow.is_final, order.is_final) == (True, False), "the account's own position is still open"
    actual = desk.engine.record(unfiled["run_id"]).result["actual_outcome"]  # type: ignore[index]
    assert set(actual) >= KEYS
    assert actual["duration_hours"] > 0
    desk.trading.close_position(ordered.basis.symbol, "somebody")
    closed = come(desk, ordered.basis.run_id)
    assert (closed.followed, closed.came.exit_reason, closed.came.bars, closed.is_final) == ("order", "exit", 0, True)
    assert (closed.machine, closed.is_edited) == (alone.came, False), "what the plan would have come to without the person's close"
    cases = desk.engine.outcomes.calibration()
    assert (cases.n, cases.base_rate, cases.enough) == (3, 0.0, False), "the machine's plan, stopped three times"
    groups = {each.answer: (each.machine_r, each.person_r) for each in desk.engine.outcomes.person_groups()}
    assert groups == {"handled": (alone.came.r, closed.came.r), "rejected": (alone.came.r, 0.0)}
    assert desk.engine.outcomes.summary().plans.r == pytest.approx(3 * (alone.came.r or 0.0))


@pytest.mark.full
def test_what_a_person_changed_is_beside_what_the_machine_wanted(desk: Desk) -> None:
    proposal = desk.propose(tight, at=EARLIER)
    desk.trading.edit(proposal.id, "somebody", Change(target=round(float(proposal.basis.price) * 1.04, 1)))
    desk.trading.approve(proposal.id, "somebody")
    found = come(desk, proposal.basis.run_id)
    assert found.machine is not None
    assert found.machine.is_over
    assert (found.of_machine, found.is_edited) == (found.machine, True)
    (line,) = desk.engine.outcomes.lines(JournalFilter(answer="filled")).lines
    assert (line.is_edited, line.known) == (True, found)


@pytest.mark.full
def test_what_a_waiting_proposal_would_come_to_is_told_nowhere(desk: Desk) -> None:
    waits = desk.propose(tight, at=EARLIER)
    found, outcomes = come(desk, waits.basis.run_id), desk.engine.outcomes
    assert (found.followed, found.came, found.is_final) == ("shadow", PlanOutcome(exit_reason="open"), False)
    for outcome in ("gain", "loss", "stop", "target"):
        assert outcomes.lines(JournalFilter(outcome=outcome)).total == 0
    (exported,) = json.loads(outcomes.export(JournalFilter(), "json"))
    assert (exported["answer"], exported["r"], exported["pnl_pct"]) == ("pending", None, None)
    desk.trading.reject(waits.id, "somebody", "not today")
    assert come(desk, waits.basis.run_id).came.is_over


@pytest.mark.full
def test_what_the_executors_own_limits_refuse_is_followed(desk: Desk) -> None:
    state = desk.decide(tight, at=EARLIER, risk={"min_risk_reward_ratio": 5})
    alone = desk.decide(tight, at=EARLIER, propose=False)
    assert (state["is_valid"], state["final_action"], state["proposal_id"]) == (False, "signal_wait", None)
    refused, plan = come(desk, state["run_id"]), come(desk, alone["run_id"])
    assert (refused.followed, refused.is_final, refused.is_entry, refused.came) == ("shadow", True, True, plan.came)
    (line,) = desk.engine.outcomes.lines(JournalFilter(answer="blocked")).lines
    assert (line.run_id, line.confidence) == (state["run_id"], None), "it has no confidence: it is no decision"
    (group,) = desk.engine.outcomes.person_groups()
    assert (group.answer, group.n, group.machine_r) == ("blocked", 1, plan.came.r)
    assert desk.engine.outcomes.calibration().n == 1
    desk.server.answer = cast(reflector="The stop was too close.")
    assert desk.engine.outcomes.learn() == {}
    assert [each.run_ids for each in desk.engine.outcomes.lessons()] == [(alone["run_id"],)]


@pytest.mark.full
def test_demos_prove_nothing_and_planted_lies_are_held_against_nobody(make_engine: "Callable[..., Engine]") -> None:
    engine = make_engine()

    def decide(**asked: Any) -> str:
        request = engine.decisions.request(SYMBOL, feed="simulated", seed=7, at=SIMULATED_AT, **asked)
        return str(engine.wait(engine.start(request), 60).run_id)

    demo = decide(broker="demo", propose=True)
    assert engine.outcomes.catch_up() == {}
    assert (engine.outcomes.all(), engine.outcomes.lines(JournalFilter(), None).total, engine.outcomes.honesty()) == ([], 0, [])
    assert engine.prompts.report().groups == ()
    with pytest.raises(BadInput, match="is a demo"):
        engine.outcomes.of(demo)
    lied = decide(lies=0.2)
    assert [line.run_id for line in engine.outcomes.lines(JournalFilter(), None).lines] == [lied]
    assert (engine.outcomes.honesty(), engine.prompts.report().groups) == ([], ())
    decide()
    assert {row.name for row in engine.outcomes.honesty("simulated")} >= {"executor", "scripted"}
    assert engine.outcomes.honesty("live") == []
    report = engine.prompts.report()
    assert [(group.n, group.language) for group in report.groups] == [(1, "en")]
    assert engine.prompts.report() is report, "it is worked out anew only when there are more decisions"


@pytest.mark.full
def test_waiting_is_listed_without_figures_and_a_final_outcome_stays(desk: Desk) -> None:
    waits = desk.decide(executor("WAIT"), at=EARLIER)
    left = desk.decide(tight, at=EARLIER, propose=False)
    none, shadow = come(desk, waits["run_id"]), come(desk, left["run_id"])
    row = none.row()
    assert set(row) == KEYS
    assert (row["followed"], row["action"]) == ("none", "signal_wait")
    assert {row[name] for name in KEYS - {"run_id", "decided_at", "action", "followed"}} == {None}
    store = desk.engine._container.journal.outcomes
    assert store.unfinished(10) == []
    changed = shadow.model_copy(update={"came": shadow.came.model_copy(update={"pnl_pct": 99.0})})
    assert not store.keep(changed, None, None)
    assert come(desk, left["run_id"]) == shadow
    with pytest.raises(BadInput, match="is not known"):
        desk.engine.outcomes.of("20990101-000000-000000")


@pytest.mark.full
@pytest.mark.parametrize("feed", ["recorded", "simulated", "live"])
def test_outcomes_come_on_their_own(
    feed: str, make_engine: "Callable[..., Engine]", candles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody asks: the engine that pages are served by looks at the market again once it has moved on."""
    monkeypatch.setattr(outcome_service, "_FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr(outcome_service, "EVERY_S", 0.05)
    clock = Clock(END + timedelta(minutes=5))
    with use_clock(clock), LoopbackExchange(clock) as venue, LLMServer(cast(executor=tight)) as server:
        engine = make_engine(
            openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback", exchange_url=venue.url, data_dir=candles
        )
        asked = {"at": EARLIER} if feed == "recorded" else {}
        state = state_of(engine, engine.start(engine.decisions.request(SYMBOL, feed=feed, **asked)))
        assert state["final_action"] == "signal_entry_long", state["errors"]
        engine.watch_over()
        if feed != "recorded":
            seen = waited(lambda: engine.outcomes.of(state["run_id"]))
            assert (seen.came.exit_reason, seen.is_final) == ("open", False), "nothing is known yet, which is not nothing"
            clock.move(timedelta(days=4))
        over = waited(lambda: found if (found := engine.outcomes.of(state["run_id"])) is not None and found.is_final else None)
        assert over.followed == "shadow"
        assert over.came.exit_reason in {"stop", "target"}
        if feed == "live":
            assert (over.came.exit_reason, over.came.bars) == first_touch(venue, state)


def first_touch(venue: LoopbackExchange, state: dict[str, Any]) -> tuple[str, int]:
    """Which level the venue's own candles touch first, and in which candle after the decision; the stop where one touches both."""
    begins = int((END + timedelta(minutes=15)).timestamp() * 1000)
    for place, (_, _, high, low, *_) in enumerate(made_candles("15m", begins, venue.now(), venue.now()), start=1):
        if float(low) <= state["stop_loss_price"]:
            return "stop", place
        if float(high) >= state["take_profit_price"]:
            return "target", place
    raise AssertionError("neither level is reached")


def waited(look: Callable[[], DecisionOutcome | None]) -> DecisionOutcome:
    """What becomes known within half a minute."""
    ends = time.monotonic() + 30
    while (found := look()) is None:
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.02)
    return found


@pytest.mark.full
def test_the_shell_lists_outcomes_and_calibration(desk: Desk, candles: Path) -> None:
    state = desk.decide(tight, at=EARLIER, propose=False)
    environment = {"TRIBUNAL_HOME": str(desk.home), "TRIBUNAL_DATA_DIR": str(candles)}
    listed = run_engine("outcomes", "--json", environment=environment)
    assert listed.returncode == 0, listed.stderr
    (row,) = json.loads(listed.stdout)
    assert set(row) == KEYS
    assert datetime.fromisoformat(row["decided_at"]) == EARLIER
    one = run_engine("outcomes", state["run_id"], "--json", environment=environment)
    assert json.loads(one.stdout) == [row]
    shown = json.loads(run_engine("show", state["run_id"], "--json", environment=environment).stdout)
    assert shown["result"]["actual_outcome"]["pnl_pct"] == row["pnl_pct"]
    measured: dict[str, Any] = json.loads(run_engine("calibration", "--json", environment=environment).stdout)
    assert (measured["enough"], measured["n"], len(measured["bins"])) == (False, 1, 1)
    assert run_engine("calibration", environment=environment).stdout.startswith("too few: 1 entries are over")
    unknown = run_engine("outcomes", "nothing", environment=environment)
    assert (unknown.returncode, unknown.stdout) == (2, "")
