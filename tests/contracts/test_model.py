"""What every `Model` promises, over every implementation; then every fault of an endpoint, through the real client, against a server."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest

from engine.domain.errors import ModelRefused, ModelUnavailable
from engine.llm.calls import MAX_ANSWER_CHARS, Answer, CallLost, CallPolicy, CallRefused, complete
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import Model, ModelCall, Planted
from engine.llm.scripted import ScriptedModel
from engine.llm.slots import EndpointSlots
from tests.servers import llm
from tests.servers.llm import Fault, LLMServer, Plan

KEY = "sk-canary-7f3a91c2e8b4d605"
ANSWER = "The trend holds. 趋势向上。\n\n[Vote]\ndirection: LONG\nconfidence: 70"
CALL = ModelCall("indicator", "en", "You are an analyst.", "=== Measured facts ===\nprice = 64000\nrsi_14 = 61.2\n", context="c0ffee")
QUICK = CallPolicy(deadline_s=5.0, attempts=3, backoff_s=0.02)


class Watcher:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.pieces: list[tuple[int, str]] = []
        self.retries: list[tuple[int, str, float]] = []
        self.lies: list[Planted] = []

    def text(self, piece: str, attempt: int) -> None:
        self.pieces.append((attempt, piece))

    def planted(self, planted: Planted) -> None:
        self.lies.append(planted)

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        self.retries.append((attempt, reason, wait_s))

    def of(self, attempt: int) -> str:
        return "".join(piece for number, piece in self.pieces if number == attempt)


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer(answer=ANSWER) as running:
        yield running


def model_at(server: LLMServer, **options: object) -> OpenAIModel:
    return OpenAIModel("loopback-1", api_key=KEY, base_url=server.base_url, **options)


def _openai(server: LLMServer) -> Model:
    return model_at(server)


def _scripted(_: LLMServer) -> Model:
    return ScriptedModel(pace=0)


def _slow_openai(server: LLMServer) -> Model:
    server.tokens_per_s = 20
    return model_at(server)


def _slow_scripted(_: LLMServer) -> Model:
    return ScriptedModel(pace=1)


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
    task = asyncio.create_task(complete(model, CALL, QUICK, Watcher()))
    await asyncio.sleep(0.3)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 1
    for request in server.requests:
        assert await asyncio.to_thread(request.left.wait, 2)
    assert server.closed_early == len(server.requests)
    await model.close()


LOST: list[tuple[str, Plan, str]] = [
    ("empty", llm.EMPTY, "empty"),
    ("blank", llm.BLANK, "empty"),
    ("only thoughts", "<think>I wonder", "empty"),
    ("no finish", llm.NO_FINISH, "without a finish"),
    ("error in the stream", llm.STREAM_ERROR, "engine overloaded"),
    ("dropped", llm.dropped(), "broke"),
    ("html", llm.HTML, "not a stream"),
    ("garbage", llm.GARBAGE, "not a stream"),
    ("whole, without a finish", llm.NO_STREAM_NO_FINISH, "without a finish"),
    ("filtered", llm.FILTERED, "content filter"),
    *((f"broken event {place}", fault, "not a stream") for place, fault in enumerate(llm.BROKEN_EVENTS)),
    *((str(code), llm.status(code, f"echo {KEY}"), str(code)) for code in (408, 409, 425, 429, 500, 502, 503, 529)),
]


@pytest.mark.parametrize(("plan", "reason"), [case[1:] for case in LOST], ids=[case[0] for case in LOST])
async def test_a_fault_that_may_pass_is_tried_again_and_then_lost(plan: Plan, reason: str, server: LLMServer) -> None:
    server.answer, model, watcher = plan, model_at(server), Watcher()
    with pytest.raises(CallLost, match=reason) as lost:
        await complete(model, CALL, QUICK, watcher)
    assert [attempt for attempt, _, _ in watcher.retries] == [2, 3]
    assert [least <= wait <= 1.5 * least for (_, _, wait), least in zip(watcher.retries, (0.02, 0.04), strict=True)] == [True, True]
    assert (lost.value.usage.requests, lost.value.usage.failed) == (3, 3) == (len(server.requests), 3)
    _assert_presentable(str(lost.value), *(reason for _, reason, _ in watcher.retries))
    await model.close()


@pytest.mark.parametrize(("plan", "reason"), [case[1:] for case in LOST], ids=[case[0] for case in LOST])
async def test_a_fault_that_passes_costs_an_attempt_and_nothing_else(plan: Plan, reason: str, server: LLMServer) -> None:
    server.answer, model, watcher = [plan, ANSWER], model_at(server), Watcher()
    answer = await complete(model, CALL, QUICK, watcher)
    assert answer.text == ANSWER == watcher.of(2)
    assert (answer.attempt, answer.usage.requests, answer.usage.failed) == (2, 2, 1)
    await model.close()


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (llm.status(400, f"bad request for {KEY}"), "400"),
        (llm.status(401, f"Incorrect API key provided: {KEY[:11]}*********{KEY[-4:]}"), "OPENAI_API_KEY"),
        (llm.status(403, f"key {KEY} may not"), "OPENAI_API_KEY"),
        (llm.status(404, "The model\n`loopback-1` does not exist", "model_not_found"), "404.*does not exist"),
        (llm.status(422, "\x1b[31mno\u202e such thing " + "x" * 900), "422"),
        (llm.status(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
        (Fault(status=402, body="<html>pay</html>"), "402"),
    ],
)
async def test_a_final_no_is_final(plan: Plan, reason: str, server: LLMServer) -> None:
    server.answer, model = plan, model_at(server)
    with pytest.raises(ModelRefused, match=reason) as refused:
        await complete(model, CALL, QUICK, Watcher())
    assert isinstance(refused.value, CallRefused)
    assert (refused.value.usage.requests, refused.value.usage.failed, len(server.requests)) == (1, 1, 1)
    _assert_presentable(str(refused.value))
    assert KEY[-4:] not in str(refused.value)
    await model.close()


@pytest.mark.parametrize("plan", [llm.HANG, llm.STALL, llm.drip(0.02)], ids=["hang", "stall", "drip"])
async def test_the_deadline_is_total(plan: Plan, server: LLMServer) -> None:
    model = model_at(server)
    await complete(model, CALL, QUICK, Watcher())  # so that making the client is not measured
    server.answer = plan
    began = time.monotonic()
    with pytest.raises(CallLost, match=r"no complete answer within 0\.4 s") as lost:
        await complete(model, CALL, CallPolicy(deadline_s=0.4), Watcher())
    assert 0.39 <= time.monotonic() - began < 1.2
    assert (lost.value.usage.requests, lost.value.usage.failed) == (1, 1)
    assert await asyncio.to_thread(server.requests[-1].left.wait, 2)
    assert server.closed_early == 1
    await model.close()


async def test_the_deadline_is_one_for_all_attempts(server: LLMServer) -> None:
    server.answer, model = [llm.status(500), llm.EMPTY, llm.HANG], model_at(server)
    began = time.monotonic()
    with pytest.raises(CallLost, match="attempt 3; before that: the answer was empty") as lost:
        await complete(model, CALL, CallPolicy(deadline_s=0.8, backoff_s=0.02), Watcher())
    assert time.monotonic() - began < 2
    assert (lost.value.usage.requests, lost.value.usage.failed) == (3, 3)
    await model.close()


async def test_retry_after_is_kept_when_it_fits(server: LLMServer) -> None:
    model = model_at(server)
    for told, least, most in (("0.3", 0.3, 0.45), (formatdate(time.time() + 2, usegmt=True), 0.2, 3.0), ("soon", 0.02, 0.03)):
        watcher = Watcher()
        server.answer = [llm.busy(told), ANSWER]
        server.requests.clear()
        answer = await complete(model, CALL, QUICK, watcher)
        assert least <= watcher.retries[0][2] <= most
        assert server.requests[1].began - server.requests[0].began >= watcher.retries[0][2]
        assert answer.usage.failed == 1
    await model.close()


async def test_many_that_were_refused_together_do_not_come_back_together(server: LLMServer) -> None:
    """A hundred that are told to come back in 0.5 s come later than that, and spread over half as long again."""
    model, refused = model_at(server), []

    def busy_once(body: llm.Body) -> Plan:
        if len(refused) < 100:
            refused.append(time.monotonic())
            return llm.busy("0.5")
        return ANSWER

    server.answer = busy_once
    watchers = [Watcher() for _ in range(100)]
    answers = await asyncio.gather(*(complete(model, CALL, CallPolicy(deadline_s=20), watcher) for watcher in watchers))
    waits = sorted(watcher.retries[0][2] for watcher in watchers)
    assert {answer.attempt for answer in answers} == {2}
    assert 0.5 <= waits[0] < 0.55
    assert 0.7 < waits[-1] <= 0.75
    assert max(later - earlier for earlier, later in pairwise(waits)) < 0.05, "evenly"
    await model.close()


async def test_the_random_part_of_a_wait_does_not_outlast_the_deadline(server: LLMServer) -> None:
    model, watcher = model_at(server), Watcher()
    await complete(model, CALL, QUICK, Watcher())  # so that making the client is not measured
    server.requests.clear()
    server.answer = [llm.busy("0.8"), ANSWER]
    answer = await complete(model, CALL, CallPolicy(deadline_s=1.4), watcher)
    assert answer.text == ANSWER
    assert 0.8 <= watcher.retries[0][2] <= 1.1
    await model.close()


async def test_a_wait_beyond_the_deadline_is_not_begun(server: LLMServer) -> None:
    server.answer, model = llm.busy("60"), model_at(server)
    began = time.monotonic()
    with pytest.raises(CallLost, match="asked to wait 60 s"):
        await complete(model, CALL, QUICK, Watcher())
    assert time.monotonic() - began < 1
    assert len(server.requests) == 1
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


async def test_attempts_are_numbered_from_the_calls_own(server: LLMServer) -> None:
    server.answer, model, watcher = [llm.EMPTY, ANSWER], model_at(server), Watcher()
    call = ModelCall("bull", "zh", "s", "u", attempt=4, repair=True)
    answer = await complete(model, call, QUICK, watcher)
    assert (answer.attempt, watcher.retries[0][0], watcher.of(5)) == (5, 5, ANSWER)
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
    with pytest.raises(ModelRefused, match="no images"):
        await complete(model_at(server), ModelCall("trend", "en", "s", "u", images=(b"x",)), QUICK, Watcher())
    await model.close()


async def test_a_model_that_takes_no_temperature_is_asked_without_from_then_on(server: LLMServer) -> None:
    def fussy(body: llm.Body) -> Plan:
        return llm.status(400, "Unsupported value: 'temperature' does not support 0.2") if "temperature" in body else ANSWER

    server.answer, model = fussy, model_at(server)
    call = ModelCall("bull", "en", "s", "u", temperature=0.2)
    assert (await complete(model, call, QUICK, Watcher())).usage.failed == 1
    assert (await complete(model, call, QUICK, Watcher())).usage.failed == 0
    await model.close()


async def test_slots_are_shared_by_the_models_of_an_endpoint_and_waiting_is_not_held_against_a_call(server: LLMServer) -> None:
    server.first_token_s = 0.3
    slots = EndpointSlots(2)
    models = [OpenAIModel(f"m{place}", api_key=KEY, base_url=server.base_url, slots=slots) for place in range(3)]
    for model in models:
        await anext(model.stream(CALL))  # makes the clients
    server.requests.clear()
    server.peak = 0
    calls = (complete(models[place % 3], CALL, CallPolicy(deadline_s=1.0), Watcher()) for place in range(8))
    answers = await asyncio.gather(*calls)
    assert server.peak == 2
    assert [answer.usage.requests for answer in answers] == [1] * 8
    assert max(answer.usage.duration_ms for answer in answers) > 1000  # queued longer than its deadline, and still answered
    for model in models:
        await model.close()


async def test_ready_tells_what_is_missing(server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refusal(**options: str) -> str:
        with pytest.raises(ModelUnavailable) as refused:
            await OpenAIModel("m", **({"api_key": KEY, "base_url": server.base_url} | options)).ready()
        _assert_presentable(str(refused.value))
        return str(refused.value)

    assert "OPENAI_API_KEY" in await refusal(api_key=" ")
    assert "--model scripted" in await refusal(api_key="")
    assert "characters that no key has" in await refusal(api_key="sk-\nnew line")
    nowhere = llm.refused_url()
    assert f"nothing answers at {nowhere}" in await refusal(base_url=nowhere)
    assert "hunter2" not in await refusal(base_url=nowhere.replace("//", "//user:hunter2@"))
    for address in ("localhost", "ftp://", "http://", "http://host:port/v1", "http://[::1", "nonsense://x"):
        assert "OPENAI_BASE_URL is not" in await refusal(base_url=address)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    await OpenAIModel("m", api_key=KEY, base_url="http://behind.proxy.invalid/v1").ready()
    assert server.requests == []


async def test_nothing_listens(server: LLMServer) -> None:
    model = OpenAIModel("m", api_key=KEY, base_url=llm.refused_url())
    with pytest.raises(CallLost, match=r"connection to http://127\.0\.0\.1"):
        await complete(model, CALL, QUICK, Watcher())
    await model.close()


async def test_the_key_stands_in_no_log_and_no_repr(server: LLMServer, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    plans: list[Plan] = [ANSWER, llm.status(401, f"key {KEY}"), llm.status(500, f"key {KEY}"), llm.dropped(), llm.GARBAGE]
    for plan in plans:
        server.answer, model = plan, model_at(server)
        try:
            await complete(model, CALL, QUICK, Watcher())
        except (CallLost, CallRefused) as problem:
            logging.getLogger("test").exception("failed", exc_info=problem)
        assert KEY not in repr(model)
        assert KEY not in repr(model._client)
        await model.close()
    assert caplog.text
    assert KEY not in caplog.text


async def test_a_model_may_be_used_again_after_closing(server: LLMServer) -> None:
    model = model_at(server)
    for _ in range(2):
        answer: Answer = await complete(model, CALL, QUICK, Watcher())
        assert answer.text == ANSWER
        await model.close()


def _assert_presentable(*messages: str) -> None:
    for message in messages:
        assert len(message) <= 300
        assert message.isprintable()
        assert KEY not in message
        assert KEY[3:14] not in message
