"""What the journal knows of an exchange account's orders and positions, as the broker asks for it."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from engine.approvals.alerts import Alerts
from engine.approvals.own_position import (
    GONE,
    PROTECTED,
    UNPROTECTED,
    gone_through,
    is_under_way,
    note_gone,
    own_position,
    position_subject,
    sent_entry,
    unprotected_positions,
)
from engine.brokers.ccxt.closing_fills import Closings
from engine.brokers.ccxt.records import AccountRecords, Points
from engine.domain.alert import Alert, AlertKind
from engine.domain.audit import AuditRow
from engine.domain.errors import StoreError
from engine.domain.ledger import LedgerEntry
from engine.domain.orders import Order
from engine.domain.position_record import PositionRecord
from engine.domain.text.reason import Reason
from engine.journal.proposal_store import WrittenOrder
from engine.journal.store import Journal
from engine.trading.history.ownership import OwnClaim, Ownership
from engine.trading.history.position_history import PositionHistory

_log = logging.getLogger(__name__)


def journal_records(journal: Journal, account: str, clock: Callable[[], datetime], alerts: Alerts) -> AccountRecords:
    """Return what the journal knows of an account. alerts: where it is sent when a position of it has no stop."""
    own = _JournalRecords(journal, account, clock, alerts)
    return AccountRecords(
        ours=own.ours,
        opened=own.opened,
        claim=own.claim,
        gone=own.gone,
        exit=own.exit,
        reported=journal.close_orders.report,
        has_ended=own.has_ended,
        under_way=own.under_way,
        sent_entry=own.sent_entry,
        history=journal.equities.history,
        record_equity=journal.equities.record,
        positions=own.positions,
        venue_ids=own.venue_ids,
        recent=own.recent,
        unprotected_since=own.unprotected_since,
        mark=own.mark,
        unmark=own.unmark,
    )


class _JournalRecords:
    """Answers the broker's questions out of the orders in the journal."""

    def __init__(self, journal: Journal, account: str, clock: Callable[[], datetime], alerts: Alerts) -> None:
        self._journal, self._proposal_store, self._account = journal, journal.proposal_store, account
        self._clock, self._alerts = clock, alerts

    def ours(self, client_id: str) -> bool:
        """Return whether an order was written down here. While the journal cannot be read, nothing is known to be: it is left alone."""
        try:
            return self._proposal_store.order(client_id) is not None
        except StoreError as problem:
            _log.warning("whether order %s is ours is not known: %s", client_id, problem)
            return False

    def opened(self, symbol: str) -> datetime | None:
        """Return when the position of now was opened; None when no one knows, and while the journal cannot be read."""
        try:
            found = own_position(self._journal, self._account, symbol)
        except StoreError as problem:
            _log.warning("when the position in %s was opened is not known: %s", symbol, problem)
            return None
        return found.report.at if found is not None else None

    def claim(self, symbol: str) -> OwnClaim | None:
        """Return what our orders leave in a market; those that are noted beside the journal count as orders without a report."""
        noted = self._journal.close_orders.noted(self._account, symbol)  # first: what is taken in meanwhile is seen twice, not missed
        found = own_position(self._journal, self._account, symbol)
        if found is None:
            return None
        claim = found.claim()
        written = {*claim.closes, *claim.unreported}
        return replace(claim, unreported=(*claim.unreported, *(each for each in noted if each not in written)))

    def gone(self, symbol: str, claim: OwnClaim, found: Ownership) -> None:
        """Write down that what our orders left is over; alert where the venue holds something else there."""
        over = Reason("our_position_is_gone", symbol=symbol, size=f"{claim.size:f}", why=found.gone)
        note_gone(self._journal, self._account, symbol, claim.through, over)
        if found.theirs > 0:
            self._alert("gone", symbol, Reason.listed([over, Reason("rest_is_not_ours", theirs=f"{found.theirs:f}")]))

    def exit(self, order: Order) -> bool:
        """Write down an order that gets out of a position. False where another process has."""
        return self._journal.close_orders.write(order, self._account, f"exit {order.symbol}"[:48], "tribunal")

    def has_ended(self, client_id: str) -> bool:
        """Return whether the end of an order is written down."""
        found = self._proposal_store.order(client_id)
        return found is not None and found[1] is not None and found[1].state != "open"

    def under_way(self, symbol: str) -> bool:
        """Return whether the outcome of one of our orders is unknown."""
        return is_under_way(self._journal, self._account, symbol, self._clock())

    def sent_entry(self, symbol: str) -> Order | None:
        """Return the entry that has left and whose end is not known; None where there is no such entry."""
        return sent_entry(self._journal, self._account, symbol)

    def unprotected_since(self) -> dict[str, datetime]:
        """Return since when positions have no stop, by market, aware UTC."""
        return {each.symbol: each.since for each in unprotected_positions(self._journal, self._account)}

    def mark(self, symbol: str, why: str) -> None:
        """Alert and write down, once, that a position has no stop. The alert is sent even where nothing can be written."""
        if symbol in self.unprotected_since():
            return
        self._alert("no_stop", symbol, f"NO STOP: {symbol}: {why}")
        self._journal.audit.note(UNPROTECTED, self._account, position_subject(self._account, symbol), why)

    def unmark(self, symbol: str, why: str) -> None:
        """Alert and write down that a position has its stop again, or is closed."""
        if symbol not in self.unprotected_since():
            return
        self._alert("stopped", symbol, f"{symbol}: no longer without a stop: {why}")
        self._journal.audit.note(PROTECTED, self._account, position_subject(self._account, symbol), why)

    def _alert(self, kind: AlertKind, symbol: str, text: str) -> None:
        self._alerts.send(Alert(kind=kind, account=self._account, symbol=symbol, at=self._clock(), text=text))

    def venue_ids(self, account: str) -> frozenset[str]:
        """Return the venue's own ids of our orders."""
        reports = (each.report for each in self._proposal_store.orders_of(account))
        return frozenset(report.venue_id for report in reports if report is not None and report.venue_id is not None)

    def positions(self, account: str, closings: Closings) -> list[PositionRecord]:
        """Return every position that our orders of an account have made, without funding. closings: fills that closed some at the
        venue."""
        history = PositionHistory(account)
        filled = [each for each in self._proposal_store.orders_of(account) if each.report is not None and each.report.filled > 0]
        ended = self._journal.audit.rows(GONE, f"{account} ")
        rows: list[WrittenOrder | AuditRow] = [*filled, *ended]
        for row in sorted(rows, key=_chain_place):
            if isinstance(row, AuditRow):
                symbol = row.subject.rpartition(" ")[2]
                history.take(closings.get((symbol, row.at), ()))
                history.end(symbol, row.at)
                continue
            held = history.open_record(row.order.symbol)
            if row.order.opens and held is not None:  # the market was flat again: no one saw how the last one ended
                history.end(row.order.symbol, row.report.at if row.report is not None else row.written_at)
                held = None
            if held is not None or not row.order.reduce_only:  # what closes a stranger's position opens none of ours
                history.take([_fill_of(row, held)])
        return [each.model_copy(update={"funding": None}) for each in history.records()]

    def recent(self, account: str, since: datetime) -> tuple[Sequence[datetime], Points]:
        """Return when orders left since an instant, and what those that closed something brought."""
        written = [each for each in self._proposal_store.orders_of(account) if each.written_at >= since and not each.order.protects]
        return [each.written_at for each in written], [point for each in written if (point := _net(self._journal, each)) is not None]


def _chain_place(row: WrittenOrder | AuditRow) -> tuple[int, int]:
    """Return where a row comes in the audit chain: one about a gone position directly behind the orders it speaks of."""
    return (gone_through(row), 1) if isinstance(row, AuditRow) else (row.seq, 0)


def _fill_of(each: WrittenOrder, held: PositionRecord | None) -> LedgerEntry:
    """Return the fill of an order that was filled, as an account would have booked it. held: the position it meets."""
    order, report = each.order, each.report
    assert report is not None
    closes = held is not None and (order.side == "buy") != (held.sign > 0)
    price = report.price or Decimal(0)
    brought = (price - held.entry_price) * report.filled * held.sign if closes and held is not None else Decimal(0)
    return LedgerEntry(
        kind="fill",
        at=report.at,
        symbol=order.symbol,
        client_id=order.client_id,
        side=order.side,
        amount=report.filled,
        price=price,
        fee=report.fee,
        cash=brought - report.fee,
        stop=order.stop,
        reason="order",
    )


def _net(journal: Journal, each: WrittenOrder) -> tuple[datetime, float] | None:
    """Return what a closing order brought, where the position it closed is known."""
    proposal = journal.proposal_store.proposal(each.subject)
    report, holding = each.report, proposal.basis.holding if proposal is not None else None
    if not each.order.reduce_only or report is None or report.price is None or holding is None:
        return None
    result = (float(report.price) - holding.entry_price) * float(report.filled) * holding.sign()
    return report.at, result - float(report.fee)
