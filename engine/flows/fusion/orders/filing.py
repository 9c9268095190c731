"""Makes the order of a run a proposal for somebody to sign."""

from dataclasses import replace

from engine.domain.ended import Ended
from engine.domain.equity.share_ticket import ShareTicket
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.orders.order import ShareOrder
from engine.flows.fusion.reasons import reason
from engine.flows.fusion.request import FusionRequest
from engine.flows.protocol import RunDeps

_THESIS_CHARS = 600


async def file_order(ended: Ended, context: FusionContext, request: FusionRequest, deps: RunDeps) -> Ended:
    """Return the end with its proposal. One that the limits of approval refuse is named too, with the reason in `warnings`. Raises a
    TribunalError when it cannot be filed."""
    filing = await deps.approvals.prepare_shares(ended.state, _ticket(ended, context, request))
    proposal = filing.proposal
    warnings = [*ended.state["warnings"]]
    if proposal.state == "blocked":
        warnings.append(reason("blocked", context.language, reason=proposal.why))
    state = {**ended.state, "proposal_id": proposal.id, "warnings": warnings}
    return replace(ended, state=state, shown={**ended.shown, "warnings": warnings}, filing=filing)


def _ticket(ended: Ended, context: FusionContext, request: FusionRequest) -> ShareTicket:
    order, snapshot = ShareOrder.model_validate(ended.state["order"]), context.snapshot
    holding = context.account.held(snapshot.listing.symbol)
    return ShareTicket(
        run_id=context.run_id,
        snapshot_hash=context.inputs.hash,
        place=request.account_ref,
        listing=snapshot.listing,
        moment=snapshot.moment,
        price=snapshot.current_price,
        atr=context.sheet.number("atr_14"),
        held=holding.quantity if holding is not None else 0.0,
        side="sell" if order.side == "sell" else "buy",
        quantity=order.quantity,
        limit_price=order.limit_price,
        stop=order.stop_price,
        target=order.target_price,
        confidence=float(ended.state["risk_summary"]["confidence"]),
        risk=request.risk,
        language=request.language,
        thesis=str(ended.state["final_trade_decision"])[:_THESIS_CHARS],
    )
