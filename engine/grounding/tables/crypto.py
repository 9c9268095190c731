"""The table of the decision flow: a perpetual contract, its indicators, its order flow, and the position held in it."""

from engine.grounding.tables.flows import FLOWS
from engine.grounding.tables.market import MARKET
from engine.grounding.tables.position import POSITION
from engine.grounding.tables.table import IndicatorTable

CRYPTO = IndicatorTable(
    "crypto",
    (*MARKET, *FLOWS, *POSITION),
    record=("rsi_14", "macd", "adx_14", "funding_rate_pct", "oi_change_pct", "ema_200", "atr_14", "support", "resistance"),
    record_position=("profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct"),
)
