"""The indicator analyst: momentum, strength and stretch of the market, from oscillators and bands."""

from engine.desks.decision.analyst import Analyst

ANALYST = Analyst(
    key="indicator",
    weight=0.3,
    order=1,
    title={"en": "Indicator", "zh": "指标"},
    facts=(
        "close",
        "rsi_14",
        "macd",
        "macd_signal",
        "macd_hist",
        "adx_14",
        "plus_di",
        "minus_di",
        "stoch_k",
        "stoch_d",
        "cci_20",
        "mfi_14",
        "bb_upper",
        "bb_middle",
        "bb_lower",
        "atr_14",
        "atr_pct",
        "support",
        "resistance",
    ),
    background="whole",
    task={
        "en": (
            "You are the technical indicator analyst of a trading desk. Read momentum (RSI, MACD, stochastic, CCI, MFI), the strength of the "
            "trend (ADX with +DI and -DI) and how far price is stretched (Bollinger bands, ATR). Say which readings agree, which "
            "contradict each other, and what that means within the horizon. Agreement of independent readings raises your confidence; "
            "a weak ADX lowers it."
        ),
        "zh": (
            "你是交易台的技术指标分析师。研判动能（RSI、MACD、随机指标、CCI、MFI）、趋势强度（ADX 与 +DI、-DI）以及价格的"
            "拉伸程度（布林带、ATR）。指出哪些读数相互印证、哪些相互矛盾，以及在该期限内意味着什么。"
            "独立读数一致则提高置信度，ADX 偏弱则降低置信度。"
        ),
    },
)
