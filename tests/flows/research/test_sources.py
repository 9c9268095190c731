"""Sources that fail, documents that several give, the clock, the journal, what is kept and fetched; and the loop of thought and action."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from engine.desks.research.merging import merge_documents
from engine.domain.ended import Memory
from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import printed
from engine.llm.protocol import ModelCall, Script, ToolCall
from tests.flows.research.played import QUESTION, research, says
from tests.toy.room import ANSWERS, FUNDING, LATER, TESLA, toy_room

REQUIRED = ("wikipedia_search", "openalex_search", "semantic_scholar_search")


@pytest.mark.parametrize("down", REQUIRED)
@pytest.mark.parametrize("how", [SearchError("the service answered 500"), TimeoutError(), [], 7])
async def test_a_source_that_is_down_stops_no_other(down: str, how: Any) -> None:
    played = await research(answers={**ANSWERS, down: how})
    source = down.removesuffix("_search")
    assert played.state["searches"][source]["found"] == 0
    others = {name.removesuffix("_search") for name in REQUIRED} - {source}
    assert all(played.state["searches"][name]["found"] for name in others)
    assert played.state["is_valid"]
    if isinstance(how, Exception):
        assert source in played.state["failed_sources"]


async def test_all_sources_down_is_no_answer_and_asks_no_model_for_one() -> None:
    played = await research(answers={name: SearchError("no network") for name in ANSWERS})
    state = played.state
    assert (state["is_valid"], state["answer"], state["confidence"], state["total_papers"]) == (False, "", 0.0, 0)
    assert state["errors"] == ["no source, library or journal gave anything"]
    assert set(state["failed_sources"]) == {"wikipedia", "openalex", "semantic_scholar", "tavily"}
    assert [each.where for each in played.calls] == ["llm_decision"]


async def test_the_same_document_of_two_sources_is_one_and_both_are_named() -> None:
    state = (await research()).state
    titles = [paper["title"] for paper in state["top_papers"]]
    assert titles.count(FUNDING["title"]) == 1
    assert next(paper["also_in"] for paper in state["top_papers"] if paper["title"] == FUNDING["title"]) == ["semantic_scholar"]
    assert state["searches"]["semantic_scholar"]["found"] == 2, "found counts before duplicates are merged"
    assert state["total_papers"] == len(titles) == sum(state["papers_by_source"].values())


def test_what_makes_two_documents_one() -> None:
    paper = Document(source="openalex", title="Funding & Basis: a study", doi="https://doi.org/10.1234/ABC.")
    same_doi = Document(source="semantic_scholar", title="Other words", doi="10.1234/abc", abstract="longer")
    same_title = Document(source="tavily", title="FUNDING and basis a study".replace("and ", ""), url="https://www.x.org/a/?utm_source=y#z")
    same_url = Document(source="wikipedia", title="Elsewhere", url="http://x.org/a")
    (merged,) = merge_documents([paper, same_doi, same_title, same_url])
    assert merged.also_in == ("semantic_scholar", "tavily", "wikipedia")
    assert (merged.abstract, merged.url) == ("longer", same_title.url)
    other_doi = same_title.model_copy(update={"doi": "10.9999/other", "url": ""})
    assert len(merge_documents([paper, other_doi])) == 2, "another DOI is another document"
    assert (
        len(merge_documents([Document(source="sec_edgar", title="Annual report"), Document(source="sec_edgar", title="Annual report")]))
        == 2
    )
    assert len(merge_documents([Document(source="a", title="Bonds"), Document(source="b", title="Bonds")])) == 2, "too short a title"


async def test_nothing_dated_after_the_clock_is_used_and_the_bound_goes_along() -> None:
    bound = {"type": "object", "properties": {"query": {"type": "string"}, "until": {"type": "string"}}}
    room = toy_room()
    listed = room.tools.tools

    async def tools(kind: Any) -> Any:
        return [type(each)(**{**vars(each), "parameters": bound}) for each in await listed(kind)]

    room.tools.tools = tools  # type: ignore[method-assign]
    played = await research(room=room)
    assert LATER["title"] not in {paper["title"] for paper in played.state["top_papers"]}
    assert played.state["statistics"]["dated_later"] == 1
    assert all(LATER["title"] not in call.user for call in played.calls)
    assert {asked.get("until") for name, asked in played.tools.called if name.endswith("_search")} == {"2026-05-16"}
    present = await research(at=None)
    assert LATER["title"] in {paper["title"] for paper in present.state["top_papers"]}


async def test_only_sources_that_are_named_take_part_and_an_unknown_one_is_said() -> None:
    played = await research(sources=("openalex", "nonsense"))
    assert {name for name, _ in played.tools.called} == {"openalex_search", "openalex_download"}
    assert "there are" in played.state["failed_sources"]["nonsense"]


async def test_the_journal_gives_what_was_measured_on_the_same_prices_and_no_words_or_levels_of_a_role() -> None:
    decided = {
        "trade_date": "2026-05-01",
        "trading_session": "post_close",
        "action": "buy",
        "price": 190.5,
        "order": {"limit_price": 188.0, "stop_price": 180.0},
        "reason": "It was 0.03 % and will rise.",
        "source": "simulated 0",
    }
    memories = [
        Memory(flow="research", subject=QUESTION, name="answer", body={"answer": "It was 0.03 %."}, dated="2026-05-01T00:00:00+00:00"),
        Memory(flow="research", subject="AAPL", name="answer_about", body={"answer": "It was 0.04 %."}, dated="2026-05-01T00:00:00+00:00"),
        Memory(flow="fusion", subject="AAPL", name="decision", body=decided, dated="2026-05-02T00:00:00+00:00"),
        Memory(flow="fusion", subject="AAPL", name="decision", body={**decided, "source": "live"}, dated="2026-05-03T00:00:00+00:00"),
        Memory(flow="fusion", subject="AAPL", name="decision", body=decided, dated="2026-05-20T00:00:00+00:00"),
    ]
    nothing = {name: SearchError("no network") for name in ANSWERS}
    state = (await research(answers=nothing, memories=memories, symbol="AAPL")).state
    (paper,) = state["top_papers"]
    assert (paper["source"], paper["published_date"]) == ("journal", "2026-05-02T00:00:00+00:00")
    lines = ["trade_date: 2026-05-01", "trading_session: post_close", "action: buy", "price: 190.5"]
    assert paper["abstract"].splitlines() == lines


async def test_download_tools_are_listed_late_and_a_failed_download_keeps_its_document() -> None:
    without = await research(download=False)
    assert without.tools.listed == ["search"]
    assert without.state["statistics"]["downloaded"] == 0
    played = await research()
    assert played.tools.listed == ["search", "download"]
    papers = {paper["source"]: paper for paper in played.state["top_papers"]}
    assert papers["openalex"]["saved_path"] == "ab/abcd.html"
    assert papers["semantic_scholar"]["not_saved"] == "the file is too large"
    assert played.state["statistics"]["downloaded"] == sum(paper["saved_path"] is not None for paper in papers.values())


async def test_a_server_that_cannot_be_begun_is_named_whatever_was_asked_for() -> None:
    room = toy_room({})
    room.tools.missing = {"tribunal": "it ended at once"}  # type: ignore[misc]
    state = (await research(room=room, sources=("library",))).state
    assert state["failed_sources"]["tribunal"] == "it ended at once"
    assert "library" in state["failed_sources"]
    assert state["is_valid"] is False


def _by_source(**downloads: Any) -> dict[str, Any]:
    """Two sources that have one document, each with an address of its own."""
    twin = {**FUNDING, "url": "https://other.example.org/7"}
    searches = {"openalex_search": [{**FUNDING, "pdf_url": "https://a.example/1.pdf"}], "semantic_scholar_search": [twin]}
    return {**searches, **{f"{source}_download": answer for source, answer in downloads.items()}}


def _kept(arguments: Mapping[str, Any]) -> Any:
    return [{**arguments["document"], "saved_path": "cd/cdef.html", "text": "All of it."}]


@pytest.mark.parametrize("fault", [SearchError("the file is too large"), TimeoutError(), [], [{**FUNDING, "not_saved": "no copy"}]])
async def test_a_document_that_its_source_does_not_give_is_fetched_from_the_next(fault: Any) -> None:
    played = await research(answers=_by_source(openalex=fault, semantic_scholar=_kept))
    [paper] = [each for each in played.state["top_papers"] if each["source"] == "openalex"]
    assert (paper["saved_path"], paper["saved_from"], paper["not_saved"]) == ("cd/cdef.html", "semantic_scholar", None)
    assert list(paper["not_saved_by"]) == ["openalex"]
    assert played.state["statistics"]["downloaded"] == 1
    assert any("document 1" in warning for warning in played.state["warnings"])
    asked = [arguments["document"] for name, arguments in played.tools.called if name.endswith("_download")]
    assert [each["source"] for each in asked] == ["openalex", "semantic_scholar"]
    assert [each["url"] for each in asked] == [FUNDING["url"], "https://other.example.org/7"], "each is asked by its own address"
    assert [each.get("extra", {}).get("pdf_url") for each in asked] == ["https://a.example/1.pdf", None]


async def test_a_document_that_nobody_gives_says_why_of_each() -> None:
    fault = SearchError("too large")
    state = (await research(answers=_by_source(openalex=fault))).state
    [paper] = state["top_papers"]
    assert paper["saved_path"] is None
    assert printed(paper["not_saved"]) == "openalex: too large; semantic_scholar: semantic_scholar has no download tool"
    assert "saved_from" not in paper


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
    for said, abstract in ((first, TESLA["abstract"]), (second, BYD["abstract"])):
        preview = said.partition("预览: ")[2]
        assert abstract.startswith(preview.removesuffix("…"))
        assert len(preview) <= 200, "no word is cut"
    assert first.startswith("✓ 成功获取 Tesla, Inc. 的完整信息\n来源: SEC EDGAR\n预览: ")
    assert second.startswith("✓ 成功获取 比亚迪 的完整信息\n来源: AKShare\n预览: 比亚迪股份有限公司")
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
    assert [each.where for each in played.calls].count("llm_decision") == 8, "the model is not asked again after the breaker"
    assert any("breaker" in warning for warning in played.state["warnings"])
    assert played.state["is_valid"]


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


async def test_the_local_library_is_ordered_together_with_everything_else() -> None:
    far = {"title": "Cooking", "url": "library:soup.md", "abstract": "Boil it."}
    near = {"title": "What moves the funding rate of BTC", "url": "library:funding.md", "abstract": "What moves the funding rate of BTC?"}
    state = (await research(answers={**ANSWERS, "library_search": [far, near]})).state
    titles = [paper["title"] for paper in state["top_papers"]]
    assert titles[0] == near["title"], "the nearest document stands first, wherever it lies"
    assert "Cooking" not in titles
    assert all(paper["rerank_score"] is not None for paper in state["top_papers"] if paper["source"] == "library")


async def test_how_near_and_how_many_documents_are_kept_are_settings() -> None:
    room = toy_room()
    strict = (await research(room=replace(room, threshold=0.9))).state
    assert [paper for paper in strict["top_papers"] if paper["rerank_score"] is not None] == []
    one = await research(room=replace(toy_room(), top_n=1))
    assert sum(paper["rerank_score"] is not None for paper in one.state["top_papers"]) == 1
    assert one.of("research.reranked")[0].data.to_json()["threshold"] == room.reranker.threshold
