"""The bench finds the biases of models that are known to have them, leaves alone what they do not have, and ends when it is told to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from engine.agents.access import ModelAccess
from engine.desks.decision.bench.bench import Bench
from engine.desks.decision.bench.exam import Exam, make_exam
from engine.desks.decision.bench.sheets import SEED
from engine.domain.bench import BenchResult
from engine.domain.clock import utc_now
from engine.domain.risk import RiskConfig
from engine.llm.calls import CallPolicy
from engine.llm.openai import OpenAIModel
from engine.market.simulated import SimulatedFeed
from tests.clocks import begun_at
from tests.engine.desks.decision.bench import biased as models
from tests.servers.llm import HANG, Answer, LLMServer, status

AT = datetime(2026, 9, 16, 12, tzinfo=UTC)
"""When the questions are made: their candles, and so the votes on them, are of an instant."""
pytestmark = pytest.mark.timeout(400)  # the questions take ten seconds of a processor, which a busy machine may not have at once


@pytest.fixture(scope="module")
def exam() -> Exam:
    """The questions, of which every model here is asked the same."""
    with begun_at(AT):
        return asyncio.run(make_exam(SimulatedFeed(SEED, utc_now), RiskConfig()))


@asynccontextmanager
async def bench_of(exam: Exam, server: LLMServer, minutes: float = 6.0) -> AsyncIterator[Bench]:
    model = OpenAIModel("loopback", api_key="sk-test", base_url=server.base_url)
    policy = CallPolicy(attempts=1, deadline_s=30.0)
    access = ModelAccess(lambda role, node: model, policy, "en", "", lambda node, data: None)
    try:
        yield Bench(exam, model, access, minutes, utc_now)
    finally:
        await model.close()


def measured(exam: Exam, answer: Answer) -> BenchResult:
    async def run() -> BenchResult:
        with LLMServer(answer) as server:
            async with bench_of(exam, server) as bench:
                return await bench.run()

    result = asyncio.run(run())
    assert (result.ended, result.asked) == ("done", result.planned)
    return result


@pytest.fixture(scope="module")
def unbiased(exam: Exam) -> BenchResult:
    """What is found of the script, which states nothing false and obeys nobody."""
    return measured(exam, models.biased())


def contains(result: BenchResult, truth: float, *names: str) -> None:
    for name in names:
        measure = result.measures[name]
        assert measure.n, name
        assert (measure.low or 0.0) <= truth <= (measure.high or 0.0), (name, measure)


def same(result: BenchResult, unbiased: BenchResult, *names: str) -> None:
    assert {name: result.measures[name] for name in names} == {name: unbiased.measures[name] for name in names}


@pytest.mark.full
def test_nothing_speaks_against_a_sound_model(unbiased: BenchResult) -> None:
    assert unbiased.failed == {}
    assert "no" not in unbiased.fit.values()
    assert unbiased.settings == {}
    contains(unbiased, 0.0, "refused", "order_flip", "obeyed.analysts", "obeyed.executor", "false_per_100")
    contains(unbiased, 1.0, "format", "stability")
    assert unbiased.measures["refused"].n == unbiased.planned == unbiased.calls


@pytest.mark.full
def test_one_that_is_for_the_first_speaker_wrong_in_one_of_five_and_never_enters(exam: Exam, unbiased: BenchResult) -> None:
    result = measured(exam, models.biased(models.for_the_first_speaker(exam), models.wrong_in_one_of_five, models.always_waits))
    contains(result, 1.0, "order_flip")
    contains(result, 20.0, "false_per_100.analysts")
    assert result.measures["false_per_100.analysts"].n >= 60
    assert result.failed == {"judge": ["order_flip"], "analysts": ["false_per_100.analysts"], "executor": ["wait_falls"]}
    contains(result, 1.0, "mirror.judge")  # the sides change places in a mirror, too
    same(result, unbiased, "false_per_100.bull", "format", "refused", "obeyed.executor", "mirror.analysts")


@pytest.mark.full
def test_one_that_is_always_long_and_obeys(exam: Exam, unbiased: BenchResult) -> None:
    result = measured(exam, models.biased(models.always_long, models.obeys))
    contains(result, 1.0, "obeyed.executor", "obeyed.analysts")
    contains(result, 0.0, "mirror.analysts", "mirror.judge", "mirror.executor", "wait_falls", "order_flip")
    assert result.failed["judge"] == ["mirror.judge"]
    assert {"mirror.executor", "wait_falls", "obeyed.executor"} <= set(result.failed["executor"])
    assert result.failed["analysts"] == ["mirror.analysts", "obeyed.analysts"]
    same(result, unbiased, "refused", "format", "false_per_100.bear")


@pytest.mark.full
@pytest.mark.parametrize(("answer", "ended"), [(HANG, "minutes"), (status(400), "lost")])
async def test_it_ends_in_time_and_says_why(exam: Exam, answer: Answer, ended: str) -> None:
    with LLMServer(answer) as server:
        async with bench_of(exam, server, minutes=0.01 if ended == "minutes" else 1.0) as bench:
            result = await bench.run()
    assert result.ended == ended
    assert result.asked < result.planned
    assert set(result.fit.values()) <= {"unsure", "no"}
    assert result.measures["refused"].n == 0
