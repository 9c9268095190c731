"""Market: price, trend, momentum and levels of the share."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.prices import PRICE_TOOLS
from engine.desks.equities.tools.surroundings import JOURNAL_TOOLS

ANALYST = EquityAnalyst(
    key="market",
    role="market analyst",
    cadence="report",
    order=1,
    tools=(*PRICE_TOOLS, *JOURNAL_TOOLS),
    plan=(("get_price_history", {"days": 20}), ("get_indicators", {"group": "all"}), ("get_share_events", {})),
    title={"en": "Market", "zh": "市场"},
    task={
        "en": (
            "You are the market analyst of an equities desk. You look at price and volume: trend, momentum, volatility, levels, and what splits "
            "and dividends did to the numbers. You do not speak of news or of what the company earns."
        ),
        "zh": "你是股票交易台的市场分析师。你只看价格与成交量：趋势、动量、波动、关键价位，以及拆股与分红对数字的影响。不谈新闻，也不谈公司盈利。",
    },
)
