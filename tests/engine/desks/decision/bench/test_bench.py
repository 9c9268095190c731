"""The bench finds the biases of models that are known to have them, leaves alone what they do not have, and ends when it is told to."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.agents.access import ModelAccess
from engine.desks.decision.bench import bench as bench_module
from engine.desks.decision.bench.bench import AT_ONCE, Bench
from engine.desks.decision.bench.changes import prompts_from
from engine.desks.decision.bench.exam import Exam, hash_of, make_exam
from engine.desks.decision.bench.questions import FLOW, set_stage
from engine.desks.decision.bench.sheets import MIRROR, SEED, mirrored
from engine.desks.decision.benches import QUESTIONS, TOKENS_SENT
from engine.domain.bench import BenchResult
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.interval import wilson
from engine.domain.risk import RiskConfig
from engine.facts.sheet import build_sheet
from engine.llm.calls import CallPolicy
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import ModelCall
from engine.market.simulated import SimulatedFeed
from engine.prompts.instructions import instructions_of, read_instructions
from engine.prompts.tokens import count_tokens
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
    contains(unbiased, 0.0, "refused", "order_flip", "label_flip", "obeyed.analysts", "obeyed.executor", "false_per_100", "lost")
    contains(unbiased, 1.0, "format", "format_at_once", "language", "stability", "stop_on_right_side", "short_as_long")
    for role in ("analysts", "judge", "executor"):
        contains(unbiased, 0.5, f"long_share.{role}")
    assert unbiased.measures["refused"].n == unbiased.planned == unbiased.calls
    assert unbiased.measures["reader_false_alarms_per_100"].n > 500


@pytest.mark.full
def test_one_that_is_for_the_first_speaker_wrong_in_one_of_five_and_never_enters(exam: Exam, unbiased: BenchResult) -> None:
    result = measured(exam, models.biased(models.for_the_first_speaker(exam), models.wrong_in_one_of_five, models.always_waits))
    contains(result, 1.0, "order_flip", "wait.flat", "wait.mixed", "wait.clear")
    contains(result, 20.0, "false_per_100.analysts")
    assert result.measures["false_per_100.analysts"].n >= 60
    assert result.failed == {"judge": ["order_flip"], "analysts": ["false_per_100.analysts"], "executor": ["wait_falls"]}
    contains(result, 1.0, "mirror.judge")  # the sides change places in a mirror, too
    same(result, unbiased, "false_per_100.bull", "format", "refused", "obeyed.executor", "lost", "language", "mirror.analysts")


@pytest.mark.full
def test_one_that_is_always_long_and_obeys(exam: Exam, unbiased: BenchResult) -> None:
    result = measured(exam, models.biased(models.always_long, models.obeys))
    contains(result, 1.0, "long_share.analysts", "long_share.judge", "long_share.executor", "obeyed.executor", "obeyed.analysts")
    contains(result, 0.0, "mirror.analysts", "mirror.judge", "mirror.executor", "wait.clear", "wait.flat", "order_flip", "label_flip")
    assert result.failed["judge"] == ["mirror.judge"]
    assert {"mirror.executor", "wait_falls", "obeyed.executor"} <= set(result.failed["executor"])
    assert result.failed["analysts"] == ["mirror.analysts", "obeyed.analysts"]
    same(result, unbiased, "lost", "refused", "format", "language", "false_per_100.bear", "short_as_long")


@pytest.mark.full
def test_one_that_refuses_one_in_ten(exam: Exam, unbiased: BenchResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_module, "AT_ONCE", 1)  # which ones are every tenth is told by the order in which they come
    result = measured(exam, models.biased(models.refuses_one_in_ten()))
    contains(result, 0.1, "refused")
    assert {name.partition(".")[0] for names in result.failed.values() for name in names} == {"refused"}  # of all, or of a role
    contains(result, 1.0, "format", "language", "stop_on_right_side")  # a refusal is no fault of form
    contains(result, 0.0, "false_per_100", "order_flip", "obeyed.executor", "obeyed.analysts")
    assert result.measures["lost"] == unbiased.measures["lost"]


@pytest.mark.full
def test_one_that_names_the_facts_behind_its_figures(exam: Exam, unbiased: BenchResult) -> None:
    result = measured(exam, models.biased(models.names_its_facts))
    contains(unbiased, 0.0, "tags_kept")
    assert (result.measures["tags_kept"].value or 0.0) > 0.2
    assert result.failed == {}
    contains(result, 0.0, "false_per_100")


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


@pytest.mark.full
async def test_a_stopped_one_reports_what_was_answered(exam: Exam) -> None:
    answer, asked = models.biased(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def first_ones(body: models.Body) -> object:
        if len(server.requests) > 60:
            loop.call_soon_threadsafe(asked.set)
            return HANG
        return answer(body)

    with LLMServer(first_ones) as server:  # type: ignore[arg-type]
        async with bench_of(exam, server) as bench:
            running = asyncio.create_task(bench.run())
            await asked.wait()
            bench.stop()
            result = await running
    assert result.ended == "stopped"
    assert 60 - AT_ONCE <= result.asked <= 60
    assert {name for name in result.measures if result.measures[name].n} >= {"mirror.analysts", "refused", "wait.flat", "obeyed.executor"}


@pytest.mark.full
def test_a_mirror_turns_what_was_measured(exam: Exam) -> None:
    sheet, turned = exam.stages["clear-1"].sheet.snapshot, exam.stages["clear-1" + MIRROR].sheet.snapshot
    facts, other = build_sheet(sheet), build_sheet(turned)
    for key in ("rsi_14", "1h.rsi_14"):
        assert (facts.number(key) or 0) + (other.number(key) or 0) == pytest.approx(100, abs=1e-6)
    assert facts.number("funding_rate_pct") == -(other.number("funding_rate_pct") or 0)
    assert facts.number("atr_14") == pytest.approx(other.number("atr_14"))
    again = mirrored(turned)
    assert again.candles.close.tolist() == pytest.approx(sheet.candles.close.tolist())
    assert exam.stages["held-1" + MIRROR].sheet.snapshot.holding.side == "short"  # type: ignore[union-attr]


@pytest.mark.full
def test_what_is_said_before_a_bench_is_what_its_questions_come_to(exam: Exam) -> None:
    sent = sum(count_tokens(each.question.system) + count_tokens(each.question.user) for each in exam.questions)
    assert len(exam.questions) == pytest.approx(QUESTIONS, rel=0.1)
    assert sent == pytest.approx(TOKENS_SENT, rel=0.1)


@pytest.mark.full
async def test_prompts_from_files_are_asked_and_named(exam: Exam, tmp_path: Path) -> None:
    nodes = [seat.node for seat in FLOW.seats()]
    (tmp_path / "judge.en.txt").write_text("Rule by the facts.", encoding="utf-8")
    built_in, replaced = exam.stages["clear-1"], read_instructions(tmp_path, nodes)
    stage = await set_stage(built_in.sheet, RiskConfig(), prompts_from(replaced))
    judge = stage.calls["judge"]
    assert instructions_of(judge.system, judge.user).splitlines()[-1] == "Rule by the facts."
    assert stage.calls["bull"] == built_in.calls["bull"]
    assert hash_of({}, ["en", "zh"]) == exam.prompts_hash
    assert hash_of(replaced, ["en", "zh"]) != exam.prompts_hash
    assert hash_of(replaced, ["zh"]) == hash_of({}, ["zh"])
    behind = ModelCall(role="judge", language="en", system="shared", user="facts\n\nRole: judge\nRule.")
    assert prompts_from(replaced)(behind) == replace(behind, user="facts\n\nRole: judge\nRule by the facts.")
    (tmp_path / "jugde.en.txt").write_text("?", encoding="utf-8")
    with pytest.raises(BadInput, match=r"jugde\.en\.txt"):
        read_instructions(tmp_path, nodes)


@pytest.mark.full
@pytest.mark.parametrize(("k", "n", "interval"), [(0, 10, (0.0, 0.2775)), (5, 10, (0.2366, 0.7634)), (20, 100, (0.1334, 0.2888))])
def test_intervals_are_wilsons(k: int, n: int, interval: Sequence[float]) -> None:
    assert wilson(k, n) == pytest.approx(interval, abs=1e-4)
