"""Every fault of an endpoint, through the real client, against a server: tried again, final, or missing, and never with the key in it."""

import logging
from pathlib import Path

import pytest

from engine.domain.errors import ModelRefused, ModelUnavailable
from engine.llm.calls import CallLost, CallRefused, complete
from engine.llm.openai import OpenAIModel
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
        assert KEY not in repr(model._client)
        await model.close()
    assert caplog.text
    assert KEY not in caplog.text
