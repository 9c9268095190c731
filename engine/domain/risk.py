"""The risk configuration and the report of its limits."""

from typing import Annotated

from pydantic import Field

from engine.domain.noun import Noun

Symbol = Annotated[str, Field(min_length=3, max_length=48)]


class RiskConfig(Noun, strict=True):
    """Hard limits of a decision; the specification's `risk_config`. Unknown keys are refused by name.

    max_leverage: x. min_confidence: 0-100. min_risk_reward_ratio: reward per risk. max_stop_distance_pct: percent of price.
    max_position_pct: margin as percent of equity. max_open_positions: count. equity: quote currency, until the broker has one of its own.
    risk_per_trade_pct: percent of equity that may be lost at the stop, from which an entry's margin is sized.

    Of the account: max_notional: quote currency in one position, none when left out. max_exposure_pct: notional of all positions as percent
    of equity. max_daily_loss_pct, max_drawdown_pct: percent of equity lost since midnight UTC and since its highest. cooldown_minutes:
    without a new position after a trade that lost cooldown_loss_pct of equity or more. max_orders_per_hour: count. allowed_symbols: empty
    = all. Of the moment: max_price_gap_pct: last price against the last closed candle. max_snapshot_age_bars: bars since the snapshot.
    max_drift_atr: how far the price may have moved since, in ATR. max_stop_to_liquidation_pct: how far on the way to the liquidation the
    stop may stand.
    """

    max_leverage: float = Field(default=10.0, ge=1, le=125)
    min_confidence: float = Field(default=55.0, ge=0, le=100)
    min_risk_reward_ratio: float = Field(default=1.5, ge=0)
    max_stop_distance_pct: float = Field(default=5.0, gt=0, le=100)
    max_position_pct: float = Field(default=30.0, ge=0)
    max_open_positions: int = Field(default=3, ge=0)
    equity: float = Field(default=10_000.0, gt=0)
    risk_per_trade_pct: float = Field(default=1.0, gt=0, le=100)
    max_notional: float | None = Field(default=None, gt=0)
    max_exposure_pct: float = Field(default=500.0, ge=0)
    max_daily_loss_pct: float = Field(default=3.0, gt=0, le=100)
    max_drawdown_pct: float = Field(default=15.0, gt=0, le=100)
    cooldown_minutes: float = Field(default=30.0, ge=0)
    cooldown_loss_pct: float = Field(default=0.5, gt=0, le=100)
    max_orders_per_hour: int = Field(default=30, ge=0)
    allowed_symbols: list[Symbol] = Field(default_factory=list)
    max_price_gap_pct: float = Field(default=10.0, gt=0)
    max_snapshot_age_bars: float = Field(default=3.0, gt=0)
    max_drift_atr: float = Field(default=0.5, gt=0)
    max_stop_to_liquidation_pct: float = Field(default=80.0, gt=0, le=100)


class LimitCheck(Noun):
    """One limit, measured. rule: the configuration key. measured, bound: in that key's unit."""

    rule: str
    measured: float | None
    bound: float
    passed: bool
