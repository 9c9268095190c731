"""How a run ends: an answer that cites, one that cannot be used, lies that are found, both languages, the agent without a journal."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.agents.access import ModelAccess
from engine.domain.errors import BadInput
from engine.domain.research.dossier import Dossier
from engine.flows.research.executor_agent import ExecutorAgent
from engine.flows.research.script import companies, research_voice
from engine.flows.research.seats import ROLE
from engine.llm.calls import CallPolicy
from engine.llm.protocol import ModelCall, Script
from engine.llm.scripted import ScriptedModel
from tests.flows.research.played import AT, QUESTION, research, says
from tests.toy.asked import engine_on
from tests.toy.room import FUNDING, toy_room

if TYPE_CHECKING:
    from engine.api import Engine

FIELDS = {
    "flow", "run_id", "query", "at", "total_papers", "papers_by_source", "top_papers", "statistics", "answer", "confidence", "statements",
    "failed_sources", "observations", "searches", "is_valid", "errors", "warnings", "metrics", "inputs_hash",
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_an_honest_script_states_nothing_that_its_sources_do_not_hold(language: str) -> None:
    state = (await research(language=language)).state
    assert set(state) >= FIELDS
    assert state["is_valid"]
    assert [each["text"] for each in state["statements"] if each["status"] == "unsupported"] == []
    assert any(each["status"] == "supported" for each in state["statements"])
    assert state["answer"].startswith("(script)" if language == "en" else "（脚本）")
    assert 0.5 < state["confidence"] <= 1
    assert {"searched", "after_rerank", "downloaded"} <= set(state["statistics"])
    assert {"title", "source", "rerank_score", "url", "saved_path", "abstract", "authors", "published_date", "doi"} <= set(
        state["top_papers"][0]
    )
    json.dumps(state, allow_nan=False)


@pytest.mark.parametrize("seed", range(4))
async def test_every_planted_lie_is_caught(seed: int) -> None:
    state = (await research(lies=1.0, seed=seed)).state
    assert len(state["planted"]) >= 2
    assert [lie for lie in state["planted"] if not lie["caught"]] == []
    assert "supported" not in {each["status"] for each in state["statements"]}
    assert state["confidence"] < (await research(seed=seed)).state["confidence"]


async def test_numbers_that_no_source_holds_are_marked_and_the_answer_stays() -> None:
    said = "The funding rate was 0.0125 % [1]. It will be 0.9 % [1]. See [17]."
    state = (await research(voice=says(said))).state
    assert state["answer"] == said
    assert [each["status"] for each in state["statements"]] == ["supported", "unsupported", "unsupported"]
    assert state["top_papers"][0]["title"] == FUNDING["title"]
    assert state["statements"][0]["dated"] == "2026-05-10"
    assert any("2 of 3" in warning for warning in state["warnings"])


@pytest.mark.parametrize("said", ["I cannot tell.", "It was 5 % [77]."])
async def test_an_answer_that_cites_nothing_is_asked_for_once_more_and_then_picked_from_the_documents(said: str) -> None:
    played = await research(voice=says(said))
    assert [call.where for call in played.calls].count("summarize") == 2
    assert played.state["is_valid"] is False
    assert "picked from the documents" in played.state["errors"][0]
    assert {each["status"] for each in played.state["statements"]} <= {"supported", "no_number"}
    assert "[1]" in played.state["answer"]
    repaired: list[ModelCall] = []

    def second_time(call: ModelCall) -> Script:
        if call.where == "summarize":
            repaired.append(call)
        return Script("Paid by longs [1]." if len(repaired) == 2 else said)

    assert (await research(voice=second_time)).state["is_valid"]


def test_companies_of_a_question() -> None:
    assert companies("Tesla 和比亚迪的对比分析") == [("sec_edgar_search", "Tesla"), ("akshare_search", "比亚迪")]
    assert companies("Is 600519.SH cheap, and is pineapple juice?") == [("akshare_search", "600519")]
    assert companies("What moves BTC funding this week?") == []


async def test_the_agent_of_the_specification_answers_by_itself() -> None:
    model = ScriptedModel({ROLE: research_voice()}, pace=0)
    access = ModelAccess(lambda role, node: model, CallPolicy(deadline_s=10.0), "en", "", lambda node, data: None)
    executor = ExecutorAgent(toy_room(), access)
    result = await executor.invoke(query=QUESTION, thread_id="thread_123")
    assert (result["run_id"], result["query"], result["is_valid"]) == ("thread_123", QUESTION, True)
    assert result["statistics"]["downloaded"] == sum(paper["saved_path"] is not None for paper in result["top_papers"]) > 0
    assert sum(result["papers_by_source"].values()) == result["total_papers"]
    assert {"wikipedia_search", "sec_edgar_search"} <= {tool.name for tool in await executor.get_tools(tool_type="search")}
    assert {tool.kind for tool in await executor.get_tools(tool_type="download")} == {"download"}
    await executor._clean()


@pytest.fixture
def engine(tmp_path: Path) -> "Engine":
    return engine_on(tmp_path / "home")


def test_the_desk_asks_and_hands_on_what_it_found(engine: "Engine") -> None:
    try:
        asked = engine.research.request(f"  {QUESTION} ", at="2026-05-16T12:00Z", sources="openalex, wikipedia", symbol="BTC/USDT:USDT")
        assert (asked.question, asked.at, asked.sources) == (QUESTION, AT, ("openalex", "wikipedia"))
        run_id = engine.start(asked)
        with pytest.raises(BadInput, match="not known"):
            engine.research.dossier("nobody")
        state = engine.wait(run_id, 60).result
        assert state is not None
        dossier = engine.research.dossier(run_id)
        assert dossier == Dossier.of(state)
        assert (dossier.at, dossier.run_id, len(dossier.documents)) == (AT, run_id, state["total_papers"])
        assert [each.source for each in dossier.known_at(AT).documents] == ["openalex"], "Wikipedia's is undated and was fetched later"
        for wrong in ({"sources": "Open Alex!"}, {"at": "yesterday"}, {"max_optional_calls": 9}):
            with pytest.raises(BadInput):
                engine.research.request(QUESTION, **wrong)
        with pytest.raises(BadInput):
            engine.research.request("   ")
    finally:
        engine.close()


def test_measured_facts_of_a_market_are_a_document_that_can_be_cited(engine: "Engine") -> None:
    try:
        run_id = engine.start(engine.research.request("How high is the funding rate?", at=AT, symbol="BTC/USDT:USDT", sources="market"))
        state = engine.wait(run_id, 60).result
        assert state is not None
        (paper,) = state["top_papers"]
        assert (paper["source"], "funding_rate" in paper["abstract"], state["is_valid"]) == ("market", True, True)
        assert any(each["status"] == "supported" for each in state["statements"])
        decided = engine.start(engine.decisions.request("BTC/USDT:USDT", at=AT.replace(day=15)))
        action = (engine.wait(decided, 60).result or {})["final_action"]
        later = engine.start(engine.decisions.request("BTC/USDT:USDT", at=AT.replace(day=17)))
        engine.wait(later, 60)
        asked = engine.research.request("What was decided?", at=AT, symbol="BTC/USDT:USDT", sources="journal")
        papers = (engine.wait(engine.start(asked), 60).result or {})["top_papers"]
        assert [each["published_date"][:10] for each in papers if each["url"].startswith("journal:decision")] == ["2026-05-15"]
        assert any(action in each["abstract"] for each in papers)
        nowhere = engine.start(engine.research.request("What of it?", at=AT, symbol="NOPE/USDT:USDT"))
        result = engine.wait(nowhere, 60).result
        assert result is not None
        assert "market" in result["failed_sources"]
        assert result["is_valid"], "a market that cannot be read is one source less"
    finally:
        engine.close()
