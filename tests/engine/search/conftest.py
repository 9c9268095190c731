"""What tests of search share: the loopback services, and sources that ask them."""

from collections.abc import AsyncIterator, Iterator

import pytest

from engine.search.sources.papers import OpenAlex, SemanticScholar
from engine.search.sources.sec_edgar import SecEdgar
from engine.search.sources.source import Source
from engine.search.sources.tavily import Tavily
from engine.search.sources.wikipedia import Wikipedia
from engine.search.web_client import Manners, WebClient
from tests.servers.sources import LoopbackSources

QUICK = Manners(deadline_s=20.0, attempt_s=10.0, backoff_s=0.01)


@pytest.fixture
def services() -> Iterator[LoopbackSources]:
    with LoopbackSources() as services:
        yield services


@pytest.fixture
async def web() -> AsyncIterator[WebClient]:
    client = WebClient("ops@desk.example", QUICK)
    yield client
    await client.close()


@pytest.fixture
def sources(services: LoopbackSources, web: WebClient) -> dict[str, Source]:
    made: list[Source] = [
        Wikipedia(web, services.url),
        OpenAlex(web, services.url, contact="ops@desk.example"),
        SemanticScholar(web, services.url, "s2-secret-key"),
        Tavily(web, services.url, "tvly-loopback-key"),
        SecEdgar(web, services.url),
    ]
    return {source.name: source for source in made}
