"""Whether the folder of a benchmark tells the truth: everything in it that can be computed is computed again, offline and without a key.

The sheets of an edition are made anew from its manifest, every question from its sheet and the prompts, every figure from the answers as
they were given, and the page from the figures.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.benchmark.figures import StruckResult
from engine.benchmark.page import result_page
from engine.benchmark.prompts import read_prompts
from engine.benchmark.record import BUNDLE, StruckRecord, unpacked
from engine.benchmark.sheets import StruckSheet, read_manifest, shipped_sheets
from engine.benchmark.written import PAGE, RESULT, as_text, result_of
from engine.domain.errors import BadInput
from engine.domain.json_differences import differences, shortened
from engine.domain.text.language import LANGUAGES
from engine.domain.text.reason import Reason


@dataclass(frozen=True)
class Verified:
    """What was computed again. differs: the first thing that is not what it should be, None where all of it is. answers: how many were
    read again."""

    result: StruckResult | None
    answers: int
    differs: str | None


def verify(folder: Path) -> Verified:
    """Compute a folder again. Raises BadInput for a folder that holds no benchmark."""
    try:
        packed, written = (folder / BUNDLE).read_bytes(), (folder / RESULT).read_bytes()
        page = (folder / PAGE).read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise BadInput(Reason("struck_no_benchmark", folder=folder, problem=problem.strerror or problem)) from None
    try:
        record = unpacked(packed, folder / BUNDLE)
    except BadInput as problem:
        return Verified(None, 0, str(problem))
    result = result_of(record, packed)
    found = _differences(record, result, packed, written, page)
    return Verified(result, len(record.answers), next(found, None))


def _differences(record: StruckRecord, result: StruckResult, packed: bytes, written: bytes, page: str) -> Iterator[str]:
    """Yield what differs: first what was asked, then the figures, then the files."""
    setup = record.setup
    if setup.edition == read_manifest().edition and setup.prompts != read_prompts().texts:
        yield Reason("struck_prompts_differ", edition=setup.edition)
    if setup.shipped:
        yield from _other_sheets(setup.sheets)
    asked = {each.name: each.hash for each in setup.questions()}
    for answer in record.answers:
        if asked.get(answer.name) != answer.asked:
            yield Reason("struck_question_differs", name=answer.name)
    text = as_text(result)
    try:
        said = json.loads(written)
    except ValueError as problem:
        yield Reason("struck_file_unread", file=RESULT, problem=problem)
        return
    for each in differences(said, json.loads(text)):
        yield Reason("struck_figure_differs", path=each.path, said=shortened(each.written), computed=shortened(each.found))
    if written != text.encode():
        yield Reason("struck_file_differs", file=RESULT)
    if page not in {result_page([result], language) for language in LANGUAGES}:
        yield Reason("struck_file_differs", file=PAGE)


def _other_sheets(sheets: Sequence[StruckSheet]) -> Iterator[str]:
    languages = [language for language in LANGUAGES if any(sheet.language == language for sheet in sheets)]
    made = asyncio.run(shipped_sheets(languages, len(sheets)))
    if len(made) != len(sheets):
        yield Reason("struck_sheet_differs", name=sheets[len(made)].id)
    for mine, theirs in zip(made, sheets, strict=False):
        if mine != theirs:
            yield Reason("struck_sheet_differs", name=theirs.id)
