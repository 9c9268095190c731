"""Who is asked how often: model calls without tools, depth, reuse, openings, and the turns that events carry."""

import json
import re
from datetime import date
from typing import TYPE_CHECKING

import pytest

from engine.api import verify_bundle
from tests.flows.equities.played import Words, play, told

if TYPE_CHECKING:
    from engine.api import Engine

STOCK = {"market", "news", "sentiment", "fundamentals"}

_ROLE = re.compile(r"^Role: .+$", re.MULTILINE)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_depth_sets_the_number_of_calls_and_nothing_else_does(engine: "Engine", monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    words = Words(monkeypatch)
    state, events = play(engine, depth=depth)
    assert len(words.calls) == 4 + 2 * depth + 1 + 3 * depth + 1 + 1
    assert state["metrics"]["llm_calls_count"] == len(words.calls)
    assert state["is_valid"]
    assert state["trader_action"] == "buy"
    turns = [data["turn"] for data in told(events, "node.finished") if data["node"] in {"bull_researcher", "bear_researcher"}]
    assert turns == list(range(1, 2 * depth + 1))
    risk = [
        (data["node"], data["turn"]) for data in told(events, "node.finished") if data["node"] in {"risky", "safe", "neutral", "risk_judge"}
    ]
    assert [turn for _, turn in risk] == list(range(1, 3 * depth + 2))
    assert [node for node, _ in risk[:3]] == ["risky", "safe", "neutral"]
    assert all("turn" in data for data in told(events, "node.tokens") if data["node"] == "bull_researcher")


@pytest.mark.full
def test_a_report_that_is_there_is_reused_and_costs_nothing(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch)
    first, _ = play(engine)
    words.calls.clear()
    second, events = play(engine)
    assert len(words.calls) == 2 + 1 + 3 + 1 + 1
    assert STOCK.isdisjoint(words.asked())
    assert {record["status"] for record in second["analysts"].values()} == {"reused"}
    assert [record["report"] for record in second["analysts"].values()] == [record["report"] for record in first["analysts"].values()]
    assert second["market_analyst_summary"] == first["market_analyst_summary"]
    assert not [data for data in told(events, "memory.written") if data["name"].endswith(".report")]
    other, _ = play(engine, session="pre_open")
    assert {record["status"] for record in other["analysts"].values()} == {"done"}, "another session is another report"


@pytest.mark.full
@pytest.mark.parametrize(
    ("node", "asked"),
    [
        ("bear_researcher", ["bear_researcher", "bull_researcher", "bear_researcher"]),
        ("safe", ["safe", "neutral", "risky", "safe", "neutral"]),
    ],
)
def test_a_fork_keeps_only_what_was_said_before(engine: "Engine", monkeypatch: pytest.MonkeyPatch, node: str, asked: list[str]) -> None:
    """The first speaker's second speech answers what is said anew."""
    words = Words(monkeypatch)
    state, _ = play(engine, depth=2)
    words.calls.clear()
    forked = engine.wait(engine.fork(str(state["run_id"]), node), 60).result
    assert words.asked()[: len(asked)] == asked
    assert forked is not None
    assert forked["metrics"]["llm_calls_count"] == state["metrics"]["llm_calls_count"]
    assert forked["is_valid"]


@pytest.mark.full
def test_a_report_with_lies_is_not_reused_by_an_honest_run(engine: "Engine") -> None:
    lying, _ = play(engine, lies=1.0)
    honest, _ = play(engine)
    assert lying["false_claims"] > 0
    assert honest["false_claims"] == 0
    assert {record["status"] for record in honest["analysts"].values()} == {"done"}


@pytest.mark.full
def test_opened_together_neither_hears_the_other_in_the_first_round(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, bull_researcher="It will rise.", bear_researcher="It will fall.")
    _, events = play(engine, depth=2, openings="together")
    bear = [call for call in words.calls if call.role == "bear_researcher"]
    assert len(bear) == 2
    assert "It will rise." not in bear[0].user
    assert "It will rise." in bear[1].user
    turns = {(data["node"], data["turn"]) for data in told(events, "node.finished") if data["node"].endswith("_researcher")}
    assert turns == {("bull_researcher", 1), ("bear_researcher", 2), ("bull_researcher", 3), ("bear_researcher", 4)}
    manager = next(call for call in words.calls if call.role == "research_manager")
    assert manager.user.count("It will rise.") == manager.user.count("It will fall.") == 2


@pytest.mark.full
@pytest.mark.parametrize(("depth", "openings"), [(2, "alternate"), (3, "together")])
def test_from_depth_two_on_an_index_is_debated_before_its_advisor_speaks(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, depth: int, openings: str
) -> None:
    words = Words(monkeypatch, bull_researcher="It will rise.", bear_researcher="It will fall.")
    play(engine, "^GSPC")
    words.calls.clear()
    state, events = play(engine, "^GSPC", depth=depth, openings=openings, day=date(2024, 3, 6))
    assert len(words.calls) == state["metrics"]["llm_calls_count"] == 5 + 2 * (depth - 1) + 1
    turns = [(data["node"], data["turn"]) for data in told(events, "node.finished") if data["node"].endswith("_researcher")]
    assert turns == [(("bull_researcher", "bear_researcher")[n % 2], n + 1) for n in range(2 * (depth - 1))]
    assert "the index will rise" in next(call.user for call in words.calls if call.where == "bull_researcher")
    advisor = words.calls[-1]
    assert (advisor.where, advisor.user.count("It will rise."), advisor.user.count("It will fall.")) == ("strategy", depth - 1, depth - 1)
    assert (state["is_valid"], state["order"], state["research_summary"]) == (True, None, None)
    assert verify_bundle(json.loads(json.dumps(engine.bundle(str(state["run_id"])), allow_nan=False))) == []
    assert engine.equities.depth("index", depth).model_calls == len(words.calls)


@pytest.mark.full
def test_a_debate_about_an_index_that_breaks_off_gives_no_advice(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch, bear_researcher="")
    state, _ = play(engine, "^GSPC", depth=2)
    assert "strategy" not in words.asked()
    assert (state["is_valid"], state["trader_action"]) == (False, "hold")
    assert "bear_researcher" in state["errors"][0]


@pytest.mark.full
def test_one_line_names_the_role(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch)
    play(engine)
    play(engine, "^GSPC", language="zh")
    named = {line for call in words.calls for line in _ROLE.findall(f"{call.system}\n{call.user}")}
    assert all(len(_ROLE.findall(f"{call.system}\n{call.user}")) == 1 for call in words.calls), "one line a request"
    roles = (
        "market analyst,news analyst,sentiment analyst,fundamentals analyst,macro analyst,policy analyst,sector analyst,technical analyst"
    )
    more = (
        "international analyst,strategy advisor,bull researcher,bear researcher,research manager,risky debater,safe debater,neutral debater"
    )
    assert named == {f"Role: {name}" for name in f"{roles},{more},risk judge,trader".split(",")}


@pytest.mark.full
def test_the_index_preset_asks_five_and_an_advisor_and_orders_nothing(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch)
    state, _ = play(engine, "^GSPC")
    assert len(words.calls) == 6
    assert words.asked()[-1] == "strategy"
    assert "The figures speak for the share." in words.calls[-1].user
    assert state["preset"] == "index"
    assert state["is_valid"]
    assert state["order"] is None
    reports = ("macro", "policy", "sector", "technical", "international", "strategy")
    assert all(state[f"{key}_report"] for key in reports)
    assert set(state["index_info"]) == {"symbol", "name", "market", "session_close"}
    assert not [key for key in state if key.endswith("_analyst_summary")]
