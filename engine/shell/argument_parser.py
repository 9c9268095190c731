"""Reads the arguments of the shell, and says usage and mistakes in its language.

argparse knows English alone: the headings are ours, and its sentences are looked up in `argparse.toml`. One that is not there stays
English.
"""

import argparse
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

from engine.domain.text.language import LANGUAGES
from engine.domain.text.visible import one_line
from engine.domain.text.word_files import read_chinese
from engine.shell.words import ShellWords, columns_of, spoken

_say: Final = ShellWords(Path(__file__).parent, "parser")
_INDENT: Final = 24  # columns before the help of an option, argparse's own


class ShellParser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, without the whole usage. Every command takes `--language` and `--help`.
    languages: other choices of the language."""

    def __init__(self, **how: Any) -> None:
        description, languages = how.pop("description", None), how.pop("languages", LANGUAGES)
        super().__init__(
            **how,
            add_help=False,
            description=_wrapped(description, 0) if description else None,
            formatter_class=argparse.RawTextHelpFormatter,
        )
        self._own, self.options = self.add_argument_group(_say("arguments")), self.add_argument_group(_say("options"))
        self.add_argument("-h", "--help", action="help", help=_say("help"))
        self.add_argument("--language", choices=languages, default=argparse.SUPPRESS, help=_say("language"))

    def commands(self) -> "argparse._SubParsersAction[ShellParser]":
        """Return where commands are added."""
        return self.add_subparsers(dest="command", required=True, metavar="COMMAND", title=_say("commands"))

    def add_argument(self, *names: Any, **how: Any) -> argparse.Action:
        """Add an argument under its heading."""
        if how.get("help"):
            how["help"] = _wrapped(how["help"], _INDENT)
        return (self.options if names[0].startswith("-") else self._own).add_argument(*names, **how)

    def format_usage(self) -> str:
        """Return the usage under a heading in the shell's language."""
        return _headed(super().format_usage())

    def format_help(self) -> str:
        """Return the help under headings in the shell's language."""
        return _headed(super().format_help())

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        words = _in_words(message)
        if message.startswith("argument COMMAND"):  # more than a line can list: --help, which the line names, has them
            words = re.sub(r" ?[(（](choose from |可选：)[^)）]*[)）]$", "", words)
        self.exit(2, f"{one_line(_say('mistake', message=words, program=self.prog))}\n")


def _wrapped(text: str, indent: int) -> str:
    """Return a text in lines that fit the terminal, broken between words and between Chinese characters, which are two columns wide.
    argparse breaks neither Chinese texts nor the Latin words in them where it should."""
    columns = max(shutil.get_terminal_size().columns - 2 - indent, 20)
    lines, taken = [""], 0
    for piece in re.findall(r"[!-~]+[，。；：、）”]* *|.[，。；：、）”]*", text):
        width = columns_of(piece.rstrip())
        if taken + width > columns:
            lines.append("")
            taken = 0
        lines[-1] += piece
        taken += columns_of(piece)
    return "\n".join(line.rstrip() for line in lines)


def _headed(text: str) -> str:
    if spoken() == "en":
        return text
    for heading in ("commands", "arguments", "options"):
        text = text.replace(f"\n{_say(heading)}:\n", f"\n{_say(heading)}：\n")
    return f"{_say('usage')}{text.removeprefix('usage: ')}" if text.startswith("usage: ") else text


@cache
def _sentences() -> list[tuple[re.Pattern[str], str]]:
    """Return argparse's sentences as patterns of what it fills in, each with our words for it."""
    texts = read_chinese(Path(__file__).parent, "argparse")
    return [(re.compile("(.*?)".join(map(re.escape, english.split("%s"))), re.DOTALL), chinese) for english, chinese in texts.items()]


def _in_words(message: str) -> str:
    if spoken() == "en":
        return message
    for pattern, chinese in _sentences():
        if found := pattern.fullmatch(message):
            return chinese.format(*map(_in_words, found.groups()))
    return message
