"""The file that `--events` names: a run's events as JSON lines, written as they happen."""

from pathlib import Path
from typing import TYPE_CHECKING

from engine.shell.terminal import as_json, say
from engine.shell.words import term

if TYPE_CHECKING:
    from engine.domain.events import Event


class EventsFile:
    """Where the run's events are written, a line each, at once. Raises BadInput naming the file, StoreError when it takes no more."""

    def __init__(self, path: str) -> None:
        from engine.domain.errors import BadInput

        self._path = path
        try:
            self._file = Path(path).open("wb", buffering=0)  # noqa: SIM115 - closed by `close`
        except (OSError, ValueError) as problem:
            raise BadInput(say("events_unwritable", path=path, problem=why(problem))) from None

    def write(self, event: "Event") -> None:
        """One more line."""
        from engine.domain.errors import StoreError

        rest = f"{as_json(event.to_json())}\n".encode()
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as problem:
            raise StoreError(say("events_full", path=self._path, problem=why(problem))) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def why(problem: Exception) -> str:
    """Return what the system says of a file that could not be read or written, without its number."""
    return term((problem.strerror if isinstance(problem, OSError) else None) or str(problem))
