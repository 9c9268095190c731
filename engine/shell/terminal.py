"""What the shell writes, and the only place where it writes: no word of a model, a venue or a file commands the terminal, reads backwards
there or begins a line of its own. Messages lose such characters; JSON keeps them as escapes."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from engine.domain.text.visible import escaped, one_line
from engine.shell.words import ShellWords, columns_of, spoken

say: Final = ShellWords(Path(__file__).parent, "shell")
"""Words of every command."""


def in_words(text: object) -> str:
    """Return a reason, or that of an error, in the language of the shell; anything else as it is."""
    words = str(text)
    return words.said_in(spoken()) if hasattr(words, "said_in") else words


def listed(texts: Iterable[object]) -> str:
    """Return several reasons as one text in the language of the shell."""
    return say("between").join(map(in_words, texts))


def padded(text: str, columns: int) -> str:
    """Return a text with spaces up to a number of columns."""
    return text + " " * (columns - columns_of(text))


def ended(state: Mapping[str, Any], sentence: str) -> str:
    """Return a sentence about a final state and, where the state is not valid, why it is not."""
    from engine.domain.text.reason import keyed

    if state["is_valid"]:
        return sentence
    return say("not_valid", sentence=sentence, why=listed(keyed(state, each) for each in state["errors"]))


def print_line(text: object) -> None:
    """Print a line of the result to stdout."""
    _write(sys.stdout, _marked(one_line(in_words(text)), sys.stdout))


def warn(text: object) -> None:
    """Print a line of progress, a warning or an error to stderr."""
    _write(sys.stderr, _marked(one_line(in_words(text)), sys.stderr))


def print_json(data: Any) -> None:
    """Print one strict JSON value on a line. Raises ValueError for NaN and infinity."""
    _write(sys.stdout, as_json(data))


def print_end(state: Mapping[str, Any], sentence: str, *, as_json: bool) -> None:
    """Print the final state of a run: as JSON, or as a sentence with its warnings behind it, on stderr."""
    if as_json:
        print_json(state)
        return
    from engine.domain.text.reason import keyed

    print_line(sentence)
    for warning in state["warnings"]:
        warn(say("warning", text=in_words(keyed(state, warning))))


def as_json(data: Any) -> str:
    """Return strict JSON that every terminal, file and database takes. Raises ValueError for NaN and infinity."""
    from engine.domain.text.reason import printed

    return escaped(json.dumps(printed(data), allow_nan=False, ensure_ascii=False))


def _marked(line: str, stream: TextIO) -> str:
    """Return a line for a stream: on a terminal, what is said of a position without a stop is red."""
    return line.replace(no_stop := say("no_stop"), f"\033[1;31m{no_stop}\033[0m") if stream.isatty() else line


def _write(stream: TextIO, line: str) -> None:
    print(line, file=stream, flush=True)
