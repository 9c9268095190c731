"""The halt flag: a file beside the journal that says trading is halted, to every process on the home, whatever has become of the journal.

It is raised before anything is written into the journal, and lowered when the journal says the same, or when trading is allowed again. That
it is there halts trading, even when nobody can read what stands in it.
"""

import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

from engine.domain.audit import FIRST, AuditRow
from engine.domain.errors import StoreError
from engine.journal.private_files import make_private, sync_folder, write_whole
from engine.journal.spool import file_to_write, files_to_read, usable_folders

HALT = "halt"
_log = logging.getLogger(__name__)


class HaltFlag:
    """Of one journal. home: where it stands when it can; else in the spare place of the spool. mark, journal_id: as the spool's."""

    def __init__(self, home: Path, mark: str, journal_id: str = "") -> None:
        self._home, self._name, self._journal_id = home, f"halted{mark}", journal_id
        self._raised: AuditRow | None = None

    def read(self) -> AuditRow | None:
        """Return who raised it, when and why; None when it is not raised. Raises StoreError when that cannot be seen."""
        for file in files_to_read(self._home, self._name, self._journal_id):
            try:
                found = file.lstat()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as problem:
                raise StoreError(f"whether trading is halted cannot be seen at {file}: {problem.strerror}") from problem
            return _row(file, datetime.fromtimestamp(found.st_mtime, UTC))
        return self._raised

    def raise_flag(self, at: datetime, who: str, why: str) -> bool:
        """Halt every process on the home. False when only this one could be."""
        self._raised = halted_row(at, who, why)
        content = json.dumps({"at": at.isoformat(), "who": who, "why": why}, ensure_ascii=False)
        for make in (False, True):
            for folder in usable_folders(self._home, make=make):
                if self._write(file_to_write(self._home, folder, self._name, self._journal_id), content):
                    return True
        return False

    def _write(self, file: Path, content: str) -> bool:
        try:
            make_private(file)  # an empty one halts too, and finds room where nothing else does
            sync_folder(file.parent)
        except OSError as problem:
            _log.warning("the halt flag cannot be raised at %s: %s", file, problem.strerror)
            return False
        try:
            write_whole(file, content)
        except OSError as problem:
            _log.warning("what the halt flag at %s says cannot be written: %s", file, problem.strerror)
        return os.path.lexists(file)

    def lower(self) -> None:
        """Remove the flag. Raises StoreError naming the file that cannot be removed."""
        for file in files_to_read(self._home, self._name, self._journal_id):
            try:
                if os.path.lexists(file):
                    file.unlink(missing_ok=True)
                    sync_folder(file.parent)
            except OSError as problem:
                raise StoreError(f"trading stays halted: the halt flag {file} cannot be removed: {problem.strerror}") from problem
        self._raised = None


def halted_row(at: datetime, who: str, why: str) -> AuditRow:
    """Return a halt that is not in the chain yet, in the shape of a row: without a number or a seal."""
    return AuditRow(seq=1, at=at, who=who, kind=HALT, subject="trading", why=why, before=FIRST)


def _row(file: Path, raised_at: datetime) -> AuditRow:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return halted_row(datetime.fromisoformat(content["at"]), str(content["who"]), str(content["why"]))
    except (OSError, ValueError, KeyError, TypeError):
        return halted_row(raised_at, "the halt flag", str(file))
