"""The labelled cases: a text, the facts it is judged against, every claim in it with its verdict, and what looks like one and is none.

A line names its facts by a sheet of `sheets.json`, or holds them itself, as the lines of `python -m engine disputes` do.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PARTS = ("seen", "held_back", "equity_seen", "equity_held_back", "honest")
"""Folders of texts about a market and its position, about a company, its shares and the account, and of answers to the prompts."""


@dataclass(frozen=True)
class Label:
    """A claim as a person marked it. indicators: the canonical key, and others taken for the same. optional: it restates another."""

    start: int
    end: int
    indicators: frozenset[str]
    verdict: str
    optional: bool = False


@dataclass(frozen=True)
class Case:
    """One text. not_claims: spans that state nothing about now, with the reason; a rejected quotation (`quote`) may be convicted."""

    name: str
    language: str
    source: str
    text: str
    facts: Mapping[str, Any]
    path: str
    labels: tuple[Label, ...]
    not_claims: tuple[tuple[int, int, str], ...] = field(default=())


def cases(part: str) -> list[Case]:
    """Every case of one of `PARTS`."""
    sheets = json.loads((HERE / "sheets.json").read_text(encoding="utf-8"))
    found = []
    for file in sorted((HERE / part).glob("*.jsonl")):
        found += [read_case(json.loads(line), sheets) for line in file.read_text(encoding="utf-8").splitlines()]
    return found


def read_case(row: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]]) -> Case:
    """One line as a case."""
    labels = tuple(
        Label(
            label["start"],
            label["end"],
            frozenset({label["indicator"], *label.get("accept", ())}),
            label["verdict"],
            label.get("optional", False),
        )
        for label in row["claims"]
    )
    not_claims = tuple((span["start"], span["end"], span["reason"]) for span in row.get("not_claims", ()))
    facts = row["facts"] if "facts" in row else {**sheets[row["sheet"]], **row.get("overrides", {})}
    return Case(row["id"], row["lang"], row["source"], row["text"], facts, row.get("path", "entry"), labels, not_claims)
