"""What the desk says and asks, in both languages: the texts of `*.toml`, filled in by `str.format`."""

from pathlib import Path
from typing import Final

from engine.domain.text.language import LANGUAGES, Language
from engine.domain.text.word_files import read_texts

_TEXTS: Final = {language: read_texts(Path(__file__).parent, language, "results", "answers", "prompts", "topics") for language in LANGUAGES}


def say(key: str, language: Language, /, **values: object) -> str:
    """Return a text with its placeholders filled in. Raises KeyError for an unknown key and for a value that is missing."""
    return _TEXTS[language][key].format(**values)
