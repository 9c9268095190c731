"""What the lines of a check say, in English and Chinese. `{name}` in a text is filled in when it is looked up."""

from pathlib import Path
from typing import Final

from engine.domain.text.language import Language
from engine.domain.text.word_files import read_pairs

WORDS: Final = read_pairs(Path(__file__).parent, "checks")


class DiagnosticWords:
    """The words of one language. An unknown key is a KeyError."""

    def __init__(self, language: Language) -> None:
        self._at = int(language == "zh")

    def __call__(self, key: str, **values: object) -> str:
        return WORDS[key][self._at].format(**values)
