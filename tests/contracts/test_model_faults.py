"""Every fault of an endpoint, through the real client, and how long a call may take: tried again, final or missing, never with the key."""

import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from engine.domain.clock import use_clock
from engine.domain.errors import ModelRefused, ModelUnavailable
from engine.llm.calls import CallLost, CallPolicy, CallRefused, complete
from engine.llm.openai import OpenAIModel
from engine.llm.slots import EndpointSlots
from tests.contracts.loopback import ANSWER, CALL, KEY, QUICK, Watcher, assert_presentable, model_at
from tests.servers import llm
from tests.servers.llm import Fault, LLMServer, Plan

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
    assert_presentable(str(lost.value), *(reason for _, reason, _ in watcher.retries))
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
    assert_presentable(str(refused.value))
    assert KEY[-4:] not in str(refused.value)
    await model.close()


async def test_ready_tells_what_is_missing(server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refusal(**options: str) -> str:
        with pytest.raises(ModelUnavailable) as refused:
            await OpenAIModel("m", **({"api_key": KEY, "base_url": server.base_url} | options)).ready()
        assert_presentable(str(refused.value))
        return str(refused.value)

    elsewhere = "https://models.invalid/v1"
    assert "OPENAI_API_KEY" in await refusal(api_key=" ", base_url=elsewhere)
    assert "--model scripted" in await refusal(api_key="", base_url=elsewhere)
    await OpenAIModel("m", api_key="", base_url=server.base_url).ready()  # servers of this machine mostly take no key
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
        assert KEY not in repr(model._chat)
        await model.close()
    assert caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize("plan", [llm.HANG, llm.STALL, llm.drip(0.02)], ids=["hang", "stall", "drip"])
async def test_the_deadline_is_total(plan: Plan, server: LLMServer) -> None:
    model = model_at(server)
    await complete(model, CALL, QUICK, Watcher())  # so that making the client is not measured
    server.answer = plan
    began = time.monotonic()
    with pytest.raises(CallLost, match=r"no complete answer within 1\.5 s") as lost:
        await complete(model, CALL, CallPolicy(deadline_s=1.5), Watcher())
    assert 1.49 <= time.monotonic() - began < 15
    assert (lost.value.usage.requests, lost.value.usage.failed) == (1, 1)
    _, last = server.requests
    assert await asyncio.to_thread(last.left.wait, 30)
    assert server.closed_early == 1
    await model.close()


async def test_retry_after_is_kept_when_it_fits(server: LLMServer) -> None:
    model = model_at(server)
    new_year = datetime(2027, 1, 1, tzinfo=UTC)
    for told, least, most in (("0.3", 0.3, 0.45), (format_datetime(new_year, usegmt=True), 0.3, 0.45), ("soon", 0.02, 0.03)):
        watcher = Watcher()
        server.answer = [llm.busy(told), ANSWER]
        server.requests.clear()
        with use_clock(lambda: new_year - timedelta(seconds=0.3)):
            answer = await complete(model, CALL, QUICK, watcher)
        assert least <= watcher.retries[0][2] <= most
        assert server.requests[1].began - server.requests[0].began >= watcher.retries[0][2]
        assert answer.usage.failed == 1
    await model.close()


async def test_a_wait_beyond_the_deadline_is_not_begun(server: LLMServer) -> None:
    server.answer, model = llm.busy("60"), model_at(server)
    began = time.monotonic()
    with pytest.raises(CallLost, match="asked to wait 60 s"):
        await complete(model, CALL, QUICK, Watcher())
    assert time.monotonic() - began < 15
    assert len(server.requests) == 1
    await model.close()


@pytest.mark.full
async def test_slots_are_shared_by_the_models_of_an_endpoint_and_waiting_is_not_held_against_a_call(server: LLMServer) -> None:
    server.first_token_s = 0.3
    slots = EndpointSlots(2)
    models = [OpenAIModel(f"m{place}", api_key=KEY, base_url=server.base_url, slots=slots) for place in range(3)]
    for model in models:
        assert [piece async for piece in model.stream(CALL)]  # makes the clients
    server.requests.clear()
    server.peak = 0
    calls = (complete(models[place % 3], CALL, CallPolicy(deadline_s=3.0), Watcher()) for place in range(24))
    answers = await asyncio.gather(*calls)
    assert server.peak == 2
    assert [answer.usage.requests for answer in answers] == [1] * 24
    assert max(answer.usage.duration_ms for answer in answers) > 3000  # queued longer than its deadline, and still answered
    for model in models:
        await model.close()
