"""How long a call may take: its total deadline, the waits between its attempts, and the slots of its endpoint."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from engine.domain.clock import use_clock
from engine.llm.calls import CallLost, CallPolicy, complete
from engine.llm.openai import OpenAIModel
from engine.llm.slots import EndpointSlots
from tests.contracts.loopback import ANSWER, CALL, KEY, QUICK, Watcher, model_at
from tests.servers import llm
from tests.servers.llm import LLMServer, Plan


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


async def test_the_deadline_is_one_for_all_attempts(server: LLMServer) -> None:
    server.answer, model = [llm.status(500), llm.EMPTY, llm.HANG], model_at(server)
    began = time.monotonic()
    with pytest.raises(CallLost, match="attempt 3; before that: the answer was empty") as lost:
        await complete(model, CALL, CallPolicy(deadline_s=4.0, backoff_s=0.02), Watcher())
    assert time.monotonic() - began < 15
    assert (lost.value.usage.requests, lost.value.usage.failed) == (3, 3)
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


async def test_many_that_were_refused_together_do_not_come_back_together(server: LLMServer) -> None:
    """A hundred that are told to come back in 0.5 s come later than that, and spread over half as long again."""
    model, refused = model_at(server), set[str]()

    def busy_once(body: llm.Body) -> Plan:
        if (asked := llm.user_of(body)) in refused:
            return ANSWER
        refused.add(asked)
        return llm.busy("0.5")

    server.answer = busy_once
    watchers = {f"call {place}": Watcher() for place in range(100)}
    policy = CallPolicy(deadline_s=60)
    answers = await asyncio.gather(*(complete(model, replace(CALL, user=asked), policy, watcher) for asked, watcher in watchers.items()))
    waits = sorted(watcher.retries[0][2] for watcher in watchers.values())
    assert {answer.attempt for answer in answers} == {2}
    assert 0.5 <= waits[0] < 0.55
    assert 0.7 < waits[-1] <= 0.75
    assert max(later - earlier for earlier, later in pairwise(waits)) < 0.05, "evenly"
    await model.close()


async def test_the_random_part_of_a_wait_does_not_outlast_the_deadline(server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of what is left behind the least wait at most: without the deadline it would be up to half of that wait."""

    async def wait_for_nothing(seconds: float) -> None:
        pass

    monkeypatch.setattr("engine.llm.calls.sleep", wait_for_nothing)
    model, watcher = model_at(server), Watcher()
    for _ in range(20):
        server.requests.clear()
        server.answer = [llm.busy("800"), ANSWER]
        answer = await complete(model, CALL, CallPolicy(deadline_s=1000), watcher)
        assert answer.text == ANSWER
    assert len(watcher.retries) == 20
    assert all(800 <= wait <= 900 for _, _, wait in watcher.retries)
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
