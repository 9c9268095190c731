"""How the scripted roles say a measured value, in both languages: phrases that grounding reads back as what they are."""

from collections.abc import Mapping
from typing import Final

from engine.domain.text.language import Language

CLAUSES: Final[Mapping[str, Mapping[Language, str]]] = {
    "close": {"en": "the last close is {v}", "zh": "最新收盘价为{v}"},
    "previous_close": {"en": "the previous close was {v}", "zh": "前收盘价为{v}"},
    "rsi_14": {"en": "RSI(14) is {v}", "zh": "RSI(14)为{v}"},
    "macd": {"en": "MACD is {v}", "zh": "MACD为{v}"},
    "ema_20": {"en": "the 20 EMA is at {v}", "zh": "EMA20位于{v}"},
    "ema_50": {"en": "the 50 EMA is at {v}", "zh": "EMA50位于{v}"},
    "ema_200": {"en": "the 200 EMA is at {v}", "zh": "EMA200位于{v}"},
    "atr_14": {"en": "ATR(14) is {v}", "zh": "ATR(14)为{v}"},
    "adx_14": {"en": "ADX is {v}", "zh": "ADX为{v}"},
    "support": {"en": "support is at {v}", "zh": "支撑位在{v}"},
    "resistance": {"en": "resistance is at {v}", "zh": "阻力位在{v}"},
    "volume_ratio_20": {"en": "volume is {v}x its 20-day average", "zh": "成交量为20日均量的{v}倍"},
    "pe_ratio": {"en": "the P/E ratio is {v}", "zh": "市盈率为{v}倍"},
    "pb_ratio": {"en": "the P/B ratio is {v}", "zh": "市净率为{v}倍"},
    "ps_ratio": {"en": "the P/S ratio is {v}", "zh": "市销率为{v}倍"},
    "gross_margin_pct": {"en": "gross margin is {v}%", "zh": "毛利率为{v}%"},
    "operating_margin_pct": {"en": "operating margin is {v}%", "zh": "营业利润率为{v}%"},
    "net_margin_pct": {"en": "net margin is {v}%", "zh": "净利率为{v}%"},
    "return_on_equity_pct": {"en": "ROE is {v}%", "zh": "净资产收益率为{v}%"},
    "revenue_growth_pct": {"en": "revenue growth is {v}%", "zh": "营收增长率为{v}%"},
    "earnings_growth_pct": {"en": "earnings growth is {v}%", "zh": "净利润增长率为{v}%"},
    "current_ratio": {"en": "the current ratio is {v}", "zh": "流动比率为{v}"},
    "fcf_yield_pct": {"en": "the free cash flow yield is {v}%", "zh": "自由现金流收益率为{v}%"},
    "eps": {"en": "EPS is {v}", "zh": "每股收益为{v}"},
    "account_cash": {"en": "account cash is {v}", "zh": "账户现金为{v}"},
    "account_total_value": {"en": "the total account value is {v}", "zh": "账户总值为{v}"},
    "max_drawdown_pct": {"en": "max drawdown is {v}%", "zh": "最大回撤为{v}%"},
    "largest_allowed_order": {"en": "the largest allowed order is {v}", "zh": "最大允许订单为{v}"},
}
"""Key -> the clause that states it."""
PRICES: Final = ("close", "rsi_14", "ema_50", "macd", "atr_14", "support", "resistance", "ema_200", "volume_ratio_20", "previous_close")
REPORTED: Final = (
    "pe_ratio", "revenue_growth_pct", "net_margin_pct", "return_on_equity_pct", "gross_margin_pct", "eps", "ps_ratio", "pb_ratio",
    "operating_margin_pct", "current_ratio", "fcf_yield_pct", "earnings_growth_pct",
)  # fmt: skip
ACCOUNT: Final = ("account_cash", "account_total_value", "largest_allowed_order", "max_drawdown_pct", "close")
