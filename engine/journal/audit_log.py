"""The audit chain as others use it: the kill switch, notes, history, and whether everything still holds. Blocking. Raises StoreError."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Connection, select

from engine.domain.audit import AuditRow
from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason
from engine.journal.chain import Chain, read_row
from engine.journal.halt_flag import HALT, HaltFlag, is_unrecorded
from engine.journal.tables import AUDIT
from engine.journal.verification import faults

UNHALT = "unhalt"
_log = logging.getLogger(__name__)


class AuditLog:
    """Over the journal's database. talking: opens a transaction (`Journal`). flag: halts while the journal cannot be written.
    is_shared: homes of other machines may have the same journal, which the flag of this one does not reach."""

    def __init__(
        self,
        talking: Callable[[str], AbstractContextManager[Connection]],
        chain: Chain,
        clock: Callable[[], datetime],
        flag: HaltFlag,
        *,
        is_shared: bool = False,
    ) -> None:
        self._talking, self._chain, self._clock, self._flag, self._is_shared = talking, chain, clock, flag, is_shared

    def halted(self) -> AuditRow | None:
        """Return the row that halted trading, None while it is not halted. Raises StoreError when that cannot be known."""
        if (flagged := self._flag.read()) is not None:
            return flagged
        query = select(AUDIT).where(AUDIT.c.kind.in_((HALT, UNHALT))).order_by(AUDIT.c.seq.desc()).limit(1)
        with self._talking("read the kill switch from") as connection:
            last = connection.execute(query).mappings().first()
        row = read_row(dict(last)) if last is not None else None
        if last is not None and row is None:
            raise StoreError(Reason("kill_switch_cannot_be_read_from_journal"))
        return row if row is not None and row.kind == HALT else None

    def switch(self, kind: str, who: str, why: str) -> None:
        """Halt trading, or allow it again. A halt binds every process on the home before this returns, even while the journal cannot be
        written, and is read back first; StoreError when it binds this one only, or when other homes may not know of it. Trading is never
        allowed while the journal cannot be written."""
        if kind == HALT:
            self._halt(who, why)
            return
        self._write_flagged()
        self.write_switch(kind, who, why)
        self._flag.lower()

    def take_in(self) -> None:
        """Write a halt into the journal that could not be written when it was made: other homes are bound by it from now on."""
        if self._write_flagged():
            self.lower_flag()

    def _write_flagged(self) -> bool:
        flagged = self._flag.read()
        if flagged is None or not is_unrecorded(flagged):
            return False
        self._must_be_kept(self.write_switch(HALT, flagged.who, flagged.why, flagged.at))
        return True

    def _halt(self, who: str, why: str) -> None:
        at = self._clock()
        self._flag.raise_flag(at, who, why)
        try:
            self._must_be_kept(self.write_switch(HALT, who, why))
        except StoreError as problem:
            if not self._flag.raise_flag(at, who, why, unrecorded=True):  # once more: someone may have allowed trading in the meantime
                raise StoreError(Reason("trading_is_halted_in_this_process_only", problem=problem)) from None
            if self._is_shared:
                raise StoreError(Reason("trading_is_halted_on_this_home_only", problem=problem)) from None
            _log.warning("%s: the halt binds every process on this home, and is not recorded yet", problem)
            return
        self.lower_flag()

    def _must_be_kept(self, row: AuditRow) -> None:
        """Read a row of the kill switch back. Raises StoreError when it is not in the journal."""
        with self._talking("read the kill switch from") as connection:
            there = connection.execute(select(AUDIT.c.seal).where(AUDIT.c.seq == row.seq)).scalar_one_or_none()
        if there != row.seal:
            raise StoreError(Reason("halt_was_written_as_audit_row", seq=row.seq))

    def lower_flag(self) -> None:
        """Remove the halt flag (best effort); the journal row keeps trading halted."""
        try:
            self._flag.lower()
        except StoreError as problem:
            _log.warning("%s", problem)

    def write_switch(self, kind: str, who: str, why: str, at: datetime | None = None) -> AuditRow:
        """Write one row about the kill switch into the chain and return it. at: when it was done, where that was earlier than now."""
        data: dict[str, JsonValue] = {"done_at": at.isoformat()} if at is not None else {}
        with self._talking("write the kill switch to") as connection:
            row = self._chain.append(connection, self._clock(), who, kind, "trading", why=why, data=data)
        self._chain.keep_head(row)
        return row

    def note(self, kind: str, who: str, subject: str, why: str, data: dict[str, JsonValue] | None = None) -> None:
        """Write down something that changed nothing: an answer that was refused, something a reconciliation found. A reason keeps its key
        and values in the row's data, so that it can be shown in either language."""
        if isinstance(why, Reason):
            data = {**(data or {}), "why": why.to_json()}
        with self._talking("write the audit chain to") as connection:
            row = self._chain.append(connection, self._clock(), who, kind, subject, why=why, data=data)
        self._chain.keep_head(row)

    def history(self, subject: str | None = None, limit: int = 200) -> list[AuditRow]:
        """Return the newest rows of the chain, newest first; of one subject when it is named."""
        query = select(AUDIT).order_by(AUDIT.c.seq.desc()).limit(limit)
        query = query if subject is None else query.where(AUDIT.c.subject == subject)
        with self._talking("read the audit chain from") as connection:
            rows = [read_row(dict(row)) for row in connection.execute(query).mappings()]
        return [row for row in rows if row is not None]

    def last(self, kind: str, subject: str) -> AuditRow | None:
        """Return the newest row of a kind about a subject, or None."""
        query = select(AUDIT).where(AUDIT.c.kind == kind, AUDIT.c.subject == subject).order_by(AUDIT.c.seq.desc()).limit(1)
        with self._talking("read the audit chain from") as connection:
            found = connection.execute(query).mappings().first()
        return read_row(dict(found)) if found is not None else None

    def rows(self, kind: str, subject_begins: str) -> list[AuditRow]:
        """Return every row of a kind whose subject begins so, oldest first."""
        query = select(AUDIT).where(AUDIT.c.kind == kind, AUDIT.c.subject.startswith(subject_begins, autoescape=True)).order_by(AUDIT.c.seq)
        with self._talking("read the audit chain from") as connection:
            found = [read_row(dict(row)) for row in connection.execute(query).mappings()]
        return [row for row in found if row is not None]

    def unresolved(self, begins: str, ends: str, subject_begins: str = "") -> list[AuditRow]:
        """Return the newest unresolved rows, oldest first: a row of the kind `begins` whose subject has no later row of the kind `ends`."""
        query = select(AUDIT).where(AUDIT.c.kind.in_((begins, ends)), AUDIT.c.subject.startswith(subject_begins, autoescape=True))
        with self._talking("read the audit chain from") as connection:
            rows = [read_row(dict(row)) for row in connection.execute(query.order_by(AUDIT.c.seq)).mappings()]
        found: dict[str, AuditRow] = {}
        for row in rows:
            if row is not None and row.kind == begins:
                found.setdefault(row.subject, row)
            elif row is not None:
                found.pop(row.subject, None)
        return list(found.values())

    def end(self) -> tuple[int, str]:
        """Return the number of the chain's last row and its seal."""
        with self._talking("read the audit chain from") as connection:
            return self._chain.end(connection)

    def faults(self) -> list[str]:
        """Return what in the journal no longer is what was written into it, the first bad row first; empty when everything is."""
        with self._talking("read the audit chain from") as connection:
            return list(faults(connection, self._chain))
