"""The words that every text is read with, in both languages: the TOML files of this folder, read once.

`links`, `scopes`, `equity`: words with what they do (`categories.py`). `readings`: values in words. `assets`: things with a price.
`timeframes`: words of time. `cues`: lists that a single rule asks for. `patterns`: ways of speaking as regular expressions.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.grounding.words import categories

_FOLDER: Final = Path(__file__).parent
_IN_PATTERNS: Final = {
    "<rest>": r"(?:[^,;:。；：!?\n.]|\.(?=[0-9]))",
    "<more>": r"(?:[^;。；!?\n.]|\.(?=[0-9]))",
    "<ticker>": r"[A-Z][A-Z0-9]{1,9}",
}

WordEntry = tuple[str, object, str]
"""Category, payload, and phrases in the notation of `lexer/lexicon.py`."""


@dataclass(frozen=True, slots=True)
class ValueWord:
    """A value in words (`overbought`, `cheap`). words: phrases. kinds: the kinds of indicator it is said of; what it means in numbers is in
    the `bands` of each of them, under `name`. label: what it is called, English and Chinese. alone: base key of the indicator it is said
    of where none is named (`the company is profitable`); empty when one has to be."""

    name: str
    words: str = ""
    kinds: frozenset[str] = frozenset()
    label: tuple[str, str] = ("", "")
    alone: str = ""


def read_file(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def value_words(entries: Iterable[Mapping[str, Any]]) -> tuple[ValueWord, ...]:
    """Return the `readings` of a file."""
    return tuple(
        ValueWord(**{**entry, "kinds": frozenset(entry.get("kinds", ())), "label": tuple(entry.get("label", ("", "")))})
        for entry in entries
    )


def cue_pattern(name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return one of `patterns.toml`."""
    text = "|".join(_PATTERNS[name]).replace("\n", "")
    for mark, meaning in _IN_PATTERNS.items():
        text = text.replace(mark, meaning)
    return re.compile(text, flags)


def cue_words(name: str) -> frozenset[str]:
    """Return one list of `cues.toml`."""
    return frozenset(_CUES[name])


def _entries(name: str) -> tuple[WordEntry, ...]:
    return tuple((getattr(categories, each["category"]), _payload(each.get("payload")), each["words"]) for each in _file(name)["words"])


def _payload(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _file(name: str) -> dict[str, Any]:
    return read_file(_FOLDER / f"{name}.toml")


def _by_word(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {word: name for name, words in names.items() for word in words}


_PATTERNS: Final = _file("patterns")
_CUES: Final = _file("cues")
_ASSETS: Final = _file("assets")
_READINGS: Final = _file("readings")
_TIME: Final = _file("timeframes")

LINKS: Final = _entries("links")
SCOPES: Final = _entries("scopes")
EQUITY_WORDS: Final = _entries("equity")
READINGS: Final = value_words(_READINGS["readings"])
MEANT: Final[Mapping[str, str]] = _READINGS["meant"]
"""Readings whose words name their indicator too, and the reading that is meant."""
ASSETS: Final[str] = _ASSETS["words"]
SAME_ASSET: Final = tuple(frozenset(names) for names in _ASSETS["same"])
"""Names of one and the same thing, each of them lower case."""

FRAME_UNITS: Final = _by_word(_TIME["units"])
FRAME_WORDS: Final[Mapping[str, str]] = _TIME["words"]
FRAME_NOUNS: Final = frozenset(_TIME["nouns"])
SPOKEN_FRAMES: Final[Mapping[str, str]] = _TIME["spoken"]
SPELT: Final[Mapping[str, int]] = _TIME["spelt"]
MINUTES: Final = frozenset(_TIME["minutes"])
METATRADER: Final = frozenset(_TIME["metatrader"])
MONTHS: Final = frozenset(_TIME["months"])
COUNT_NOUNS: Final = _by_word(_TIME["counted"])
