"""How services are asked: every failure is one clear reason, Retry-After is kept, turns are waited for, answers are kept and expire."""

import asyncio
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.domain.clock import use_clock
from engine.domain.errors import SearchError
from engine.search.sources.source import Source
from engine.search.sources.tavily import Tavily
from engine.search.web.answer_cache import AnswerCache
from engine.search.web.web_client import Manners, WebClient, WebRequest, seconds_of
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
    "500": "failed on its side \\(500\\), in 3 attempts",
    "drop": "could not be reached",
    "html": "a web page instead of JSON: is TRIBUNAL_[A-Z_]+_URL right",
    "broken": "instead of JSON",
    "shape": "another shape than its documented one",
    "redirect": "sends on to http://169.254.169.254",
    "400": r"^the service does not accept what it was asked \(400\)$",  # what its schema says is for the log
    "401": "refused \\(401\\): Unauthorized",
    "large": "more than 8,000,000 bytes",
}
ASKED_AGAIN = {"429", "500", "drop"}


def _request(services: LoopbackSources, **fields: Any) -> WebRequest:
    return WebRequest(url=f"{services.url}/works", **{"who": "the service", "spacing_s": 0.0, "setting": "TRIBUNAL_OPENALEX_URL", **fields})


@pytest.mark.full
@pytest.mark.parametrize("name", PATHS)
async def test_each_source_down_is_one_reason_and_then_answers_again(
    name: str, sources: dict[str, Source], services: LoopbackSources
) -> None:
    services.fail(PATHS[name], "html")
    with pytest.raises(SearchError, match=REASONS["html"]):
        await sources[name].search("apple", 5, None)
    services.heal()
    services.fail(PATHS[name], "shape")
    with pytest.raises(SearchError, match=REASONS["shape"]):
        await sources[name].search("apple", 5, None)
    services.heal()
    assert await sources[name].search("apple", 5, None)


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


async def test_no_proxy_is_asked_for_a_service_on_this_machine(
    web: WebClient, services: LoopbackSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert await web.ask(_request(services), lambda answer: answer["results"])


@pytest.mark.full
@pytest.mark.parametrize(
    ("manners", "reason", "asked"),
    [
        (Manners(deadline_s=20.0, attempt_s=0.2, backoff_s=0.01), r"did not answer within 0.2 s, in 3 attempts", 3),
        (Manners(deadline_s=0.3, attempt_s=10.0, backoff_s=0.01), r"gave no answer within 0.3 s", 1),
    ],
)
async def test_a_service_that_hangs_is_cut_off(
    manners: Manners, reason: str, asked: int, services: LoopbackSources, cache: AnswerCache
) -> None:
    services.fail("/works", "hang")
    client = WebClient("", cache, manners)
    with pytest.raises(SearchError, match=reason):
        await client.ask(_request(services), lambda answer: answer)
    await client.close()
    assert services.asked("/works") <= asked


@pytest.mark.full
async def test_retry_after_is_kept(web: WebClient, services: LoopbackSources) -> None:
    services.fail("/works", "429", times=1, retry_after="1")
    began = time.monotonic()
    assert await web.ask(_request(services), lambda answer: answer["results"])
    assert 1.0 <= time.monotonic() - began < QUICK.deadline_s
    assert services.asked("/works") == 2


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


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("Fri, 01 Jan 2027 00:59:30 GMT", 3_600),
        ("Thu, 31 Dec 2026 22:59:30 GMT", 0),
        ("soon", 0),
        ("nan", 0),
        ("", 0),
    ],
    ids=["seconds", "date", "date that is past", "word", "nan", "nothing"],
)
def test_retry_after_is_read_as_seconds_or_a_date(header: str, seconds: float) -> None:
    with use_clock(lambda: datetime(2026, 12, 31, 23, 59, 30, tzinfo=UTC)):
        assert seconds_of(header) == seconds


async def test_requests_to_a_service_wait_for_their_turn(web: WebClient, services: LoopbackSources) -> None:
    began = time.monotonic()
    await asyncio.gather(*(web.ask(_request(services, spacing_s=0.2), lambda answer: answer) for _ in range(3)))
    assert time.monotonic() - began >= 0.4


async def test_an_answer_is_kept_until_it_expires_and_a_failure_never(services: LoopbackSources, tmp_path: Path) -> None:
    now = [datetime(2026, 5, 12, 9, tzinfo=UTC)]
    cache = AnswerCache(tmp_path / "kept.sqlite", 3600, lambda: now[0])
    client = WebClient("", cache, QUICK)
    tavily = Tavily(client, services.url, "tvly-secret-key")
    services.fail("/search", "shape", times=1)
    with pytest.raises(SearchError):
        await tavily.search("funding", 5, None)
    first = await tavily.search("funding", 5, None)
    assert await tavily.search("funding", 5, None) == first
    assert services.asked("/search") == 2
    now[0] += timedelta(seconds=3601)
    assert await tavily.search("funding", 5, None) == first
    assert services.asked("/search") == 3
    await client.close()
    assert b"tvly-secret-key" not in (tmp_path / "kept.sqlite").read_bytes()
    assert (tmp_path / "kept.sqlite").stat().st_mode & 0o077 == 0
    with sqlite3.connect(tmp_path / "kept.sqlite") as db:
        assert db.execute("select count(*) from answers").fetchone() == (1,)
    db.close()


async def test_a_cache_that_cannot_be_used_is_as_good_as_none(services: LoopbackSources, tmp_path: Path) -> None:
    (tmp_path / "kept.sqlite").write_bytes(b"this is no database, and long enough to be looked at" * 40)
    cache = AnswerCache(tmp_path / "kept.sqlite", 3600)
    client = WebClient("", cache, QUICK)
    tavily = Tavily(client, services.url, "tvly-loopback-key")
    assert await tavily.search("funding", 5, None) == await tavily.search("funding", 5, None)
    await client.close()
    cache.give("tavily", ["https://desk.example/1"])
    assert cache.was_given("tavily", "https://desk.example/1")
    assert not cache.was_given("openalex", "https://desk.example/1")
    assert not AnswerCache(tmp_path / "kept.sqlite", 3600).was_given("tavily", "https://desk.example/1"), "what is not known was not given"


def test_what_a_search_gave_is_known_to_other_processes_of_the_home(tmp_path: Path) -> None:
    AnswerCache(tmp_path / "answers.sqlite", 0).give("tavily", ["https://desk.example/1"])
    assert AnswerCache(tmp_path / "answers.sqlite", 0).was_given("tavily", "https://desk.example/1")
