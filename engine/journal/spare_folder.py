"""Where the files stand that are needed while the journal cannot be written: in TRIBUNAL_HOME, else in a folder of this user's under
`/var/tmp`."""

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final

SPARE: Final = Path("/var/tmp") if os.name == "posix" else Path(tempfile.gettempdir())  # noqa: S108 - the folder in it is this user's own
_OF_AN_ID: Final = re.compile(r"\.[0-9a-f]{12}")


def fallback_folder(home: Path) -> Path:
    """Return the folder of this user's that is used for a home in which nothing can be written."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return SPARE / f"tribunal-{user}-{hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:12]}"


def usable_folders(home: Path, *, make: bool) -> list[Path]:
    """Return the folders where it may be, the best first. make: the spare one is made when it is not there. One that is another's is
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
