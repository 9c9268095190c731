"""The name under which a process holds rows of the journal, and whether that process still lives.

A process is named by machine, number and the moment it began, so that a number that is used again is not taken for the old process.
"""

import os
import socket
from pathlib import Path

_BEGUN = 19  # the field of /proc/PID/stat behind the name in brackets that holds the start, in ticks since the machine's


def this_process() -> str:
    """Return the name of this process."""
    return f"{socket.gethostname()}:{os.getpid()}:{_begun(os.getpid())}"


def is_dead(owner: str) -> bool:
    """Return whether the process of that name was on this machine and has ended. Of other machines nobody knows: False."""
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
    return not begun or not _begun(number) or _begun(number) == begun


def _begun(number: int) -> str:
    """Return when a process began, as the system writes it; "" where it does not say."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[_BEGUN]
    except (OSError, IndexError):
        return ""
