"""The name under which a process holds rows of the journal, and whether that process still lives.

A process is named by machine, number and the moment it began, so that a number that is used again is not taken for the old process.
"""

import os
import socket
from pathlib import Path

_STATE, _BEGUN = 0, 19  # fields of /proc/PID/stat behind the name in brackets; the start is in ticks since the machine's


def this_process() -> str:
    """Return the name of this process."""
    return f"{socket.gethostname()}:{os.getpid()}:{_begun(os.getpid())}"


def is_dead(owner: str) -> bool:
    """Return whether the process of that name was on this machine and has ended; False for other machines."""
    host, _, rest = owner.partition(":")
    number, _, begun = rest.partition(":")
    return host == socket.gethostname() and number.isdigit() and not _lives(int(number), begun)


def _lives(number: int, begun: str) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    if _field(number, _STATE) in ("Z", "X"):  # it has ended, and its parent has not asked for its exit code yet
        return False
    return not begun or not _begun(number) or _begun(number) == begun


def _begun(number: int) -> str:
    """Return when a process began, as the system writes it; "" where it does not say."""
    return _field(number, _BEGUN)


def _field(number: int, place: int) -> str:
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[place]
    except (OSError, IndexError):
        return ""
