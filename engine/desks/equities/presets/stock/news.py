"""News: what was published about the company and its market."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.news import NEWS_TOOLS
from engine.desks.equities.tools.surroundings import MACRO_TOOLS

ANALYST = EquityAnalyst(
    key="news",
    role="news analyst",
    cadence="daily",
    order=2,
    tools=(*NEWS_TOOLS, *MACRO_TOOLS),
    plan=(("search_news", {"days": 14}), ("read_news", {"number": 1})),
    title={"en": "News", "zh": "新闻"},
    task={
        "en": (
            "You are the news analyst of an equities desk. You say what was published, what of it is new, and what it may change for the company. "
            "No news at all is a finding too: say so."
        ),
        "zh": "你是股票交易台的新闻分析师。说明发布了什么、其中什么是新的、可能给公司带来什么变化。完全没有新闻也是结论，直接说明。",
    },
)
