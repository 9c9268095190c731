"""Each source reads its service's documented shape, asks as documented, and knows nothing later than it was asked for."""

from datetime import date

import pytest

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.sources.source import Source, is_later
from engine.search.sources.wikipedia import Wikipedia
from engine.search.web_client import WebClient
from tests.servers.sources import ARTICLE, CHINESE_ARTICLE, PAGE, PAPER, LoopbackSources

Sources = dict[str, Source]


async def test_wikipedia_gives_introductions_in_the_order_of_its_search_dated_by_their_last_change(
    sources: Sources, services: LoopbackSources
) -> None:
    found = await sources["wikipedia"].search("what is a funding rate", 5, None)
    assert [(each.title, each.published_date) for each in found] == [("Funding rate", "2025-01-04"), ("Perpetual futures", "2025-02-04")]
    assert found[0].abstract == ARTICLE
    assert found[0].url == f"{services.url}/wiki/1"
    assert (await sources["wikipedia"].search("资金费率是什么", 5, None))[0].abstract == CHINESE_ARTICLE
    assert await sources["wikipedia"].search("nothing at all", 5, None) == []


@pytest.mark.parametrize(
    ("published", "later"),
    [("2024-03-05", False), ("2024-03-06", True), ("2024-02", False), ("2024-03", True), ("2024", True), ("2023", False), (None, False)],
)
def test_what_may_be_of_after_a_day_is_later(published: str | None, later: bool) -> None:
    assert is_later(Document(source="openalex", title="t", published_date=published), date(2024, 3, 5)) is later


async def test_wikipedia_is_asked_in_the_language_of_the_questions_script(web: WebClient, services: LoopbackSources) -> None:
    by_language = Wikipedia(web, f"{services.url}/{{language}}")
    for question in ("funding rate", "永续合约的资金费率"):
        with pytest.raises(SearchError, match="refused \\(404\\)"):
            await by_language.search(question, 3, None)
    assert [line.split("/w/")[0] for line, _ in services.requests] == ["GET /en", "GET /zh"]


async def test_openalex_puts_abstracts_together_and_bounds_by_date(sources: Sources, services: LoopbackSources) -> None:
    first, bare = await sources["openalex"].search("funding", 5, date(2024, 6, 1))
    assert (first.title, first.abstract, first.doi, first.published_date) == (
        PAPER["title"], PAPER["abstract"], PAPER["doi"], PAPER["published"],
    )  # fmt: skip
    assert first.authors == ("Ada Basis", "Lin Perp")
    assert sources["openalex"].download_address(first) == f"{services.url}/copy/1"
    assert (bare.abstract, bare.url) == ("", "https://openalex.org/W2")
    with pytest.raises(SearchError, match="no open-access copy"):
        sources["openalex"].download_address(bare)
    line, headers = services.requests[0]
    assert "filter=to_publication_date:2024-06-01" in line.replace("%3A", ":")
    assert "mailto=ops%40desk.example" in line or "mailto=ops@desk.example" in line
    assert "ops@desk.example" in headers["User-Agent"]


@pytest.mark.full
async def test_semantic_scholar_falls_back_to_the_year_and_knows_the_doi(sources: Sources, services: LoopbackSources) -> None:
    (found,) = await sources["semantic_scholar"].search("funding", 5, date(2024, 6, 1))
    assert (found.published_date, found.doi, found.abstract) == ("2024", PAPER["doi"], "")
    line, headers = services.requests[0]
    assert "publicationDateOrYear=:2024-06-01" in line.replace("%3A", ":")
    assert headers["x-api-key"] == "s2-secret-key"
    assert await sources["semantic_scholar"].search("nothing at all", 5, None) == []


async def test_tavily_sends_its_key_in_the_header_alone_and_reads_both_ways_of_dating(sources: Sources, services: LoopbackSources) -> None:
    undated, dated = await sources["tavily"].search("funding today", 5, date(2025, 3, 5))
    assert (undated.abstract, undated.published_date, dated.published_date) == (PAGE, None, "2025-03-04")
    line, headers = services.requests[0]
    assert headers["Authorization"] == "Bearer tvly-loopback-key"
    assert "tvly" not in line
    assert '"end_date": "2025-03-05"' in line


@pytest.mark.parametrize("question", ["How do Apple and its suppliers earn?", "aapl"])
async def test_edgar_knows_a_company_by_ticker_or_name_and_gives_its_filings(
    question: str, sources: Sources, services: LoopbackSources
) -> None:
    newest, older = await sources["sec_edgar"].search(question, 5, None)
    assert newest.url == f"{services.url}/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm"
    assert (newest.published_date, older.published_date) == ("2024-11-01", "2023-11-03")
    assert "Electronic Computers" in newest.abstract
    assert "Nasdaq" in newest.abstract


async def test_edgar_gives_no_filing_of_later_and_searches_the_text_where_no_company_is_named(
    sources: Sources, services: LoopbackSources
) -> None:
    (known,) = await sources["sec_edgar"].search("Apple Inc", 5, date(2024, 1, 31))
    assert known.published_date == "2023-11-03"
    (found,) = await sources["sec_edgar"].search("hash price per petahash", 5, date(2025, 3, 1))
    assert found.url.endswith("/Archives/edgar/data/1234567/000123456725000004/ex99.htm")
    assert "enddt=2025-03-01" in services.requests[-1][0]
    assert services.asked("company_tickers") == 1, "the list of companies is kept"
