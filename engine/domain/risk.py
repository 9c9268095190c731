"""The risk configuration and the report of its limits."""

from pydantic import Field

from engine.domain.noun import Noun


class RiskConfig(Noun, strict=True):
    """Hard limits of a decision; the specification's `risk_config`. Unknown keys are refused by name.

    max_leverage: x. min_confidence: 0-100. min_risk_reward_ratio: reward per risk. max_stop_distance_pct: percent of price.
    max_position_pct: margin as percent of equity. max_open_positions: count. equity: quote currency. risk_per_trade_pct: percent of
    equity that may be lost at the stop, from which an entry's margin is sized.
    """

    max_leverage: float = Field(default=10.0, ge=1, le=125)
    min_confidence: float = Field(default=55.0, ge=0, le=100)
    min_risk_reward_ratio: float = Field(default=1.5, ge=0)
    max_stop_distance_pct: float = Field(default=5.0, gt=0, le=100)
    max_position_pct: float = Field(default=30.0, ge=0)
    max_open_positions: int = Field(default=3, ge=0)
    equity: float = Field(default=10_000.0, gt=0)
    risk_per_trade_pct: float = Field(default=1.0, gt=0, le=100)


class LimitCheck(Noun):
    """One limit, measured. rule: the configuration key. measured, bound: in that key's unit."""

    rule: str
    measured: float | None
    bound: float
    passed: bool
