"""The spool: what takes risk away and could not be written into the journal, a JSON line each, until it is taken into the chain.

It stands in TRIBUNAL_HOME, else in a folder of this user's under `/var/tmp`, else in memory alone, and then on stderr as well. Every line
is on the disk when `add` returns, and whole: a line that was cut off by a crash is not read.
"""

import hashlib
import heapq
import logging
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Literal

from pydantic import AwareDatetime, Field, JsonValue, ValidationError

from engine.domain.errors import StoreError
from engine.domain.frozen_model import FrozenModel
from engine.journal.private_files import locked, open_private, sync_folder

SPARE: Final = Path("/var/tmp") if os.name == "posix" else Path(tempfile.gettempdir())  # noqa: S108 - the folder in it is this user's own
_OF_AN_ID: Final = re.compile(r"\.[0-9a-f]{12}")
_HELD_S: Final = 15.0  # how long another process that takes it into the journal is waited for
_log = logging.getLogger(__name__)


class SpoolEntry(FrozenModel):
    """One thing that was done. kind: `halt`, an `order` that makes a position smaller, a `report` of one, or the `entries` of a paper
    account. subject: what it was done to. body: the order, the report, or `{"after", "entries"}`."""

    kind: Literal["halt", "order", "report", "entries"]
    at: AwareDatetime
    who: str
    subject: str
    why: str = ""
    body: JsonValue = Field(default_factory=dict)


def fallback_folder(home: Path) -> Path:
    """Return the folder of this user's that is used for a home in which nothing can be written."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return SPARE / f"tribunal-{user}-{hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:12]}"


def usable_folders(home: Path, *, make: bool) -> list[Path]:
    """Return the folders where it may stand, the best first. make: the spare one is made when it is not there. One that is another's is
    left alone."""
    spare = fallback_folder(home)
    try:
        if make:
            spare.mkdir(mode=0o700, exist_ok=True)
        found = spare.lstat()
    except OSError:
        return [home]
    own = os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
    return [home, spare] if spare.is_dir() and not spare.is_symlink() and own else [home]


def file_to_write(home: Path, folder: Path, name: str, journal_id: str) -> Path:
    """Return the file of a name in one of the usable folders. In the spare one its name holds the journal's id: that folder is found by the
    path of the home, where another journal may be by now."""
    return folder / (f"{name}.{journal_id}" if journal_id and folder != home else name)


def files_to_read(home: Path, name: str, journal_id: str) -> list[Path]:
    """Return where a journal's file of a name may be, the best first. In the spare folder that is the one with its id and the one without;
    every one while the id is not known, because the secret cannot be used."""
    found = []
    for folder in usable_folders(home, make=False):
        found.append(folder / name)
        if folder == home:
            continue
        if journal_id:
            found.append(file_to_write(home, folder, name, journal_id))
        else:
            found += [each for each in sorted(folder.glob(f"{name}.*")) if _OF_AN_ID.fullmatch(each.suffix)]
    return found


class Spool:
    """Of one journal. home: where it stands when it can. mark: of the journal's address. journal_id: of the journal itself, "" while that
    is not known. Safe to use from several processes."""

    def __init__(self, home: Path, mark: str, journal_id: str = "") -> None:
        self._home, self._name, self._journal_id = home, f"spool{mark}.jsonl", journal_id
        self._memory: list[SpoolEntry] = []

    def add(self, entry: SpoolEntry) -> bool:
        """Keep it. False when it could only be kept in memory."""
        line = entry.model_dump_json() + "\n"
        for make in (False, True):  # the spare place is made only when it is needed
            for folder in usable_folders(self._home, make=make):
                try:
                    self._append(file_to_write(self._home, folder, self._name, self._journal_id), line)
                except OSError as problem:
                    _log.warning("the spool in %s cannot be written: %s", folder, problem.strerror)
                else:
                    return True
        self._memory.append(entry)
        _log.critical("KEPT IN MEMORY ONLY, until this program ends: %s", line.strip())
        return False

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits. A spool that cannot be listed counts as not empty."""
        return not self._memory and not self._files()

    def entries(self) -> list[SpoolEntry]:
        """Return what waits, in the order in which it was done. Raises StoreError when it cannot be read."""
        return _in_order(self._memory, *(_entries_of(file) for file in self._files()))

    @contextmanager
    def draining(self) -> Iterator[list[SpoolEntry]]:
        """Yield what waits, while nobody adds to it; it is removed when the block ends without an error. Raises StoreError when the spool
        cannot be held, or not be removed."""
        with ExitStack() as stack:
            files, memory = self._files(), list(self._memory)
            for file in files:
                try:
                    stack.enter_context(locked(file, _HELD_S))
                except OSError as problem:
                    raise StoreError(f"the spool {file} cannot be held: {problem.strerror}") from problem
            yield _in_order(memory, *(_entries_of(file) for file in files))
            self._memory = self._memory[len(memory) :]
            for file in files:
                try:
                    file.unlink(missing_ok=True)
                    sync_folder(file.parent)
                except OSError as problem:
                    raise StoreError(f"the spool {file} is in the journal and cannot be removed: {problem.strerror}") from problem

    def _files(self) -> list[Path]:
        return [file for file in files_to_read(self._home, self._name, self._journal_id) if os.path.lexists(file)]

    def _append(self, path: Path, line: str) -> None:
        is_new = not path.exists()
        with locked(path, _HELD_S):
            file = open_private(path, os.O_RDWR | os.O_APPEND)
            try:
                size = os.fstat(file).st_size
                cut_off = size > 0 and os.pread(file, 1, size - 1) != b"\n"
                _write(file, (b"\n" if cut_off else b"") + line.encode(), size)
            finally:
                os.close(file)
        if is_new:
            sync_folder(path.parent)


def _write(file: int, content: bytes, size: int) -> None:
    """Write all of it to the disk, or none of it. Raises OSError."""
    try:
        if os.write(file, content) != len(content):
            raise OSError(28, "no space left on device")
        os.fsync(file)
    except OSError:
        os.ftruncate(file, size)
        raise


def _in_order(*places: list[SpoolEntry]) -> list[SpoolEntry]:
    """Return the entries of several places as one list. Those of one place stay in the order in which they were added, whatever their times
    say; between places only the times can."""
    return list(heapq.merge(*places, key=lambda entry: entry.at))


def _entries_of(file: Path) -> list[SpoolEntry]:
    found: list[SpoolEntry] = []
    try:
        lines = file.read_bytes().splitlines()
    except FileNotFoundError:
        return found
    except OSError as problem:
        raise StoreError(f"the spool {file} cannot be read: {problem.strerror}") from problem
    for line in lines:
        try:
            found.append(SpoolEntry.model_validate_json(line))
        except ValidationError:
            if line.strip():
                _log.warning("a line of the spool cannot be read and is left out: %r", line[:200])
    return found
