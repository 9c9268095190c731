"""What our own orders leave of an exchange account's positions, by the rows of the journal. Blocking. Raises StoreError."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from engine.domain.alert import UnprotectedPosition
from engine.domain.audit import AuditRow
from engine.domain.orders import Order, OrderReport
from engine.domain.proposal import IN_FLIGHT
from engine.journal.proposal_store import WrittenOrder
from engine.journal.store import Journal
from engine.trading.history.ownership import OwnClaim, SignedLevels

GONE: Final = "position.gone"
UNPROTECTED: Final = "position.bare"
PROTECTED: Final = "position.stopped"
CLOSES: Final = ("close ", "reduce ", "exit ")
"""How the subjects of orders begin that close without a proposal."""
_THROUGH: Final = "through"
_ARRIVES: Final = timedelta(minutes=15)  # after which an order to close that no broker knows was never there


def position_subject(account: str, symbol: str) -> str:
    """Return what a row of the audit chain about a position is written under."""
    return f"{account} {symbol}"[:200]


@dataclass(frozen=True)
class OwnPosition:
    """What the reports of our orders leave in a market. opening: the order that opened it, with its report. since: this and every later
    order of the market that was filled, or changed its levels. size: entries less closes that have ended, base units. unreported: orders of
    the market since then that have no final report."""

    opening: WrittenOrder
    report: OrderReport
    since: Sequence[WrittenOrder]
    size: Decimal
    unreported: Sequence[WrittenOrder]

    @property
    def through(self) -> int:
        """Number of the last audit row that wrote one of its orders."""
        return max(each.seq for each in (*self.since, *self.unreported))

    def levels(self) -> SignedLevels:
        """Return the levels that were signed last for it."""
        levelled = [each.order for each in self.since if each.order.stop is not None or each.order.target is not None]
        if not levelled:
            return SignedLevels(self.opening.order.client_id, None, None)
        stops = [order.stop for order in levelled if order.stop is not None]
        targets = [order.target for order in levelled if order.target is not None]
        return SignedLevels(levelled[-1].client_id, stops[-1] if stops else None, targets[-1] if targets else None)

    def claim(self) -> OwnClaim:
        """Return it as the venue is asked about it."""
        reports = [each.report for each in self.since if each.report is not None]
        return OwnClaim(
            side="long" if self.opening.order.side == "buy" else "short",
            size=self.size,
            levels=self.levels(),
            orders=tuple(each.order.client_id for each in (*self.since, *self.unreported) if _levels(each) or not each.order.reduce_only),
            through=self.through,
            opened_at=self.report.at,
            opening=self.report.venue_id,
            opens=self.opening.order.opens,
            closes=frozenset(each.order.client_id for each in self.since if each.order.reduce_only and not each.order.protects),
            venue_ids=frozenset(report.venue_id for report in reports if report.venue_id is not None),
            unreported=tuple(each.order.client_id for each in self.unreported if each.order.reduce_only and not each.order.protects),
        )


def own_position(journal: Journal, account: str, symbol: str) -> OwnPosition | None:
    """Return what our own orders leave in a market; None when they have closed it, when it was seen to be gone, or when it never was ours.

    It has ended when the sum of its closes reaches the sum of its entries, and when a later order found the market flat and opened another
    one. Rows of the audit chain say what came first.
    """
    gone = journal.audit.last(GONE, position_subject(account, symbol))
    through = gone_through(gone) if gone is not None else 0
    since: list[WrittenOrder] = []
    unreported: list[WrittenOrder] = []
    size = Decimal(0)
    for each in journal.proposal_store.orders_of(account, symbol):
        report, order = each.report, each.order
        if each.seq <= through:
            continue
        if report is None or report.state == "open":
            unreported.append(each)
        if report is None or (report.state == "open" and order.reduce_only):
            continue
        if order.protects:
            since += [each] if since and report.state == "filled" else []
        elif report.filled <= 0:
            continue
        elif not order.reduce_only:
            since, size = ([each], report.filled) if order.opens or not since else ([*since, each], size + report.filled)
        elif since:
            size -= report.filled
            since = [*since, each] if size > 0 else []
    if not since or since[0].report is None:
        return None
    return OwnPosition(since[0], since[0].report, since, size, [each for each in unreported if each.seq > since[0].seq])


def gone_through(row: AuditRow) -> int:
    """Return the number of the last audit row about the orders whose position a row says is gone: those before it, where it names none."""
    named = row.data.get(_THROUGH)
    return named if isinstance(named, int) else row.seq


def note_gone(journal: Journal, account: str, symbol: str, through: int, why: str) -> None:
    """Write down that a position of ours is over, which no order of ours has closed. through: the last row about the orders that made it:
    what is ordered while this is written is another position."""
    journal.audit.note(GONE, account, position_subject(account, symbol), why, {_THROUGH: through})


def _levels(each: WrittenOrder) -> bool:
    return each.order.stop is not None or each.order.target is not None


def is_under_way(journal: Journal, account: str, symbol: str, now: datetime) -> bool:
    """Return whether the outcome of one of our orders in a market is unknown."""
    for each in journal.proposal_store.orders_of(account, symbol):
        if each.report is None or each.report.state == "open":
            proposal = journal.proposal_store.proposal(each.subject)
            if proposal.state in IN_FLIGHT if proposal is not None else timedelta(0) <= now - each.written_at < _ARRIVES:
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
        UnprotectedPosition(account=row.subject.rpartition(" ")[0], symbol=row.subject.rpartition(" ")[2], since=row.at, why=row.reason)
        for row in rows
    ]
