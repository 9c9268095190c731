"""The pattern analyst: what the last candles say, and where they say it; may look at the chart."""

from engine.desks.decision.analyst import Analyst

ANALYST = Analyst(
    key="pattern",
    weight=0.2,
    order=4,
    title={"en": "Pattern", "zh": "形态"},
    facts=("close", "bb_upper", "bb_middle", "bb_lower", "atr_14", "volume_ratio_20", "rsi_14", "ema_20", "support", "resistance"),
    sees_patterns=True,
    background="whole",
    sees_chart=True,
    task={
        "en": (
            "You are the candlestick pattern analyst of a trading desk. Lines `pattern = name turn bars_ago` are the patterns found by code on "
            "closed candles; others do not exist. Weigh how recent each is, whether it stands at support, resistance or a band, and whether "
            "volume confirms it. A pattern against the structure needs more proof than one with it."
        ),
        "zh": (
            "你是交易台的K线形态分析师。形如 `pattern = 名称 方向 几根之前` 的行是代码在已收盘K线上识别出的形态，此外的形态不存在。"
            "权衡其新近程度、是否出现在支撑、阻力或布林带处、成交量是否确认。逆结构的形态需要更多证据。"
        ),
    },
)
