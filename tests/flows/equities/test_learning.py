"""What earlier buys are to a later decision of the desk: shown or told, never from after its moment, frozen with its inputs."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.prompts.tokens import count_tokens
from pages.desks.equities.account import trader_panel
from pages.desks.equities.equity_view import EQUITIES
from pages.frame.show import Show
from tests.flows.answers import state_of
from tests.flows.equities.played import DECISION, PLAN, TRADE, Words, play, told
from tests.flows.past import Past, plant

if TYPE_CHECKING:
    from engine.api import Engine

HOUR = timedelta(hours=1)
LESSON = "rsi_14 was said to be 71.3 and was 41.9"
Buy = partial(Past, flow="fusion", subject="MSFT", timeframe="1d", action="buy", feed="simulated")
HEAR = {"bull_researcher", "bear_researcher", "research_manager", "risky", "safe", "neutral", "risk_judge"}


def plant_in(engine: "Engine", *past: Past) -> None:
    plant(engine._container.settings.home / "tribunal.db", *past)


def market_of(engine: "Engine", run_id: str) -> tuple[datetime, Mapping[str, float]]:
    """The moment of a run, and what its market is found by."""
    from engine.desks.equities.sheet import build_desk_sheet
    from engine.facts.likeness import features_of

    inputs = engine.equities.inputs(run_id)
    assert inputs is not None
    return inputs.snapshot.moment.known_at, features_of(build_desk_sheet(inputs.snapshot, inputs.account, 0.0))


def found(state: Mapping[str, Any]) -> list[str]:
    return [each["run_id"] for each in state["historical_similar_decisions"] or ()]


@pytest.mark.full
def test_what_is_from_after_the_moment_is_never_found(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch)
    off, _ = play(engine, similar="off")
    clock, market = market_of(engine, off["run_id"])
    assert (off["historical_similar_decisions"], off["trader_action"], len(market) >= 6) == (None, "buy", True)
    with closing(sqlite3.connect(engine._container.settings.home / "tribunal.db")) as database:
        (kept,) = database.execute("SELECT features FROM outcomes WHERE run_id = ?", (off["run_id"],)).fetchone()
    assert json.loads(kept) == market, "later decisions find it by that"
    plant_in(
        engine,
        Buy("r-near", clock - 900 * HOUR, clock - 100 * HOUR, features=market, lesson=LESSON),
        Buy("r-taught-late", clock - 800 * HOUR, clock - HOUR, features=market, lesson="POISON", lesson_at=clock + HOUR),
        Buy("r-other-market", clock - 800 * HOUR, clock - HOUR, features={key: value + 50 for key, value in market.items()}),
        Past("r-other-desk", clock - 800 * HOUR, clock - HOUR, features=market, timeframe="1d", feed="simulated"),
        Buy("r-recorded", clock - 800 * HOUR, clock - HOUR, features=market, feed="recorded"),
    )
    state, events = play(engine)
    assert found(state) == ["r-taught-late", "r-near"], "the newest first of equally near ones"
    late, near = state["historical_similar_decisions"]
    assert (late["lesson"], near["lesson"], near["distance"], near["r"], near["symbol"]) == (None, LESSON, 0.0, 9.0, "MSFT")
    assert told(events, "run.started")[0]["similar"] == state["historical_similar_decisions"]
    plant_in(
        engine,
        Buy("p-ended-late", clock - 200 * HOUR, clock + HOUR, features=market, lesson="POISON"),
        Buy("p-decided-late", clock + HOUR, clock + 2 * HOUR, features=market, lesson="POISON"),
        Buy("p-same-instant", clock, clock, features=market, lesson="POISON"),
        Buy("p-machine-late", clock - 200 * HOUR, clock - HOUR, clock + HOUR, features=market, lesson="POISON"),
    )
    again, _ = play(engine)
    assert (again["inputs_hash"], found(again)) == (state["inputs_hash"], found(state))
    assert found(play(engine, "000300.SH", similar="prompts")[0]) == [], "nobody orders an index"


@pytest.mark.full
def test_both_debates_are_told_only_where_that_is_asked_for_and_cite_it_without_a_claim_about_now(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch
) -> None:
    cites = f"RSI(14) was 71.3 in that one [1]. RSI(14) is 99 now. The price is 121.74. {PLAN}"
    Words(monkeypatch)
    clock, market = market_of(engine, play(engine, similar="off")[0]["run_id"])
    many = [Buy(f"r-{n}", clock - (900 + n) * HOUR, clock - HOUR, features=market, lesson="证据不足。" * 80) for n in (1, 2, 3)]
    plant_in(engine, Buy("r-0", clock - 700 * HOUR, clock - HOUR, features=market, lesson=LESSON), *many)
    shown = Words(monkeypatch, research_manager=cites)
    state, _ = play(engine)
    assert all("Earlier decisions" not in call.user for call in shown.calls)
    words = Words(monkeypatch, research_manager=cites)
    asked, events = play(engine, similar="prompts")
    heard = {call.role: call.user for call in words.calls if "=== Earlier decisions" in call.user}
    assert set(heard) == HEAR
    block = heard["risk_judge"][heard["risk_judge"].index("=== Earlier decisions") :].partition("</said>")[0]
    assert f"[1] {(clock - 700 * HOUR):%Y-%m-%d} MSFT: bought, reached its target, +9.00 % (+9.00 R) after costs. {LESSON}" in block
    assert 0 < count_tokens(block) < 400 + 60, "bounded, whatever lessons say"
    assert asked["inputs_hash"] == state["inputs_hash"]
    (ruled,) = [each for each in told(events, "node.finished") if each["node"] == "research_manager"]
    assert [claim["claimed"] for claim in ruled["claims"]] == [99.0, 121.74], "a cited figure of another day is none of now"
    bundle = json.loads(json.dumps(engine.bundle(asked["run_id"])))
    assert verify_bundle(bundle) == []
    again = state_of(engine, engine.replay(asked["run_id"]))
    assert again["historical_similar_decisions"] == asked["historical_similar_decisions"]


@pytest.mark.full
def test_a_proposal_for_shares_is_sized_by_what_earlier_buys_came_to(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    """100 of 10,000 may be lost at a stop that is reckoned 5 % below 121.74: 16 shares. 12 of 30 gained, 70 was stated: 9 of 16.4."""
    Words(monkeypatch, risk_judge=DECISION.replace(": 5", ": 900"), trader=TRADE.replace(": 5", ": 900"))
    clock, _ = market_of(engine, play(engine)[0]["run_id"])

    def sized(**risk: bool) -> tuple[float, float | None, float | None, str]:
        state, events = play(engine, propose=True, risk=risk)
        proposal = engine.trading.proposal(state["proposal_id"])
        assert verify_bundle(json.loads(json.dumps(engine.bundle(state["run_id"])))) == []
        page = str(trader_panel(EQUITIES.reduce(events), Show(language="en")))
        return float(proposal.plan.amount), proposal.basis.calibrated_confidence, state["calibrated_confidence"], page

    over = partial(Buy, confidence=72.0, model="scripted", ended=clock - HOUR)
    plant_in(engine, *(over(f"c-{n}", clock - (50 + n) * HOUR, pnl=1.0 if n < 12 else -1.0) for n in range(30)))
    (full, *off, plain), (amount, filed, stated, page) = sized(), sized(calibrated_sizing=True)
    assert (full, off, "sized by" in plain) == (16.0, [None, None], False)
    assert (amount, filed, stated) == (9.0, pytest.approx(40.0), pytest.approx(40.0))
    assert "sized by 40" in page
    assert "sized down from 16 to 9 shares: 40 of 100" in page


@pytest.mark.full
def test_what_is_bought_on_top_is_no_entry_whether_it_was_ordered_or_not(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch)
    states = []
    for _ in range(2):
        states.append(play(engine, propose=True)[0])
        engine.trading.approve(states[-1]["proposal_id"], "somebody")
    states += [play(engine, propose=filed)[0] for filed in (True, False)]
    engine.trading.reject(states[2]["proposal_id"], "somebody", "enough")
    assert engine.outcomes.catch_up() == {}
    found = {each.run_id: each for each in engine.outcomes.all()}
    outcomes = [found[state["run_id"]] for state in states]
    assert [each.followed for each in outcomes] == ["order", "order", "shadow", "shadow"]
    assert [each.is_entry for each in outcomes] == [True, False, False, False]
