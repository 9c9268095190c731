"""The world: other markets and what they carry over."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.news import NEWS_TOOLS, TONE_TOOLS
from engine.desks.equities.tools.surroundings import MACRO_TOOLS

ANALYST = EquityAnalyst(
    key="international",
    role="international analyst",
    cadence="daily",
    order=5,
    tools=(*NEWS_TOOLS, *TONE_TOOLS, *MACRO_TOOLS),
    plan=(("get_macro", {"region": "US"}), ("get_headline_tone", {"days": 14})),
    title={"en": "International", "zh": "国际"},
    task={
        "en": (
            "You are the international analyst of an index desk. You look at other economies and markets, and at what carries over from them to this "
            "index."
        ),
        "zh": "你是指数交易台的国际分析师。看其他经济体与市场，以及它们如何传导到本指数。",
    },
)
