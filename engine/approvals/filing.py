"""From a final state to a proposal: sized, costed, measured against every limit. Pure.

A decision with an order in it is an entry, an exit or a change of the position. What cannot be ordered (a limit that the account
breaches, an order too small for the market) is filed as blocked, with its reason: no one can approve it, and
everybody can see it. So is a decision that the executor's own limits refused. WAIT, HOLD and what is no decision have nothing in them to
file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from engine.approvals.proposed_decision import ProposedDecision
from engine.domain.account_ref import MarketRequest
from engine.domain.change_of_mind import stance_of
from engine.domain.decision import Signal
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import OrderReport
from engine.domain.proposal import Basis, Figures, OrderPlan, Proposal, context_hash
from engine.domain.risk import LimitCheck
from engine.domain.text.reason import Reason, said_in
from engine.facts.thesis import invalidations_of
from engine.instruments.conditions import LiveConditions
from engine.instruments.measuring import breaches, measure
from engine.trading.figures import plan_figures
from engine.trading.sizing import TooSmall, entry_amount, sized_by, whole_steps


@dataclass(frozen=True)
class ApprovalRules:
    """How proposals are answered. expires_s: how long they wait. two_above: notional in quote units from which two people sign; None:
    never."""

    expires_s: float
    two_above: float | None = None


def make_proposal(
    final: Mapping[str, Any],
    decision: ProposedDecision,
    request: MarketRequest,
    snapshot: Snapshot,
    sheet: FactSheet,
    terms: MarketTerms,
    rules: ApprovalRules,
    now: datetime,
) -> Proposal:
    """Return the proposal of a decision. final: the state it was decided in. terms: of its market. now: the process's clock.

    Raises ValueError for a snapshot without an account: without one nothing can be sized or ordered.
    """
    if snapshot.account is None:
        raise ValueError("a decision without an account cannot be proposed")
    basis = _basis(final, decision, request, snapshot, sheet, terms)
    plan, why = _sized(basis, decision, snapshot)
    figures = plan_figures(plan, basis, basis.price)
    conditions = LiveConditions(price=basis.price, account=snapshot.account, holding=snapshot.holding, price_gap_pct=snapshot.price_gap_pct)
    limits = decision.limits or (measure(plan, basis, conditions) if not why else ())
    why = said_in(decision.refused or why or Reason.listed(breaches(limits)), request.language)
    return filed(basis, plan, figures, limits, why, rules, now, now + timedelta(seconds=rules.expires_s))


def filed(
    basis: Basis,
    plan: OrderPlan,
    figures: Figures,
    limits: tuple[LimitCheck, ...],
    why: str,
    rules: ApprovalRules,
    now: datetime,
    until: datetime,
) -> Proposal:
    """Return a new proposal of the machine's. why: why it cannot be answered; "" when it can. until: when it expires."""
    return Proposal(
        id=f"p-{basis.run_id}",
        basis=basis,
        created_at=now,
        expires_at=until,
        state="blocked" if why else "pending",
        machine=plan,
        machine_figures=figures,
        plan=plan,
        figures=figures,
        limits=limits,
        signers_needed=signers_needed(figures, rules, adds_risk=not plan.reduce_only),
        changed_at=now,
        changed_by="machine",
        why=why,
    )


def signers_needed(figures: Figures, rules: ApprovalRules, *, adds_risk: bool) -> int:
    """Return how many people sign: 2 for a plan that adds risk and is larger than the set size, else 1."""
    return 2 if adds_risk and rules.two_above is not None and figures.notional > exact(rules.two_above) else 1


@dataclass(frozen=True)
class FillSummary:
    """A proposal as its order was filled. figures: of what was filled, at its price. slipped: what it got worse than the price it was
    signed under, quote units; negative: better."""

    report: OrderReport
    figures: Figures
    slipped: Decimal


def fill_summary(proposal: Proposal, report: OrderReport | None) -> FillSummary | None:
    """Return what was filled of an order, at which costs and risks; None while nothing of it is filled."""
    if report is None or report.price is None or report.filled <= 0:
        return None
    plan = proposal.plan.model_copy(update={"amount": report.filled, "limit": None})
    figures = plan_figures(plan, proposal.basis, float(report.price), paid=report.fee)
    worse = (report.price - proposal.figures.price) * (1 if plan.side == "buy" else -1) * report.filled
    return FillSummary(report, figures, worse)


def _basis(
    final: Mapping[str, Any], decision: ProposedDecision, request: MarketRequest, snapshot: Snapshot, sheet: FactSheet, terms: MarketTerms
) -> Basis:
    assert snapshot.account is not None
    pinned = request.at is not None or snapshot.feed == "recorded"
    sign = {Signal.ENTRY_LONG: 1, Signal.ENTRY_SHORT: -1}.get(decision.action.signal)
    return Basis(
        run_id=str(final["run_id"]),
        snapshot_hash=snapshot.hash,
        context_hash=context_hash(final),
        place=request.account_ref,
        account=snapshot.account.account,
        symbol=snapshot.market.symbol,
        timeframe=str(snapshot.timeframe),
        timeframe_htf=str(snapshot.timeframe_htf) if snapshot.timeframe_htf else None,
        snapshot_at=snapshot.at,
        market_clock=snapshot.at if pinned else None,
        price=snapshot.price,
        atr=sheet.number("atr_14"),
        funding_rate=snapshot.surroundings.funding_rate,
        action=decision.action.signal,
        adjustment_pct=decision.adjustment_pct,
        confidence=decision.confidence,
        calibrated_confidence=decision.calibrated if decision.action.needs_levels else None,
        holding=snapshot.holding,
        risk=request.risk,
        terms=terms,
        thesis=decision.thesis,
        invalidations=invalidations_of(sheet, sign) if sign is not None else (),
        reversal_facts=_reversal_facts(final, snapshot, sheet),
    )


def _reversal_facts(final: Mapping[str, Any], snapshot: Snapshot, sheet: FactSheet) -> int | None:
    """Return how many facts had moved since the decision before, where this one, or the one that the limits refused, points the other
    way; else None."""
    from engine.facts.change import market_history, since_previous  # noqa: PLC0415 - brings TA-Lib

    since = since_previous(snapshot.previous, sheet, lambda: market_history(snapshot))
    if since is None:
        return None
    refused = final.get("refused_decision") or {}
    return since.facts_for(stance_of({**final, **({"final_action": refused["action"]} if refused else {})}))


def _sized(basis: Basis, decision: ProposedDecision, snapshot: Snapshot) -> tuple[OrderPlan, str]:
    """Return the plan, and why it cannot be ordered ("" when it can). A plan that is too small is shown with the least the market takes."""
    action, terms = decision.action, basis.terms
    if action.needs_levels:
        return _entry(basis, decision, snapshot)
    holding = basis.holding
    if holding is None:
        raise ValueError(f"{action.word} without a position")
    held = exact(holding.size)
    opens, closes = ("buy", "sell") if holding.side == "long" else ("sell", "buy")
    if action.signal is Signal.EXIT:
        return OrderPlan(side=closes, amount=held, reduce_only=True), ""
    assert decision.adjustment_pct is not None
    share = abs(exact(decision.adjustment_pct)) / 100
    adds = action.adds_risk
    stop, target = (terms.price(exact(level)) if level else None for level in (decision.stop, decision.target))
    leverage = int(decision.leverage or holding.leverage)
    kept: dict[str, Any] = {"leverage": leverage, "stop": stop, "target": target} if adds else {"reduce_only": True}
    try:
        return OrderPlan(side=opens if adds else closes, amount=whole_steps(held * share, exact(basis.price), terms), **kept), ""
    except TooSmall as problem:
        return OrderPlan(side=opens if adds else closes, amount=_least(terms, basis.price), **kept), str(problem)


def _entry(basis: Basis, decision: ProposedDecision, snapshot: Snapshot) -> tuple[OrderPlan, str]:
    assert snapshot.account is not None
    assert decision.leverage is not None
    assert decision.stop is not None
    assert decision.target is not None
    sign, terms = (1 if decision.action.signal is Signal.ENTRY_LONG else -1), basis.terms
    leverage = min(decision.leverage, terms.max_leverage)
    stop, target = (terms.price(exact(level)) for level in (decision.stop, decision.target))
    why = ""
    risk = sized_by(basis.risk, basis.confidence, basis.calibrated_confidence)
    try:
        amount = entry_amount(basis.price, float(stop), sign, leverage, risk, snapshot.account, terms, atr=basis.atr)
    except TooSmall as problem:
        amount, why = _least(terms, basis.price), str(problem)
    return OrderPlan(side="buy" if sign > 0 else "sell", amount=amount, leverage=leverage, stop=stop, target=target), why


def _least(terms: MarketTerms, price: float) -> Decimal:
    """Return the smallest order the market takes at this price."""
    steps = max(terms.min_amount, terms.min_cost / exact(price), terms.amount_step) / terms.amount_step
    return steps.to_integral_value("ROUND_CEILING") * terms.amount_step
