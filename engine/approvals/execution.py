"""How the signed order of a run was carried out, read from the journal: a final state never changes after its run."""

from decimal import Decimal
from typing import Any

from engine.domain.holding import NATURES
from engine.domain.orders import OrderReport
from engine.domain.proposal import Proposal
from engine.journal.proposal_store import ProposalStore


def read_execution(store: ProposalStore, proposal: Proposal | None) -> dict[str, Any] | None:
    """Return the execution record of a proposal in JSON; None before an order was written for it. Blocking. Raises StoreError."""
    if proposal is None or not proposal.order_ids:
        return None
    found = store.order(proposal.order_ids[-1])
    return execution_record(proposal, found[1]) if found is not None else None


def execution_record(proposal: Proposal, report: OrderReport | None) -> dict[str, Any]:
    """Return the execution record of an order.

    Args:
        proposal: the proposal that the order was sent for.
        report: the broker's report, None if it has not reported yet; the amounts are null then.

    Returns:
        `status` is that of the order, or of the proposal before there is a report. `quantity` is the filled amount in shares or base units.
        Money is in the listing's or the quote currency. `cash_change` is the change of the account's cash; null for contracts.
    """
    plan, basis, moment = proposal.plan, proposal.basis, proposal.basis.moment
    filled, price, fee = (report.filled, report.price, report.fee) if report is not None else (None, None, None)
    value = change = None
    if filled and price is not None and fee is not None:
        value = filled * price
        paid = NATURES[basis.instrument].paid_in_full
        change = (-value if plan.side == "buy" else value) - fee if paid else None
    return {
        "proposal_id": proposal.id,
        "order_id": report.client_id if report is not None else proposal.order_ids[-1],
        "status": report.state if report is not None else proposal.state,
        "symbol": basis.symbol,
        "side": plan.side,
        "quantity": _float(filled),
        "price": _float(price),
        "value": _float(value),
        "fee": _float(fee),
        "cash_change": _float(change),
        "limit_price": _float(plan.limit),
        "stop_price": _float(plan.stop),
        "target_price": _float(plan.target),
        "executed_at": report.at.isoformat() if report is not None and filled else None,
        "trade_date": moment.trade_date.isoformat() if moment is not None else None,
        "trading_session": moment.trading_session if moment is not None else None,
        "account": basis.account,
        "broker": basis.place.broker,
        "signed_by": [each.who for each in proposal.signatures],
    }


def _float(value: Decimal | None) -> float | None:
    return float(value) if value is not None else None
