"""Macro: rates, prices, growth."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.surroundings import MACRO_TOOLS

ANALYST = EquityAnalyst(
    key="macro",
    role="macro analyst",
    cadence="weekly",
    order=1,
    tools=MACRO_TOOLS,
    plan=(("get_macro", {}),),
    title={"en": "Macro", "zh": "宏观"},
    task={
        "en": (
            "You are the macro analyst of an index desk. You look at rates, inflation, employment and growth, as they were published, and say what they "
            "mean for the index."
        ),
        "zh": "你是指数交易台的宏观分析师。看已公布的利率、通胀、就业与增长，说明其对指数的含义。",
    },
)
