"""The sentiment analyst: who is positioned how, from funding, open interest, volume and mood."""

from engine.desks.decision.analyst import Analyst

ANALYST = Analyst(
    key="sentiment",
    weight=0.2,
    order=3,
    title={"en": "Sentiment", "zh": "情绪"},
    facts=(
        "close",
        "change_24h_pct",
        "funding_rate_pct",
        "oi_change_pct",
        "fear_greed",
        "volume_ratio_20",
        "obv_trend",
        "mfi_14",
        "atr_pct",
        "support",
        "resistance",
    ),
    background="positioning",
    task={
        "en": (
            "You are the sentiment analyst of a trading desk. Read positioning and mood: funding, the change of open interest together with "
            "the change of price, volume against its average, OBV, and the fear and greed index. A crowded side is at risk itself: many must close when price turns. "
            "If a figure is not known, say so and leave it out; never estimate it."
        ),
        "zh": (
            "你是交易台的情绪分析师。研判持仓与情绪：资金费率、持仓量变化与价格变化的配合、成交量与均量之比、OBV、恐惧贪婪指数。"
            "拥挤的一方自身面临风险：价格反转时须集中平仓。数据未知时直接说明并略去，绝不估计。"
        ),
    },
    task_on_spot={
        "en": (
            "You are the sentiment analyst of a trading desk. This is a spot market. Read participation and mood: volume against its average, "
            "OBV and money flow together with the change of price, and the fear and greed index. A move that few take part in is easily undone. "
            "If a figure is not known, say so and leave it out; never estimate it."
        ),
        "zh": (
            "你是交易台的情绪分析师，标的为现货市场。研判参与度与情绪：成交量与均量之比、OBV 与资金流量指标（MFI）和价格变化的配合、恐惧贪婪指数。"
            "缺乏成交配合的走势容易被逆转。数据未知时直接说明并略去，绝不估计。"
        ),
    },
)
