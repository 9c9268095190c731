"""How services are asked: every failure is one clear reason, Retry-After is kept, turns are waited for."""

import asyncio
import time
from typing import Any

import pytest

from engine.domain.errors import SearchError
from engine.search.web_client import WebClient, WebRequest
from tests.engine.search.conftest import QUICK
from tests.servers.sources import LoopbackSources

PATHS = {
    "wikipedia": "/w/api.php",
    "openalex": "/works",
    "semantic_scholar": "/graph/v1",
    "tavily": "POST /search",
    "sec_edgar": "GET /",
}
REASONS = {
    "429": "too many requests \\(429\\), in 3 attempts",
    "drop": "could not be reached",
    "html": "a web page instead of JSON: is TRIBUNAL_[A-Z_]+_URL right",
    "shape": "another shape than its documented one",
    "redirect": "sends on to http://169.254.169.254",
    "large": "more than 8,000,000 bytes",
}
ASKED_AGAIN = {"429", "500", "drop"}


def _request(services: LoopbackSources, **fields: Any) -> WebRequest:
    return WebRequest(url=f"{services.url}/works", **{"who": "the service", "spacing_s": 0.0, "setting": "TRIBUNAL_OPENALEX_URL", **fields})


@pytest.mark.parametrize("kind", REASONS)
async def test_every_kind_of_failure_is_a_reason_and_only_trouble_is_asked_again(
    kind: Any, web: WebClient, services: LoopbackSources
) -> None:
    services.fail("/works", kind)
    with pytest.raises(SearchError, match=REASONS[kind]) as raised:
        await web.ask(_request(services), lambda answer: answer["results"])
    assert "\n" not in str(raised.value)
    asked = services.asked("/works") / (2 if kind == "drop" else 1)  # aiohttp itself repeats a GET whose connection broke off, once
    assert asked == (QUICK.attempts if kind in ASKED_AGAIN else 1)
    services.heal()
    assert await web.ask(_request(services), lambda answer: answer["results"])


async def test_a_refusal_that_repeats_the_key_is_quoted_without_it(web: WebClient, services: LoopbackSources) -> None:
    services.fail("/works", "401")
    with pytest.raises(SearchError, match=r"refused \(401\): Unauthorized: missing or invalid \[hidden\] key"):
        await web.ask(_request(services, headers={"Authorization": "Bearer API"}), lambda answer: answer)


async def test_a_retry_after_beyond_the_deadline_fails_at_once_and_leaves_the_service_alone(
    web: WebClient, services: LoopbackSources
) -> None:
    services.fail("/works", "429", times=1, retry_after="120")
    began = time.monotonic()
    with pytest.raises(SearchError, match=r"429.*left alone for 120 s"):
        await web.ask(_request(services), lambda answer: answer)
    with pytest.raises(SearchError, match=r"left alone for another 1(20|[01]\d) s"):
        await web.ask(_request(services), lambda answer: answer)
    assert services.asked("/works") == 1
    assert await web.ask(_request(services, who="another service"), lambda answer: answer["results"])
    assert time.monotonic() - began < QUICK.deadline_s, "nothing was waited for"


async def test_requests_to_a_service_wait_for_their_turn(web: WebClient, services: LoopbackSources) -> None:
    began = time.monotonic()
    await asyncio.gather(*(web.ask(_request(services, spacing_s=0.2), lambda answer: answer) for _ in range(3)))
    assert time.monotonic() - began >= 0.4
