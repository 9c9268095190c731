"""A benchmark of one model as a record: its questions' words, its sheets and every answer. Everything that is reported follows from it.

While a benchmark goes on, its answers are in `answers.jsonl`, a line each; once it has ended, all of it is one gzip file, and the same
record has the same bytes.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import AwareDatetime, ValidationError

from engine.benchmark.asking import StruckAnswer
from engine.benchmark.prompts import LIE_ARMS, Arm, Prompts, StruckQuestion, question
from engine.benchmark.sheets import StruckSheet, sheets_hash
from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

ANSWERS: Final = "answers.jsonl"
BUNDLE: Final = "struck.json.gz"
FORMAT: Final = "tribunal-struck"
VERSION: Final = 1
MOST_BYTES: Final = 200_000_000
REPEATED_EVERY: Final = 5
"""One sheet of so many is asked about several times."""
Ended = Literal["done", "stopped", "budget", "lost"]
"""Why a benchmark ended: everything was asked, someone stopped it, a budget was spent, the model gave nothing any more."""


class StruckSetup(FrozenModel):
    """What a benchmark asks. model: by its name. lies, seed: of the scripted model. k: answers to the sheets that are asked about several
    times. shipped: whether the sheets are those of the edition; else they are of a file."""

    edition: str
    model: str
    k: int
    lies: float = 0.0
    seed: int = 0
    shipped: bool = True
    prompts: dict[Language, dict[str, str]]
    sheets: tuple[StruckSheet, ...]

    @property
    def prompts_hash(self) -> str:
        """The hash of all words that are asked with."""
        return Prompts(self.prompts).hash

    @property
    def sheets_hash(self) -> str:
        """The hash of all sheets."""
        return sheets_hash(self.sheets)

    def questions(self) -> Iterator[StruckQuestion]:
        """Yield every question, sheet by sheet: every kind and language has its share of the answers, wherever it ends."""
        prompts = Prompts(self.prompts)
        for place, sheet in enumerate(self.sheets):
            repeats = range(1, self.k + 1) if place % REPEATED_EVERY == 0 else (1,)
            wanted: list[tuple[Arm, int]] = [("plain", 1), *((arm, 1) for arm in LIE_ARMS), *(("plain", nth) for nth in repeats if nth > 1)]
            yield from (asked for arm, nth in wanted if (asked := question(prompts, sheet, place, arm, nth)) is not None)


class StruckRecord(FrozenModel):
    """A benchmark that has ended. at: when. answers: in the order of the questions."""

    format: Literal["tribunal-struck"] = FORMAT
    version: Literal[1] = VERSION
    setup: StruckSetup
    ended: Ended
    at: AwareDatetime
    answers: tuple[StruckAnswer, ...]

    def packed(self) -> bytes:
        """Return the bundle."""
        text = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":"))
        return gzip.compress(text.encode(), mtime=0)


def digest(content: bytes) -> str:
    """Return sha256 of a file's content, as it is written in results."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def unpacked(content: bytes, file: Path) -> StruckRecord:
    """Return the record of a bundle. Raises BadInput for what is none."""
    try:
        return StruckRecord.model_validate_json(_inflated(content))
    except (zlib.error, ValueError) as problem:
        raise BadInput(Reason("struck_file_unread", file=file, problem=" ".join(str(problem).split())[:120])) from None


def _inflated(content: bytes) -> bytes:
    """Return what a gzip file holds, `MOST_BYTES` at most: bundles come from strangers. Raises zlib.error, or ValueError."""
    inflating = zlib.decompressobj(wbits=31)
    found = inflating.decompress(content, MOST_BYTES)
    if not inflating.eof or inflating.unused_data:
        raise ValueError("not one whole gzip file, or too large")
    return found


class KeptAnswers:
    """The answers of a benchmark in its folder, so that one that was interrupted goes on where it ended."""

    def __init__(self, folder: Path, setup: StruckSetup) -> None:
        """Open the folder. Raises BadInput where it cannot be written, and where it holds another benchmark or a longer one."""
        self._file = folder / ANSWERS
        self._head = json.dumps({"format": FORMAT, "version": VERSION, "setup": _named(setup)}, ensure_ascii=False)
        self.answers: dict[str, StruckAnswer] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            asked = {each.name: each.hash for each in setup.questions()}
            for answer in self._earlier(folder, setup):
                if answer.name not in asked:
                    raise BadInput(Reason("struck_folder_has_more", folder=folder))
                if answer.asked != asked[answer.name]:
                    raise BadInput(Reason("struck_folder_has_another", folder=folder))
                if not answer.lost:
                    self.answers[answer.name] = answer
            lines = [self._head, *(answer.model_dump_json() for answer in self.answers.values())]
            self._file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            self._out = self._file.open("a", encoding="utf-8")
        except OSError as problem:
            raise BadInput(Reason("struck_file_unwritten", file=self._file, problem=problem.strerror or problem)) from None

    def _earlier(self, folder: Path, setup: StruckSetup) -> Sequence[StruckAnswer]:
        if self._file.exists():
            head, *lines = self._file.read_text(encoding="utf-8").splitlines() or [""]
            if head != self._head:
                raise BadInput(Reason("struck_folder_has_another", folder=folder))
            return [answer for line in lines if (answer := _answer(line)) is not None]
        if (bundle := folder / BUNDLE).exists():
            record = unpacked(bundle.read_bytes(), bundle)
            if _named(record.setup) != _named(setup):
                raise BadInput(Reason("struck_folder_has_another", folder=folder))
            return record.answers
        return ()

    def add(self, answer: StruckAnswer) -> None:
        """Keep an answer, at once. What was lost is kept too, and asked again in another session."""
        self.answers[answer.name] = answer
        self._out.write(f"{answer.model_dump_json()}\n")
        self._out.flush()

    def close(self) -> None:
        """Close the file; it stays."""
        self._out.close()

    def forget(self) -> None:
        """Remove the file: all of it is in the bundle."""
        self.close()
        self._file.unlink(missing_ok=True)


def _named(setup: StruckSetup) -> dict[str, object]:
    """Return what tells two benchmarks apart. How many sheets and answers are asked for is not among it: a longer one goes on."""
    return {
        **setup.model_dump(mode="json", include={"edition", "model", "lies", "seed", "shipped"}),
        "prompts": setup.prompts_hash,
        "languages": sorted({sheet.language for sheet in setup.sheets}),
    }


def _answer(line: str) -> StruckAnswer | None:
    """Return the answer in a line; None for a line that was not written to its end."""
    try:
        return StruckAnswer.model_validate_json(line)
    except ValidationError:
        return None


def record_of(setup: StruckSetup, answers: dict[str, StruckAnswer], ended: Ended, at: datetime) -> StruckRecord:
    """Return the record. answers: by the name of their question; those of questions that are not asked are left out."""
    known = [answers[asked.name] for asked in setup.questions() if asked.name in answers]
    return StruckRecord(setup=setup, ended=ended, at=at, answers=tuple(known))
