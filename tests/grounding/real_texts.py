"""Passages that real models wrote, with facts by which every word of them is true: `python -m tests.grounding.real_texts [FILE.jsonl ...]`.

They are not part of the project: a folder `real_texts` of the test data (`TRIBUNAL_TEST_DATA`) holds `en.jsonl` and `zh.jsonl`. A mirror is
the same passage with one value changed: a right reader convicts that and nothing else.
"""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.domain.claims import Claim
from engine.grounding.one_text import ground_text
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.tables.markets import table_of

_ROOT: Final = Path(__file__).parent.parent.parent
FOLDER: Final = Path(os.environ.get("TRIBUNAL_TEST_DATA", _ROOT.parent / "shared" / "data")) / "real_texts"
ANSWERS: Final = Path(__file__).parent / "answers"
"""Invented answers of models to our own prompts, in the same form."""


@dataclass(frozen=True)
class Read:
    """How one file was read: passages, those in which something was struck, mirrors, those whose changed value was found, claims judged,
    those of them that were struck wrongly."""

    passages: int
    struck: int
    mirrors: int
    found: int
    judged: int
    alarms: int

    def line(self, name: str) -> str:
        """One row of the table."""
        mirrors = f"{self.found} of {self.mirrors} mirrors; {self.alarms} of {self.judged} claims"
        return f"{name}: {self.passages} passages, {self.struck} struck wrongly; {mirrors}"


def passages(file: Path) -> list[dict[str, Any]]:
    """Return the passages of one file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def read_passages(rows: Iterable[dict[str, Any]]) -> Read:
    """Read every passage and its mirror."""
    rows = list(rows)
    claims = [_claims(row, row["text"]) for row in rows]
    mirrors = [row for row in rows if row.get("mirror")]
    return Read(
        passages=len(rows),
        struck=sum(any(claim.verdict == "false" for claim in found) for found in claims),
        mirrors=len(mirrors),
        found=sum(_is_found(row) for row in mirrors),
        alarms=sum(claim.verdict == "false" for found in claims for claim in found),
        judged=sum(claim.verdict != "unverifiable" for found in claims for claim in found),
    )


def _claims(row: dict[str, Any], text: str) -> tuple[Claim, ...]:
    table = table_of(row["path"])
    return ground_text(text, plain_sheet(row["facts"], table), row["source"], table=table).claims


def _is_found(row: dict[str, Any]) -> bool:
    mirror = row["mirror"]
    keys = {mirror["key"], *mirror.get("accept", ())}
    claims = _claims(row, mirror["text"])
    return any(c.verdict == "false" and c.key in keys and c.start < mirror["end"] and mirror["start"] < c.end for c in claims)


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[1:]] or [FOLDER / "en.jsonl", FOLDER / "zh.jsonl"]
    if not all(file.is_file() for file in files):
        sys.exit(f"no passages in {FOLDER}: set TRIBUNAL_TEST_DATA, or name the files")
    for file in files:
        print(read_passages(passages(file)).line(file.stem))
