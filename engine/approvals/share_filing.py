"""From an order for shares to a proposal. Pure.

What cannot be ordered (no whole lots, more than may be sold, a limit that the account breaches) is filed as blocked with its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from engine.approvals.filing import ApprovalRules, filed
from engine.domain.decision import Signal
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.holding import Holding
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.proposal import Basis, OrderPlan, Proposal, context_hash
from engine.domain.text.reason import Reason, said_in
from engine.instruments.conditions import LiveConditions
from engine.instruments.measuring import breaches, measure
from engine.instruments.shares import SHARES
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
        calibrated_confidence=ticket.calibrated_confidence,
        holding=holding,
        risk=ticket.risk,
        terms=terms,
        thesis=ticket.thesis[:_THESIS_CHARS],
        instrument="shares",
        listing=ticket.listing,
        moment=ticket.moment,
        reversal_facts=ticket.reversal_facts,
    )


def share_plan(ticket: ShareTicket, terms: MarketTerms) -> OrderPlan:
    """Return the order of a ticket."""
    limit, stop, target = (
        terms.price(exact(level)) if level is not None else None for level in (ticket.limit_price, ticket.stop, ticket.target)
    )
    sells = ticket.side == "sell"
    levels = {} if sells else {"stop": stop, "target": target}
    return OrderPlan(side=ticket.side, amount=Decimal(ticket.quantity), reduce_only=sells, limit=limit, **levels)


def make_share_proposal(
    basis: Basis, ticket: ShareTicket, conditions: LiveConditions, rules: ApprovalRules, now: datetime, clock: ShareClock
) -> Proposal:
    """Return the proposal of a ticket. conditions: of the account at the clock of the decision. now: the process's clock."""
    plan = share_plan(ticket, basis.terms)
    figures = plan_figures(plan, basis, basis.price)
    why = ticket.refused or _moved(ticket, conditions) or SHARES.unfit(plan, basis, conditions)
    limits = measure(plan, basis, conditions) if not ticket.refused else ()
    why = said_in(why or Reason.listed(breaches(limits)), ticket.language)
    return filed(basis, plan, figures, limits, why, rules, now, clock.answer_until)


def _moved(ticket: ShareTicket, conditions: LiveConditions) -> str:
    """Return that the position is another than the one that was decided with; "" when it is the same."""
    held = conditions.holding.size if conditions.holding is not None else 0.0
    return "" if held == ticket.held else Reason("it_was_decided_with_shares_held", held=f"{ticket.held:g}", held2=f"{held:g}")
