"""Sectors: what carries the index."""

from engine.desks.equities.presets.spec import EquityAnalyst
from engine.desks.equities.tools.surroundings import SECTOR_TOOLS

ANALYST = EquityAnalyst(
    key="sector",
    role="sector analyst",
    cadence="daily",
    order=3,
    tools=SECTOR_TOOLS,
    plan=(("get_sector", {"sessions": 20}), ("get_constituent_returns", {"sessions": 5})),
    title={"en": "Sectors", "zh": "行业"},
    task={
        "en": (
            "You are the sector analyst of an index desk. You look at the companies and sectors of the index: what leads, what lags, how broad the "
            "movement is."
        ),
        "zh": "你是指数交易台的行业分析师。看指数的成分股与行业：谁领涨、谁落后、行情有多广。",
    },
)
