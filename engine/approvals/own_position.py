"""Which position of an exchange account is ours, and since when: out of the orders that were written down. Blocking. Raises StoreError."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from engine.domain.alert import UnprotectedPosition
from engine.domain.orders import Order, OrderReport
from engine.domain.proposal import IN_FLIGHT
from engine.journal.proposal_store import WrittenOrder
from engine.journal.store import Journal

GONE: Final = "position.gone"
UNPROTECTED: Final = "position.bare"
PROTECTED: Final = "position.stopped"
_ARRIVES: Final = timedelta(minutes=15)  # after which an order to close that no broker knows was never there


def position_subject(account: str, symbol: str) -> str:
    """Return what a row of the audit chain about a position is written under."""
    return f"{account} {symbol}"[:200]


@dataclass(frozen=True)
class OwnPosition:
    """opening: the order that opened it, with its report. since: this and every later order of the market that was filled, or changed its
    levels."""

    opening: WrittenOrder
    report: OrderReport
    since: Sequence[WrittenOrder]


def own_position(journal: Journal, account: str, symbol: str) -> OwnPosition | None:
    """Return the open position of a market that our own orders made; None when they have closed it, when the venue was seen to have ended
    it, or when it never was ours.

    An order that closes ends it only when it was filled whole: what is left of it is still ours.
    """
    ended = journal.audit.last(GONE, position_subject(account, symbol))
    since: list[WrittenOrder] = []
    size = Decimal(0)
    for each in journal.proposal_store.orders_of(account, symbol):
        report = each.report
        if report is None or (ended is not None and each.written_at <= ended.at):
            continue
        if each.order.protects:
            since += [each] if since and report.state == "filled" else []
            continue
        if report.filled <= 0:
            continue
        if not each.order.reduce_only:
            since.append(each)
            size += report.filled
        elif since:
            size -= report.filled
            if size <= 0 or (_closes(journal, each) and report.filled >= each.order.amount):
                since, size = [], Decimal(0)
            else:
                since.append(each)
    if not since or since[0].report is None:
        return None
    return OwnPosition(since[0], since[0].report, since)


def _closes(journal: Journal, each: WrittenOrder) -> bool:
    """Return whether an order that makes a position smaller was meant to end it."""
    if each.subject.startswith("close "):
        return True
    proposal = journal.proposal_store.proposal(each.subject)
    return proposal is not None and proposal.basis.adjustment_pct is None


def signed_levels_at(journal: Journal, account: str, symbol: str, run_id: str, at: datetime) -> tuple[Decimal | None, Decimal | None]:
    """Return the stop and the target that had been signed by an instant for the position that a run opened; None for one there was none
    of. at: of the process's clock, aware UTC."""
    stop = target = None
    is_open = False
    for each in journal.proposal_store.filled(account, symbol):
        if each.changed_at > at:
            break
        if each.basis.holding is None:
            is_open = each.basis.run_id == run_id
            stop = target = None
        if is_open:
            stop, target = each.plan.stop or stop, each.plan.target or target
    return (stop, target) if is_open else (None, None)


def is_under_way(journal: Journal, account: str, symbol: str, now: datetime) -> bool:
    """Return whether nobody knows yet what became of an order of ours in a market."""
    for each in journal.proposal_store.orders_of(account, symbol):
        if each.report is None or each.report.state == "open":
            proposal = journal.proposal_store.proposal(each.subject)
            if proposal.state in IN_FLIGHT if proposal is not None else now - each.written_at < _ARRIVES:
                return True
    return False


def sent_entry(journal: Journal, account: str, symbol: str) -> Order | None:
    """Return the entry of ours in a market that has left and whose end is not known; None where there is no such entry."""
    for each in reversed(journal.proposal_store.orders_of(account, symbol)):
        if each.order.reduce_only or (each.report is not None and each.report.state != "open"):
            continue
        proposal = journal.proposal_store.proposal(each.subject)
        if proposal is not None and proposal.state in {"sent", "unknown"}:
            return each.order
    return None


def unprotected_positions(journal: Journal, account: str = "") -> list[UnprotectedPosition]:
    """Return the positions without a stop, by what any process read back last; of one account when it is named."""
    begins = f"{account} " if account else ""
    rows = journal.audit.unresolved(UNPROTECTED, PROTECTED, begins)
    return [
        UnprotectedPosition(account=row.subject.rpartition(" ")[0], symbol=row.subject.rpartition(" ")[2], since=row.at, why=row.why)
        for row in rows
    ]
