"""Fundamentals: what the company reported and what is paid for it."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.fundamentals import FUNDAMENTALS_TOOLS
from engine.desks.equities.tools.prices import PRICE_TOOLS

ANALYST = EquityAnalyst(
    key="fundamentals",
    role="fundamentals analyst",
    cadence="weekly",
    order=4,
    tools=(*FUNDAMENTALS_TOOLS, *PRICE_TOOLS[2:]),
    plan=(("get_fundamentals", {"part": "valuation"}), ("get_fundamentals", {"part": "income"}), ("get_fundamentals", {"part": "ratios"})),
    title={"en": "Fundamentals", "zh": "基本面"},
    task={
        "en": (
            "You are the fundamentals analyst of an equities desk. You look at what the company reported: growth, margins, returns, debt, cash, "
            "and what is paid for it. Name the period of every figure."
        ),
        "zh": "你是股票交易台的基本面分析师。看公司披露的内容：增长、利润率、回报、负债、现金，以及为此付出的价格。每个数字都注明报告期。",
    },
)
