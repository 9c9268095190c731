"""The audit chain: rows sealed one to the other, their end signed with the installation's secret.

A row that is changed, taken out, put elsewhere or added breaks the seals behind it. A tail that is cut off, or a chain that is written
anew as a whole, no longer ends where the signed head says. The head is kept twice: in the journal, in the same transaction as the row,
and in a file beside it, which may be a few rows behind after a crash but never ahead: so that a journal brought back from an older day is
noticed too. A third copy is noted outside the home (`witness.py`), which says when the whole home was put back or emptied. Every append
takes the head's row first, which makes writers of all processes queue.
"""

import hashlib
import hmac
import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError
from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from engine.domain.audit import FIRST, AuditRow
from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason
from engine.journal.private_files import close_to_others, mark_of, write_whole
from engine.journal.secret import id_of
from engine.journal.tables import AUDIT, AUDIT_HEAD
from engine.journal.witness import Witness

_HEAD = "head"
_BROKEN = Reason("audit_chain_does_not_end")
_LOST = Reason("journal_has_lost_end_of_its_audit")
_log = logging.getLogger(__name__)


class Chain:
    """The chain of one journal. home: where the second copy of the head is kept. secret: signs the head; None where it cannot be used, and
    then nothing is written. journal: names the journal, since a home may have been used with several."""

    def __init__(self, home: Path, secret: bytes | None, journal: str) -> None:
        self._file, self._secret = home / f"audit{mark_of(journal)}.head", secret
        self._witness, self._disputed = Witness(home, journal), False

    @property
    def journal_id(self) -> str:
        """The id of the journal, "" while its secret cannot be used."""
        return id_of(self._secret)

    @property
    def has_begun(self) -> bool:
        """Whether the end of a chain is kept beside the journal."""
        return self._kept() is not None

    def append(
        self,
        connection: Connection,
        at: datetime,
        who: str,
        kind: str,
        subject: str,
        *,
        why: str = "",
        data: dict[str, JsonValue] | None = None,
        digest: str = "",
    ) -> AuditRow:
        """Return one more row, in the caller's transaction. `keep_head` is to be called when that has been committed."""
        self.lock(connection)
        if why_not := self.trouble(connection):
            raise StoreError(why_not)
        head = connection.execute(select(AUDIT_HEAD).where(AUDIT_HEAD.c.name == _HEAD)).mappings().one()
        seq, seal = head["seq"], head["seal"]
        row = AuditRow(seq=seq + 1, at=at, who=who, kind=kind, subject=subject, why=why, data=data or {}, digest=digest, before=seal)
        values = row.model_dump(mode="json") | {"data": json.dumps(row.data, ensure_ascii=False), "seal": row.seal}
        connection.execute(insert(AUDIT).values(values))
        end = {"seq": row.seq, "seal": row.seal, "signature": self._signed(row.seq, row.seal)}
        connection.execute(update(AUDIT_HEAD).where(AUDIT_HEAD.c.name == _HEAD).values(end))
        return row

    def lock(self, connection: Connection) -> None:
        """Lock the chain's end: nothing else writes to it until this transaction ends."""
        if connection.execute(update(AUDIT_HEAD).where(AUDIT_HEAD.c.name == _HEAD).values(name=_HEAD)).rowcount == 0:
            raise StoreError(_LOST)

    def trouble(self, connection: Connection) -> str:
        """Return why nothing can be written to the chain; "" while it ends as it was signed here and goes on from what is kept of it."""
        if self._secret is None:
            return Reason("signing_secret_of_this_installation_cannot")
        head = connection.execute(select(AUDIT_HEAD).where(AUDIT_HEAD.c.name == _HEAD)).mappings().first()
        if head is None:
            return _LOST
        seq, seal, kept = head["seq"], head["seal"], self._kept()
        if not hmac.compare_digest(head["signature"], self._signed(seq, seal)):
            return _BROKEN
        if kept is None or not hmac.compare_digest(kept[2], self._signed(kept[0], kept[1])):
            return Reason("kept_end_is_missing", problem=_BROKEN, file=self._file)
        there = connection.execute(select(AUDIT.c.seal).where(AUDIT.c.seq == kept[0])).scalar_one_or_none()
        last = connection.execute(select(AUDIT.c.seal).where(AUDIT.c.seq == seq)).scalar_one_or_none()
        return "" if (there or FIRST) == kept[1] and (last or FIRST) == seal else _BROKEN

    def begin(self, connection: Connection) -> None:
        """Begin the chain of a journal that has none. One that has rows and no head, or had rows once, stays as it is: `verify` says what
        is missing."""
        close_to_others(self._file)
        if found := self._of_the_witness(connection):
            _log.warning("%s", found)
        has_head = connection.execute(select(AUDIT_HEAD.c.seq)).first() is not None
        if has_head and connection.dialect.name != "sqlite":
            self._join(connection)
        if self._secret is None or has_head or connection.execute(select(AUDIT.c.seq)).first() is not None:
            return
        if self._kept() not in (None, (0, FIRST, self._signed(0, FIRST))):
            return
        with suppress(IntegrityError):  # another process was quicker
            connection.execute(insert(AUDIT_HEAD).values(name=_HEAD, seq=0, seal=FIRST, signature=self._signed(0, FIRST)))
        self._keep(0, FIRST)

    def _join(self, connection: Connection) -> None:
        """Keep the end of a chain that others began on a database server, in a home that never wrote to it. Where this home, or the note
        outside it, has known an end, or the end is not signed with this secret, it stays as it is: `trouble` says what is wrong."""
        if self._secret is None or self._kept() is not None or self._witness.read() is not None:
            return
        head = connection.execute(select(AUDIT_HEAD).where(AUDIT_HEAD.c.name == _HEAD)).mappings().one()
        if hmac.compare_digest(head["signature"], self._signed(head["seq"], head["seal"])):
            self._keep(head["seq"], head["seal"])
            self._witness.note(head["seq"], head["seal"])

    def keep_head(self, row: AuditRow) -> None:
        """Keep the second copy of the head, outside of the journal, as well as can be done. One that does not agree with the chain
        stays."""
        kept = self._kept()
        if kept is not None and kept[0] < row.seq and hmac.compare_digest(kept[2], self._signed(kept[0], kept[1])):
            self._keep(row.seq, row.seal)
        noted = self._witness.read()
        if noted is None or (noted[0] < row.seq and not self._disputed):
            self._witness.note(row.seq, row.seal)

    def end(self, connection: Connection) -> tuple[int, str]:
        """Return the number of the last row and its seal, as the journal has them now."""
        head = connection.execute(select(AUDIT_HEAD).where(AUDIT_HEAD.c.name == _HEAD)).mappings().first()
        return (head["seq"], head["seal"]) if head is not None else (0, FIRST)

    def _of_the_witness(self, connection: Connection) -> str:
        """Return that the chain is not the one whose end was noted outside the home; "" where it is, or nothing was noted."""
        noted = self._witness.read()
        there = connection.execute(select(AUDIT.c.seal).where(AUDIT.c.seq == noted[0])).scalar_one_or_none() if noted is not None else None
        self._disputed = noted is not None and noted[0] > 0 and there != noted[1]
        if noted is None or not self._disputed:
            return ""
        last = self.end(connection)[0]
        return Reason("journal_was_put_back", last=last, noted=noted[0], seal=noted[1][:12], file=self._witness.file)

    def _keep(self, seq: int, seal: str) -> None:
        try:
            write_whole(self._file, f"{seq} {seal} {self._signed(seq, seal)}\n")
        except OSError as problem:  # the row is committed, and so is its head in the journal: the next one catches up
            _log.warning("the audit chain's end cannot be kept in %s: %s", self._file, problem.strerror)

    def faults(self, connection: Connection) -> Iterator[str]:
        """Yield what is wrong with the chain, the first bad row first; nothing when it holds."""
        before, seen = FIRST, 0
        seals: dict[int, str] = {0: FIRST}
        for stored in connection.execute(select(AUDIT).order_by(AUDIT.c.seq)).mappings():
            place = Reason("audit_row", seq=stored["seq"], kind=stored["kind"], subject=stored["subject"])
            if stored["seq"] != seen + 1:
                yield Reason("audit_row_is_missing", seq=seen + 1, found=stored["seq"])
                return
            row = read_row(dict(stored))
            if row is None or row.seal != stored["seal"]:
                yield Reason("audit_row_was_changed", place=place)
                return
            if row.before != before:
                yield Reason("audit_row_does_not_follow", place=place)
                return
            before, seen = row.seal, row.seq
            seals[seen] = before
        yield from self._of_the_end(connection, seals, seen)
        if found := self._of_the_witness(connection):
            yield found

    def _of_the_end(self, connection: Connection, seals: dict[int, str], seen: int) -> Iterator[str]:
        head = connection.execute(select(AUDIT_HEAD)).mappings().first()
        kept = self._kept()
        if head is None or kept is None:
            yield Reason("end_of_audit_chain_is_lost") if head is None else Reason("end_of_audit_chain_is_missing", file=self._file)
            return
        if head["seq"] > seen or kept[0] > seen:
            last = max(head["seq"], kept[0])
            yield Reason("audit_chain_was_cut_off", seq=seen + 1, last=last)
        elif head["seq"] != seen or head["seal"] != seals[seen]:
            yield Reason("audit_row_was_added", seq=head["seq"] + 1)
        elif not hmac.compare_digest(head["signature"], self._signed(head["seq"], head["seal"])):
            yield Reason("end_of_audit_chain_is_not_ours", seq=seen)
        elif kept[1] != seals.get(kept[0]) or not hmac.compare_digest(kept[2], self._signed(kept[0], kept[1])):
            yield Reason("audit_chain_was_written_anew", seq=max(kept[0], 1), file=self._file)

    def _kept(self) -> tuple[int, str, str] | None:
        try:
            seq, seal, signature = self._file.read_text(encoding="ascii", errors="replace").split()
            return int(seq), seal, signature
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            return 0, "", ""  # damaged: it agrees with nothing

    def _signed(self, seq: int, seal: str) -> str:
        if self._secret is None:
            raise StoreError(Reason("signing_secret_of_this_installation"))
        return hmac.new(self._secret, f"{seq}:{seal}".encode(), hashlib.sha256).hexdigest()


def read_row(stored: dict[str, Any]) -> AuditRow | None:
    """Return a row as it was written; None when it can no longer be read."""
    known = {name: stored[name] for name in AuditRow.model_fields}
    try:
        return AuditRow.model_validate(known | {"data": json.loads(known["data"])})
    except (ValidationError, ValueError, TypeError):
        return None
