"""A role with tools over endpoints that behave like single providers: every one of them ends in the report, with what it was given."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.recording import recorded
from engine.agents.tool_loop import Runnable, ToolWork, WorkLost, work_with_tools
from engine.llm.blocks import read_block
from engine.llm.calls import CallPolicy, complete
from engine.llm.learnt_options import FILE, LearntOptions
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import ModelCall, Tool
from engine.llm.values import Unreadable
from tests.contracts.loopback import ANSWER, CALL, Watcher
from tests.engine.agents.test_tool_loop import Log
from tests.servers import providers
from tests.servers.llm import Body, Fault, LLMServer, Plan
from tests.servers.providers import looks_up

REPORT = "The price holds.\n\n[View]\ndirection: NEUTRAL\nconfidence: 55"
SYSTEM = "Role: news analyst\n\nEnd with this block:\n[View]\ndirection: BULLISH|BEARISH|NEUTRAL\nconfidence: 0-100"
QUESTION = Question("news", SYSTEM, "What of A?")
PLAN = (("price", {"symbol": "P"}),)
QUICK = CallPolicy(deadline_s=10, backoff_s=0.01)


async def price(arguments: Mapping[str, Any]) -> str:
    return f"price of {arguments['symbol']} = 7.5"


TOOLS = (Runnable(Tool("price", "The price.", {"type": "object", "properties": {"symbol": {"type": "string"}}}), price),)


def read(text: str) -> Mapping[str, str]:
    block = read_block(text, ("direction", "confidence"))
    if "direction" not in block:
        raise Unreadable("direction: not found")
    return block


def access_to(model: OpenAIModel, log: Log, **more: Any) -> ModelAccess:
    return ModelAccess(lambda role, node: model, QUICK, "en", "c0ffee", log.emit, temperature=0.2, **more)


async def worked(server: LLMServer, limit: int = 5, log: Log | None = None, *, ahead: bool = False, **more: Any) -> ToolWork[Any]:
    model = OpenAIModel("m", api_key="sk-test", base_url=server.base_url, learnt=more.pop("learnt", None))
    try:
        access = access_to(model, log if log is not None else Log(), **more)
        return await work_with_tools(access, QUESTION, TOOLS, read, limit, PLAN, ahead=ahead)
    finally:
        await model.close()


TWO_LOOKS = looks_up("price", {"symbol": "A"}, {"symbol": "B"}, then=REPORT)


@pytest.mark.parametrize("limit", [5, 1])
@pytest.mark.parametrize(
    ("provider", "options"),
    [
        (providers.claude_behind_a_proxy, {}),
        (providers.gemini, {}),
        (providers.gemini, {"plain": True}),
        (providers.deepseek_thinking, {"thoughts": 2}),
        (providers.deepseek_thinking, {"thoughts": 2, "plain": True}),
        (providers.mistral, {}),
        (providers.without_system, {}),
        (providers.without_streaming, {"plain": True}),
        (lambda answer: answer, {"bound": "max_completion_tokens"}),
        (lambda answer: providers.without(answer, "tool_choice", "temperature", "stream_options"), {}),
    ],
)
async def test_every_provider_lets_a_loop_end(provider: Callable[[Any], Any], options: dict[str, Any], limit: int) -> None:
    with LLMServer(provider(TWO_LOOKS), **options) as server:
        done = await worked(server, limit)
        last = server.requests[-1].body
    assert done.spoken.read == {"direction": "NEUTRAL", "confidence": "55"}
    assert (done.calls, done.breaker) == (min(2, limit), limit == 1)
    answers = [str(message["content"]).split("\n")[0] for message in last["messages"] if message["role"] == "tool"]
    assert answers == ["price of A = 7.5", "price of B = 7.5"][:limit]
    assert "Role: news analyst" in str(last["messages"][:2])


@pytest.mark.parametrize("provider", [providers.mistral, providers.claude_behind_a_proxy, providers.gemini])
async def test_a_repair_behind_a_tool_is_taken(provider: Callable[[Any], Any]) -> None:
    reports = iter(["No block here.", "[View]\ndirection: BEARISH\nconfidence: 61"])

    def answer(body: Body) -> Plan:
        plan = looks_up("price", {"symbol": "A"}, then="")(body)
        return next(reports) if plan == "" else plan

    with LLMServer(provider(answer)) as server:
        done = await worked(server)
    assert done.spoken.read == {"direction": "BEARISH", "confidence": "61"}
    assert done.spoken.text.endswith("No block here.\n\n[View]\ndirection: BEARISH\nconfidence: 61")


@pytest.mark.parametrize(
    "said",
    [
        "registry.ollama.ai/library/gemma:7b does not support tools",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "tool calling is not supported with this model",
        "deepseek-reasoner does not support Function Calling",
    ],
)
async def test_a_model_without_tools_reads_what_its_role_would_look_up(said: str) -> None:
    log = Log()
    with LLMServer(providers.without_tools(lambda body: REPORT, said)) as server:
        done = await worked(server, log=log)
        first, second = server.requests
    assert (done.calls, done.breaker, done.spoken.read["direction"]) == (1, False, "NEUTRAL")
    assert "tools" in first.body
    assert "tools" not in second.body
    assert 'price {"symbol": "P"}\nprice of P = 7.5' in second.body["messages"][1]["content"]
    assert [told["arguments"] for told in log.of("tool.called")] == [{"symbol": "P"}]
    repeated = Log()
    with LLMServer("unused") as silent:
        again = await worked(silent, log=repeated, recall=recorded(log))
        assert silent.requests == []
    assert again.spoken.text == done.spoken.text


async def test_what_a_role_plans_to_look_up_stands_in_its_first_question_and_it_may_ask_for_more() -> None:
    log, repeated = Log(), Log()
    with LLMServer(looks_up("price", {"symbol": "P"}, {"symbol": "A"}, then=REPORT)) as server:
        done = await worked(server, log=log, ahead=True)
        first = server.requests[0].body
    assert "tools" in first
    assert 'price {"symbol": "P"}\nprice of P = 7.5' in first["messages"][1]["content"]
    assert [answered["content"] for answered in log.of("tool.answered")] == [
        "price of P = 7.5",
        "same as above: answer 1",
        "price of A = 7.5",
    ]
    assert done.calls == 2
    with LLMServer("unused") as silent:
        again = await worked(silent, log=repeated, recall=recorded(log), ahead=True)
        assert silent.requests == []
    assert (again.spoken.text, repeated.of("tool.answered")) == (done.spoken.text, log.of("tool.answered"))


@pytest.mark.parametrize(
    "said", ["Invalid schema for function 'price'", "messages with role 'tool' must follow tool_calls", "too many tools: at most 0"]
)
async def test_another_trouble_with_tools_is_not_taken_for_their_absence(said: str) -> None:
    with LLMServer(providers.without_tools(lambda body: REPORT, said)) as server, pytest.raises(WorkLost, match="refused the request"):
        await worked(server)


async def test_what_an_endpoint_refuses_is_learnt_by_all_and_kept(tmp_path: Path) -> None:
    fussy = providers.without_system(providers.without(lambda body: ANSWER, "temperature", "stream_options", "reasoning_effort", "top_k"))

    async def four(server: LLMServer, store: LearntOptions) -> list[int]:
        model = OpenAIModel("m", api_key="k", base_url=server.base_url, learnt=store, extra={"top_k": 5})
        call = ModelCall("bull", "en", "be brief", "usr", temperature=0.2, effort="low")
        answers = await asyncio.gather(*(complete(model, call, QUICK, Watcher()) for _ in range(4)))
        await model.close()
        assert {answer.text for answer in answers} == {ANSWER}
        return sorted(answer.usage.failed for answer in answers)

    with LLMServer(fussy, bound="max_completion_tokens") as server:
        failed = await four(server, LearntOptions(tmp_path))
        assert 6 <= sum(failed) <= 24, "each of the six refusals at least once, by each of the four at most once"
        assert await four(server, LearntOptions(tmp_path)) == [0, 0, 0, 0], "another process knows it from the file"
        last = server.requests[-1].body
        assert last.keys() == {"model", "messages", "stream", "max_completion_tokens"}
        assert last["messages"] == [{"role": "user", "content": "be brief\n\nusr"}]
        assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
        forgotten = LearntOptions(tmp_path)
        forgotten.forget(server.base_url, "m")
        assert sum(await four(server, forgotten)) >= 6
        (tmp_path / FILE).write_text("{not json")
        assert sum(await four(server, LearntOptions(tmp_path))) >= 6


async def test_a_model_that_thinks_gets_no_temperature_and_one_that_begins_so_shows_nothing_of_it() -> None:
    thinks = f"Let me see, rsi 24.1 and so on.\n</think>\n\n{ANSWER}"
    watchers = [Watcher(), Watcher()]
    with LLMServer(thinks, tokens_per_s=40) as server:
        model = OpenAIModel("m", api_key="k", base_url=server.base_url)
        call = ModelCall("bull", "en", "s", "u", temperature=0.2)
        first, second = [await complete(model, call, QUICK, watcher) for watcher in watchers]
        await model.close()
        sent = [request.body.get("temperature") for request in server.requests]
    assert (first.text, second.text) == (ANSWER, ANSWER)
    assert (first.attempt, first.usage.requests, second.attempt) == (2, 1, 1)
    assert watchers[0].of(2) == ANSWER
    assert watchers[1].of(1) == ANSWER
    assert (watchers[1].retries, sent) == ([], [0.2, None])


async def test_a_marked_refusal_is_asked_once_more_and_then_no_answer() -> None:
    """`message.refusal` comes with no content: no attempt is wasted on its emptiness."""
    refusal = {"role": "assistant", "content": None, "refusal": "I'm sorry, I can't help with that."}
    body = json.dumps({"choices": [{"index": 0, "message": refusal, "finish_reason": "stop"}]})
    with LLMServer([Fault(body=body), REPORT]) as server:
        model = OpenAIModel("m", api_key="k", base_url=server.base_url)
        spoken = await ask(access_to(model, Log()), QUESTION, read)
        assert spoken.read["direction"] == "NEUTRAL"
        assert [each["role"] for each in server.requests[1].body["messages"]] == ["system", "user", "assistant", "user"]
        server.answer, log = Fault(body=body), Log()
        with pytest.raises(NoAnswer, match="declined to answer") as lost:
            await ask(access_to(model, log), QUESTION, read)
        await model.close()
        assert len(server.requests) == 4
    assert (lost.value.cause, log.of("model.answered")[0]["cause"]) == ("refusal", "refusal")


async def test_cached_tokens_are_read() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
    told = [{**usage, "prompt_tokens_details": {"cached_tokens": 64}}, {**usage, "prompt_cache_hit_tokens": 64}]
    choice = {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
    with LLMServer([Fault(body=json.dumps({"choices": [choice], "usage": each})) for each in told]) as server:
        model = OpenAIModel("m", api_key="k", base_url=server.base_url)
        answers = [await complete(model, CALL, QUICK, Watcher()) for _ in told]
        await model.close()
    assert [answer.usage.cached_tokens for answer in answers] == [64, 64]


async def test_the_first_calls_of_a_fresh_home_start_together() -> None:
    """Nothing is known of the endpoint yet, and none waits for another to show what it takes: no answer begins before all have asked."""
    with LLMServer(ANSWER, begins=lambda _: server.peak == 4) as server:
        model = OpenAIModel("m", api_key="k", base_url=server.base_url)
        answers = await asyncio.gather(*(complete(model, CALL, CallPolicy(deadline_s=30, attempts=1), Watcher()) for _ in range(4)))
        await model.close()
    assert [each.text for each in answers] == [ANSWER] * 4
