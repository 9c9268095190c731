"""Folders of the home that searches fill: logs of their servers, answers, the library's index."""

import os
from pathlib import Path


def make_private_folder(path: Path) -> None:
    """Make a folder that only its owner may enter, whatever the umask; close one that is there to others. Raises OSError."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o700)
