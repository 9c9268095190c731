"""What was read from files, until they change."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from engine.domain.errors import BadMarketData
from engine.domain.text.reason import Reason

T = TypeVar("T")


class KeptFiles:
    """What one reader made of each file. A file is read by one reader only; its time and size say whether it changed."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[tuple[int, int], object]] = {}

    def keep(self, path: Path, read: Callable[[], T]) -> T:
        """Return what `read` gave for this file, until the file changes. Raises BadMarketData for a file that cannot be read."""
        try:
            stat = path.stat()
        except OSError as error:
            raise BadMarketData(Reason("cannot_be_read", name=path.name, strerror=error.strerror)) from error
        stamp = (stat.st_mtime_ns, stat.st_size)
        kept = self._kept.get(path)
        if kept is None or kept[0] != stamp:
            kept = (stamp, read())
            self._kept[path] = kept
        return kept[1]  # type: ignore[return-value]  # stored under the same path by the same reader

    def clear(self) -> None:
        """Forget what was read."""
        self._kept.clear()
