"""JSON objects that the shell is given in files. `-` is standard input, where a command takes it."""

import sys
from pathlib import Path
from typing import Any

from engine.cli.events_file import why
from engine.domain.text.plain_json import TwiceTheSame, read_json


def read_object(path: str, what: str, *, stdin: bool = False) -> dict[str, Any]:
    """Return the one object in a file. Raises BadInput naming it. what: as the message calls it. stdin: whether `-` is standard input."""
    from engine.domain.errors import BadInput

    try:
        data = read_json(sys.stdin.read() if stdin and path == "-" else Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadInput(f"{what} file {path} cannot be read: {why(problem)}") from None
    except TwiceTheSame as problem:
        raise BadInput(f"{what} file {path}: {problem}") from None
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{what} file {path} is not JSON: {str(problem)[:200]}") from None
    if not isinstance(data, dict):
        raise BadInput(f"{what} file {path} must hold one JSON object")
    return data
