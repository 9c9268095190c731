"""The decision's guided demo shows what it promises: false numbers change the decision, the plan pays, time takes it to its target. Every
demo of a home is like the first, and nothing of it counts with another account."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from engine.api import Engine, PracticeAccount
from engine.domain.account_ref import MOST_PRACTICE
from engine.domain.errors import NotAllowed
from engine.domain.proposal import Proposal
from engine.domain.run import DecideRequest, RunRecord
from engine.domain.text.language import Language
from engine.settings import Settings
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.guided_demo import CANDLE_S, CANDLES, GUIDE
from pages.frame.show import Show
from pages.run.guide import GuideClock, Scene

MARGIN = 0.2
"""How far every measured limit stays from its bound, as a share of it."""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = Engine(Settings(_env_file=None, home=tmp_path, pace=0))  # type: ignore[call-arg]
    yield made
    made.close()


def decided(engine: Engine, language: Language) -> tuple[RunRecord, Proposal]:
    """A demo that has come to its signature."""
    return waits(engine, GUIDE.start(engine, language, "op")[0])


def waits(engine: Engine, run_id: str) -> tuple[RunRecord, Proposal]:
    """The run and its proposal, once it has ended."""
    record = engine.wait(run_id, 60)
    proposal = engine.trading.proposal_of(record.run_id)
    assert proposal is not None, record.result
    return record, proposal


def on_paper(engine: Engine) -> tuple[DecideRequest, Proposal]:
    """A proposal of the usual paper account."""
    asked = engine.decisions.request("BTC/USDT:USDT", feed="simulated", at="2026-05-16T12:00Z", lies=0.2, seed=20, propose=True)
    proposal = engine.trading.proposal_of(engine.wait(engine.start(asked), 60).run_id)
    assert proposal is not None
    return asked, proposal


def scene_of(engine: Engine, record: RunRecord, now: datetime, language: Language = "en") -> Scene:
    """What the page would be drawn from at an instant."""
    view = DECISION.reduce(engine.events(record.run_id))
    bare = Scene(engine, engine.run(record.run_id) or record, view, Show(language=language), GuideClock(), now)
    return replace(bare, carried=GUIDE.carried(bare))


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.full)])
def test_the_lies_change_the_decision_the_plan_pays_no_limit_is_close_and_time_reaches_the_target(
    engine: Engine, language: Language
) -> None:
    record, proposal = decided(engine, language)
    assert proposal.is_waiting
    matter = (engine.decisions.without_corrections(record.run_id).result or {})["did_it_matter"]
    actions = {matter["corrected"]["action"], matter["uncorrected"]["action"]}
    assert actions == {"signal_entry_long", "signal_entry_short"}, "without checking it goes the other way"
    assert matter["corrected"]["is_valid"]
    assert matter["uncorrected"]["is_valid"]
    assert proposal.figures.reward_risk_net is not None
    assert proposal.figures.reward_risk_net >= 2
    measured = [check for check in proposal.limits if check.measured is not None and check.bound]
    assert {"min_confidence", "max_position_pct", "max_leverage", "min_risk_reward_after_costs"} <= {check.rule for check in measured}
    assert [check for check in measured if abs(check.measured / check.bound - 1) < MARGIN] == []  # type: ignore[operator]
    proposal = engine.trading.approve(proposal.id, "op")
    scene = scene_of(engine, record, proposal.changed_at + timedelta(seconds=CANDLES * CANDLE_S), language)
    assert scene.carried.ended == "target"
    assert 20 <= scene.carried.candles < CANDLES, "long enough to be watched"
    assert scene.carried.in_r > 2


@pytest.mark.full
def test_the_second_demo_of_a_home_is_like_the_first_and_touches_no_other_account(engine: Engine) -> None:
    engine.trading.approve(on_paper(engine)[1].id, "op")
    before = [(each.account, each.position) for each in engine.trading.positions()]
    found, own = list[Any](), None
    for _ in range(2):
        run_id, own = GUIDE.start(engine, "en", "op", own)
        record, proposal = waits(engine, run_id)
        sold = engine.trading.approve(proposal.id, "op")
        scene = scene_of(engine, record, sold.changed_at + timedelta(seconds=CANDLES * CANDLE_S))
        figures, plan = proposal.figures.model_dump(), proposal.plan.model_dump()
        found.append((record.result["snapshot_hash"] if record.result else None, plan, figures, scene.carried))
        (closed,) = [each for each in engine.trading.closed_positions() if each.record.account.startswith("demo:")]
        assert closed.record.opened_by in sold.order_ids
    assert found[0] == found[1]
    run_id, own = GUIDE.start(engine, "en", "op", own)
    left = waits(engine, run_id)[1]
    GUIDE.start(engine, "en", "op", own)
    assert engine.trading.proposal(left.id).state == "superseded", "what an earlier demo left waits for nobody"
    assert [(each.account, each.position) for each in engine.trading.positions()] == before
    assert engine.trading.faults() == []


@pytest.mark.full
def test_a_second_visitor_leaves_the_first_one_what_they_hold(engine: Engine) -> None:
    """There are no more accounts than visitors at once, and never more than there may be."""
    record, proposal = decided(engine, "en")
    held = engine.trading.approve(proposal.id, "first")
    asked = GUIDE.request(engine, "en")
    (_, other), before = decided(engine, "en"), proposal
    assert (other.plan, other.figures) == (before.plan, before.figures), "every account is shown the same demo"
    begun = [engine.trading.begin_practice(asked, f"visitor {number}")[1] for number in range(2, MOST_PRACTICE)]
    assert [each.number for each in begun if each is not None] == list(range(2, MOST_PRACTICE))
    assert scene_of(engine, record, held.changed_at + timedelta(seconds=CANDLES * CANDLE_S)).carried.ended == "target"
    again, taken = (engine.trading.begin_practice(asked, "again", begun[3])[1], engine.trading.begin_practice(asked, "one more")[1])
    assert again is not None
    assert taken is not None
    assert (again.number, taken.number) == (5, 0), "a visitor's own is taken again; else that which was begun longest ago"
    assert scene_of(engine, record, held.changed_at).carried is None, "its market goes no further for the run of before"
    assert engine.trading.begin_practice(asked, "first", begun[0])[1] == PracticeAccount(2, ANY), "what nobody has taken is still one's own"
    assert len({each.record.account for each in engine.trading.closed_positions()}) <= MOST_PRACTICE


def test_no_other_account_can_be_emptied_or_taken_further(engine: Engine) -> None:
    mine, proposal = on_paper(engine)
    with pytest.raises(NotAllowed):
        engine.trading.begin_practice(mine, "op")
    with pytest.raises(NotAllowed):
        engine.trading.take_further(proposal, proposal.basis.snapshot_at + timedelta(hours=1))
