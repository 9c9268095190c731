"""The finished steps of a replay, a JSON line each: what a replay goes on from after its process was killed at any moment.

A line is written once its decision was answered. What a kill leaves of a line is cut off; its step is then played again, and the journal
already holds whatever it had done.
"""

from pathlib import Path

from engine.domain.errors import StoreError
from engine.domain.replay import ReplayStep
from engine.domain.text.reason import Reason


class StepLog:
    """Reads what is there, and adds to it. Raises StoreError for a file that cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.steps: list[ReplayStep] = []
        try:
            whole = _whole_lines(path)
            self.steps = read_steps(path)
            if path.exists() and len(whole) < path.stat().st_size:
                path.write_bytes(whole)
            self._file = path.open("ab", buffering=0)
        except (OSError, ValueError) as problem:
            raise StoreError(Reason("replay_steps_cannot_be_kept", path=path.name, problem=problem)) from None

    def add(self, step: ReplayStep) -> None:
        """Write one more step."""
        try:
            self._file.write(step.model_dump_json().encode() + b"\n")
        except OSError as problem:
            raise StoreError(Reason("replay_steps_cannot_be_kept", path=self._path.name, problem=problem)) from None
        self.steps.append(step)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_steps(path: Path) -> list[ReplayStep]:
    """Return the steps of a file that is there whole; none where there is no file. Raises OSError and ValueError."""
    return [ReplayStep.model_validate_json(line) for line in _whole_lines(path).splitlines()]


def count_steps(path: Path) -> int:
    """Return how many steps a file holds, or 0."""
    try:
        return _whole_lines(path).count(b"\n")
    except OSError:
        return 0


def _whole_lines(path: Path) -> bytes:
    written = path.read_bytes() if path.exists() else b""
    return written[: written.rfind(b"\n") + 1]
