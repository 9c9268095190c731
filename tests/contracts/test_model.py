"""What every `Model` promises, over every implementation, and what the real client sends and makes of sound answers."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import aclosing

import pytest

from engine.domain.errors import ModelRefused
from engine.llm.calls import MAX_ANSWER_CHARS, CallPolicy, complete
from engine.llm.protocol import Model, ModelCall, Script
from engine.script.model import ScriptedModel
from tests.contracts.loopback import ANSWER, CALL, KEY, QUICK, Watcher, model_at
from tests.servers import llm
from tests.servers.llm import Fault, LLMServer

VOICES = {CALL.role: lambda call: Script("Momentum is fading, and so is the volume. " * 12)}


def _openai(server: LLMServer) -> Model:
    return model_at(server)


def _scripted(_: LLMServer) -> Model:
    return ScriptedModel(VOICES, pace=0)


def _slow_openai(server: LLMServer) -> Model:
    server.tokens_per_s = 20
    return model_at(server)


def _slow_scripted(_: LLMServer) -> Model:
    return ScriptedModel(VOICES, pace=1)


@pytest.mark.parametrize("make", [_openai, _scripted])
async def test_an_answer_streams_in_pieces_and_ends_with_its_finish(make: Callable[[LLMServer], Model], server: LLMServer) -> None:
    model = make(server)
    await model.ready()
    chunks = [chunk async for chunk in model.stream(CALL)]
    again = [chunk async for chunk in model.stream(CALL)]
    assert "".join(chunk.text for chunk in chunks) == "".join(chunk.text for chunk in again) != ""
    assert [chunk.finish for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert (chunks[-1].prompt_tokens or 0) > 0
    assert (chunks[-1].completion_tokens or 0) > 0
    assert model.name
    await model.close()
    await model.close()


@pytest.mark.parametrize("make", [_openai, _scripted])
async def test_the_pieces_that_are_heard_are_the_answer(make: Callable[[LLMServer], Model], server: LLMServer) -> None:
    model, watcher = make(server), Watcher()
    answer = await complete(model, CALL, QUICK, watcher)
    assert watcher.of(1) == answer.text
    assert answer.text.strip()
    assert (answer.finish, answer.attempt, answer.usage.requests, answer.usage.failed) == ("stop", 1, 1, 0)
    assert answer.usage.model == model.name
    assert answer.usage.first_token_ms is not None
    assert 0 < answer.usage.first_token_ms <= answer.usage.duration_ms
    await model.close()


@pytest.mark.parametrize("make", [_slow_openai, _slow_scripted])
async def test_closing_and_cancelling_end_a_call_at_once(make: Callable[[LLMServer], Model], server: LLMServer) -> None:
    server.answer = "word " * 400
    model = make(server)
    async with aclosing(model.stream(CALL)) as chunks:  # type: ignore[type-var]
        async for chunk in chunks:
            if chunk.text:
                break
    heard = asyncio.Event()

    class Hearing(Watcher):
        def text(self, piece: str, attempt: int) -> None:
            heard.set()

    task = asyncio.create_task(complete(model, CALL, QUICK, Hearing()))
    await heard.wait()
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 10, "the answer would go on for longer"
    for request in server.requests:
        assert await asyncio.to_thread(request.left.wait, 30)
    assert server.closed_early == len(server.requests)
    await model.close()


async def test_an_answer_cut_off_by_length_says_so(server: LLMServer) -> None:
    server.answer, model = llm.cut_off(ANSWER), model_at(server)
    answer = await complete(model, CALL, QUICK, Watcher())
    assert (answer.text, answer.finish, answer.usage.failed) == (ANSWER, "length", 0)
    server.answer = ("flood" * 40 + " ") * 2_000
    flood = await complete(model, CALL, CallPolicy(deadline_s=20), Watcher())
    assert flood.finish == "length"
    assert len(flood.text) == MAX_ANSWER_CHARS
    await model.close()


async def test_a_whole_answer_counts_although_the_stream_is_never_closed(server: LLMServer) -> None:
    server.answer, model = llm.never_closed(ANSWER), model_at(server)
    answer = await complete(model, CALL, QUICK, Watcher())
    assert (answer.text, answer.finish, answer.usage.completion_tokens) == (ANSWER, "stop", 0)
    await model.close()


async def test_an_end_that_comes_before_the_end_of_the_body_is_the_end(server: LLMServer) -> None:
    """The client drains what stands behind `[DONE]` while the stream is still being read: the connection has one reader all the same."""
    told = ({"delta": {"content": ANSWER}, "finish_reason": None}, {"delta": {}, "finish_reason": "stop"})
    events = [json.dumps({"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]}) for choice in told]
    server.answer, model = Fault(lines=tuple(f"data: {event}" for event in (*events, "[DONE]")), then="drop"), model_at(server)
    answer = await complete(model, CALL, QUICK, Watcher())
    assert (answer.text, answer.finish, answer.usage.requests) == (ANSWER, "stop", 1)
    await model.close()


async def test_thoughts_are_not_heard_and_hostile_characters_not_kept(server: LLMServer) -> None:
    server.answer = "<THINK>direction: SHORT</THINK>\r\n\r\nfine\x00 \x1b[31m\ud800 end\r\n"
    model, watcher = model_at(server), Watcher()
    answer = await complete(model, CALL, QUICK, watcher)
    assert answer.text == "fine [31m\ufffd end\n" == watcher.of(1)
    await model.close()


async def test_what_is_sent(server: LLMServer) -> None:
    model = model_at(server, takes_images=True)
    await complete(model, ModelCall("trend", "en", "sys", "usr", images=(b"\x89PNG",), temperature=0.3), QUICK, Watcher())
    await complete(model, CALL, QUICK, Watcher())
    first, second = server.requests
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert (first.body["model"], first.body["temperature"], first.body["stream"]) == ("loopback-1", 0.3, True)
    assert first.body["stream_options"] == {"include_usage": True}
    assert (llm.system_of(first.body), llm.user_of(first.body), first.images) == ("sys", "usr", ["data:image/png;base64,iVBORw=="])
    assert "temperature" not in second.body
    assert first.body["max_tokens"] == second.body["max_tokens"] == 4000
    with pytest.raises(ModelRefused, match="not accept images"):
        await complete(model_at(server), ModelCall("trend", "en", "s", "u", images=(b"x",)), QUICK, Watcher())
    await model.close()
