"""The HTTP client below the model's client: pieces as they come, tool calls untouched, proxies followed, errors the client's own."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
import openai
import pytest

from engine.llm.answer_events import AnswerTally
from engine.llm.streaming_client import streaming_client
from tests.contracts.test_endpoints import JSON_TYPE, frame
from tests.servers.llm import HANG, STALL, Fault, LLMServer, refused_url
from tests.servers.tool_calls import calls_of, shreds

WORDS = " ".join(f"word{place}" for place in range(60))
ASKED = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go"}]}
CALLS = calls_of(("prices", {"symbol": "AAPL"}), ("news", {}))


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with streaming_client() as client:
        yield client


def path(server: LLMServer) -> str:
    return f"{server.base_url}/chat/completions"


def words_of(stream: bytes) -> str:
    """The words in what has come of a stream."""
    told = [json.loads(line[6:]) for line in stream.split(b"\n")[:-1] if line.startswith(b"data: {")]
    return "".join(each["choices"][0]["delta"].get("content", "") for each in told if each["choices"])


@pytest.mark.full
async def test_every_piece_comes_as_it_was_sent(client: httpx2.AsyncClient) -> None:
    with LLMServer(WORDS, tokens_per_s=100) as server:
        async with client.stream("POST", path(server), json=ASKED) as answer:
            assert words_of(b"".join([chunk async for chunk in answer.aiter_bytes()])) == WORDS


async def test_no_piece_waits_for_the_end(client: httpx2.AsyncClient) -> None:
    with LLMServer(STALL) as server:
        async with asyncio.timeout(30), client.stream("POST", path(server), json=ASKED) as answer:
            pieces, come = answer.aiter_bytes(), b""
            while words_of(come) != STALL.text:
                come += await anext(pieces)


def test_a_character_that_came_apart_is_whole() -> None:
    tally = AnswerTally()
    halves = [r"up \ud83d", r"\ude00 and \ud83d", "down"]
    events = [json.loads('{"choices": [{"delta": {"content": "@"}}]}'.replace("@", half)) for half in halves]
    assert [tally.add(each) for each in events] == ["up ", "\U0001f600 and ", "\ud83ddown"]


async def test_an_answer_that_is_given_up_ends_at_the_endpoint(client: httpx2.AsyncClient) -> None:
    with LLMServer(STALL) as server:  # it never ends by itself
        async with client.stream("POST", path(server), json=ASKED) as answer:
            await anext(answer.aiter_bytes())
        assert await asyncio.to_thread(server.requests[0].left.wait, 30)
        assert server.closed_early == 1


STREAMED = [
    frame({"index": 0, "delta": {"role": "assistant", "content": "I look "}, "finish_reason": None}),
    frame({"index": 0, "delta": {"content": "it up."}, "finish_reason": None}),
    *(frame({"index": 0, "delta": {"tool_calls": [each]}, "finish_reason": None}) for each in shreds(CALLS)),
    frame({"index": 0, "delta": {}, "finish_reason": "tool_calls"}),
]
SSE = "".join(f"data: {json.dumps(each)}\n\n" for each in STREAMED) + "data: [DONE]\n\n"
WHOLE = {"choices": [{"index": 0, "message": {"content": "I look it up.", "tool_calls": CALLS}, "finish_reason": "tool_calls"}]}


@pytest.mark.parametrize("plan", [Fault(raw=SSE.encode()), Fault(body=json.dumps(WHOLE), headers=JSON_TYPE)], ids=["stream", "whole"])
async def test_tool_calls_reach_the_model_library_as_they_were_made(client: httpx2.AsyncClient, plan: Fault) -> None:
    with LLMServer(plan) as server:
        library = openai.AsyncOpenAI(api_key="sk-x", base_url=server.base_url, http_client=client, max_retries=0)
        pieces = await library.post("/chat/completions", cast_to=object, body=ASKED, stream=True, stream_cls=openai.AsyncStream[object])
        tally = AnswerTally()
        text = "".join([tally.add(piece) async for piece in pieces])
    assert text == "I look it up."
    assert [(call.id, call.name, json.loads(call.arguments)) for call in tally.last_chunk("").tool_calls] == [
        ("call-1", "prices", {"symbol": "AAPL"}),
        ("call-2", "news", {}),
    ]


async def test_errors_are_the_clients_own(client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.TransportError):
        await client.post(refused_url())
    with LLMServer(HANG) as server, pytest.raises(httpx2.TimeoutException):
        await client.post(path(server), json=ASKED, timeout=0.2)
    with pytest.raises(httpx2.UnsupportedProtocol):
        await client.get("ftp://127.0.0.1/")


async def test_a_proxy_is_asked_for_what_lies_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with LLMServer("said") as server:
        monkeypatch.setenv(
            "http_proxy", server.base_url.removeprefix("http://").removesuffix("/v1")
        )  # without a scheme, as curl takes it too
        async with streaming_client() as client:
            answer = await client.post("http://model.invalid/v1/chat/completions", json=ASKED)
            assert b"said" in answer.content
            assert server.requests[0].path == "http://model.invalid/v1/chat/completions"
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        async with streaming_client() as client:
            await client.post(path(server), json=ASKED)
            assert server.requests[1].path == "/v1/chat/completions"
