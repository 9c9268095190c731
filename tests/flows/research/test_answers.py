"""How a run ends: an answer that cites, one that cannot be used, lies that are found, both languages, the agent without a journal."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.agents.access import ModelAccess
from engine.api import verify_bundle
from engine.desks.research.executor_agent import ExecutorAgent
from engine.desks.research.script import companies, research_voice
from engine.desks.research.seats import ROLE
from engine.domain.errors import BadInput
from engine.domain.research.dossier import Dossier
from engine.llm.calls import CallPolicy
from engine.llm.protocol import ModelCall, Script
from engine.script.model import ScriptedModel
from tests.flows.answers import state_of
from tests.flows.research.played import AT, QUESTION, research, says
from tests.servers.llm import LLMServer
from tests.toy.asked import engine_on
from tests.toy.room import FUNDING, toy_room

if TYPE_CHECKING:
    from engine.api import Engine

FUNDING_SAYS = "The funding rate was 0.0125 % [1]."
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
    assert state["answer"].startswith("(script) No model answered" if language == "en" else "（脚本）没有模型作答")
    assert any("no model answered" in each or "没有模型作答" in each for each in state["warnings"])
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


@pytest.mark.parametrize(
    ("stated", "is_held"),
    [
        ("headline: Longs pay\ndeciding: 1 0.0125 %", True),
        ("headline: Longs pay 0.0125 %\ndeciding: 1 0.0125 %", False),
        ("headline: Longs pay\ndeciding: 1 0.9 %", False),
        ("headline: Longs pay\ndeciding: 2 0.0125 %", False),
        ("", False),
    ],
)
async def test_a_headline_stands_only_with_a_figure_that_the_answer_has_out_of_a_document(stated: str, is_held: bool) -> None:
    answer = "The funding rate was 0.0125 % [1]. It will be 0.9 % [1]."
    state = (await research(voice=says(f"{answer}\n\n[Answer]\n{stated}\n"))).state
    assert state["answer"] == answer, "what is stated behind it is no part of the answer"
    assert state["headline"] == ({"words": stated[10:].partition("\n")[0].strip("*"), "n": 1, "value": "0.0125 %"} if is_held else None)


@pytest.mark.parametrize(
    ("against", "is_held"), [(FUNDING_SAYS, True), ("Shorts paid 7 % [1].", False), ("No source.", False), ("none", False)]
)
async def test_what_speaks_against_an_answer_is_held_by_a_document(against: str, is_held: bool) -> None:
    state = (await research(voice=says(f"The funding rate was 0.0125 % [1].\n\n[Answer]\nagainst: {against}\n"))).state
    assert (state["against"] is not None) == is_held
    if is_held:
        assert (state["against"]["text"], state["against"]["citations"]) == (against, [1])


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
def engine(tmp_path: Path) -> "Iterator[Engine]":
    with closing(engine_on(tmp_path / "home")) as made:
        yield made


def test_the_desk_asks_and_hands_on_what_it_found(engine: "Engine") -> None:
    asked = engine.research.request(f"  {QUESTION} ", at="2026-05-16T12:00Z", sources="openalex, wikipedia", symbol="BTC/USDT:USDT")
    assert (asked.question, asked.at, asked.sources) == (QUESTION, AT, ("openalex", "wikipedia"))
    run_id = engine.start(asked)
    with pytest.raises(BadInput, match="not known"):
        engine.research.dossier("no-such-run")
    state = state_of(engine, run_id)
    dossier = engine.research.dossier(run_id)
    assert dossier == Dossier.of(state)
    assert (dossier.at, dossier.run_id, len(dossier.documents)) == (AT, run_id, state["total_papers"])
    assert [each.source for each in dossier.known_at(AT).documents] == ["openalex"], "Wikipedia's is undated and was fetched later"
    for wrong in ({"sources": "Open Alex!"}, {"at": "yesterday"}, {"max_optional_calls": 9}):
        with pytest.raises(BadInput):
            engine.research.request(QUESTION, **wrong)
    with pytest.raises(BadInput):
        engine.research.request("   ")


def test_an_equal_second_run_is_no_surer_than_the_first_and_cites_no_answer(engine: "Engine") -> None:
    asked = engine.research.request(QUESTION, at=AT, symbol="BTC/USDT:USDT")
    first = engine.wait(engine.start(asked), 60).result
    later = engine.research.request(QUESTION, at=AT.replace(day=17), symbol="BTC/USDT:USDT")
    second, same = (engine.wait(engine.start(each), 60).result for each in (later, asked))
    assert first is not None
    assert second is not None
    assert same is not None
    assert same["confidence"] == first["confidence"]
    assert [same["top_papers"], same["answer"]] == [first["top_papers"], first["answer"]]
    assert [paper for paper in second["top_papers"] if paper["source"] == "journal"] == []


def test_measured_facts_of_a_market_are_a_document_that_can_be_cited(engine: "Engine") -> None:
    run_id = engine.start(engine.research.request("How high is the funding rate?", at=AT, symbol="BTC/USDT:USDT", sources="market"))
    state = state_of(engine, run_id)
    (paper,) = state["top_papers"]
    assert (paper["source"], "funding_rate" in paper["abstract"], state["is_valid"]) == ("market", True, True)
    assert any(each["status"] == "supported" for each in state["statements"])
    decided = engine.start(engine.decisions.request("BTC/USDT:USDT", at=AT.replace(day=15)))
    made = engine.wait(decided, 60).result or {}
    later = engine.start(engine.decisions.request("BTC/USDT:USDT", at=AT.replace(day=17)))
    engine.wait(later, 60)
    asked = engine.research.request("What was decided?", at=AT, symbol="BTC/USDT:USDT", sources="journal")
    papers = (engine.wait(engine.start(asked), 60).result or {})["top_papers"]
    assert [each["published_date"][:10] for each in papers if each["url"].startswith("journal:decision")] == ["2026-05-15"]
    (told,) = (each["abstract"].splitlines() for each in papers if each["url"].startswith("journal:decision"))
    assert told == [f"action: {made['final_action']}", f"price: {made['current_price']}", "valid: True"], "no level that a role chose"
    live = engine.research.request("What was decided?", at=AT, symbol="BTC/USDT:USDT", sources="journal", feed="live")
    on_live = engine.wait(engine.start(live), 60).result or {}
    assert [each for each in on_live["top_papers"] if each["source"] == "journal"] == [], "a simulated market is no word on a real one"
    nowhere = engine.start(engine.research.request("What of it?", at=AT, symbol="NOPE/USDT:USDT"))
    result = state_of(engine, nowhere)
    assert "market" in result["failed_sources"]
    assert result["is_valid"], "a market that cannot be read is one source less"


HONEST = "The funding rate of BTC was 0.0125 % per eight hours in May [1]."


def answered(engine: "Engine", **asked: Any) -> tuple[str, dict[str, Any]]:
    run_id = engine.start(engine.research.request(QUESTION, **{"at": AT, **asked}))
    return run_id, state_of(engine, run_id)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "language"), [("value", "en"), ("price", "en"), ("state", "zh")])
def test_the_false_number_is_marked_and_counted_and_nothing_else_is(engine: "Engine", kind: str, language: str) -> None:
    run_id, state = answered(engine, chaos=f"research_agent:{kind}", language=language)
    [lie] = state["planted"]
    assert (lie["role"], lie["caught"]) == ("research_agent", True)
    [wrong] = [each for each in state["statements"] if each["status"] == "unsupported"]
    assert lie["stated"] in [number["value"] for number in wrong["numbers"]]
    assert any("1" in warning for warning in state["warnings"])
    assert state["confidence"] < answered(engine, language=language)[1]["confidence"]
    assert verify_bundle(engine.bundle(run_id)) == []


def test_any_model_can_be_made_to_lie_and_what_it_says_itself_stays(tmp_path: Path) -> None:
    with LLMServer(HONEST) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "loopback"}
        with closing(engine_on(tmp_path / "home", **endpoint)) as engine:
            _, state = answered(engine, chaos="research_agent:value")
    assert state["answer"].endswith(HONEST)
    assert [each["status"] for each in state["statements"]] == ["unsupported", "supported"]
    assert [lie["caught"] for lie in state["planted"]] == [True]


def test_what_was_a_lie_is_neither_remembered_nor_handed_on(engine: "Engine") -> None:
    run_id, state = answered(engine, chaos="research_agent:value")
    stated = state["planted"][0]["stated"]
    kept = [each for each in engine.research.dossier(run_id).statements if each.status != "unsupported"]
    assert all(stated not in [number.value for number in each.numbers] for each in kept)
    _, later = answered(engine, at=None)
    assert all(paper["source"] != "journal" for paper in later["top_papers"])


@pytest.mark.parametrize("request_of", [lambda engine: engine.research.request, lambda engine: engine.plans.request])
def test_other_roles_are_refused(engine: "Engine", request_of: Callable[["Engine"], Any]) -> None:
    with pytest.raises(BadInput, match="ROLE:KIND with a role of research_agent"):
        request_of(engine)(QUESTION, chaos="planner:value")


async def test_no_quotation_ends_inside_a_word() -> None:
    long = "The funding rate of BTC follows open interest. " + "What moves the funding rate of BTC is how prices go on moving " * 40
    answer = (await research(answers={"openalex_search": [{**FUNDING, "abstract": long}]}, download=False)).state["answer"]
    words = set(long.replace(".", "").split()) | set(FUNDING["title"].split()) | {"(script)", "[1]"}
    assert "follows open interest" in answer
    said = answer.partition("documents. ")[2].replace(".", "").split()
    assert [word for word in said if word not in words] == []
