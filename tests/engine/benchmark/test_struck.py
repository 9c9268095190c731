"""What the benchmark finds of models that are known: the script at a set rate of lies, and one that believes whatever it hears last."""

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.benchmark import session
from engine.benchmark.record import BUNDLE, REPEATED_EVERY, StruckRecord, unpacked
from engine.benchmark.sheets import read_manifest, sheets_hash, shipped_sheets
from engine.cli.main import main
from tests.engine.benchmark import known
from tests.servers.llm import Body, LLMServer, status, user_of

pytestmark = pytest.mark.timeout(300)
FIRST_SIX = "sha256:1abfe443452690b4ecd0a621956b7e8695bff07c9c98b565e6182d56d5defee9"
"""Of the first six sheets: what they are made of is not changed without a new edition."""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def struck(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> dict[str, Any]:
    assert main(["benchmark", "struck", "--out", "out", "--json", *options]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def record() -> StruckRecord:
    return unpacked(Path("out", BUNDLE).read_bytes(), Path(BUNDLE))


@pytest.mark.parametrize(
    ("lies", "sheets"),
    [(0.25, 18), *(pytest.param(lies, 120, marks=pytest.mark.full) for lies in (0.0, 0.05, 0.5))],
)
def test_a_script_that_lies_at_a_rate_is_found_to_lie_at_that_rate(capsys: pytest.CaptureFixture[str], lies: float, sheets: int) -> None:
    found = struck(capsys, "--model", "scripted", "--lies", str(lies), "--sheets", str(sheets), "--k", "3")
    share = found["false_per_100"]
    assert share["n"] > 5 * sheets
    assert share["low"] <= 100 * lies <= share["high"]
    assert (found["sheets"], found["lost"], found["unclear"]) == (sheets, 0, 0)
    planted = found["reader"]["planted"]
    if lies:
        assert planted["planted"] >= 0.9 * lies * share["n"]
        assert planted["recall"] >= 0.95
        assert planted["precision"] >= 0.95
    else:
        assert planted is None
        assert share["value"] == 0.0
        assert share["high"] > 0.0
    assert found["stability"]["value"] == 1.0  # the script says the same of the same
    assert found["stability"]["n"] == -(-sheets // REPEATED_EVERY)


@pytest.mark.full
def test_what_a_known_model_does_is_what_is_found(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counter[str]()

    def turncoat(body: Body) -> str:
        """The known model, which turns its verdict the second time it is asked the same."""
        text, user = known.answer(body), user_of(body)
        asked[user] += 1
        turned = asked[user] == 2
        others = {"LONG": "SHORT", "SHORT": "LONG", "BULLISH": "BEARISH", "BEARISH": "BULLISH"}
        word = text.partition("direction: ")[2].partition("\n")[0]
        return text.replace(f"direction: {word}", f"direction: {others[word]}") if turned else text

    monkeypatch.setattr(session, "AT_ONCE", 1)  # else the second of two equal questions may come first
    with LLMServer(turncoat) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("TRIBUNAL_PRICES", '{"known": [1, 2]}')
        found = struck(capsys, "--model", "known", "--sheets", "12", "--k", "4")
    flip = {arm: share["value"] for arm, share in found["flip"].items()}
    assert flip == {"uncorrected": 1.0, "corrected": 0.0, "placebo": 0.0}
    assert found["stability"] | {"low": 0, "high": 0} == {"value": 0.75, "low": 0, "high": 0, "n": 3}
    sheets = record().setup.sheets
    false, stated = sum(known.lies_about(sheet.facts) for sheet in sheets), 4 * len(sheets)
    assert 0 < false < len(sheets)
    assert found["false_per_100"]["n"] == stated
    assert found["false_per_100"]["value"] == pytest.approx(100 * false / stated, abs=1e-3)
    assert found["by"]["kind"]["average"]["value"] == pytest.approx(100 * false / (3 * len(sheets)), abs=1e-3)
    assert found["by"]["kind"]["oscillator"]["value"] == 0.0
    assert set(found["by"]["language"]) == {"en", "zh"}
    assert found["example"]["key"] == "ema_200"
    assert found["calls"] == len(server.requests) == 12 * 4 + 3 * 3
    assert found["cost"] > 0
    of_false, of_true = found["reader"]["false_struck"], found["reader"]["true_struck"]
    right = (found["false_per_100"]["value"] - 100 * of_true) / (of_false - of_true)
    assert found["corrected_per_100"]["value"] == pytest.approx(right, rel=1e-2)


@pytest.mark.full
def test_one_that_was_interrupted_asks_nothing_twice(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = Counter[str]()
    lock = threading.Lock()
    ends_after = 13

    def answer(body: Body) -> Any:
        with lock:
            if given.total() >= ends_after:
                return status(400, "no more")
            given[user_of(body)] += 1
        return known.answer(body)

    options = ("--model", "known", "--sheets", "6", "--k", "2")
    with LLMServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        first = struck(capsys, *options, code=1)
        assert first["ended"] == "lost"
        assert given.total() == ends_after
        assert 0 < first["sheets"] < 6
        with Path("out", "answers.jsonl").open("a", encoding="utf-8") as kept:
            kept.write('{"sheet": "entry-en-0')  # a process that was killed while it wrote
        ends_after = 1000
        second = struck(capsys, *options)
        whole = given.total()
        again = struck(capsys, *options)
        for other, why in (("--model", "scripted"), "another benchmark"), (("--sheets", "3"), "at least as many"):
            assert main(["benchmark", "struck", *options, *other, "--out", "out"]) == 2
            assert why in capsys.readouterr().err
    assert (second["ended"], second["sheets"], second["lost"]) == ("done", 6, 0)
    assert whole == given.total() == 6 * 4 + 2  # nothing that was answered was asked again
    assert max(given[user] for user in given) == 2  # of a sheet that is asked twice
    assert again["false_per_100"] == second["false_per_100"]
    assert len(record().answers) == 6 * 4 + 2  # nothing of it is gone


async def test_the_sheets_of_an_edition_are_frozen() -> None:
    six = await shipped_sheets(count=6)
    assert {(sheet.kind, sheet.language) for sheet in six} == {(group.kind, group.language) for group in read_manifest().groups}
    assert sheets_hash(six) == FIRST_SIX
    assert all(sheet.facts["timeframe"] and len(sheet.facts) > 50 for sheet in six)
    assert [sheet.id for sheet in await shipped_sheets(["zh"], 2)] == ["position-zh-001", "entry-zh-001"]


@pytest.mark.parametrize(
    "arguments",
    [["verify", "nowhere"], ["struck", "--lies", "2", "--out", "x"]],
)
def test_what_cannot_be_done_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    try:
        code = main(["benchmark", *arguments])
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
