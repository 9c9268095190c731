"""Change of mind: a decision beside the one before it, over a real client; and the limit of reversals."""

import json
import os
import random
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import BadInput
from tests.flows.answers import SOUND, cast, executor, near
from tests.flows.desk import END, SYMBOL, Desk
from tests.flows.equities.played import DAY, Words, engine_at, play
from tests.processes import Completed, run_engine
from tests.servers.llm import Body, user_of

if TYPE_CHECKING:
    from engine.domain.change_of_mind import ChangeOfMind

KEYS = {
    "run_id", "previous", "action_before", "action_now", "facts", "claims_fallen", "invalidations_fired", "reversal",
    "reversal_without_fact",
}  # fmt: skip
EARLIER = END - timedelta(hours=20)


def true_now(body: Body) -> str:
    """Two statements: one that holds at any time here, one that holds at this clock only."""
    (rsi,) = re.findall(r"^rsi_14 = ([\d.]+)$", user_of(body), re.MULTILINE)
    return f"RSI(14) is {rsi}. RSI(14) is above 1.\n\n{SOUND['indicator'].partition(chr(10) * 2)[2]}"


def decided(desk: Desk, action: str, at: datetime, **asked: Any) -> str:
    engine = asked.pop("engine", desk.engine)
    desk.server.answer = cast(executor=near(action) if action.startswith("ENTRY") else executor(action), indicator=true_now)
    request = engine.decisions.request(SYMBOL, **{"data_dir": str(desk.candles), "at": at, "propose": False, **asked})
    return str(engine.wait(engine.start(request), 60).run_id)


def shell(desk: Desk, *arguments: str) -> Completed:
    return run_engine(*arguments, environment={**os.environ, "TRIBUNAL_HOME": str(desk.home)})


def of(desk: Desk, run_id: str) -> "ChangeOfMind":
    return desk.engine.changes.of(run_id)


@pytest.mark.full
def test_another_language_is_no_change_of_prompts(desk: Desk) -> None:
    decided(desk, "WAIT", EARLIER - timedelta(hours=1))
    decided(desk, "WAIT", EARLIER, instructions={"judge": "Role: judge\nYou decide otherwise."})
    assert of(desk, decided(desk, "WAIT", END)).prompts_changed == ("judge",)
    assert of(desk, decided(desk, "WAIT", END, language="zh")).prompts_changed == ()


@pytest.mark.full
def test_a_reversal_with_what_moved_what_fell_and_what_the_person_did(desk: Desk) -> None:
    first = decided(desk, "ENTRY_LONG", EARLIER, propose=True)
    desk.trading.reject(f"p-{first}", "somebody", "not today")
    found = of(desk, decided(desk, "ENTRY_SHORT", END))
    assert found.model_dump().keys() >= KEYS
    assert (found.previous, found.previous_at, found.person) == (first, EARLIER, "rejected")
    assert (found.action_before, found.action_now) == ("signal_entry_long", "signal_entry_short")
    assert (found.reversal, found.reversal_without_fact) == (True, False)
    sheets = [desk.engine.decisions.chart(each).sheet for each in (first, found.run_id)]  # type: ignore[union-attr]
    close = next(each for each in found.facts if each.key == "close")
    assert (close.before, close.now) == tuple(sheet.number("close") for sheet in sheets)
    assert close.moved == pytest.approx((close.now - close.before) / sheets[1].number("atr_14"), abs=1e-4)
    said = {(each.role, each.key, each.text) for each in found.claims_fallen if each.role == "indicator"}
    assert {key for _, key, _ in said} == {"rsi_14"}
    assert not any("above 1" in text for _, _, text in said), "this still holds"
    assert found.claims_fallen[0].role in {"executor", "indicator"}
    shown, printed = shell(desk, "changes", found.run_id), shell(desk, "changes", found.run_id, "--json")
    assert json.loads(printed.stdout) == found.model_dump(mode="json")
    assert "signal_entry_long → signal_entry_short" in shown.stdout
    assert "its proposal: rejected" in shown.stdout


@pytest.mark.full
def test_conditions_of_the_entry_that_came_true_are_named(desk: Desk) -> None:
    """Of a walk back in time over the whole market, each condition that is broken at the end and was not at the entry."""
    last = decided(desk, "WAIT", END)
    fired = 0
    for hours in (6, 12, 24, 48, 96):
        before = decided(desk, "ENTRY_LONG", END - timedelta(hours=hours))
        found = of(desk, last)
        assert found.previous == before or hours > 6, "the nearest one is the one before"
        if found.previous != before:
            continue
        then, now = (desk.engine.decisions.chart(each).sheet for each in (before, last))  # type: ignore[union-attr]
        expected = set()
        if (level := then.number("support")) is not None and (now.number("close") or 0) < level:
            expected.add("close")
        for one, other in (("ema_20", "ema_50"), ("macd", "macd_signal")):
            was, is_now = ((sheet.number(one) or 0) - (sheet.number(other) or 0) for sheet in (then, now))
            expected |= {one} if was > 0 > is_now else set()
        assert {each.split()[0] for each in found.invalidations_fired} == expected
        fired += len(expected)
    assert not of(desk, last).reversal


@pytest.mark.full
def test_the_one_before_is_the_last_clock_before_whatever_came_first(desk: Desk) -> None:
    clocks = [END - timedelta(hours=hours) for hours in range(0, 40, 5)]
    random.Random(4).shuffle(clocks)
    made = {at: decided(desk, "WAIT", at) for at in clocks}
    for at, run_id in made.items():
        earlier = [each for each in clocks if each < at]
        found = of(desk, run_id)
        assert found.previous == (made[max(earlier)] if earlier else None)
        assert found.previous_at is None or found.previous_at < at
        assert found.first_of == (None if earlier else SYMBOL)


@pytest.mark.full
def test_what_is_no_decision_before(desk: Desk) -> None:
    """Another account, other candles, a second opinion, and a safe action for a fault."""
    decided(desk, "ENTRY_LONG", EARLIER, timeframe="1h", timeframe_htf=None)
    decided(desk, "ENTRY_LONG", EARLIER, feed="simulated", data_dir=None, seed=2)
    desk.decide("No form at all.", at=EARLIER, propose=False)
    last = decided(desk, "ENTRY_SHORT", END)
    assert (of(desk, last).previous, of(desk, last).first_of) == (None, None), "nothing to compare with, and not the first of the desk"
    first = decided(desk, "ENTRY_LONG", EARLIER)
    desk.engine.wait(desk.engine.fork(first, "executor"), 60)
    desk.engine.wait(desk.engine.replay(first), 60)
    assert of(desk, last).previous == first
    plan = desk.engine.start(desk.engine.research.request("What is RSI?", model="scripted"))
    for unknown in ("20200101-000000-abcdef", plan):
        with pytest.raises(BadInput):
            of(desk, unknown)


@pytest.mark.full
def test_a_reversal_on_the_same_facts_is_named_and_can_be_a_limit(desk: Desk) -> None:
    first = decided(desk, "ENTRY_LONG", END - timedelta(seconds=1))
    again = decided(desk, "ENTRY_SHORT", END - timedelta(milliseconds=1))
    found = of(desk, again)
    assert (found.previous, found.reversal, found.reversal_without_fact, found.facts) == (first, True, True, ())
    assert "a reversal without a moved fact" in shell(desk, "changes", again).stdout
    risk = {"min_facts_for_reversal": 1}
    same = desk.decide(near("ENTRY_SHORT"), at=END, risk=risk)
    assert (same["is_valid"], same["final_action"]) == (True, "signal_entry_short")
    assert not [each for each in same["limits"] if each["rule"] == "min_facts_for_reversal"], "the one before is short, too"
    turned = desk.decide(near("ENTRY_LONG"), at=END + timedelta(seconds=1), risk=risk)
    (check,) = [each for each in turned["limits"] if each["rule"] == "min_facts_for_reversal"]
    assert (check["measured"], check["bound"], check["passed"]) == (0.0, 1.0, False)
    assert (turned["is_valid"], turned["final_action"]) == (False, "signal_wait")
    assert desk.trading.proposal(f"p-{turned['run_id']}").state == "blocked"
    decided(desk, "ENTRY_LONG", END - timedelta(hours=40))
    moved = desk.decide(near("ENTRY_SHORT"), at=END - timedelta(hours=30), risk=risk)
    (check,) = [each for each in moved["limits"] if each["rule"] == "min_facts_for_reversal"]
    assert (check["passed"], check["measured"]) == (True, len(of(desk, moved["run_id"]).facts))
    assert moved["is_valid"]
    assert desk.trading.proposal(moved["proposal_id"]).basis.reversal_facts == check["measured"]


@pytest.mark.full
def test_the_equities_desk_changes_its_mind_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch)
    engine = engine_at(tmp_path / "home")
    try:
        first, _ = play(engine, propose=True)
        words.says |= {"risk_judge": SELL.format("Final decision"), "trader": SELL.format("Trade")}
        second, _ = play(engine, day=DAY + timedelta(days=7))
        found = engine.changes.of(str(second["run_id"]))
        assert (found.previous, found.action_before, found.action_now) == (first["run_id"], "buy", second["trader_action"])
        assert (engine.changes.of(str(first["run_id"])).first_of, found.first_of) == ("AAPL", None)
        assert found.person == "pending"
        assert {each.unit for each in found.facts} <= {"atr", "sd"}
        assert any(each.key == "close" for each in found.facts)
    finally:
        engine.close()


SELL = "Leave.\n\n[{}]\naction: SELL\nquantity: 5\nlimit_price: MARKET\nstop_price: NONE\ntarget_price: NONE\nconfidence: 70\n"
