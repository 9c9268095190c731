"""The end of a journal's audit chain, noted outside TRIBUNAL_HOME: in this user's state folder (XDG_STATE_HOME, else `~/.local/state`).

A home that was put back to an earlier day as a whole, or emptied, holds nothing that says so; the note does. It is kept by home and
journal and is never ahead of the chain. Where the two disagree, the note stays as it is until a person removes it. Where nothing can be
kept, that is said once, and the journal works without it.
"""

import hashlib
import logging
import os
import secrets
from pathlib import Path

from engine.journal.private_files import OWNER_ONLY

_log = logging.getLogger(__name__)


class Witness:
    """The note about one journal. home: its folder. journal: names it, since a home may have been used with several."""

    def __init__(self, home: Path, journal: str) -> None:
        self._home = os.path.realpath(home)
        self._name = f"{hashlib.sha256(chr(10).join((self._home, journal)).encode()).hexdigest()[:16]}.head"
        self._has_warned = False

    @property
    def file(self) -> Path | None:
        """Where the note is; None where this user has no state folder."""
        given = Path(os.environ.get("XDG_STATE_HOME", ""))
        try:
            folder = given if given.is_absolute() else Path.home() / ".local" / "state"
        except RuntimeError:  # no home folder is known
            return None
        return folder / "tribunal" / self._name

    def read(self) -> tuple[int, str] | None:
        """Return number and seal of the last row that was noted; None where nothing was, or nothing can be read."""
        file = self.file
        try:
            seq, seal, *_ = file.read_text(encoding="utf-8", errors="replace").split() if file is not None else []
            return int(seq), seal
        except (OSError, ValueError):
            return None

    def note(self, seq: int, seal: str) -> None:
        """Note the end of the chain (best effort). It need not reach the disk at once: a note that is behind accuses no one."""
        file = self.file
        try:
            if file is None:
                raise OSError(2, "this user has no home folder")
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            waiting = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
            try:
                waiting.touch(mode=OWNER_ONLY, exist_ok=False)
                waiting.write_text(f"{seq} {seal}\n{self._home}\n", encoding="utf-8")
                waiting.replace(file)
            finally:
                waiting.unlink(missing_ok=True)
        except OSError as problem:
            if not self._has_warned:
                self._has_warned = True
                _log.warning(
                    "the end of the audit chain cannot be noted outside TRIBUNAL_HOME (%s: %s): that the whole folder was put back to an "
                    "earlier day, or emptied, would not be noticed",
                    file or "XDG_STATE_HOME",
                    problem.strerror,
                )
