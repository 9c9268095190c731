"""The files of a library's folder that can be read, without leaving it."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason

READ: Final = frozenset({".pdf", ".html", ".htm", ".md", ".markdown", ".txt", ".text"})
"""How names end of files that are read."""


@dataclass(frozen=True)
class LibraryFile:
    """A file of the folder. name: relative to it, with `/`. size: in bytes. modified: in nanoseconds. refused: why it is named and not
    opened (a symbolic link, a pipe that would never end, a name that is no text), "" for a file that is read."""

    path: Path
    name: str
    size: int
    modified: int
    refused: str = ""

    def digest(self) -> str:
        """Return the hash of the content. Raises OSError."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def files_of(folder: Path) -> Iterator[LibraryFile]:
    """Yield the readable files of a folder and of those below it, by name. Names that begin with a dot are left out.

    Raises SearchError when the folder is missing or is none.
    """
    if not folder.is_dir():
        raise SearchError(Reason("library_folder_is_missing", folder=folder))
    for where, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(where) / name
            if name.startswith(".") or path.suffix.lower() not in READ:
                continue
            try:
                known = path.lstat()
            except OSError:  # it went while we looked
                continue
            relative = path.relative_to(folder).as_posix()
            shown = relative.encode("utf-8", "backslashreplace").decode()  # bytes that are not UTF-8 become surrogates
            yield LibraryFile(path, shown, known.st_size, known.st_mtime_ns, _refusal(known.st_mode, shown, shown != relative))


def _refusal(mode: int, name: str, is_odd: bool) -> str:
    if stat.S_ISLNK(mode):
        return Reason("is_symbolic_link", name=name)
    if not stat.S_ISREG(mode):
        return f"{name} is no ordinary file: put a file with the text into the library"
    return f"{name} has a name that is no UTF-8: rename the file" if is_odd else ""
