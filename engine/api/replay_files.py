"""The files of a replay's folder, and of a sweep's: what was asked, the report, who plays it, and the wish that it ends."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from engine.domain.errors import StoreError, TribunalError
from engine.domain.text.reason import Reason
from engine.journal.private_files import is_locked, locked, write_whole

REPORT: Final = "report.json"
STOP: Final = "stop"
_OWNER: Final = "owner"
_PATIENCE_S: Final = 0.5  # `is_played` takes the lock for a moment too


@contextmanager
def owned(home: Path, name: str) -> Iterator[None]:
    """Lock a replay's folder for this process. Raises TribunalError if another process plays it, StoreError if it cannot be locked."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(home / _OWNER, _PATIENCE_S))
        except TimeoutError:
            raise TribunalError(Reason("replay_is_being_played", replay_id=name)) from None
        except OSError as problem:
            raise StoreError(Reason("replay_cannot_be_written", path=_OWNER, problem=in_one_line(problem))) from None
        try:
            yield
        finally:
            (home / _OWNER).unlink(missing_ok=True)


def is_played(home: Path) -> bool:
    """Return whether a process, on this machine or another one that shares the folder, plays the replay in it."""
    return is_locked(home / _OWNER)


def read_file(path: Path) -> dict[str, Any]:
    """Return the object in a file. Raises StoreError."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    except (OSError, ValueError) as problem:
        raise StoreError(Reason("replay_cannot_be_read", replay_id=path.parent.name, problem=in_one_line(problem))) from None


def write_file(path: Path, text: str) -> None:
    """Write a file, whole or not at all. Raises StoreError."""
    try:
        write_whole(path, text)
    except OSError as problem:
        raise StoreError(Reason("replay_cannot_be_written", path=path.name, problem=in_one_line(problem))) from None


def in_one_line(problem: Exception) -> str:
    """Return what an exception says, short."""
    return " ".join(str(problem).split())[:200]
