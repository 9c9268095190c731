"""Reads texts that exist in both languages out of a folder: a folder per language, a TOML file per room in each.

`en/ROOM.toml` and `zh/ROOM.toml` have the same keys. A file that one language alone has is read by `read_texts`.
"""

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
    english, chinese = read_texts(folder, "en", *rooms), read_texts(folder, "zh", *rooms)
    if lacking := english.keys() ^ chinese.keys():
        raise ValueError(f"words in one language only ({', '.join(rooms)}): {sorted(lacking)}")
    return {key: (text, chinese[key]) for key, text in english.items()}


def read_paragraphs(folder: Path, room: str) -> dict[str, Any]:
    """Return the texts of a room, each as `{"en": ..., "zh": ...}`: one with the key `question.entry` is at `["question"]["entry"]`.

    Raises: ValueError for a key that one language lacks.
    """
    found: dict[str, Any] = {}
    for key, (english, chinese) in read_pairs(folder, room).items():
        *groups, name = key.split(".")
        place = found
        for group in groups:
            place = place.setdefault(group, {})
        place[name] = {"en": english, "zh": chinese}
    return found


def read_texts(folder: Path, language: Language, *rooms: str) -> dict[str, str]:
    """Return the texts of some rooms in one language, by key.

    Raises: ValueError for a key that two rooms have.
    """
    texts: dict[str, str] = {}
    for room in rooms:
        found = tomllib.loads((folder / language / f"{room}.toml").read_text(encoding="utf-8"))
        if doubled := texts.keys() & found.keys():
            raise ValueError(f"{language}/{room}.toml repeats keys of another room: {sorted(doubled)}")
        texts |= found
    return texts
