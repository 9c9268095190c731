"""What tests of search share: the loopback services, and sources that ask them."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from engine.search.sources.openalex import OpenAlex
from engine.search.sources.sec_edgar import SecEdgar
from engine.search.sources.semantic_scholar import SemanticScholar
from engine.search.sources.source import Source
from engine.search.sources.tavily import Tavily
from engine.search.sources.wikipedia import Wikipedia
from engine.search.web.answer_cache import AnswerCache
from engine.search.web.web_client import Manners, WebClient
from tests.servers.sources import LoopbackSources

QUICK = Manners(deadline_s=20.0, attempt_s=10.0, backoff_s=0.01)


@pytest.fixture
def services() -> Iterator[LoopbackSources]:
    with LoopbackSources() as services:
        yield services


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers.sqlite", 0)


@pytest.fixture
async def web(cache: AnswerCache) -> AsyncIterator[WebClient]:
    client = WebClient("ops@desk.example", cache, QUICK)
    yield client
    await client.close()


@pytest.fixture
def sources(services: LoopbackSources, web: WebClient) -> dict[str, Source]:
    made: list[Source] = [
        Wikipedia(web, services.url),
        OpenAlex(web, services.url, "ops@desk.example", ""),
        SemanticScholar(web, services.url, "s2-secret-key"),
        Tavily(web, services.url, "tvly-loopback-key"),
        SecEdgar(web, services.url),
    ]
    return {source.name: source for source in made}
