"""Policy: what governments and central banks do."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.news import NEWS_TOOLS
from engine.desks.equities.tools.surroundings import MACRO_TOOLS

ANALYST = EquityAnalyst(
    key="policy",
    role="policy analyst",
    cadence="daily",
    order=2,
    tools=(*NEWS_TOOLS, *MACRO_TOOLS),
    plan=(("search_news", {"days": 30}), ("get_macro", {})),
    title={"en": "Policy", "zh": "政策"},
    task={
        "en": (
            "You are the policy analyst of an index desk. You look at what governments, regulators and central banks did and announced, and at what it "
            "means for the index. No news at all is a finding too: say so."
        ),
        "zh": "你是指数交易台的政策分析师。看政府、监管机构与央行的举措与表态及其对指数的含义。没有相关新闻也是结论，直接说明。",
    },
)
