"""`bench` in the shell: what it says before, what it prints, what stays in the journal, what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.cli.main import main
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


def test_it_prints_its_result_and_keeps_it(make_engine: "Callable[..., Engine]", capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--model", "scripted", "--minutes", "0.005", "--json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    keys = {"model", "prompts_hash", "measures", "fit", "settings", "calls", "tokens", "cost", "seconds"}
    assert keys <= result.keys()
    assert (result["model"], result["ended"]) == ("scripted", "minutes")
    assert result["asked"] < result["planned"]
    assert all(set(measure) == {"value", "low", "high", "n"} for measure in result["measures"].values())
    assert "questions, about" in err.splitlines()[0]
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
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")


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
