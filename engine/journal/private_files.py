"""Files of this installation that only their owner may read, whatever the umask, and that are on the disk when it is said that they are.

Every function raises OSError.
"""

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # a system without it: its writers are not kept apart
    fcntl = None  # type: ignore[assignment]

OWNER_ONLY: Final = 0o600
_POLL_S: Final = 0.02


def make_private(path: Path) -> None:
    """Make an empty file where there is none. One that is there loses what others may do with it."""
    os.close(open_private(path, os.O_WRONLY))


def open_private(path: Path, flags: int) -> int:
    """Return a descriptor of a file, creating it if missing."""
    file = os.open(path, flags | os.O_CREAT, OWNER_ONLY)
    with suppress(OSError):  # another's file: what it holds is theirs to show
        if os.name == "posix" and os.fstat(file).st_mode & 0o777 != OWNER_ONLY:
            os.fchmod(file, OWNER_ONLY)
    return file


def close_to_others(path: Path) -> None:
    """Take from others what they may do with a file that is there; as well as can be done."""
    with suppress(OSError):
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(OWNER_ONLY)


def write_whole(path: Path, content: str) -> None:
    """Put a file in the place of what is there: after a crash it is the old one or the new one, never a part."""
    waiting = _written_beside(path, content)
    try:
        waiting.replace(path)
    except OSError:
        waiting.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def make_whole(path: Path, content: str) -> None:
    """Write a file completely or not at all. Raises FileExistsError when someone else was quicker."""
    waiting = _written_beside(path, content)
    try:
        os.link(waiting, path)
    finally:
        waiting.unlink(missing_ok=True)
    sync_folder(path.parent)


def _written_beside(path: Path, content: str) -> Path:
    waiting = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(open_private(waiting, os.O_WRONLY | os.O_EXCL), "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        waiting.unlink(missing_ok=True)
        raise
    return waiting


def sync_folder(folder: Path) -> None:
    """Let the names in a folder reach the disk too."""
    if os.name != "posix":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def locked(path: Path, patience_s: float) -> Iterator[int]:
    """Hold a file for oneself among all processes; gives its descriptor, at the file that has the name. Raises TimeoutError, which is an
    OSError, when another does not let go of it."""
    until = time.monotonic() + patience_s
    while True:
        file = open_private(path, os.O_RDWR)
        try:
            _wait_for(file, path, until)
            if _is_named(file, path):
                yield file
                return
        finally:
            os.close(file)  # and lets go of it


def is_locked(path: Path) -> bool:
    """Return whether a process holds a file with `locked`; False if the file is missing or cannot be checked."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(file)
    return False


def _wait_for(file: int, path: Path, until: float) -> None:
    while fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise TimeoutError(0, "another process holds it", str(path)) from None
            time.sleep(_POLL_S)
        else:
            return


def _is_named(file: int, path: Path) -> bool:
    """Return whether the file that was opened still has the name: its holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def mark_of(journal: str) -> str:
    """Return what the files of a journal that is not the home's own are marked with, since a home may have been used with several."""
    return f"-{hashlib.sha256(journal.encode()).hexdigest()[:12]}" if journal else ""
