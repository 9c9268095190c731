"""`bench` in the shell: what it says before, what it prints, what stays in the journal, what it refuses."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.cli.main import main
from engine.desks.decision.bench import bench as bench_module
from engine.desks.decision.bench.bench import Bench
from engine.desks.decision.bench.measures import measures_of
from engine.desks.decision.bench.questions import Prepared, TrialOutcome, answer_of
from engine.domain.bench import BenchMeasure, BenchResult
from engine.domain.errors import BadInput
from engine.settings import write_settings
from tests.servers.llm import refused_url

if TYPE_CHECKING:
    from engine.api import Engine

pytestmark = pytest.mark.timeout(400)  # see test_bench.py


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    monkeypatch.setenv("TRIBUNAL_PRICES", '{"scripted": [1, 2]}')
    monkeypatch.chdir(tmp_path)


@pytest.mark.full
def test_it_prints_its_result_and_keeps_it(
    make_engine: "Callable[..., Engine]", monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Prepared] = []

    async def answered_once(question: Prepared, *given: Any) -> TrialOutcome:
        asked.append(question)
        if len(asked) > 1:
            await asyncio.Event().wait()
        return await answer_of(question, *given)

    monkeypatch.setattr(bench_module, "answer_of", answered_once)
    assert main(["bench", "--model", "scripted", "--minutes", "0.1", "--json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    keys = {"model", "prompts_hash", "measures", "fit", "settings", "calls", "tokens", "cost", "seconds"}
    assert keys <= result.keys()
    assert (result["model"], result["ended"]) == ("scripted", "minutes")
    assert result["asked"] == 1
    assert all(set(measure) == {"value", "low", "high", "n"} for measure in result["measures"].values())
    assert "questions, about" in err.splitlines()[0]
    assert "about 0.430 in the currency of TRIBUNAL_PRICES" in err.splitlines()[0], "350,000 sent at 1 and 40,000 received at 2 a million"
    kept = make_engine().benches.newest("scripted")
    assert kept is not None
    assert kept.model_dump(mode="json") == result


def test_what_it_cannot_do_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["bench", "--model", "scripted", "--prompts-from", "empty"]) == 2
    assert "judge.en.txt" in capsys.readouterr().err
    monkeypatch.setenv("OPENAI_BASE_URL", refused_url())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert main(["bench", "--model", "any"]) == 1
    cost, line = capsys.readouterr().err.splitlines()
    assert "no price is known" in cost
    assert line.startswith("error: ")


def test_what_it_will_cost_is_said_before_a_question_is_made(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []

    async def unmade(*_: object) -> None:
        said.append(capsys.readouterr().err)
        raise BadInput("no questions today")

    monkeypatch.setattr("engine.desks.decision.bench.exam.make_exam", unmade)
    assert main(["bench", "--model", "scripted"]) == 2
    assert "about 0.430" in said[0]


def test_a_bench_without_a_word_leaves_what_was_found_before(make_engine: "Callable[..., Engine]", monkeypatch: pytest.MonkeyPatch) -> None:
    benches = make_engine().benches
    prompts = benches.prompts_hash
    nothing = measures_of([], {}, (0, 0))
    spoke = nothing | {"refused": BenchMeasure(value=0.0, low=0.0, high=0.56, n=3)}
    about = {"model": "scripted", "prompts_hash": prompts, "fit": {}, "settings": {}, "calls": 3, "tokens": 9, "cost": None, "seconds": 1.0}
    sound, silent = (
        BenchResult(**about, measures=measures, asked=3, planned=3, ended="lost", at=datetime(2026, 11, day, tzinfo=UTC))
        for day, measures in ((1, spoke), (2, nothing))
    )
    results = [sound, silent]

    async def made(*_: object) -> None:
        """No questions: what comes of them is known."""

    async def ran(_: Bench) -> BenchResult:
        return results.pop(0)

    monkeypatch.setattr("engine.desks.decision.bench.exam.make_exam", made)
    monkeypatch.setattr(Bench, "run", ran)
    for result in (sound, silent):
        benches.start("scripted")
        assert benches.wait(60) == result
        assert benches.newest("scripted") == sound


def test_settings_are_written_in_their_place(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("# mine\nexport tribunal_max_tokens = 5\nTRIBUNAL_MAX_TOKENS_X=1\nOPENAI_API_KEY=k\n", encoding="utf-8")
    write_settings({"TRIBUNAL_MAX_TOKENS": "8000", "TRIBUNAL_TEMPERATURE": "0"}, file)
    assert file.read_text(encoding="utf-8").splitlines() == [
        "# mine",
        "TRIBUNAL_MAX_TOKENS_X=1",
        "OPENAI_API_KEY=k",
        "TRIBUNAL_MAX_TOKENS=8000",
        "TRIBUNAL_TEMPERATURE=0",
    ]
