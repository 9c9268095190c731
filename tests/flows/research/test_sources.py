"""Sources that fail, documents that several give, the clock, the journal, what is kept and fetched."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from engine.desks.research.merging import merge_documents
from engine.domain.ended import Memory
from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import printed
from tests.flows.research.played import QUESTION, research
from tests.toy.room import ANSWERS, FUNDING, INTEREST, LATER, toy_room

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


async def test_required_sources_are_asked_at_once() -> None:
    everybody = asyncio.Barrier(len(REQUIRED))

    async def waits_for_the_others(arguments: Mapping[str, Any]) -> Any:
        async with asyncio.timeout(10):
            await everybody.wait()
        return [INTEREST]

    state = (await research(answers={**ANSWERS, **dict.fromkeys(REQUIRED, waits_for_the_others)}, download=False)).state
    assert all(state["searches"][name.removesuffix("_search")]["found"] for name in REQUIRED), "one after the other they wait in vain"


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


async def test_the_local_library_is_ordered_together_with_everything_else() -> None:
    far = {"title": "Cooking", "url": "library:soup.md", "abstract": "Boil it."}
    near = {"title": "What moves the funding rate of BTC", "url": "library:funding.md", "abstract": "What moves the funding rate of BTC?"}
    state = (await research(answers={**ANSWERS, "library_search": [far, near]})).state
    titles = [paper["title"] for paper in state["top_papers"]]
    assert titles[0] == near["title"], "the nearest document stands first, wherever it lies"
    assert "Cooking" not in titles
    assert all(paper["rerank_score"] is not None for paper in state["top_papers"] if paper["source"] == "library")


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


async def test_a_reranker_that_fails_leaves_the_order_of_the_sources() -> None:
    state = (await research(room=toy_room(fails=True))).state
    assert [paper["title"] for paper in state["top_papers"]][:2] == ["Funding", FUNDING["title"]]
    assert all(paper["rerank_score"] is None for paper in state["top_papers"])
    assert any("order" in warning for warning in state["warnings"])


async def test_what_is_too_far_from_the_question_is_left_out() -> None:
    far = {**INTEREST, "title": "Cooking", "abstract": "Boil it.", "url": "https://example.org/soup"}
    state = (await research(answers={**ANSWERS, "openalex_search": [far, FUNDING]})).state
    assert "Cooking" not in {paper["title"] for paper in state["top_papers"]}
    assert state["statistics"]["after_rerank"] == state["total_papers"] < state["statistics"]["merged"]


async def test_how_near_and_how_many_documents_are_kept_are_settings() -> None:
    room = toy_room()
    strict = (await research(room=replace(room, threshold=0.9))).state
    assert [paper for paper in strict["top_papers"] if paper["rerank_score"] is not None] == []
    one = await research(room=replace(toy_room(), top_n=1))
    assert sum(paper["rerank_score"] is not None for paper in one.state["top_papers"]) == 1
    assert one.of("research.reranked")[0].data.to_json()["threshold"] == room.reranker.threshold


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


async def test_the_first_source_that_gives_the_file_is_the_only_one_asked() -> None:
    played = await research(answers=_by_source(openalex=_kept, semantic_scholar=_kept))
    assert [name for name, _ in played.tools.called if name.endswith("_download")] == ["openalex_download"]
    assert "saved_from" not in played.state["top_papers"][0]
