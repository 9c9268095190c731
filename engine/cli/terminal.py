"""What the shell writes, and the only place where it writes: no word of a model, a venue or a file commands the terminal, reads backwards
there or begins a line of its own. Messages lose such characters; JSON keeps them as escapes."""

import json
import sys
from collections.abc import Mapping
from typing import Any, Final, TextIO

from engine.domain.text.visible import escaped, one_line

NO_STOP: Final = "NO STOP"
"""What is said of a position without a stop; red on a terminal."""


def print_line(text: object) -> None:
    """Print a line of the result to stdout."""
    _write(sys.stdout, _marked(one_line(str(text)), sys.stdout))


def warn(text: object) -> None:
    """Print a line of progress, a warning or an error to stderr."""
    _write(sys.stderr, _marked(one_line(str(text)), sys.stderr))


def print_json(data: Any) -> None:
    """Print one strict JSON value on a line. Raises ValueError for NaN and infinity."""
    _write(sys.stdout, as_json(data))


def print_end(state: Mapping[str, Any], sentence: str, *, as_json: bool) -> None:
    """Print the final state of a run: as JSON, or as a sentence with its warnings behind it, on stderr."""
    if as_json:
        print_json(state)
        return
    print_line(sentence)
    for warning in state["warnings"]:
        warn(f"warning: {warning}")


def as_json(data: Any) -> str:
    """Return strict JSON that every terminal, file and database takes. Raises ValueError for NaN and infinity."""
    return escaped(json.dumps(data, allow_nan=False, ensure_ascii=False))


def _marked(line: str, stream: TextIO) -> str:
    return line.replace(NO_STOP, f"\033[1;31m{NO_STOP}\033[0m") if stream.isatty() else line


def _write(stream: TextIO, line: str) -> None:
    print(line, file=stream, flush=True)
