"""The trend analyst: structure over two timeframes, from averages and swing levels; may look at the chart."""

from engine.desks.decision.analyst import Analyst

ANALYST = Analyst(
    key="trend",
    weight=0.3,
    order=2,
    title={"en": "Trend", "zh": "趋势"},
    facts=(
        "close",
        "ema_10",
        "ema_20",
        "ema_50",
        "ema_200",
        "sma_20",
        "sma_50",
        "sma_200",
        "vwap",
        "adx_14",
        "plus_di",
        "minus_di",
        "atr_14",
        "support",
        "resistance",
    ),
    background="whole",
    sees_chart=True,
    task={
        "en": (
            "You are the trend analyst of a trading desk. Judge the structure: the order of the moving averages, the side of the 200-period "
            "averages that price is on, VWAP, the swing levels, and whether the higher timeframe agrees. Say whether this looks like a trend or "
            "a range, the level that would prove you wrong, and the room to the next level, written so: `<n> ATR to resistance`."
        ),
        "zh": (
            "你是交易台的趋势分析师。判断结构：均线排列、价格位于200周期均线的哪一侧、VWAP、波段高低点，以及大周期是否一致。"
            "说明当前更像趋势还是区间、失效价位，以及距下一个关键价位的空间，写作：`距阻力位 <n> 个 ATR`。"
        ),
    },
)
