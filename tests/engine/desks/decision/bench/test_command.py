"""`bench` in the shell: what it prints, what stays in the journal, what it refuses."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.cli.main import main
from engine.desks.decision.bench import bench as bench_module
from engine.desks.decision.bench.questions import Prepared, TrialOutcome, answer_of
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
def test_it_prints_its_result_keeps_it_and_writes_what_it_proposes(
    tmp_path: Path, make_engine: "Callable[..., Engine]", monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
    assert "about 0.285 in the currency of TRIBUNAL_PRICES" in err.splitlines()[0], "235,000 sent at 1 and 25,000 received at 2 a million"
    kept = make_engine().benches.newest("scripted")
    assert kept is not None
    assert kept.model_dump(mode="json") == result
    (tmp_path / ".env").write_text("OPENAI_API_KEY=canary\nTRIBUNAL_MAX_TOKENS=4000\n", encoding="utf-8")
    make_engine().benches.apply(kept.model_copy(update={"settings": {"TRIBUNAL_MAX_TOKENS": 8000}}))
    assert (tmp_path / ".env").read_text(encoding="utf-8") == "OPENAI_API_KEY=canary\nTRIBUNAL_MAX_TOKENS=8000\n"


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
