"""Labelled texts: a text, the facts it is judged against, every claim in it with its verdict, and what looks like one and is none.

A line names its facts by a sheet of `sheets.json`, or holds them itself, as the lines of `python -m engine disputes` do.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from engine.benchmark.sheets import FOLDER
from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason

TEXTS: Final = FOLDER / "texts"
SHEETS: Final = TEXTS / "sheets.json"


@dataclass(frozen=True)
class Label:
    """A claim as a person marked it. indicators: the canonical key, and others taken for the same. optional: it restates another."""

    start: int
    end: int
    indicator: str
    indicators: frozenset[str]
    verdict: str
    optional: bool = False


@dataclass(frozen=True)
class LabelledText:
    """One text. not_claims: spans that state nothing about now, with the reason; a rejected quotation (`quote`) may be convicted."""

    name: str
    language: str
    source: str
    text: str
    facts: Mapping[str, Any]
    path: str
    labels: tuple[Label, ...]
    not_claims: tuple[tuple[int, int, str], ...] = field(default=())


def cases_in(folder: Path) -> list[LabelledText]:
    """Return every case of the files of a folder. Raises BadInput for a folder without any and for a line that cannot be used."""
    sheets = json.loads(SHEETS.read_text(encoding="utf-8"))
    found = [case for file in sorted(folder.glob("*.jsonl")) for case in _cases(file, sheets)]
    if not found:
        raise BadInput(Reason("struck_no_texts", folder=folder))
    return found


def _cases(file: Path, sheets: Mapping[str, Mapping[str, Any]]) -> Sequence[LabelledText]:
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(read_case(json.loads(line), sheets))
        except (ValueError, KeyError, TypeError) as problem:
            why = f"{number}: {type(problem).__name__} {str(problem)[:80]}"
            raise BadInput(Reason("struck_file_unread", file=file, problem=why)) from None
    return found


def read_case(row: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]]) -> LabelledText:
    """Return one line as a case."""
    labels = tuple(
        Label(
            label["start"],
            label["end"],
            label["indicator"],
            frozenset({label["indicator"], *label.get("accept", ())}),
            label["verdict"],
            label.get("optional", False),
        )
        for label in row["claims"]
    )
    not_claims = tuple((span["start"], span["end"], span["reason"]) for span in row.get("not_claims", ()))
    facts = row["facts"] if "facts" in row else {**sheets[row["sheet"]], **row.get("overrides", {})}
    return LabelledText(row["id"], row["lang"], row["source"], row["text"], facts, row.get("path", "entry"), labels, not_claims)
