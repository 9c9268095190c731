"""Why a proposal may not be signed as it stands: the world is not the one it was decided in any more. It can be refreshed. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from engine.approvals.checks import LiveConditions, drift_atr
from engine.domain.holding import Holding
from engine.domain.market.terms import exact
from engine.domain.proposal import Basis, Proposal
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language

LockKind = Literal["no_atr", "drift", "stop", "target", "newer_run", "position"]


@dataclass(frozen=True)
class Lock:
    """One reason. values: what its sentence is filled with, written as people read it."""

    kind: LockKind
    values: Mapping[str, str]

    def text(self, language: Language = "en") -> str:
        """Return the reason in words, without a full stop."""
        words = _WORDS[language]
        filled_in = {key: " ".join(words.get(part, part) for part in value.split()) for key, value in self.values.items()}
        return _TEXTS[self.kind][language].format(**filled_in)


_TEXTS: Final[Mapping[LockKind, Mapping[Language, str]]] = {
    "no_atr": {
        "en": "the price has moved, and no ATR is known to measure by how much",
        "zh": "价格已变动，且没有 ATR 可供衡量",
    },
    "drift": {
        "en": "the price has moved {drift} ATR since the decision, more than the {bound} allowed",
        "zh": "自决策以来价格已变动 {drift} ATR，超过允许的 {bound}",
    },
    "stop": {
        "en": "the stop {level} has been crossed already: the price is {price}",
        "zh": "已穿过止损 {level}：现价 {price}",
    },
    "target": {
        "en": "the target {level} has been reached already: the price is {price}",
        "zh": "已到达目标 {level}：现价 {price}",
    },
    "newer_run": {
        "en": "run {run} has decided about this market since",
        "zh": "此后运行 {run} 已对该市场作出决策",
    },
    "position": {
        "en": "the position is another one than at the decision: {then} then, {now} now",
        "zh": "持仓与决策时不同：当时{then}，现在{now}",
    },
}
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {"en": {}, "zh": {"flat": "空仓", "long": "多头", "short": "空头"}}


def locks(proposal: Proposal, conditions: LiveConditions) -> tuple[Lock, ...]:
    """Return every reason why a proposal may not be signed now; empty when there is none."""
    basis, plan = proposal.basis, proposal.plan
    if plan.protects:  # neither drift nor a newer decision is a reason: what counts is the position, and where its levels would stand
        return (*(() if _same(basis.holding, conditions.holding) else (_another(basis, conditions),)), *_passed(proposal, conditions.price))
    if plan.reduce_only:  # whatever else has changed, less risk is less risk
        held = conditions.holding is not None and basis.holding is not None and conditions.holding.side == basis.holding.side
        return () if held else (_another(basis, conditions),)
    found = [*price_locks(proposal, conditions.price, conditions.limits(basis))]
    if conditions.newer_run is not None:
        found.append(Lock("newer_run", {"run": conditions.newer_run}))
    if not _same(basis.holding, conditions.holding):
        found.append(_another(basis, conditions))
    return tuple(found)


def price_locks(proposal: Proposal, price: float, risk: RiskConfig) -> tuple[Lock, ...]:
    """Return the reasons that lie in the price alone; none for what takes risk away. risk: the limits that bind now."""
    if proposal.plan.protects:
        return tuple(_passed(proposal, price))
    return () if proposal.plan.reduce_only else (*_drifted(proposal.basis, price, risk), *_passed(proposal, price))


def _drifted(basis: Basis, price: float, risk: RiskConfig) -> list[Lock]:
    drift, bound = drift_atr(basis, price), risk.max_drift_atr
    if drift is None:
        return [Lock("no_atr", {})] if price != basis.price else []
    return [Lock("drift", {"drift": f"{drift:.2f}", "bound": f"{bound:g}"})] if drift > bound else []


def _passed(proposal: Proposal, price: float) -> list[Lock]:
    """Return a lock for every level that the price has gone beyond."""
    plan, terms = proposal.plan, proposal.basis.terms
    sign = 1 if plan.side == "buy" else -1
    kinds: tuple[tuple[LockKind, int], ...] = (("stop", sign), ("target", -sign))
    found = []
    for (kind, side), level in zip(kinds, (plan.stop, plan.target), strict=True):
        if level is not None and (price - float(level)) * side <= 0:
            found.append(Lock(kind, {"level": f"{level:,f}", "price": f"{terms.price(exact(price)):,f}"}))
    return found


def _another(basis: Basis, conditions: LiveConditions) -> Lock:
    return Lock("position", {"then": _held(basis.holding), "now": _held(conditions.holding)})


def _same(then: Holding | None, now: Holding | None) -> bool:
    if then is None or now is None:
        return then is now
    return (then.side, then.size) == (now.side, now.size)


def _held(holding: Holding | None) -> str:
    return "flat" if holding is None else f"{holding.side} {holding.size:g}"
