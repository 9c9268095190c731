"""Makes the order of a run a proposal for someone to sign."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.orders.order import ShareOrder
from engine.desks.equities.request import EquitiesInputs, EquitiesRequest
from engine.domain.ended import Ended
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.proposal import Planned
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.flows.protocol import Approvals, RunDeps

_THESIS_CHARS = 600


async def file_order(ended: Ended, context: EquitiesContext, request: EquitiesRequest, deps: RunDeps) -> Ended:
    """Return the end with its proposal. One that the limits of approval refuse is named too, with the reason in `warnings`. Raises a
    TribunalError when it cannot be filed."""
    reversal = context.reversal_facts(str(ended.state["trader_action"]))
    filing = await deps.approvals.prepare_shares(
        ended.state, _ticket(ended.state, context.run_id, context.inputs, request, context.sheet.number("atr_14"), reversal)
    )
    proposal = filing.proposal
    warnings = [*ended.state["warnings"]]
    if proposal.state == "blocked":
        warnings.append(Reason("order_cannot_be_answered", reason=proposal.why).said_in(context.language))
    state = {**ended.state, "proposal_id": proposal.id, "warnings": warnings}
    return replace(ended, state=state, shown={**ended.shown, "warnings": warnings}, filing=filing)


async def plan_order(record: RunRecord, inputs: EquitiesInputs, approvals: Approvals) -> Planned:
    """Return the order of a finished run as it would be placed, out of what the run froze. Raises a TribunalError."""
    final, request = record.result or {}, record.request
    if final.get("order") is None:
        return Planned(decided_at=inputs.snapshot.moment.known_at)
    assert isinstance(request, EquitiesRequest)
    return await approvals.plan_shares(final, _ticket(final, record.run_id, inputs, request, None))


def _ticket(
    final: Mapping[str, Any],
    run_id: str,
    inputs: EquitiesInputs,
    request: EquitiesRequest,
    atr: float | None,
    reversal: int | None = None,
) -> ShareTicket:
    order, snapshot = ShareOrder.model_validate(final["order"]), inputs.snapshot
    holding = inputs.account.held(snapshot.listing.symbol)
    return ShareTicket(
        run_id=run_id,
        snapshot_hash=inputs.hash,
        place=request.account_ref,
        listing=snapshot.listing,
        moment=snapshot.moment,
        price=snapshot.current_price,
        atr=atr,
        held=holding.quantity if holding is not None else 0.0,
        side="sell" if order.side == "sell" else "buy",
        quantity=order.quantity,
        limit_price=order.limit_price,
        stop=order.stop_price,
        target=order.target_price,
        confidence=float(final["final_confidence"]),
        risk=request.risk,
        language=request.language,
        thesis=shortened(str(final["final_trade_decision"]), _THESIS_CHARS),
        calibrated_confidence=final.get("calibrated_confidence"),
        reversal_facts=reversal,
    )
