"""Names are the field's: words of a private language are refused, and a class name has one meaning. The glossary is in docs/glossary.md.

Docstrings begin in the imperative: ruff's D401, see pyproject.toml.
"""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [*sorted(path for folder in ("engine", "pages") for path in (ROOT / folder).rglob("*.py")), ROOT / "app.py"]
ROOMS = sorted({"/".join(path.relative_to(ROOT).parts[:2]) for path in MODULES})

WORDS = {
    "told": "events, done, messages, text, already_logged, ...",
    "stood": "status, position, before",
    "docket": "proposal_store",
    "clerk": "proposal_service",
    "purse": "run_budget",
    "keeper": "lease_heartbeat",
    "naked": "unprotected",
    "door": "engine, login",
    "bell": "notifications",
}
"""Refused as a part of any name (`_told`, `MOST_TOLD`, `AnswerTold`), with what to write in its place."""

NAMES = {
    "the_engine": "get_engine",
    "come_in": "require_login",
    "carry_out": "run_action",
    "dress_page": "inject_stylesheet",
    "ink": "claim_markup",
    "look_after": "run_maintenance",
    "look_at": "preview",
    "look_into": "list_recordings",
    "looks": "previews, statuses",
    "stand": "position, level, status",
    "stands": "is_active, in_place, positions",
    "standing": "account_state, open_orders",
    "matter": "ablation, without_corrections",
    "Noun": "FrozenModel",
    "Place": "AccountRef",
    "Sources": "RunDeps, ApprovalDeps",
    "Parts": "Container",
    "Wiring": "ProviderFactory",
    "Now": "LiveConditions",
    "Standing": "AccountState",
    "Stand": "VenuePosition",
    "Stood": "ProtectionStatus",
    "Day": "DailySpend",
    "Docket": "ProposalStore",
}
"""Refused as a whole name, with what to write in its place."""

DEFINED = {"look": "get_order, preview, run_once", "place": "place_order, row_label", "tell": "send, print_line"}
"""Refused as the name of a function, method or class; a variable may have it where the word is meant (a place in a text)."""

FILES = {"hand", "picture", "bell", "ink", "docket", "clerk", "purse", "keeper", "settle", "matter"}
"""Refused as the name of a module, a script or a folder."""


def _parts(name: str) -> set[str]:
    """The words of a name: `_MOST_TOLD`, `forgetTold` and `AnswerTold` have `told`."""
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_"))


def refused(source: str) -> Iterator[str]:
    """Every refused name of a module: its line, the name, and what to write in its place."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            for word in sorted(_parts(token.string) & WORDS.keys()):
                yield f"{token.start[0]}: {token.string}: {WORDS[word]}"
            if token.string in NAMES:
                yield f"{token.start[0]}: {token.string}: {NAMES[token.string]}"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name.lower().strip("_") in DEFINED:
            yield f"{node.lineno}: {node.name}: {DEFINED[node.name.lower().strip('_')]}"


def test_the_guard_finds_what_it_is_for() -> None:
    found = list(refused("class Stand:\n    def look(self):\n        _MOST_TOLD, account.stands = 1, told\n        place = look = 1\n"))
    assert [line.split(": ")[1] for line in found] == ["Stand", "_MOST_TOLD", "stands", "told", "look"]
    assert list(refused("untold = retold = blink = outdoor = standard = placed = 'told'  # told\n")) == []


@pytest.mark.full
@pytest.mark.parametrize("room", ROOMS)
def test_names_are_the_fields(room: str) -> None:
    modules = [path for path in MODULES if "/".join(path.relative_to(ROOT).parts[:2]) == room]
    found = [f"{path.relative_to(ROOT)}:{line}" for path in modules for line in refused(path.read_text(encoding="utf-8"))]
    assert found == []


def test_files_and_folders_are_called_what_they_are() -> None:
    paths = [*MODULES, *(path for path in (ROOT / "assets").rglob("*"))]
    assert sorted({str(path.relative_to(ROOT)) for path in paths if FILES & set(path.relative_to(ROOT).with_suffix("").parts)}) == []


@pytest.mark.full
def test_a_class_name_has_one_meaning() -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(ROOT)))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
