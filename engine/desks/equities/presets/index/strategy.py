"""Strategy: what follows from all reports."""

from engine.desks.equities.presets.spec import EquityAnalyst

ANALYST = EquityAnalyst(
    key="strategy",
    role="strategy advisor",
    cadence="report",
    order=100,
    tools=(),
    title={"en": "Strategy", "zh": "策略"},
    advises=True,
    task={
        "en": (
            "You are the strategy advisor of an index desk. You read the reports of all analysts, weigh them against each other, and say what "
            "follows: the view, what would change it, what to watch. A report that is missing is said to be missing."
        ),
        "zh": "你是指数交易台的策略顾问。阅读全部分析师的报告，互相权衡，给出结论：观点、什么会改变它、该盯住什么。缺失的报告要说明缺失。",
    },
)
