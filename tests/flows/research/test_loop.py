"""The loop of thought and action: none, one and many optional calls, repeats, an agent that never ends, and no way back."""

import json
from typing import Any

import pytest

from engine.llm.protocol import ModelCall, Script, ToolCall
from tests.flows.research.played import research, says
from tests.toy.room import ANSWERS, TESLA

BYD = {"title": "比亚迪", "abstract": "比亚迪股份有限公司生产新能源汽车。" * 20, "published_date": "2026-03-30"}
COMPANIES = {**ANSWERS, "akshare_search": [BYD]}


def call(name: str, query: str, n: int = 0) -> ToolCall:
    return ToolCall(f"c{n}", name, json.dumps({"query": query}))


def required(played: Any) -> list[str]:
    return [name for name, _ in played.tools.called if name.endswith("_search") and not name.startswith(("sec_edgar", "akshare"))]


async def test_without_a_company_nothing_optional_is_called_and_every_required_source_once() -> None:
    played = await research()
    assert played.of("tool.called") == []
    assert played.state["observations"] == []
    assert sorted(required(played)) == ["openalex_search", "semantic_scholar_search", "tavily_search", "wikipedia_search"]
    assert [each.where for each in played.calls] == ["llm_decision", "summarize"]
    assert [each.name for each in played.calls[0].tools] == ["sec_edgar_search"], "the optional tools are bound, the required ones are not"


async def test_the_example_of_the_specification_two_companies_in_two_turns() -> None:
    played = await research("Tesla 和比亚迪的对比分析", answers=COMPANIES, language="zh")
    first, second = played.state["observations"]
    assert first == f"✓ 成功获取 Tesla, Inc. 的完整信息\n来源: SEC EDGAR\n预览: {TESLA['abstract'][:200]}"
    assert second == f"✓ 成功获取 比亚迪 的完整信息\n来源: AKShare\n预览: {BYD['abstract'][:200]}"
    asked = [(event.data.tool, event.data.arguments) for event in played.of("tool.called")]  # type: ignore[attr-defined]
    assert asked == [("sec_edgar_search", {"query": "Tesla"}), ("akshare_search", {"query": "比亚迪"})]
    third = played.calls[2]
    assert [message["role"] for message in third.messages] == ["assistant", "tool", "assistant", "tool"]
    assert first in str(third.messages[1]["content"]), "it reads what it observed"
    assert "比亚迪" in {paper["title"] for paper in played.state["top_papers"]}
    assert played.state["papers_by_source"]["akshare"] == 1
    thoughts = [event.data.to_json() for event in played.of("research.thought")]
    assert [len(each["actions"]) for each in thoughts] == [1, 1, 0]  # type: ignore[arg-type]


async def test_an_agent_that_never_ends_is_ended_after_eight_calls_and_its_run_goes_on() -> None:
    def endless(asked: ModelCall) -> Script:
        if asked.where == "summarize":
            return Script("Funding is paid [1].")
        return Script("more", tool_calls=(call("sec_edgar_search", f"company {len(asked.messages)}"),))

    played = await research(voice=endless)
    assert sum(name == "sec_edgar_search" for name, _ in played.tools.called) == 8
    assert played.state["metrics"]["optional_calls"] == 8
    assert [each.where for each in played.calls].count("llm_decision") == 8, "after the breaker nobody is asked again"
    assert any("breaker" in warning for warning in played.state["warnings"])
    assert played.state["is_valid"]


async def test_of_a_batch_the_first_ones_up_to_the_limit_are_executed() -> None:
    batch = tuple(call("sec_edgar_search", f"company {n}", n) for n in range(12))
    played = await research(voice=says("Funding is paid [1].", batch), max_optional_calls=3)
    answered = [event.data.to_json() for event in played.of("tool.answered")]
    assert [each["error"] for each in answered] == [None] * 3 + ["not executed: limit"] * 9
    assert len(played.state["observations"]) == 3


async def test_the_same_call_is_answered_from_the_first_and_three_in_a_row_end_the_loop() -> None:
    def stubborn(asked: ModelCall) -> Script:
        if asked.where == "summarize":
            return Script("Funding is paid [1].")
        return Script("again", tool_calls=(ToolCall("same", "sec_edgar_search", '{"query" :  "Tesla"}'),))

    played = await research(voice=stubborn)
    assert sum(name == "sec_edgar_search" for name, _ in played.tools.called) == 1
    assert played.state["metrics"]["repeated_calls"] == 3
    assert played.state["searches"]["sec_edgar"]["found"] == 1


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (ToolCall("a", "rm_rf", "{}"), "no tool of that name"),
        (ToolCall("a", "wikipedia_search", '{"query": "x"}'), "no tool of that name"),
        (ToolCall("a", "sec_edgar_search", "Tesla"), "no JSON object"),
    ],
)
async def test_a_call_that_cannot_be_made_is_an_observation_and_counts(asked: ToolCall, why: str) -> None:
    played = await research(voice=says("Funding is paid [1].", (asked,)))
    assert why in played.state["observations"][0]
    assert played.state["observations"][0].startswith("✗")
    assert played.state["metrics"]["optional_calls"] == 1
    assert len(required(played)) == 4
    assert list(played.state["failed_sources"]) == ["tavily"], "what the agent got wrong is no source's failure"
    assert "sec_edgar" not in played.state["searches"]
    assert played.state["searches"]["wikipedia"]["found"] > 0


async def test_no_optional_call_allowed_is_none_offered() -> None:
    played = await research(voice=says("Funding is paid [1].", (call("sec_edgar_search", "Tesla"),)), max_optional_calls=0)
    assert played.calls[0].tools == ()
    assert played.of("tool.called") == []
    assert played.state["statistics"]["searched"] >= 4
