"""Technique: trend, momentum and levels of the index."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.prices import PRICE_TOOLS

ANALYST = EquityAnalyst(
    key="technical",
    role="technical analyst",
    cadence="report",
    order=4,
    tools=PRICE_TOOLS,
    plan=(("get_price_history", {"days": 20}), ("get_indicators", {"group": "all"})),
    title={"en": "Technical", "zh": "技术"},
    task={
        "en": (
            "You are the technical analyst of an index desk. You look at the index itself: trend, momentum, volatility and levels, in measured "
            "numbers."
        ),
        "zh": "你是指数交易台的技术分析师。只看指数本身：趋势、动量、波动与关键价位，用实测数字说话。",
    },
)
