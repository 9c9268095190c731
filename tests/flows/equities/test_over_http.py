"""The desk over a real endpoint that calls tools, its calls streamed in shreds: the breaker, one tool in four branches at once, an order
that is too large, and a run that is continued in another process."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.desks.equities.presets import preset_of
from engine.desks.equities.tools.prices import PRICE_TOOLS
from engine.domain.errors import TribunalError
from tests.flows.answers import asked_role
from tests.flows.equities.played import DAY, DECISION, TRADE, VIEW, engine_at, play, sound, told
from tests.servers.llm import HANG, Body, LLMServer, Plan, wants

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.events import Event

STOCK = ("market", "news", "sentiment", "fundamentals")
NODES = {"research manager": "research_manager", "risk judge": "risk_judge", "trader": "trader"}
Says = Plan | Callable[[Body], Plan]


def answering(**says: Says) -> Callable[[Body], Plan]:
    """Sound answers, but for the roles named here (`market_analyst`)."""

    def answer(body: Body) -> Plan:
        role = asked_role(body)
        line = says.get(role.replace(" ", "_"))
        if line is None:
            speaks = "debater" in role or "researcher" in role
            return sound("safe" if speaks else NODES.get(role, role))
        return line(body) if callable(line) else line

    return answer


def turn_of(body: Body) -> int:
    """How often the role has spoken in this exchange before."""
    return sum(message["role"] == "assistant" for message in body["messages"])


def of_role(server: LLMServer, role: str) -> list[Mapping[str, Any]]:
    return [request.body for request in server.requests if asked_role(request.body) == role]


def engine_over(home: Path, server: LLMServer) -> "Engine":
    return engine_at(home, openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback", call_deadline_s=20)


def always(body: Body) -> Plan:
    """Calls tools for as long as it may."""
    days = 2 * turn_of(body) + 1
    asked = [("get_price_history", {"days": days}), ("get_price_history", {"days": days + 1})]
    may = body.get("tools") and body.get("tool_choice") != "none"
    return wants(*asked, text="Let me look. ", prefix=f"c{days}") if may else VIEW


@pytest.mark.full
def test_an_endpoint_that_does_not_heed_the_end_of_calls_is_asked_without_tools(tmp_path: Path) -> None:
    def heedless(body: Body) -> Plan:
        return always({**body, "tool_choice": "auto"})

    with LLMServer(answering(market_analyst=heedless)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, _ = play(engine, tool_calls=2)
        last = of_role(server, "market analyst")[-1]
    record = state["analysts"]["market"]
    assert (record["status"], record["tool_calls"], record["breaker"]) == ("done", 2, True)
    assert "tools" not in last
    assert state["is_valid"]


@pytest.mark.parametrize("limit", [1, 5])
def test_a_model_that_always_asks_is_ended_at_exactly_the_number(tmp_path: Path, limit: int) -> None:
    with LLMServer(answering(market_analyst=always)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, events = play(engine, tool_calls=limit)
        asked = of_role(server, "market analyst")
    record = state["analysts"]["market"]
    assert (record["status"], record["tool_calls"], record["breaker"]) == ("done", limit, True)
    assert len([data for data in told(events, "tool.called") if data["analyst"] == "market"]) == limit
    rounds = (limit + 1) // 2
    assert len(asked) == rounds + 1
    assert [body.get("tool_choice") for body in asked] == [None] * rounds + ["none"]
    assert all(body["tools"] for body in asked), "several endpoints refuse a history with calls and no tools"
    answers = [str(message["content"]) for message in asked[-1]["messages"] if message["role"] == "tool"]
    assert [text.startswith("not executed: limit") for text in answers] == [False] * limit + [True]
    assert answers[-1].endswith("write the report and the block now.")
    assert any("breaker" in line for line in state["warnings"])
    assert state["is_valid"]


@pytest.mark.full
def test_a_model_that_calls_tools_it_was_not_offered_ends_too(tmp_path: Path) -> None:
    def rogue(body: Body) -> Plan:
        return wants(("get_price_history", {"days": len(body["messages"])}))

    with LLMServer(answering(market_analyst=rogue)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, events = play(engine, tool_calls=2)
    record = state["analysts"]["market"]
    assert (record["status"], record["attempts"], record["report"]) == ("degraded", 2, None)
    assert (record["tool_calls"], record["breaker"]) == (2, True), "the limit is the analyst's, not the try's"
    assert state["metrics"]["tool_calls_count"] == len(told(events, "tool.called"))
    assert len([data for data in told(events, "tool.called") if data["analyst"] == "market"]) == 2
    assert state["is_valid"], "three reports are enough"


@pytest.mark.parametrize(
    "arguments",
    [
        '{"days": NaN}',
        "[" * 5000,
        "\ud800",
        *(
            pytest.param(arguments, marks=pytest.mark.full)
            for arguments in ("{", "", "[1]", '"x"', "null", '{"days": 1e999}', '{"days": ' + "9" * 5000 + "}", '{"query": "\\ud800"}')
        ),
    ],
)
def test_arguments_that_are_no_object_are_a_failed_call(tmp_path: Path, arguments: str) -> None:
    """The model is told, and the run goes on; an empty text is an object without names."""

    def market(body: Body) -> Plan:
        return VIEW if turn_of(body) else wants(("get_price_history", arguments), ("get_price_history", {"days": 3}), ("a\ud800b", {}))

    with LLMServer(answering(market_analyst=market)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, events = play(engine)
        told_back = of_role(server, "market analyst")[-1]["messages"]
    own = [data for data in told(events, "tool.answered") if data["analyst"] == "market"]
    assert [data["error"] is None for data in own] == [arguments == "", True, False]
    assert (state["analysts"]["market"]["status"], state["analysts"]["market"]["tool_calls"], state["errors"]) == ("done", 3, [])
    (asked,) = [message["tool_calls"] for message in told_back if message.get("tool_calls")]
    assert [type(json.loads(call["function"]["arguments"], parse_constant=pytest.fail)) for call in asked] == [dict] * 3


@pytest.mark.full
def test_four_branches_that_call_one_tool_at_once_get_their_own_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for analyst in preset_of("stock").analysts:
        monkeypatch.setitem(analyst.__dict__, "tools", PRICE_TOOLS)

    def asks(days: int) -> Callable[[Body], Plan]:
        return lambda body: VIEW if turn_of(body) else wants(("get_price_history", {"days": days}), ("get_share_events", {}))

    says = {f"{key}_analyst": asks(place + 3) for place, key in enumerate(STOCK)}

    def all_ask(body: Body) -> bool:
        """No analyst is answered before all of them have asked."""
        return server.peak == len(STOCK) or "analyst" not in asked_role(body)

    with LLMServer(answering(**says), begins=all_ask) as server, closing(engine_over(tmp_path, server)) as engine:
        play(engine, day=date(2024, 3, 4))
        server.peak = 0
        state, events = play(engine, session="pre_open")  # when one summary is due, beside the debate
        last = {key: of_role(server, f"{key} analyst")[-1]["messages"] for key in STOCK}
        assert server.peak == len(STOCK), "all four branches are open at once"
    for place, key in enumerate(STOCK):
        own = [data for data in told(events, "tool.called") if data["analyst"] == key]
        assert [(data["tool"], data["arguments"]) for data in own] == [("get_price_history", {"days": place + 3}), ("get_share_events", {})]
        answers = [message for message in last[key] if message["role"] == "tool"]
        assert [message["tool_call_id"] for message in answers] == ["call-1", "call-2"], "ids that every branch has"
        assert len(str(answers[0]["content"]).splitlines()) == 2 + place + 3, "as many days as it asked for itself"
    assert all(state["analysts"][key]["tool_calls"] == 2 for key in STOCK)


def test_an_order_of_5000_shares_is_cut_to_what_the_account_allows(tmp_path: Path) -> None:
    many = {"risk_judge": DECISION.replace("quantity: 5", "quantity: 5000"), "trader": TRADE.replace("quantity: 5", "quantity: 5000")}
    with LLMServer(answering(**many)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, _ = play(engine, propose=True)
        (proposal,) = engine.trading.proposals()
        approved = engine.trading.approve(proposal.id, "somebody")
    order, allowed = state["order"], state["largest_allowed_order"]
    assert order["quantity"] == int(allowed // state["current_price"]) < 5000, "as many whole shares as it pays for"
    assert order["value"] <= allowed <= state["account_cash"]
    (cut,) = [line for line in state["warnings"] if "largest_allowed_order" in line]
    assert "5000" in cut
    assert str(order["quantity"]) in cut
    assert (int(proposal.plan.amount), approved.state) == (order["quantity"], "filled")


@pytest.mark.full
def test_a_run_that_is_continued_calls_no_tool_and_no_model_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped while the market analyst waits for its third answer and the others have ended; then between two debates."""
    executed: Counter[str] = Counter()

    async def counted(self: Any, known: Any, arguments: Mapping[str, Any]) -> str:
        executed[f"{self.name} {json.dumps(arguments)}"] += 1
        return await call(self, known, arguments)

    call = type(PRICE_TOOLS[0]).call
    monkeypatch.setattr(type(PRICE_TOOLS[0]), "call", counted)
    hangs = {"market_analyst": 2, "risky_debater": 0}

    def market(body: Body) -> Plan:
        turn = turn_of(body)
        if turn == hangs.get("market_analyst"):
            return HANG
        return wants(("get_price_history", {"days": turn + 1}), ("no_such_tool", {"n": turn})) if turn < 3 else VIEW

    def news(body: Body) -> Plan:
        return VIEW if turn_of(body) else wants(("search_news", {"days": 3}))

    def risky(_: Body) -> Plan:
        return HANG if "risky_debater" in hangs else "As much as it bears."

    with LLMServer(answering(market_analyst=market, news_analyst=news, risky_debater=risky)) as server:
        with closing(engine_over(tmp_path, server)) as engine:
            run_id = engine.start(engine.equities.request("AAPL", trade_date=DAY, tool_calls=8))
            wait_for(engine, run_id, lambda: len(of_role(server, "market analyst")) == 3)
            wait_for(engine, run_id, lambda: all(ended(engine, run_id, node) for node in STOCK[1:]))
            stop(engine, run_id)
        hangs.pop("market_analyst")
        with closing(engine_over(tmp_path, server)) as engine:
            engine.resume(run_id)
            wait_for(engine, run_id, lambda: bool(of_role(server, "risky debater")))
            stop(engine, run_id)
        hangs.pop("risky_debater")
        with closing(engine_over(tmp_path, server)) as engine:
            engine.resume(run_id)
            state = engine.wait(run_id, 30).result
            events = engine.events(run_id)
        asked = Counter((asked_role(request.body), turn_of(request.body)) for request in server.requests)
    assert state is not None
    assert state["is_valid"], state["errors"]
    asked.subtract([("market analyst", 2), ("risky debater", 0)])  # the two that were cut off while they were asked
    summaries = asked.pop(("memory summarizer", 0))
    assert summaries == len(STOCK)
    assert set(asked.values()) == {1}, asked
    assert set(executed.values()) == {1}, executed
    calls = [(data["analyst"], data["tool"], json.dumps(data["arguments"])) for data in told(events, "tool.called")]
    assert len(set(calls)) == len(calls) == 3 + 3 + 1
    assert state["analysts"]["market"]["tool_calls"] == 6


@pytest.mark.full
def test_the_debate_waits_for_no_summary(tmp_path: Path) -> None:
    server = LLMServer(answering(memory_summarizer=HANG))
    with server, closing(engine_over(tmp_path, server)) as engine:
        run_id = engine.start(engine.equities.request("AAPL", trade_date=DAY))
        wait_for(engine, run_id, lambda: len(of_role(server, "memory summarizer")) == len(STOCK))
        wait_for(engine, run_id, lambda: bool(ended(engine, run_id, "research_manager")))
        stop(engine, run_id)


@pytest.mark.full
def test_a_summary_that_is_made_beside_the_debate_is_kept_and_shown(tmp_path: Path) -> None:
    lasting = "It has lasted since spring."
    with LLMServer(answering(memory_summarizer=lasting)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, _ = play(engine)
        kept = engine.equities.memory("AAPL")
        bull = of_role(server, "bull researcher")[0]
    assert state["is_valid"], state["errors"]
    assert lasting not in json.dumps(bull), "the reports are whole in it already"
    for key in STOCK:
        assert state[f"{key}_analyst_summary"]["memory_summary_post_close"] == lasting
        assert kept[key]["memory_summary_post_close"] == lasting


def ended(engine: "Engine", run_id: str, node: str) -> "list[Event]":
    return [event for event in engine.events(run_id) if event.kind == "node.finished" and event.node == node]


def wait_for(engine: "Engine", run_id: str, reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < deadline, [(event.kind, event.node) for event in engine.events(run_id)][-5:]
        time.sleep(0.02)


def stop(engine: "Engine", run_id: str) -> None:
    engine.stop(run_id)
    with pytest.raises(TribunalError, match="stopped by a person"):
        engine.wait(run_id, 10)
