"""The words of the forms in the sidebar, in English and Chinese."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from engine.domain.text.language import Language
from engine.domain.text.word_files import Pair, read_pairs

FORM_WORDS: Final[Mapping[str, Pair]] = read_pairs(Path(__file__).parent, "form")


def form_word(key: str, language: Language) -> str:
    """Return one word of the form."""
    return FORM_WORDS[key][1 if language == "zh" else 0]
