"""The HTTP client below the model's client: pieces as they come, tool calls untouched, proxies followed, errors the client's own."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
import pytest

from engine.llm.streaming_client import streaming_client
from tests.contracts.loopback import CALL, model_at
from tests.contracts.test_endpoints import JSON_TYPE, frame
from tests.servers.llm import STALL, Fault, LLMServer
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


async def test_no_piece_waits_for_the_end(client: httpx2.AsyncClient) -> None:
    with LLMServer(STALL) as server:
        async with asyncio.timeout(30), client.stream("POST", path(server), json=ASKED) as answer:
            pieces, come = answer.aiter_bytes(), b""
            while words_of(come) != STALL.text:
                come += await anext(pieces)


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
async def test_tool_calls_arrive_as_they_were_made(plan: Fault) -> None:
    with LLMServer(plan) as server:
        model = model_at(server)
        pieces = [piece async for piece in model.stream(CALL)]
        await model.close()
    assert "".join(piece.text for piece in pieces) == "I look it up."
    assert [(call.id, call.name, json.loads(call.arguments)) for call in pieces[-1].tool_calls] == [
        ("call-1", "prices", {"symbol": "AAPL"}),
        ("call-2", "news", {}),
    ]
