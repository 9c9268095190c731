"""The halt flag: a file beside the journal that says trading is halted, to every process on the home, whatever has become of the journal.

It is raised before anything is written into the journal, and lowered when the journal says the same, or when trading is allowed again. That
it is there halts trading, even when no one can read what is in it.
"""

import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from engine.domain.audit import FIRST, AuditRow
from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason
from engine.journal.private_files import make_private, sync_folder, write_whole
from engine.journal.spare_folder import file_to_write, files_to_read, usable_folders

HALT = "halt"
_UNRECORDED = "unrecorded"
_log = logging.getLogger(__name__)


class HaltFlag:
    """Of one journal. home: where it is when it can; else in the spare folder. mark: of the journal's address. journal_id: of
    the journal itself, "" while that is not known."""

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
                raise StoreError(Reason("whether_trading_is_halted_cannot_be_seen", file=file, strerror=problem.strerror)) from problem
            return _row(file, datetime.fromtimestamp(found.st_mtime, UTC))
        return self._raised

    def raise_flag(self, at: datetime, who: str, why: str, *, unrecorded: bool = False) -> bool:
        """Halt every process on the home. False when only this one could be. unrecorded: it says that the journal has no row."""
        self._raised = _halted_row(at, who, why, unrecorded=unrecorded)
        content = json.dumps({"at": at.isoformat(), "who": who, "why": why, _UNRECORDED: unrecorded}, ensure_ascii=False)
        for make in (False, True):
            for folder in usable_folders(self._home, make=make):
                if self._write(file_to_write(self._home, folder, self._name, self._journal_id), content):
                    self._raised = None  # the file counts: another process may lower it
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
                raise StoreError(Reason("trading_stays_halted", file=file, strerror=problem.strerror)) from problem
        self._raised = None


def is_unrecorded(row: AuditRow) -> bool:
    """Return whether a row that was read from the flag says that the journal has none."""
    return bool(row.data.get(_UNRECORDED))


def _halted_row(at: datetime, who: str, why: str, *, unrecorded: bool = False) -> AuditRow:
    """Return a halt in the shape of a row of the chain, without a number or a seal."""
    data: dict[str, JsonValue] = {_UNRECORDED: True} if unrecorded else {}
    return AuditRow(seq=1, at=at, who=who, kind=HALT, subject="trading", why=why, data=data, before=FIRST)


def _row(file: Path, raised_at: datetime) -> AuditRow:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        at, who, why = datetime.fromisoformat(content["at"]), str(content["who"]), str(content["why"])
        return _halted_row(at, who, why, unrecorded=bool(content[_UNRECORDED]))
    except (OSError, ValueError, KeyError, TypeError):
        return _halted_row(raised_at, "the halt flag", str(file))
