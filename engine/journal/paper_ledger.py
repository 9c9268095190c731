"""The ledger of the paper accounts. Every write is a row of the audit chain too. Blocking. Raises StoreError."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Connection, insert, select

from engine.domain.audit import digest_of
from engine.domain.errors import AlreadyKept
from engine.domain.ledger import LedgerEntry
from engine.journal.chain import Chain
from engine.journal.tables import LEDGER


class PaperLedger:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]], chain: Chain, clock: Callable[[], datetime]) -> None:
        self._talking, self._chain, self._clock = talking, chain, clock

    def entries(self, account: str, after: int) -> list[LedgerEntry]:
        """Return entries of a paper account from number `after` + 1 on."""
        query = select(LEDGER.c.body).where(LEDGER.c.account == account, LEDGER.c.seq > after).order_by(LEDGER.c.seq)
        with self._talking("read a paper account from") as connection:
            return [LedgerEntry.model_validate_json(body) for body in connection.execute(query).scalars()]

    def emptied_at(self, account: str) -> datetime | None:
        """Return when a paper account was emptied last, None where it never was."""
        emptied = LEDGER.c.body.contains('"kind":"emptied"', autoescape=True)
        query = select(LEDGER.c.body).where(LEDGER.c.account == account, emptied).order_by(LEDGER.c.seq.desc()).limit(1)
        with self._talking("read a paper account from") as connection:
            body = connection.execute(query).scalar()
        return LedgerEntry.model_validate_json(body).at if body is not None else None

    def append(self, account: str, after: int, entries: Sequence[LedgerEntry]) -> bool:
        """Write entries of a paper account behind number `after`, or none: False when others are there by now."""
        rows = [{"account": account, "seq": after + place, "body": entry.model_dump_json()} for place, entry in enumerate(entries, 1)]
        try:
            with self._talking("write a paper account to") as connection:
                self._chain.lock(connection)
                connection.execute(insert(LEDGER), rows)
                digest = digest_of([json.loads(str(row["body"])) for row in rows])
                data: dict[str, JsonValue] = {"after": after, "count": len(rows)}
                row = self._chain.append(connection, self._clock(), "paper", "paper.entries", account, data=data, digest=digest)
        except AlreadyKept:
            return False
        self._chain.keep_head(row)
        return True

    def accounts(self) -> list[str]:
        """Return every paper account that has entries."""
        with self._talking("read paper accounts from") as connection:
            return list(connection.execute(select(LEDGER.c.account).distinct().order_by(LEDGER.c.account)).scalars())
