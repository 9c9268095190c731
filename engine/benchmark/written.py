"""The folder of a benchmark: its bundle, its result as JSON, its page. The last two are made of the first, and can be made again."""

import json
from pathlib import Path
from typing import Final

from engine.benchmark.figures import StruckResult, figures_of
from engine.benchmark.page import result_page
from engine.benchmark.reader import recorded_measure
from engine.benchmark.record import BUNDLE, StruckRecord, digest
from engine.domain.errors import BadInput
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

RESULT: Final = "result.json"
PAGE: Final = "result.html"


def as_text(result: StruckResult) -> str:
    """Return `result.json`."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def result_of(record: StruckRecord, packed: bytes) -> StruckResult:
    """Return the figures of a record. packed: its bundle."""
    return figures_of(record, recorded_measure(), digest(packed))


def write_result(folder: Path, record: StruckRecord, language: Language) -> StruckResult:
    """Write everything that a benchmark leaves, and return its figures. language: of the page. Raises BadInput for a folder that cannot be
    written."""
    packed = record.packed()
    result = result_of(record, packed)
    try:
        (folder / BUNDLE).write_bytes(packed)
        (folder / RESULT).write_text(as_text(result), encoding="utf-8")
        (folder / PAGE).write_text(result_page([result], language), encoding="utf-8")
    except OSError as problem:
        raise BadInput(Reason("struck_file_unwritten", file=folder, problem=problem.strerror or problem)) from None
    return result
