"""Tools at an OpenAI-compatible endpoint: what is sent, and how calls come back, in pieces or whole."""

import json
from dataclasses import replace
from typing import Any

import pytest

from engine.llm.calls import CallPolicy, complete
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import Chunk, ModelCall, Tool, ToolCall
from tests.contracts.loopback import Watcher
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


@pytest.mark.parametrize(
    ("written", "back"),
    [
        *((each, "{}") for each in ("", "null", "[1, 2]", "Tesla", '{"a": 1}{"b": 2}', '{"a": 1e999}', "[" * 100_000)),
        (r'{"a": "\ud800"}', '{"a": "?"}'),
        ('{"a":1}', '{"a": 1}'),
    ],
)
async def test_arguments_that_are_no_object_go_back_as_an_empty_one(written: str, back: str) -> None:
    """An endpoint may refuse its own broken call in the history; the answer of the tool says what was wrong with it."""
    broken = {**MESSAGES[0], "tool_calls": [{"id": "c0", "type": "function", "function": {"name": "price", "arguments": written}}]}
    with LLMServer("plain") as server:
        model = OpenAIModel("m", api_key="sk-test", base_url=server.base_url)
        text = [chunk.text async for chunk in model.stream(replace(CALL, messages=(broken, MESSAGES[1])))]
        await model.close()
        asked = server.requests[0].body["messages"]
    assert "".join(text) == "plain"
    assert [(each["id"], each["function"]) for each in asked[2]["tool_calls"]] == [("c0", {"name": "price", "arguments": back})]
    assert asked[3]["tool_call_id"] == "c0"


async def test_half_characters_of_a_call_come_back_replaced() -> None:
    call = {"id": "c\ud8001", "type": "function", "function": {"name": "pri\udc00ce", "arguments": '{"symbol": "\ud800"}'}}
    with LLMServer(Fault(calls=(call,), finish="tool_calls")) as server:
        model = OpenAIModel("m", api_key="sk-test", base_url=server.base_url)
        answer = await complete(model, CALL, CallPolicy(), Watcher())
        await model.close()
    (asked,) = answer.tool_calls
    "".join((asked.id, asked.name, asked.arguments)).encode()
    assert asked.arguments == '{"symbol": "\ufffd"}'
