"""From an order for shares to a proposal, and from a filled one to its execution record. Pure.

What cannot be ordered (no whole lots, more than may be sold, a limit that the account breaches) is filed as blocked with its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from engine.approvals.checks import LiveConditions, breaches, measure
from engine.approvals.filing import ApprovalRules, filed
from engine.domain.decision import Signal
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.holding import Holding
from engine.domain.market.share_terms import lots_at_least, whole_lots
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import OrderReport
from engine.domain.proposal import Basis, OrderPlan, Proposal, context_hash
from engine.trading.figures import plan_figures

_THESIS_CHARS = 600


@dataclass(frozen=True)
class ShareClock:
    """When a ticket is answered and carried out. market_clock: the instant its prices are of, None = the market's present. answer_until:
    aware UTC."""

    market_clock: datetime | None
    answer_until: datetime


def share_basis(
    final: Mapping[str, Any], ticket: ShareTicket, account: str, holding: Holding | None, terms: MarketTerms, clock: ShareClock
) -> Basis:
    """Return what the proposal of a ticket rests on. final: the state it was decided in. account: the broker's name for it. holding: what
    the broker holds of it."""
    held = exact(holding.size) if holding is not None else Decimal(0)
    quantity = Decimal(ticket.quantity)
    buys = ticket.side == "buy"
    if buys:
        action, share = (Signal.ADJUST, quantity / held * 100) if held else (Signal.ENTRY_LONG, None)
    else:
        action, share = (Signal.ADJUST, -quantity / held * 100) if quantity < held else (Signal.EXIT, None)
    return Basis(
        run_id=ticket.run_id,
        snapshot_hash=ticket.snapshot_hash,
        context_hash=context_hash(final),
        place=ticket.place,
        account=account,
        symbol=ticket.listing.symbol,
        timeframe="1d",
        snapshot_at=ticket.moment.known_at,
        market_clock=clock.market_clock,
        price=ticket.price,
        atr=ticket.atr,
        action=action,
        adjustment_pct=float(share) if share is not None else None,
        confidence=ticket.confidence,
        holding=holding,
        risk=ticket.risk,
        terms=terms,
        thesis=ticket.thesis[:_THESIS_CHARS],
        instrument="shares",
        listing=ticket.listing,
        moment=ticket.moment,
    )


def make_share_proposal(
    basis: Basis, ticket: ShareTicket, conditions: LiveConditions, rules: ApprovalRules, now: datetime, clock: ShareClock
) -> Proposal:
    """Return the proposal of a ticket. conditions: of the account at the clock of the decision. now: the process's clock."""
    terms = basis.terms
    limit, stop, target = (
        terms.price(exact(level)) if level is not None else None for level in (ticket.limit_price, ticket.stop, ticket.target)
    )
    sells = ticket.side == "sell"
    levels = {} if sells else {"stop": stop, "target": target}
    plan = OrderPlan(side=ticket.side, amount=Decimal(ticket.quantity), reduce_only=sells, limit=limit, **levels)
    figures = plan_figures(plan, basis, basis.price)
    why = ticket.refused or _moved(ticket, conditions) or unfit(plan, basis, conditions)
    limits = measure(plan, basis, conditions) if not ticket.refused else ()
    why = why or "; ".join(breaches(limits, ticket.language))
    return filed(basis, plan, figures, limits, why, rules, now, clock.answer_until)


def _moved(ticket: ShareTicket, conditions: LiveConditions) -> str:
    """Return that the position is another than the one that was decided with; "" when it is the same."""
    held = conditions.holding.size if conditions.holding is not None else 0.0
    return "" if held == ticket.held else f"it was decided with {ticket.held:g} shares held, and now it is {held:g}"


def unfit(plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> str:
    """Return why a plan is no order in its market; "" when it is one."""
    if plan.protects:
        return ""
    lot, least = basis.terms.amount_step, basis.terms.min_amount
    if plan.side == "buy":
        if basis.listing is not None and basis.listing.lot_assumed:
            return f"the lot of {basis.symbol} is not known: companies in Hong Kong choose their own"
        fits = plan.amount % lot == 0 and plan.amount >= least
        return "" if fits else f"{plan.amount:f} shares are no order of {basis.symbol}: whole lots of {lot:f}, {least:f} at least"
    holding = conditions.cash.held(basis.symbol) if conditions.cash is not None else None
    sellable = exact(holding.sellable) if holding is not None else Decimal(0)
    if plan.amount > sellable:
        return f"{plan.amount:f} shares of {basis.symbol} cannot be sold: {sellable:f} may be in this session"
    rest = exact(holding.quantity) % lot if holding is not None else Decimal(0)
    if plan.amount % lot not in {Decimal(0), rest}:
        return f"{plan.amount:f} shares are no sale of {basis.symbol}: whole lots of {lot:f}, or all of a rest below a lot"
    return ""


def share_size(size: Decimal, plan: OrderPlan, basis: Basis) -> Decimal:
    """Return a changed size in shares that can be ordered: cut to whole lots, all that is held where a sale asks for that or more."""
    lot = basis.terms.amount_step
    if plan.side == "sell" and basis.holding is not None and size >= exact(basis.holding.size):
        return exact(basis.holding.size)
    least = lots_at_least(basis.terms.min_amount, lot) if plan.side == "buy" else lot
    whole = whole_lots(size, lot)
    return whole if whole >= least else Decimal(0)


def execution_record(proposal: Proposal, report: OrderReport | None) -> dict[str, Any] | None:
    """Return how the order of a proposal for shares was carried out, in JSON: money in the listing's currency, quantity in shares. None
    while nothing of it is filled, and for contracts."""
    if proposal.basis.instrument != "shares" or report is None or report.price is None or report.filled <= 0:
        return None
    plan, basis = proposal.plan, proposal.basis
    value = report.filled * report.price
    moment = basis.moment
    return {
        "proposal_id": proposal.id,
        "order_id": report.client_id,
        "status": report.state,
        "symbol": basis.symbol,
        "side": plan.side,
        "quantity": float(report.filled),
        "price": float(report.price),
        "value": float(value),
        "fee": float(report.fee),
        "cash_change": float((-value if plan.side == "buy" else value) - report.fee),
        "limit_price": float(plan.limit) if plan.limit is not None else None,
        "stop_price": float(plan.stop) if plan.stop is not None else None,
        "target_price": float(plan.target) if plan.target is not None else None,
        "executed_at": report.at.isoformat(),
        "trade_date": moment.trade_date.isoformat() if moment is not None else None,
        "trading_session": moment.trading_session if moment is not None else None,
        "account": basis.account,
        "broker": basis.place.broker,
        "signed_by": [each.who for each in proposal.signatures],
    }
