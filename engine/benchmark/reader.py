"""What the reader of claims misses itself: its precision and recall, by kind of number and language.

They are measured on labelled texts that are held back: nobody who wrote rules has looked at them. Their counts are kept beside the prompts
(`reader.json`), the texts are not published. Anybody measures the reader on other texts with `score_texts`.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from engine.benchmark.kinds import KINDS
from engine.benchmark.labelled import LabelledText, cases_in
from engine.benchmark.scorer import Score, score
from engine.benchmark.sheets import FOLDER
from engine.domain.frozen_model import FrozenModel

RECORD: Final = FOLDER / "reader.json"
_LANGUAGES: Final = ("en", "zh", "mixed")


class Counted(FrozenModel):
    """hit: false claims that were found. alarm: verdicts of false that are wrong. missed: false claims that were not found. passed: false
    claims that were judged true. accused, upheld: true claims that were judged false, and true."""

    hit: int = 0
    alarm: int = 0
    missed: int = 0
    passed: int = 0
    accused: int = 0
    upheld: int = 0

    @property
    def precision(self) -> float | None:
        """The share of strikes that are right, None without any."""
        return round(self.hit / (self.hit + self.alarm), 4) if self.hit + self.alarm else None

    @property
    def recall(self) -> float | None:
        """The share of false claims that are struck, None without any."""
        return round(self.hit / (self.hit + self.missed), 4) if self.hit + self.missed else None

    @property
    def false_struck(self) -> float | None:
        """The share of false claims that are struck, of those that are judged at all; None without any."""
        return self.hit / (self.hit + self.passed) if self.hit + self.passed else None

    @property
    def true_struck(self) -> float | None:
        """The share of true claims that are struck, of those that are judged at all; None without any."""
        return self.accused / (self.accused + self.upheld) if self.accused + self.upheld else None


class ReaderMeasure(FrozenModel):
    """texts, claims: how many were read. total: of all of them. languages, kinds: by those."""

    texts: int
    claims: int
    total: Counted
    languages: dict[str, Counted]
    kinds: dict[str, Counted]


def measure_of(scored: Score) -> ReaderMeasure:
    """Return the counts of a score."""

    def counted(kind: str | None, language: str | None) -> Counted:
        found = dict.fromkeys(Counted.model_fields, 0)
        for (one, other, what), count in scored.by.items():
            if kind in (None, one) and language in (None, other):
                found[what] += count
        return Counted(**found)

    named = {"languages": {name: counted(None, name) for name in _LANGUAGES}, "kinds": {name: counted(name, None) for name in KINDS}}
    known = {group: {name: each for name, each in found.items() if each != Counted()} for group, found in named.items()}
    return ReaderMeasure(texts=scored.counts["cases"], claims=scored.counts["labels"], total=counted(None, None), **known)


def record_of(cases: Iterable[LabelledText]) -> str:
    """Return the content of `reader.json`."""
    return json.dumps(measure_of(score(cases)).model_dump(mode="json"), indent=1) + "\n"


@cache
def recorded_measure() -> ReaderMeasure:
    """Return what was measured on the texts that are held back."""
    return ReaderMeasure.model_validate_json(RECORD.read_text(encoding="utf-8"))


def score_texts(folder: Path) -> ReaderMeasure:
    """Return what the reader makes of labelled texts: the `*.jsonl` of a folder. Raises BadInput."""
    return measure_of(score(cases_in(folder)))


def shares(counted: Mapping[str, Counted]) -> dict[str, dict[str, float | None]]:
    """Return precision and recall by name."""
    return {name: {"precision": each.precision, "recall": each.recall} for name, each in counted.items()}
