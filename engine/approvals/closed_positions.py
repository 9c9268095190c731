"""Positions that are over, beside the decisions that opened them and whoever closed them. Blocking. Raises StoreError."""

from collections.abc import Sequence

from engine.approvals.held_position import ClosedPosition
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import Proposal
from engine.journal.store import Journal


def closed_positions(journal: Journal, account: str, records: Sequence[PositionRecord]) -> list[ClosedPosition]:
    """Return what is known of positions that have ended. records: of one account."""
    store = journal.proposal_store
    subjects = {each.order.client_id: each.subject for each in store.orders_of(account)} if records else {}
    found = []
    for record in records:
        proposal, closer = store.proposal(subjects.get(record.opened_by or "", "")), record.closed_by
        written = journal.audit.last("order.written", closer) if closer is not None else None
        found.append(_beside(record, proposal, written.who if written else "", subjects.get(closer or "", "").startswith("close ")))
    return found


def _beside(record: PositionRecord, proposal: Proposal | None, who: str, by_hand: bool) -> ClosedPosition:
    quote = record.symbol.partition("/")[2].partition(":")[0]
    if proposal is None:
        return ClosedPosition(record, closed_by=who, by_hand=by_hand, currency=quote)
    basis = proposal.basis
    currency = basis.listing.currency if basis.listing is not None else quote
    return ClosedPosition(record, basis.run_id, basis.thesis, who, by_hand, float(basis.terms.price_step), currency)
