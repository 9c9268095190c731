"""What the benchmark finds of models that are known: the script at a set rate of lies, and one that believes whatever it hears last."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine.benchmark import session
from engine.benchmark.benchmarks import StruckRequest
from engine.benchmark.record import BUNDLE, REPEATED_EVERY, StruckRecord, unpacked
from engine.benchmark.sheets import read_manifest, sheets_hash, shipped_sheets
from engine.benchmark.verification import verify
from engine.cli.main import main
from tests.engine.benchmark import known
from tests.servers.llm import HANG, Body, LLMServer, status, user_of

if TYPE_CHECKING:
    from engine.api import Engine

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
    [(0.25, 18), (0.0, 6), *(pytest.param(lies, 120, marks=pytest.mark.full) for lies in (0.05, 0.2, 0.5, 1.0))],
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


async def test_a_late_answer_does_not_hide_that_nothing_is_answered_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first question is answered after seven that were asked later are lost. With the eighth loss the session ends."""
    seven, late, losses = asyncio.Event(), asyncio.Event(), 0

    async def answer_of(question: SimpleNamespace, *_: object) -> SimpleNamespace:
        nonlocal losses
        if question.name == "0":
            await seven.wait()
            return SimpleNamespace(lost=False)
        if losses == 7:
            seven.set()
            await late.wait()
        losses += 1
        return SimpleNamespace(lost=True)

    def add(answer: SimpleNamespace) -> None:
        if not answer.lost:
            late.set()

    monkeypatch.setattr(session, "answer_of", answer_of)
    setup = SimpleNamespace(questions=lambda: [SimpleNamespace(name=str(n)) for n in range(26)])
    access = SimpleNamespace(budget=SimpleNamespace(refusal=lambda: None))
    kept = SimpleNamespace(answers={}, add=add)
    assert await session.Session(setup, kept, {}, access).run() == "lost"
    assert losses < 8 + session.AT_ONCE


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


@pytest.mark.full
def test_a_stopped_one_keeps_what_was_answered(make_engine: "Callable[..., Engine]", tmp_path: Path) -> None:
    hangs, answered = threading.Event(), Counter[str]()
    lock = threading.Lock()

    def answer(body: Body) -> Any:
        with lock:
            if answered.total() == 5:
                hangs.set()
                return HANG
            answered[user_of(body)] += 1
        return known.answer(body)

    with LLMServer(answer) as server:
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test")
        engine.benchmarks.start(StruckRequest(folder=tmp_path / "out", model="known", count=3, k=1))
        assert hangs.wait(60)
        engine.benchmarks.stop()
        result = engine.benchmarks.wait(60)
        engine.close()
    assert (result.ended, result.lost) == ("stopped", 0)
    assert 2 <= result.asked <= 5  # four are open at once
    assert len(Path("out", "answers.jsonl").read_text(encoding="utf-8").splitlines()) == result.asked + 1
    assert verify(tmp_path / "out").differs is None


@pytest.mark.full
def test_sheets_of_a_recording_are_asked_about_as_the_editions_are(recorded_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["benchmark", "sheets", str(recorded_data), "--sheets", "5", "--out", "own.jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sheets"] == 5
    found = struck(capsys, "--model", "scripted", "--lies", "0.5", "--k", "1", "--sheets-from", "own.jsonl")
    assert (found["sheets"], found["shipped"]) == (5, False)
    assert found["false_per_100"]["value"] > 25
    assert main(["benchmark", "verify", "out"]) == 0
    Path("own.jsonl").write_text('{"id": "x"}\n', encoding="utf-8")
    assert main(["benchmark", "struck", "--sheets-from", "own.jsonl", "--out", "other"]) == 2


async def test_the_sheets_of_an_edition_are_frozen() -> None:
    six = await shipped_sheets(count=6)
    assert {(sheet.kind, sheet.language) for sheet in six} == {(group.kind, group.language) for group in read_manifest().groups}
    assert sheets_hash(six) == FIRST_SIX
    assert all(sheet.facts["timeframe"] and len(sheet.facts) > 50 for sheet in six)
    assert [sheet.id for sheet in await shipped_sheets(["zh"], 2)] == ["position-zh-001", "entry-zh-001"]


@pytest.mark.full
async def test_no_two_sheets_are_of_one_moment() -> None:
    every = await shipped_sheets()
    assert len(every) == 300
    assert len({(sheet.facts["symbol"], sheet.at) for sheet in every}) == 300
    assert {sheet.facts.get("side") for sheet in every if sheet.kind == "position"} == {"long", "short"}


@pytest.mark.full
def test_it_speaks_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["benchmark", "struck", "--model", "scripted", "--sheets", "3", "--k", "1", "--language", "zh", "--out", "out"]) == 0
    out, err = capsys.readouterr()
    assert "每百个数字中的错误" in out
    assert "个问题" in err
    assert {sheet.language for sheet in record().setup.sheets} == {"zh"}
    page = Path("out", "result.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in page
    assert "每百个错 0.0 个" in page
    assert main(["benchmark", "verify", "out", "--language", "zh"]) == 0
    assert "已验证" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["struck"], ["verify"], ["verify", "nowhere"], ["struck", "--k", "0", "--out", "x"], ["struck", "--lies", "2", "--out", "x"]],
)
def test_what_cannot_be_done_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    try:
        code = main(["benchmark", *arguments])
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
