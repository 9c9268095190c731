"""The audit chain as others use it: the kill switch, notes, history, and whether everything still holds. Blocking. Raises StoreError."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from sqlalchemy import Connection, select

from engine.domain.audit import AuditRow
from engine.domain.errors import StoreError
from engine.journal.chain import Chain, read_row
from engine.journal.tables import AUDIT
from engine.journal.verification import faults

HALT, UNHALT = "halt", "unhalt"


class AuditLog:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]], chain: Chain, clock: Callable[[], datetime]) -> None:
        self._talking, self._chain, self._clock = talking, chain, clock

    def halted(self) -> AuditRow | None:
        """The row that halted trading, None while it is not halted."""
        query = select(AUDIT).where(AUDIT.c.kind.in_((HALT, UNHALT))).order_by(AUDIT.c.seq.desc()).limit(1)
        with self._talking("read the kill switch from") as connection:
            last = connection.execute(query).mappings().first()
        row = read_row(dict(last)) if last is not None else None
        if last is not None and row is None:
            raise StoreError("the kill switch cannot be read from the journal: run `verify`")
        return row if row is not None and row.kind == HALT else None

    def switch(self, kind: str, who: str, why: str) -> None:
        """Halt trading, or allow it again."""
        with self._talking("write the kill switch to") as connection:
            row = self._chain.append(connection, self._clock(), who, kind, "trading", why=why)
        self._chain.keep_head(row)

    def note(self, kind: str, who: str, subject: str, why: str) -> None:
        """Write down something that changed nothing: an answer that was refused, something a reconciliation found."""
        with self._talking("write the audit chain to") as connection:
            row = self._chain.append(connection, self._clock(), who, kind, subject, why=why)
        self._chain.keep_head(row)

    def history(self, subject: str | None = None, limit: int = 200) -> list[AuditRow]:
        """The newest rows of the chain, newest first; of one subject when it is named."""
        query = select(AUDIT).order_by(AUDIT.c.seq.desc()).limit(limit)
        query = query if subject is None else query.where(AUDIT.c.subject == subject)
        with self._talking("read the audit chain from") as connection:
            rows = [read_row(dict(row)) for row in connection.execute(query).mappings()]
        return [row for row in rows if row is not None]

    def last(self, kind: str, subject: str) -> AuditRow | None:
        """The newest row of a kind about a subject, None when there is none."""
        query = select(AUDIT).where(AUDIT.c.kind == kind, AUDIT.c.subject == subject).order_by(AUDIT.c.seq.desc()).limit(1)
        with self._talking("read the audit chain from") as connection:
            found = connection.execute(query).mappings().first()
        return read_row(dict(found)) if found is not None else None

    def standing(self, begins: str, ends: str, subject_begins: str = "") -> list[AuditRow]:
        """What a row of the kind `begins` was written about and no later one of the kind `ends`, oldest first."""
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

    def faults(self) -> list[str]:
        """What in the journal no longer is what was written into it, the first bad row first; empty when everything is."""
        with self._talking("read the audit chain from") as connection:
            return list(faults(connection, self._chain))
