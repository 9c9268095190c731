"""Tools at an OpenAI-compatible endpoint: what is sent, and how calls come back, in pieces or whole."""

import json
from typing import Any

import pytest

from engine.llm.openai import OpenAIModel
from engine.llm.protocol import Chunk, ModelCall, Tool, ToolCall
from tests.servers.llm import Fault, LLMServer

PRICE = Tool("price", "The last price.", {"type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"]})
MESSAGES: tuple[dict[str, Any], ...] = (
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c0", "type": "function", "function": {"name": "price", "arguments": '{"symbol": "A"}'}}],
    },
    {"role": "tool", "tool_call_id": "c0", "content": "7.5"},
)
CALL = ModelCall("market analyst", "en", "sys", "usr", messages=MESSAGES, tools=(PRICE,))
WANTED = (ToolCall("c1", "price", '{"symbol": "B"}'), ToolCall("c2", "price", '{"symbol": "C"}'))


def _frame(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return "data: " + json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def _piece(index: int, text: str, **more: str) -> dict[str, Any]:
    name = {"name": more["name"]} if "name" in more else {}
    return {"tool_calls": [{"index": index, **({"id": more["id"]} if "id" in more else {}), "function": {**name, "arguments": text}}]}


PIECES = (
    _frame({"role": "assistant", "content": "I look "}),
    _frame({"content": "it up."}),
    _frame(_piece(0, "", id="c1", name="price")),
    _frame(_piece(0, '{"symbol": ')),
    _frame(_piece(0, '"B"}')),
    _frame(_piece(1, '{"symbol"', id="c2", name="price")),
    _frame(_piece(1, ': "C"}')),
    _frame({}, "tool_calls"),
    "data: [DONE]",
)
_CALLS = [{"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in WANTED]
_MESSAGE = {"role": "assistant", "content": "I look it up.", "tool_calls": _CALLS}
WHOLE = json.dumps({"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": _MESSAGE, "finish_reason": "tool_calls"}]})


@pytest.mark.parametrize(
    "answer", [Fault(lines=tuple(line for piece in PIECES for line in (piece, ""))), Fault(body=WHOLE)], ids=["pieces", "whole"]
)
async def test_calls_come_back_whole_and_in_order(answer: Fault) -> None:
    with LLMServer(answer) as server:
        model = OpenAIModel("m", api_key="sk-test", base_url=server.base_url)
        chunks: list[Chunk] = [chunk async for chunk in model.stream(CALL)]
        await model.close()
        (request,) = server.requests
    assert "".join(chunk.text for chunk in chunks) == "I look it up."
    assert (chunks[-1].finish, chunks[-1].tool_calls) == ("tool_calls", WANTED)
    assert all(chunk.tool_calls == () for chunk in chunks[:-1])
    sent = request.body
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "tool"]
    assert sent["messages"][2]["tool_calls"][0]["function"]["name"] == "price"
    assert sent["messages"][3]["tool_call_id"] == "c0"
    function = {"name": "price", "description": "The last price.", "parameters": dict(PRICE.parameters)}
    assert sent["tools"] == [{"type": "function", "function": function}]


async def test_without_tools_none_are_sent() -> None:
    with LLMServer("plain") as server:
        model = OpenAIModel("m", api_key="sk-test", base_url=server.base_url)
        assert [chunk.tool_calls async for chunk in model.stream(ModelCall("bull", "en", "s", "u"))][-1] == ()
        await model.close()
        assert "tools" not in server.requests[0].body
