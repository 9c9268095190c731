"""The words, cues and tables of the claim reader: every file is read, every list is asked for, and what one file names another has."""

import ast
from pathlib import Path
from typing import Any

import pytest

from engine import grounding
from engine.grounding.lexer.lexicon import beginnings, phrases
from engine.grounding.tables.markets import CRYPTO, EQUITY
from engine.grounding.tables.thresholds import BANDS
from engine.grounding.words.lists import ASSETS, EQUITY_WORDS, LINKS, MEANT, READINGS, SCOPES, read_file

ROOM = Path(grounding.__path__[0])
FILES = sorted(ROOM.rglob("*.toml"))
MODULES = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOM.rglob("*.py")]
TABLES = (CRYPTO, EQUITY)
LISTS = (
    ASSETS,
    *(words for _, _, words in (*LINKS, *SCOPES, *EQUITY_WORDS)),
    *(reading.words for reading in READINGS),
    *(indicator.names for table in TABLES for indicator in table.indicators),
    *(reading.words for table in TABLES for reading in table.readings),
)


def named_in_calls(*functions: str) -> set[Any]:
    """The constants that a module of the room gives to one of these functions, directly or by a loop over them."""
    found: set[Any] = set()
    for module in MODULES:
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
                found |= {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
            if isinstance(node, ast.GeneratorExp) and any(isinstance(each, ast.Name) and each.id in functions for each in ast.walk(node)):
                found |= {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_says_what_it_is_and_is_read(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert path.stem in named_in_calls("_file", "_entries", "read_file") | {Path(str(each)).stem for each in named_in_calls("read_file")}


def test_every_cue_and_every_pattern_is_asked_for_by_its_name() -> None:
    assert set(read_file(ROOM / "words" / "cues.toml")) == {name for name in named_in_calls("cue_words") if isinstance(name, str)}
    assert set(read_file(ROOM / "words" / "patterns.toml")) <= named_in_calls("cue_pattern")


def test_every_phrase_can_be_read() -> None:
    """Its braces close, and it begins with something."""
    every = [phrase for words in LISTS for phrase in phrases(words)]
    assert len(every) > 4000
    assert [phrase for phrase in every if phrase.count("{") != phrase.count("}") or not list(beginnings(phrase))] == []


def test_what_a_reading_names_is_there() -> None:
    kinds = {indicator.kind for table in TABLES for indicator in table.indicators}
    bases = {indicator.base for table in TABLES for indicator in table.indicators}
    names = {reading.name for reading in READINGS}
    for reading in (*READINGS, *EQUITY.readings):
        assert reading.kinds <= kinds, reading.name
        assert {reading.alone} - {""} <= bases, reading.name
        assert bool(reading.label[0]) == bool(reading.label[1]), reading.name
    assert set(MEANT) | set(MEANT.values()) <= names


def test_every_set_of_bands_is_of_an_indicator() -> None:
    used = [indicator.bands for table in TABLES for indicator in table.indicators]
    assert [name for name, bands in BANDS.items() if name not in {"volume", "other"} and bands not in used] == []
