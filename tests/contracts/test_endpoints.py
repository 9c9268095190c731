"""What endpoints make of the OpenAI protocol: whole answers, event streams in every dress, several choices, the bound of an answer."""

import asyncio
import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from engine.domain.errors import ModelRefused
from engine.llm.calls import Answer, CallLost, CallPolicy, complete
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import ModelCall
from tests.contracts.loopback import ANSWER, CALL, KEY, QUICK, Watcher, model_at
from tests.servers import llm
from tests.servers.llm import Fault, LLMServer

JSON_TYPE = (("Content-Type", "application/json"),)
USAGE = {"prompt_tokens": 21, "completion_tokens": 13, "total_tokens": 34}
PIECES = (ANSWER[:9], ANSWER[9:30], ANSWER[30:])


def frame(*choices: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "1", "object": "chat.completion.chunk", "model": "m", "choices": list(choices), **more}


def said(text: str, index: int = 0, finish: str | None = None) -> dict[str, Any]:
    return {"index": index, "delta": {"content": text}, "finish_reason": finish}


FRAMES = [*(frame(said(text)) for text in PIECES), frame({"index": 0, "delta": {}, "finish_reason": "stop"}), frame(usage=USAGE)]
EVENTS = [json.dumps(told, ensure_ascii=False) for told in FRAMES]

DRESSES = {
    "plain": "".join(f"data: {event}\n\n" for event in EVENTS) + "data: [DONE]\n\n",
    "ids and comments": "".join(f"id: {place}\ndata: {event}\n\n: keep-alive\n\n" for place, event in enumerate(EVENTS))
    + "data: [DONE]\n\n",
    "comment before": ": PROCESSING\n\n: PROCESSING\n\n" + "".join(f"data: {event}\n\n" for event in EVENTS) + "data: [DONE]\n\n",
    "event and retry": "retry: 500\n\n" + "".join(f"event: message\nretry: 5\ndata: {event}\n\n" for event in EVENTS),
    "crlf": "".join(f"id: x\r\ndata: {event}\r\n\r\n:\r\n\r\n" for event in EVENTS) + "data: [DONE]\r\n\r\n",
    "carriage returns": "".join(f"id: x\rdata: {event}\r\r" for event in EVENTS) + "data: [DONE]\r\r",
    "no space": "".join(f"data:{event}\n\n" for event in EVENTS) + "data:[DONE]\n\n",
    "byte order mark": "\ufeff" + "".join(f"data: {event}\n\n" for event in EVENTS),
    "several lines": "".join("data: " + json.dumps(told, indent=1).replace("\n", "\ndata: ") + "\n\n" for told in FRAMES),
    "one line end at the end": "".join(f"id: 1\ndata: {event}\n\n" for event in EVENTS[:-2]) + f"data: {EVENTS[-2]}\n",
    "empty data": "data:\n\n" + "".join(f"data: {event}\n\ndata\n\n" for event in EVENTS),
}


async def ask(server: LLMServer, call: ModelCall = CALL, policy: CallPolicy = QUICK, watcher: Watcher | None = None) -> Answer:
    model = model_at(server)
    try:
        return await complete(model, call, policy, watcher or Watcher())
    finally:
        await model.close()


@pytest.mark.parametrize("dress", DRESSES)
async def test_an_event_stream_is_understood_in_every_dress(dress: str) -> None:
    with LLMServer(Fault(raw=DRESSES[dress].encode())) as server:
        answer = await ask(server)
    assert (answer.text, answer.finish, answer.usage.requests) == (ANSWER, "stop", 1)
    counted = 0 if "at the end" in dress else 13
    assert answer.usage.completion_tokens == counted


@pytest.mark.parametrize("dress", ["ids and comments", "crlf", "several lines"])
async def test_a_stream_that_comes_in_shreds_is_the_same_stream(dress: str) -> None:
    """Bytes of one character, of a line end or of an event may come apart."""
    raw = DRESSES[dress].encode()

    async def shreds(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        for start, end in pairwise([*range(0, len(raw), 7), len(raw)]):
            writer.write(raw[start:end])
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()

    listening = await asyncio.start_server(shreds, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    model = OpenAIModel("m", api_key=KEY, base_url=f"http://127.0.0.1:{port}/v1")
    answer = await complete(model, CALL, QUICK, Watcher())
    assert (answer.text, answer.usage.completion_tokens) == (ANSWER, 13)
    await model.close()
    listening.close()


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "text/event-stream", "text/plain"])
async def test_a_whole_answer_in_place_of_a_stream_is_understood(kind: str) -> None:
    message = {"role": "assistant", "content": ANSWER, "reasoning_content": "direction: SHORT"}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE}
    with LLMServer(Fault(body=json.dumps(body, indent=2), headers=(("Content-Type", kind),))) as server:
        answer = await ask(server)
    assert (answer.text, answer.finish) == (ANSWER, "stop")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.requests) == (21, 13, 1)
    assert answer.usage.first_token_ms is not None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"choices": [{"index": 0, "message": {"content": ANSWER}}]}, "without a finish"),
        ({"choices": [{"index": 0, "message": {"content": ""}, "finish_reason": "stop"}]}, "empty"),
        ({"choices": [{"index": 1, "message": {"content": ANSWER}, "finish_reason": "stop"}]}, "not a stream"),
        ({"error": {"message": "engine overloaded"}}, "engine overloaded"),
        ({"hello": "world"}, "not a stream|without a finish"),
    ],
)
async def test_a_whole_answer_that_is_none_is_tried_again_and_lost(body: object, reason: str) -> None:
    with LLMServer(Fault(body=json.dumps(body), headers=JSON_TYPE)) as server, pytest.raises(CallLost, match=reason) as lost:
        await ask(server)
    assert (lost.value.usage.requests, lost.value.usage.failed) == (3, 3)


@pytest.mark.parametrize("beginning", ['{"choices": "', "data: "])
async def test_an_answer_without_end_is_not_kept(beginning: str) -> None:
    """A body or a line that goes on and on is given up, whatever its length."""
    with (
        LLMServer(Fault(body=beginning + "x" * 9_000_000, headers=JSON_TYPE)) as server,
        pytest.raises(CallLost, match="longer than"),
    ):
        await ask(server)


def wrong(text: str, finish: str | None = None) -> dict[str, Any]:
    return said(text, 1, finish)


SECOND = "direction: SHORT\nconfidence: 99"
ENDED = frame({"index": 0, "delta": {}, "finish_reason": "stop"})


@pytest.mark.parametrize(
    "frames",
    [
        [frame(said(ANSWER[:9])), frame(wrong(SECOND)), frame(said(ANSWER[9:])), frame(wrong("", "stop")), ENDED],
        [frame(said(ANSWER[:9]), wrong(SECOND)), frame(wrong("x"), said(ANSWER[9:])), ENDED],
        [frame(said(ANSWER, finish="stop")), frame(wrong(SECOND)), frame(wrong("", "stop"))],
    ],
    ids=["in turns", "in one event", "behind the end"],
)
async def test_a_second_choice_is_no_part_of_the_first(frames: list[dict[str, Any]]) -> None:
    raw = "".join(f"data: {json.dumps(told)}\n\n" for told in frames) + "data: [DONE]\n\n"
    with LLMServer(Fault(raw=raw.encode())) as server:
        answer = await ask(server)
    assert (answer.text, answer.finish) == (ANSWER, "stop")


async def test_a_second_choice_of_a_whole_answer_is_no_part_of_the_first() -> None:
    told = [{"index": place, "message": {"content": text}, "finish_reason": "stop"} for place, text in ((1, SECOND), (0, ANSWER))]
    with LLMServer(Fault(body=json.dumps({"choices": told}), headers=JSON_TYPE)) as server:
        assert (await ask(server)).text == ANSWER


@pytest.mark.parametrize("word", ["length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens"])
async def test_every_word_for_cut_off_means_cut_off(word: str) -> None:
    with LLMServer(Fault(text=ANSWER, finish=word)) as server:
        assert (await ask(server)).finish == "length"


@pytest.mark.parametrize("word", ["error", "abort", "insufficient_system_resource"])
async def test_an_answer_that_the_endpoint_gave_up_is_no_answer(word: str) -> None:
    with LLMServer([Fault(text=ANSWER[:20], finish=word), ANSWER]) as server:
        answer = await ask(server)
    assert (answer.text, answer.attempt) == (ANSWER, 2)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
@pytest.mark.parametrize("plain", [False, True], ids=["stream", "whole"])
async def test_every_call_carries_its_bound_under_the_name_the_endpoint_wants(name: str, plain: bool) -> None:
    watcher = Watcher()
    with LLMServer(ANSWER, bound=name, plain=plain) as server:
        model = model_at(server)
        first = await complete(model, CALL, QUICK, watcher)
        again = await complete(model, CALL, QUICK, watcher)
        sent = [{key: value for key, value in request.body.items() if key.startswith("max_")} for request in server.requests]
        await model.close()
    assert first.text == again.text == ANSWER
    assert sent[-2:] == [{name: 4000}, {name: 4000}]
    assert all(len(bound) == 1 for bound in sent)
    learnt = len(sent) - 2
    assert learnt <= 1, "what an endpoint wants is learnt once"
    assert (first.usage.requests, first.usage.failed, again.usage.requests) == (1 + learnt, learnt, 1)
    assert [wait for _, _, wait in watcher.retries] == [0.0] * learnt


async def test_an_endpoint_that_takes_no_bound_is_refused_by_name() -> None:
    def neither(body: llm.Body) -> llm.Plan:
        named = next(name for name in ("max_tokens", "max_completion_tokens") if name in body)
        return llm.status(400, f"Unrecognized request argument supplied: {named}")

    with LLMServer(neither) as server, pytest.raises(ModelRefused, match="TRIBUNAL_MAX_TOKENS"):
        await ask(server)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "told",
    [
        "max_tokens is too large: 4000. This model supports at most 2048 completion tokens",
        "'max_tokens' or 'max_completion_tokens' is too large: 4000. The maximum context length is at most 2048",
        "This model's maximum context length is at most 2048 tokens; you requested 1500 in the messages, 4000 in the completion",
    ],
)
async def test_a_bound_that_is_too_large_is_not_a_bound_of_another_name(told: str) -> None:
    with LLMServer([llm.status(400, told), ANSWER]) as server:
        model = model_at(server)
        with pytest.raises(ModelRefused, match=r"at most 2048.*TRIBUNAL_MAX_TOKENS"):
            await complete(model, CALL, QUICK, Watcher())
        await complete(model, CALL, QUICK, Watcher())
        await model.close()
    assert all("max_tokens" in request.body for request in server.requests)


async def test_a_bound_that_reasoning_used_up_is_doubled_once() -> None:
    watcher, policy = Watcher(), CallPolicy(deadline_s=5, backoff_s=0.02, max_tokens=60)
    with LLMServer(ANSWER, bound="max_completion_tokens", thoughts=60) as server:
        answer = await ask(server, policy=policy, watcher=watcher)
        sent = [request.body["max_completion_tokens"] for request in server.requests if "max_completion_tokens" in request.body]
    assert (answer.text, answer.finish, sent, answer.max_tokens) == (ANSWER, "stop", [60, 120], 120)
    assert "120" in watcher.retries[-1][1]
    assert watcher.retries[-1][2] == 0.0


async def test_reasoning_that_uses_up_twice_the_bound_is_lost_and_says_what_to_set() -> None:
    policy = CallPolicy(deadline_s=5, backoff_s=0.02, max_tokens=60)
    with LLMServer(ANSWER, bound="max_tokens", thoughts=500) as server, pytest.raises(CallLost, match="TRIBUNAL_MAX_TOKENS") as lost:
        await ask(server, policy=policy)
    assert [request.body["max_tokens"] for request in server.requests] == [60, 120]
    assert (lost.value.usage.requests, lost.value.usage.failed, lost.value.usage.completion_tokens) == (2, 2, 180)
