"""What takes risk away, written whatever has become of the journal: into it, else into the spool, from where it is taken into the chain.

An order to close, its report, and what both do to a paper account; everything else is refused while the journal cannot be written.
Blocking.
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from engine.domain.errors import StoreError
from engine.domain.ledger import LedgerEntry
from engine.domain.orders import Order, OrderReport
from engine.journal.audit_log import AuditLog
from engine.journal.halt_flag import HALT
from engine.journal.paper_ledger import PaperLedger
from engine.journal.proposal_store import ProposalStore
from engine.journal.spool import Spool, SpoolEntry

_RETRY_S: Final = 30.0  # a journal that could not be written is not tried again so soon: a lock is waited for ten seconds each time
_log = logging.getLogger(__name__)

Written = TypeVar("Written")


class FailoverWriter:
    """Writes into one journal, else into its spool."""

    def __init__(
        self, proposal_store: ProposalStore, ledger: PaperLedger, audit: AuditLog, spool: Spool, clock: Callable[[], datetime]
    ) -> None:
        self._proposal_store, self._ledger, self._audit, self._spool, self._clock = proposal_store, ledger, audit, spool, clock
        self._retry_at = 0.0

    @property
    def has_backlog(self) -> bool:
        """Whether something waits in the spool and is not in the journal yet."""
        return not self._spool.is_empty

    def write_order(self, order: Order, account: str, subject: str, who: str) -> bool:
        """Write an order that takes risk away down before it is sent. False when one of that client id is there already."""
        if not order.reduce_only:
            raise ValueError(f"order {order.client_id} adds risk: it is written into the journal or not at all")

        def aside() -> bool:
            if self.order(order.client_id) is not None:
                return False
            body = {"account": account, "order": order.model_dump(mode="json")}
            self._spool.add(SpoolEntry(kind="order", at=self._clock(), who=who, subject=subject, body=body))
            return True

        return self._written(lambda: self._proposal_store.write_order(order, account, subject, who), aside)

    def report(self, report: OrderReport) -> None:
        """Write down what became of an order that takes risk away."""

        def aside() -> None:
            self._spool.add(SpoolEntry(kind="report", at=self._clock(), who="broker", subject=report.client_id, body=_plain(report)))

        self._written(lambda: self._proposal_store.report(report), aside)

    def order(self, client_id: str) -> Order | None:
        """Return an order that waits in the spool."""
        orders = [Order.model_validate(_of(entry, "order")) for entry in self._spool.entries() if entry.kind == "order"]
        return next((order for order in orders if order.client_id == client_id), None)

    def accounts(self) -> list[str]:
        """Return every paper account that has entries."""
        return self._ledger.accounts()

    def entries(self, account: str, after: int) -> list[LedgerEntry]:
        """Return entries of a paper account from number `after` + 1 on, those that wait in the spool behind those of the journal."""
        waiting = self._waiting(account)  # before the journal is read: what is taken in meanwhile is seen twice, not missed
        found = self._ledger.entries(account, after)
        for begins, entries in waiting:
            for number, entry in enumerate(entries, begins + 1):
                if number == after + len(found) + 1:
                    found.append(entry)
        return found

    def append(self, account: str, after: int, entries: Sequence[LedgerEntry]) -> bool:
        """Write entries of a paper account behind number `after`, or none: False when others stand there by now."""

        def write() -> bool:
            self.drain()
            return self._ledger.append(account, after, entries)

        def aside() -> bool:
            if self.entries(account, after):
                return False
            body = {"after": after, "entries": [_plain(entry) for entry in entries]}
            self._spool.add(SpoolEntry(kind="entries", at=self._clock(), who="paper", subject=account, body=body))
            return True

        return self._written(write, aside)

    def drain(self) -> int:
        """Write what waits in the spool into the journal and its chain. Returns how many entries. Raises StoreError, and then all of it
        still waits."""
        if self._spool.is_empty:
            return 0
        with self._spool.draining() as found:
            for entry in found:
                self._replay(entry)
            if found:
                listed = "; ".join(f"{entry.at:%Y-%m-%d %H:%M:%S} {entry.kind} {entry.subject} by {entry.who}" for entry in found)
                why = f"{len(found)} written aside while the journal could not be written: {listed}"
                self._audit.note("spool.taken", "tribunal", "spool", why)
            if any(entry.kind == HALT for entry in found):
                self._audit.lower_flag()
        self._retry_at = 0.0
        return len(found)

    def _replay(self, entry: SpoolEntry) -> None:
        """Write one entry of the spool into the journal. Doing it twice does no harm: a crash may come between the journal and the
        spool."""
        match entry.kind:
            case "halt":
                self._audit.write_switch(HALT, entry.who, entry.why, entry.at)
            case "order":
                order = Order.model_validate(_of(entry, "order"))
                self._proposal_store.write_order(order, str(_of(entry, "account")), entry.subject, entry.who, entry.at)
            case "report":
                self._proposal_store.report(OrderReport.model_validate(entry.body))
            case "entries":
                after, entries = _numbered(entry)
                existing = self._ledger.entries(entry.subject, after)[: len(entries)]
                if existing != entries and not self._ledger.append(entry.subject, after, entries):
                    why = (
                        f"{len(entries)} entries behind number {after} were written aside, and others stand there by now: they are left out"
                    )
                    self._audit.note("spool.dropped", "paper", entry.subject, why)

    def _waiting(self, account: str) -> list[tuple[int, list[LedgerEntry]]]:
        return [_numbered(entry) for entry in self._spool.entries() if entry.kind == "entries" and entry.subject == account]

    def _written(self, write: Callable[[], Written], aside: Callable[[], Written]) -> Written:
        if time.monotonic() >= self._retry_at:
            try:
                return write()
            except StoreError as problem:
                self._retry_at = time.monotonic() + _RETRY_S
                _log.warning("%s: what takes risk away is kept in the spool and taken into the journal later", problem)
        return aside()


def _plain(model: LedgerEntry | OrderReport) -> Any:
    return model.model_dump(mode="json")


def _of(entry: SpoolEntry, key: str) -> Any:
    return entry.body.get(key) if isinstance(entry.body, dict) else None


def _numbered(entry: SpoolEntry) -> tuple[int, list[LedgerEntry]]:
    return int(_of(entry, "after")), [LedgerEntry.model_validate(each) for each in _of(entry, "entries")]
