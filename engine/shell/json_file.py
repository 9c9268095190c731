"""JSON objects that the shell is given in files. `-` is standard input, where a command takes it."""

import sys
from pathlib import Path
from typing import Any

from engine.domain.text.plain_json import TwiceTheSame, read_json
from engine.shell.events_file import why
from engine.shell.terminal import in_words, say


def read_object(path: str, what: str, *, stdin: bool = False) -> dict[str, Any]:
    """Return the JSON object in a file. Raises BadInput naming it.

    Args:
        what: `position`, `risk` or `bundle`: what the file holds.
        stdin: Whether `-` means standard input.
    """
    from engine.domain.errors import BadInput

    of = {"what": say(f"what_{what}"), "path": path}

    try:
        data = read_json(sys.stdin.read() if stdin and path == "-" else Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadInput(say("file_unread", problem=why(problem), **of)) from None
    except TwiceTheSame as problem:
        raise BadInput(say("file_says", problem=in_words(problem), **of)) from None
    except (ValueError, RecursionError) as problem:
        raise BadInput(say("file_no_json", problem=str(problem)[:200], **of)) from None
    if not isinstance(data, dict):
        raise BadInput(say("file_no_object", **of))
    return data
