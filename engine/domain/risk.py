"""The risk configuration, what in it is stricter than what, and the report of its limits."""

import math
from enum import Enum
from typing import Annotated, Any, Final

from pydantic import Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason, within

Symbol = Annotated[str, Field(min_length=3, max_length=48)]


class Bound(Enum):
    """Which value of a limit is the stricter one; declared at every field of the risk configuration."""

    MAX = "lower is stricter"
    MIN = "higher is stricter"
    AMONG = "fewer is stricter, and none given means all"
    NONE = "no limit"


MOST_LEVERAGE: Final = 100
"""Of a decision and of every order that adds risk; what a venue's position already has may be more."""


class RiskConfig(FrozenModel, strict=True):
    """Hard limits of a decision; the specification's `risk_config`. Unknown keys are refused by name.

    max_leverage: x. min_confidence: 0-100. min_risk_reward_ratio: reward per risk, before costs. min_risk_reward_after_costs: gain at the
    target per loss at the stop, each after fees, slippage and expected funding. max_stop_distance_pct: percent of price.
    max_position_pct: margin as percent of equity. max_open_positions: count. equity: quote currency, until the broker has one of its own.
    risk_per_trade_pct: percent of equity that may be lost at the stop, from which an entry's margin is sized.

    Of the account: max_notional: quote currency in one position, none when left out. max_exposure_pct: notional of all positions as percent
    of equity. max_daily_loss_pct, max_drawdown_pct: percent of equity lost since midnight UTC and since its highest. cooldown_minutes:
    without a new position after a trade that lost cooldown_loss_pct of equity or more. max_orders_per_hour: count. allowed_symbols: empty
    = all. Of the moment: max_price_gap_pct: last price against the last closed candle. max_snapshot_age_bars: bars since the snapshot.
    max_drift_atr: how far the price may have moved since, in ATR. min_agreement_pct: in how many percent of its repetitions a decision has
    to come to its action again, before it is signed without a person's reason; none when left out. max_stop_to_liquidation_pct: how far on
    the way to the liquidation the stop may be. min_facts_for_reversal: facts that must have moved since the decision before for one
    that points the other way, none when left out.

    calibrated_sizing: entries are sized down where decisions of the same confidence gained less often than it says (`trading/sizing.py`).
    """

    max_leverage: Annotated[float, Bound.MAX] = Field(default=10.0, ge=1, le=MOST_LEVERAGE)
    min_confidence: Annotated[float, Bound.MIN] = Field(default=55.0, ge=0, le=100)
    min_risk_reward_ratio: Annotated[float, Bound.MIN] = Field(default=1.5, ge=0)
    min_risk_reward_after_costs: Annotated[float, Bound.MIN] = Field(default=1.0, ge=0)
    max_stop_distance_pct: Annotated[float, Bound.MAX] = Field(default=5.0, gt=0, le=100)
    max_position_pct: Annotated[float, Bound.MAX] = Field(default=30.0, ge=0)
    max_open_positions: Annotated[int, Bound.MAX] = Field(default=3, ge=0)
    equity: Annotated[float, Bound.NONE] = Field(default=10_000.0, gt=0)
    risk_per_trade_pct: Annotated[float, Bound.MAX] = Field(default=1.0, gt=0, le=100)
    calibrated_sizing: Annotated[bool, Bound.MIN] = False
    max_notional: Annotated[float | None, Bound.MAX] = Field(default=None, gt=0)
    max_exposure_pct: Annotated[float, Bound.MAX] = Field(default=500.0, ge=0)
    max_daily_loss_pct: Annotated[float, Bound.MAX] = Field(default=3.0, gt=0, le=100)
    max_drawdown_pct: Annotated[float, Bound.MAX] = Field(default=15.0, gt=0, le=100)
    cooldown_minutes: Annotated[float, Bound.MIN] = Field(default=30.0, ge=0)
    cooldown_loss_pct: Annotated[float, Bound.MAX] = Field(default=0.5, gt=0, le=100)
    max_orders_per_hour: Annotated[int, Bound.MAX] = Field(default=30, ge=0)
    allowed_symbols: Annotated[list[Symbol], Bound.AMONG] = Field(default_factory=list)
    max_price_gap_pct: Annotated[float, Bound.MAX] = Field(default=10.0, gt=0)
    max_snapshot_age_bars: Annotated[float, Bound.MAX] = Field(default=3.0, gt=0)
    max_drift_atr: Annotated[float, Bound.MAX] = Field(default=0.5, gt=0)
    min_agreement_pct: Annotated[float | None, Bound.MIN] = Field(default=None, ge=0, le=100)
    max_stop_to_liquidation_pct: Annotated[float, Bound.MAX] = Field(default=80.0, gt=0, le=100)
    min_facts_for_reversal: Annotated[int | None, Bound.MIN] = Field(default=None, ge=1)


NO_MARKET: Final = "no market"
"""The one allowed symbol where two lists have none in common: an empty list would allow all."""


def bound_of(name: str) -> Bound:
    """Return which value of a field is the stricter one."""
    return next(each for each in RiskConfig.model_fields[name].metadata if isinstance(each, Bound))


def stricter(risk: RiskConfig, ceiling: RiskConfig) -> RiskConfig:
    """Return `risk`, with the stricter value of every limit that `ceiling` names; what that leaves to its defaults binds nothing."""
    bound = {name: _stricter(bound_of(name), getattr(risk, name), getattr(ceiling, name)) for name in ceiling.model_fields_set}
    return risk.model_copy(update={name: value for name, value in bound.items() if value != getattr(risk, name)})


def looser(risk: RiskConfig, ceiling: RiskConfig) -> list[str]:
    """Return every limit in which `risk` goes beyond what `ceiling` names: a line each, with both values."""
    bound = stricter(risk, ceiling)
    names = [name for name in RiskConfig.model_fields if getattr(bound, name) != getattr(risk, name)]
    return [f"{name} {_say(name, getattr(risk, name))} is looser than {_say(name, getattr(ceiling, name))}" for name in names]


def _stricter(kind: Bound, one: Any, other: Any) -> Any:
    if kind is Bound.NONE:
        return one
    if kind is Bound.AMONG:
        both = [each for each in one if each in other] if one and other else [*one, *other]
        return one if both == one else both or ([NO_MARKET] if one or other else [])
    if kind is Bound.MIN:
        return max(one, other, key=lambda value: -math.inf if value is None else value)
    return min(one, other, key=lambda value: math.inf if value is None else value)


def _say(name: str, value: Any) -> str:
    if value is None:
        return "none"
    return (", ".join(value) or "all") if bound_of(name) is Bound.AMONG else f"{value:g}"


def limits_in(text: str) -> tuple[str, ...]:
    """Return the limits that a reason says were breached, by their key; nothing for one that is about something else."""
    named = (str(each.values["limit"].key) if "limit" in each.values else each.key for each in within(text) if _is_breach(each))
    return tuple(dict.fromkeys(named))


def _is_breach(reason: Reason) -> bool:
    return reason.key in _SWITCHES or isinstance(reason.values.get("limit"), Reason)


_SWITCHES: Final = {"kill_switch", "allowed_symbols"}
_FROM: Final = {"drawdown_share_pct": "max_drawdown_pct"}


def setting_of(rule: str) -> str | None:
    """Return the field of the risk configuration that sets a limit; None for one that is not set there (cash, the kill switch)."""
    name = _FROM.get(rule, rule)
    return name if name in RiskConfig.model_fields else None


_RATIOS: Final = frozenset({"min_risk_reward_ratio", "max_stop_distance_pct"})
_PASSING: Final = _RATIOS | {
    "kill_switch", "max_price_gap_pct", "min_risk_reward_after_costs", "max_stop_to_liquidation_pct", "max_position_pct", "max_notional",
    "max_exposure_pct", "cooldown_minutes", "max_orders_per_hour", "min_cash_left", "risk_per_trade_pct", "drawdown_share_pct",
}  # fmt: skip


class LimitCheck(FrozenModel):
    """One limit, measured. rule: the configuration key. measured, bound: in that key's unit. One that passed with nothing measured does not
    apply to what is ordered (leverage, for shares)."""

    rule: str
    measured: float | None
    bound: float
    passed: bool

    @property
    def is_final(self) -> bool:
        """Whether a breach ends a proposal for good. A limit that depends on the price of the moment, or passes by itself, only keeps it
        from being answered now: it waits or is refreshed. A rule that is not known is final."""
        return self.rule not in _PASSING

    @property
    def follows_price(self) -> bool:
        """Whether it is a ratio that any move of the price changes, while the levels stay on their sides."""
        return self.rule in _RATIOS

    @property
    def applies(self) -> bool:
        """Whether the limit means anything for what is ordered."""
        return self.measured is not None or not self.passed
