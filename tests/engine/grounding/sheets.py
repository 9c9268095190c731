"""Fact sheets of the grounding tests, and a reader of the expectations written beside the phrases."""

import math
from collections.abc import Mapping

from engine.domain.claims import Claim
from engine.domain.facts import Fact, FactSheet
from engine.grounding.tables.markets import CRYPTO

MARKET: Mapping[str, float | str] = {
    "close": 97380.0, "change_24h_pct": -2.35, "rsi_14": 48.6, "adx_14": 31.5, "plus_di": 18.2, "minus_di": 27.9, "macd": -15.2,
    "macd_signal": -10.4, "macd_hist": -4.8, "ema_10": 97500.0, "ema_20": 97810.0, "ema_50": 98120.0, "ema_200": 96240.0,
    "sma_20": 97760.0, "sma_50": 98200.0, "sma_200": 96010.0, "bb_upper": 98650.0, "bb_middle": 97760.0, "bb_lower": 96870.0,
    "vwap": 97550.0, "atr_14": 412.0, "atr_pct": 0.42, "volume_ratio_20": 1.35, "stoch_k": 34.2, "stoch_d": 41.8, "cci_20": -72.0,
    "mfi_14": 44.5, "obv_trend": "falling", "funding_rate_pct": 0.0112, "oi_change_pct": 4.6, "fear_greed": 62.0, "support": 96500.0,
    "resistance": 98900.0, "1h.rsi_14": 56.3, "1h.adx_14": 21.4, "1h.ema_200": 94800.0,
}  # fmt: skip
HOLDING: Mapping[str, float | str] = {
    "side": "long", "entry_price": 95200.0, "profit_pct": 2.29, "mfe_pct": 3.4, "mae_pct": -0.8, "drawdown_from_peak_pct": 1.11,
    "hold_count": 14.0, "leverage": 5.0, "size": 0.5, "liquidation_price": 79600.0,
}  # fmt: skip


def sheet_of(
    facts: Mapping[str, float | str | None], symbol: str = "BTC/USDT:USDT", timeframe: str = "15m", higher: str | None = "1h"
) -> FactSheet:
    """A sheet with these facts; anything not finite is missing, as the facts room leaves it."""
    made = {}
    for key, value in facts.items():
        known = value if isinstance(value, str) or (value is not None and math.isfinite(value)) else None
        indicator, _, _ = CRYPTO.find(key)
        made[key] = Fact(key=key, value=float(known) if isinstance(known, int) else known, unit=indicator.unit if indicator else "amount")
    return FactSheet(symbol, timeframe, higher, made)


ENTRY = sheet_of(MARKET)
POSITION = sheet_of({**MARKET, **HOLDING})


def verdicts(claims: tuple[Claim, ...]) -> str:
    """The checkable claims as the phrase tables write them."""
    return " ".join(f"{claim.key}:{claim.verdict[0].upper()}" for claim in sorted(claims, key=lambda claim: claim.value_start))
