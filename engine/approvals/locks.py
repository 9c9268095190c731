"""Why a proposal may not be signed as it is: the world is not the one it was decided in any more, or its decision would not be made again.
It can be refreshed; some locks a person may lift, with a reason. Pure."""

from collections.abc import Iterable
from typing import Final

from engine.domain.holding import Holding
from engine.domain.market.terms import exact
from engine.domain.proposal import Basis, Proposal
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason
from engine.instruments.conditions import LiveConditions, drift_atr

LIFTABLE: Final = frozenset({"lock_agreement", "lock_agreement_unknown"})
"""Keys of the locks that a person may lift: they doubt the decision, not what it would be carried out in."""


def liftable(found: Iterable[Reason]) -> tuple[Reason, ...]:
    """Return those of the locks that a person may lift."""
    return tuple(each for each in found if each.key in LIFTABLE)


def locks(proposal: Proposal, conditions: LiveConditions) -> tuple[Reason, ...]:
    """Return every reason why a proposal may not be signed now; empty if it may."""
    basis, plan = proposal.basis, proposal.plan
    if plan.protects:  # neither drift nor a newer decision is a reason: what counts is the position, and where its levels would be
        return (*(() if _same(basis.holding, conditions.holding) else (_another(basis, conditions),)), *_passed(proposal, conditions.price))
    if plan.reduce_only:  # whatever else has changed, less risk is less risk
        held = conditions.holding is not None and basis.holding is not None and conditions.holding.side == basis.holding.side
        return () if held else (_another(basis, conditions),)
    found = [*price_locks(proposal, conditions.price, conditions.limits(basis))]
    if conditions.newer_run is not None:
        found.append(Reason("lock_newer_run", run=conditions.newer_run))
    if not _same(basis.holding, conditions.holding):
        found.append(_another(basis, conditions))
    lifted = {str(each.lock) for each in proposal.lifted}
    found += [each for each in _doubts(basis, conditions) if str(each) not in lifted]
    return tuple(found)


def _doubts(basis: Basis, conditions: LiveConditions) -> list[Reason]:
    """Return why the decision itself is in doubt. What was not measured is."""
    bound, found = conditions.limits(basis).min_agreement_pct, conditions.agreement_pct
    if bound is None:
        return []
    if found is None:
        return [Reason("lock_agreement_unknown", bound=f"{bound:g}")]
    return [Reason("lock_agreement", share=f"{found:.3g}", bound=f"{bound:g}")] if found < bound else []


def price_locks(proposal: Proposal, price: float, risk: RiskConfig) -> tuple[Reason, ...]:
    """Return the reasons that lie in the price alone; none for what takes risk away. risk: the limits that bind now."""
    if proposal.plan.protects:
        return tuple(_passed(proposal, price))
    return () if proposal.plan.reduce_only else (*_drifted(proposal.basis, price, risk), *_passed(proposal, price))


def _drifted(basis: Basis, price: float, risk: RiskConfig) -> list[Reason]:
    drift, bound = drift_atr(basis, price), risk.max_drift_atr
    if drift is None:
        return [Reason("lock_no_atr")] if price != basis.price else []
    return [Reason("lock_drift", drift=f"{drift:.2f}", bound=f"{bound:g}")] if drift > bound else []


def _passed(proposal: Proposal, price: float) -> list[Reason]:
    """Return a lock for every level that the price has gone beyond."""
    plan, terms = proposal.plan, proposal.basis.terms
    sign = 1 if plan.side == "buy" else -1
    kinds = (("lock_stop", sign), ("lock_target", -sign))
    found = []
    for (kind, side), level in zip(kinds, (plan.stop, plan.target), strict=True):
        if level is not None and (price - float(level)) * side <= 0:
            found.append(Reason(kind, level=f"{level:,f}", price=f"{terms.price(exact(price)):,f}"))
    return found


def _another(basis: Basis, conditions: LiveConditions) -> Reason:
    return Reason("lock_position", then=_held(basis.holding), now=_held(conditions.holding))


def _same(then: Holding | None, now: Holding | None) -> bool:
    if then is None or now is None:
        return then is now
    return (then.side, then.size) == (now.side, now.size)


def _held(holding: Holding | None) -> str:
    return "flat" if holding is None else Reason("held", side=holding.side, size=f"{holding.size:g}")
