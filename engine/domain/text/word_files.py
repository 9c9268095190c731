"""Reads texts that exist in both languages: a TOML file a room, in which an entry is `key = ["English", "Chinese"]`."""

import tomllib
from pathlib import Path
from typing import Any

from engine.domain.text.language import Language

Pair = tuple[str, str]
"""A text in English and the same in Chinese."""


def read_pairs(folder: Path, *rooms: str) -> dict[str, Pair]:
    """Return the texts of some rooms in both languages, by key.

    Raises: ValueError for a key that one language lacks, or that two rooms have.
    """
    texts: dict[str, Pair] = {}
    for room in rooms:
        found = _read(folder, room)
        if lacking := [key for key, pair in found.items() if not _is_pair(pair)]:
            raise ValueError(f'{room}.toml: an entry is ["English", "Chinese"], but not these: {sorted(lacking)}')
        if doubled := texts.keys() & found.keys():
            raise ValueError(f"{room}.toml repeats keys of another room: {sorted(doubled)}")
        texts |= {key: (english, chinese) for key, (english, chinese) in found.items()}
    return texts


def read_texts(folder: Path, language: Language, *rooms: str) -> dict[str, str]:
    """Return the texts of some rooms in one language, by key. Raises ValueError as `read_pairs` does."""
    column = 1 if language == "zh" else 0
    return {key: pair[column] for key, pair in read_pairs(folder, *rooms).items()}


def read_paragraphs(folder: Path, room: str) -> dict[str, Any]:
    """Return the texts of a room, each as `{"en": ..., "zh": ...}`: one with the key `question.entry` is at `["question"]["entry"]`.

    Raises: ValueError as `read_pairs` does.
    """
    found: dict[str, Any] = {}
    for key, (english, chinese) in read_pairs(folder, room).items():
        *groups, name = key.split(".")
        place = found
        for group in groups:
            place = place.setdefault(group, {})
        place[name] = {"en": english, "zh": chinese}
    return found


def read_chinese(folder: Path, room: str) -> dict[str, str]:
    """Return what English texts are in Chinese: of a room in which an entry is `"English" = "Chinese"`."""
    return _read(folder, room)


def _read(folder: Path, room: str) -> dict[str, Any]:
    return tomllib.loads((folder / f"{room}.toml").read_text(encoding="utf-8"))


def _is_pair(entry: object) -> bool:
    return isinstance(entry, list) and len(entry) == 2 and all(isinstance(text, str) for text in entry)
