"""The desk over a real endpoint that calls tools, its calls streamed in shreds: the breaker, one tool in four branches at once, an order
that is too large, and a run that is continued in another process."""

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.flows.answers import asked_role
from tests.flows.equities.played import VIEW, engine_at, play, sound, told
from tests.servers.llm import Body, LLMServer, Plan, wants

if TYPE_CHECKING:
    from engine.api import Engine

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


@pytest.mark.parametrize("arguments", ['{"days": NaN}', "[" * 5000, "\ud800", ""])
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


def test_a_false_number_of_the_summariser_becomes_no_memory(tmp_path: Path) -> None:
    view = "The share closed firm, and 7 of 10 readings agree.\n\n[View]\ndirection: BULLISH\nconfidence: 70\n"
    said = "On 2024-03-05, 7 of 10 readings agreed. The P/E ratio was 99."
    with LLMServer(answering(market_analyst=view, memory_summarizer=said)) as server, closing(engine_over(tmp_path, server)) as engine:
        play(engine)
        kept = engine.equities.memory("AAPL")["market"]
    assert [text for name, text in kept.items() if "summary" in name and text] == ["On 2024-03-05, 7 of 10 readings agreed."]
