"""A result that does not follow from its answers is found, whatever byte of it was changed; so is one whose truth was changed."""

import asyncio
import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.agents.access import ModelAccess
from engine.benchmark.asking import StruckAnswer, answer_of
from engine.benchmark.prompts import read_prompts
from engine.benchmark.record import BUNDLE, StruckRecord, StruckSetup, record_of
from engine.benchmark.sheets import read_manifest, shipped_sheets
from engine.benchmark.verification import verify
from engine.benchmark.voices import scripted_models
from engine.benchmark.written import PAGE, RESULT, write_result
from engine.cli.main import main
from engine.domain.clock import utc_now
from engine.llm.calls import CallPolicy
from tests.clocks import begun_at

FILES = (BUNDLE, RESULT, PAGE)


async def made() -> StruckRecord:
    """Six sheets, asked about by a script that lies."""
    prompts = {language: dict(texts) for language, texts in read_prompts().texts.items()}
    sheets = tuple(await shipped_sheets(count=6))
    setup = StruckSetup(edition=read_manifest().edition, model="scripted", k=2, lies=0.3, prompts=prompts, sheets=sheets)
    models = scripted_models(0.3, 0)
    access = ModelAccess(lambda role, node: models["entry"], CallPolicy(), "en", "", lambda node, data: None)
    answers = [await answer_of(asked, models, access) for asked in setup.questions()]
    return record_of(setup, {answer.name: answer for answer in answers}, "done", utc_now())


@pytest.fixture(scope="module")
def record() -> StruckRecord:
    with begun_at(datetime(2026, 9, 16, 12, tzinfo=UTC)):
        return asyncio.run(made())


@pytest.fixture
def folder(record: StruckRecord, tmp_path: Path) -> Path:
    write_result(tmp_path, record, "en")
    return tmp_path


def changed(record: StruckRecord, **answer: Any) -> StruckRecord:
    """The same record with another first answer."""
    first, *others = record.answers
    return record.model_copy(update={"answers": (first.model_copy(update=answer), *others)})


def test_what_was_written_verifies(folder: Path) -> None:
    found = verify(folder)
    assert found.differs is None
    assert found.answers == 6 * 4 + 2


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_one_changed_byte_is_found(folder: Path, name: str) -> None:
    path = folder / name
    whole = path.read_bytes()
    for place in range(0, len(whole), len(whole) // 6):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert verify(folder).differs is not None, place
    path.write_bytes(whole)
    assert verify(folder).differs is None


@pytest.mark.full
@pytest.mark.parametrize(
    ("forge", "named"),
    [
        (lambda record: changed(record, text="RSI(14) stands at 3.0.\n\n[View]\ndirection: LONG\nconfidence: 50\n"), "false_per_100"),
        (lambda record: record.model_copy(update={"ended": "stopped"}), "ended"),
    ],
    ids=["another answer", "another end"],
)
def test_the_first_figure_that_differs_is_named(
    folder: Path, record: StruckRecord, forge: Callable[[StruckRecord], StruckRecord], named: str
) -> None:
    (folder / BUNDLE).write_bytes(forge(record).packed())
    assert named in str(verify(folder).differs)


def test_a_truth_that_was_changed_with_everything_that_follows_from_it_is_found(record: StruckRecord, tmp_path: Path) -> None:
    first, *others = record.setup.sheets
    facts = first.facts | {"rsi_14": 3.0}
    setup = record.setup.model_copy(update={"sheets": (type(first)(**{**first.model_dump(), "facts": facts}), *others)})
    asked = {each.name: each.hash for each in setup.questions()}
    answers = tuple(StruckAnswer(**{**each.model_dump(), "asked": asked[each.name]}) for each in record.answers)
    write_result(tmp_path, record.model_copy(update={"setup": setup, "answers": answers}), "en")
    assert first.id in str(verify(tmp_path).differs)


@pytest.mark.full
def test_the_shell_names_it_and_ends_with_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["benchmark", "verify", str(folder)]) == 0
    said = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    said["flip"]["placebo"]["value"] = 0.5
    (folder / RESULT).write_text(json.dumps(said), encoding="utf-8")
    assert main(["benchmark", "verify", str(folder), "--json"]) == 1
    out, err = capsys.readouterr()
    assert "flip.placebo.value is 0.0" in err
    assert json.loads(out.splitlines()[-1])["verified"] is False
    (folder / BUNDLE).write_bytes(gzip.compress(b"{}"))
    assert main(["benchmark", "verify", str(folder)]) == 1


@pytest.mark.full
def test_a_table_has_a_line_a_model_and_says_which_does_not_verify(
    folder: Path, record: StruckRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder / "other"
    other.mkdir()
    true = record.model_copy(update={"setup": record.setup.model_copy(update={"model": "<b>honest</b>", "lies": 0.0})})
    write_result(other, true, "en")
    (other / PAGE).write_text("nothing", encoding="utf-8")
    page = folder / "table.html"
    assert main(["benchmark", "table", str(folder), str(other), "--out", str(page), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [(row["model"], row["verified"]) for row in rows] == [("<b>honest</b>", False), ("scripted", True)]
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;honest&lt;/b&gt;" in text
    assert "<b>honest" not in text
    assert main(["benchmark", "table", str(folder)]) == 0
    assert "verified" in capsys.readouterr().out
