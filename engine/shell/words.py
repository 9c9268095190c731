"""The language of the shell, and its words: TOML in the folders `en/` and `zh/` beside the module that says them.

say = ShellWords(Path(__file__).parent, "runs")
say("forgotten", n=3)       "3 runs forgotten", or "已删除 3 次运行"
term("filled")              "filled", or "已成交"
"""

from functools import cache
from pathlib import Path
from unicodedata import east_asian_width

from engine.domain.text.language import Language
from engine.domain.text.word_files import read_chinese, read_texts

_spoken: list[Language] = ["en"]


def speak(language: Language) -> None:
    """Set the language of everything that this process prints for people."""
    _spoken[:] = [language]


def spoken() -> Language:
    """Return the language of the shell."""
    return _spoken[0]


class ShellWords:
    """The texts of some rooms of a folder, in the language that the shell speaks when one is asked for. They are read at the first one."""

    def __init__(self, folder: Path, *rooms: str) -> None:
        self._folder, self._rooms, self._texts = folder, rooms, dict[Language, dict[str, str]]()

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a text with its placeholders filled in. Raises KeyError for an unknown key and for a value that is missing."""
        if (language := spoken()) not in self._texts:
            self._texts[language] = read_texts(self._folder, language, *self._rooms)
        return self._texts[language][key].format(**values)


@cache
def _terms() -> dict[str, str]:
    return read_chinese(Path(__file__).parent, "terms")


def term(word: str) -> str:
    """Return a state, an action, a side or a node of the program in the shell's language; any other word as it is."""
    return _terms().get(word, word) if spoken() == "zh" else word


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(2 if east_asian_width(each) in "FW" else 1 for each in text)
