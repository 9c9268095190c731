"""Sentiment: the tone of what is written."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.news import NEWS_TOOLS, TONE_TOOLS

ANALYST = EquityAnalyst(
    key="sentiment",
    role="sentiment analyst",
    cadence="daily",
    order=3,
    tools=(*TONE_TOOLS, *NEWS_TOOLS),
    plan=(("get_headline_tone", {"days": 14}),),
    title={"en": "Sentiment", "zh": "情绪"},
    task={
        "en": (
            "You are the sentiment analyst of an equities desk. You judge the mood of what is written about the company: its tone, how it has "
            "changed, whether it has run ahead of the facts."
        ),
        "zh": "你是股票交易台的情绪分析师。判断关于公司的文字中的情绪：基调、变化、是否已经脱离事实。",
    },
)
