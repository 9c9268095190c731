"""What every role of the desk is asked, in both languages: its task, how it ends its answer, and the words of others it may read."""

from collections.abc import Mapping
from typing import Any

from engine.domain.text.language import Language
from engine.flows.fusion.answers import prose
from engine.flows.fusion.state import AnalystMemorySummary
from engine.prompts.paragraphs import EVIDENCE
from engine.prompts.render import Text, quoted, render

VIEW = "direction: BULLISH|BEARISH|NEUTRAL\nconfidence: 0-100"
PLAN = "action: BUY|SELL|HOLD\nconfidence: 0-100"
TRADE = "action: BUY|SELL|HOLD\nquantity: shares, 0 with HOLD\nlimit_price: price or MARKET\nstop_price: price or NONE\ntarget_price: price or NONE\nconfidence: 0-100"

_ENDS: Text = {
    "en": "Write {length} in plain English, without markdown. End with this block, keys exactly so, one value each, nothing after it:\n{heading}\n{block}",
    "zh": "用简体中文写{length}，不用 markdown。最后以下面这一块结尾，键名保持不变，每个键一个值，其后不再写任何内容：\n{heading}\n{block}",
}
_FREE: Text = {"en": "Write {length} in plain English, without markdown.", "zh": "用简体中文写{length}，不用 markdown。"}
_HEADINGS: Mapping[str, Text] = {
    VIEW: {"en": "[View]", "zh": "[观点]"},
    PLAN: {"en": "[Investment plan]", "zh": "[投资计划]"},
    TRADE: {"en": "[Final decision]", "zh": "[最终决策]"},
}
TRADE_HEADING: Text = {"en": "[Trade]", "zh": "[交易]"}

_TOOLS: Text = {
    "en": (
        "Look up what you need with the tools; a call that was made already is answered from the first one, and at most {limit} calls are "
        "executed. Then write your report from what they gave, and from nothing else."
    ),
    "zh": "用工具查询所需的内容；已经做过的调用会用第一次的结果回答，最多执行 {limit} 次调用。之后只根据它们给出的内容写报告。",
}

ROLES: Mapping[str, tuple[str, Text]] = {
    "bull_researcher": (
        "bull researcher",
        {
            "en": "You are Bull in the research debate of an equities desk. Argue for owning the share as strongly as reports and facts allow, and answer Bear. Concede what cannot be denied.",
            "zh": "你是股票研究辩论中的多方。在报告与事实允许的范围内最有力地论证持有这只股票，并回应空方。无法否认的要承认。",
        },
    ),
    "bear_researcher": (
        "bear researcher",
        {
            "en": "You are Bear in the research debate of an equities desk. Argue against owning the share as strongly as reports and facts allow, and answer Bull. Concede what cannot be denied.",
            "zh": "你是股票研究辩论中的空方。在报告与事实允许的范围内最有力地论证不持有这只股票，并回应多方。无法否认的要承认。",
        },
    ),
    "research_manager": (
        "research manager",
        {
            "en": "You are the research manager of an equities desk. Rule on the debate: whose case rests on measured facts, and what plan follows. When neither carries, HOLD.",
            "zh": "你是股票交易台的研究主管。裁定这场辩论：谁的论据建立在实测事实之上，由此得出什么计划。双方都不足以支撑时，选择 HOLD。",
        },
    ),
    "risky": (
        "risky debater",
        {
            "en": "You are Risky in the risk debate of an equities desk. Argue for as large an order as the plan and the account can bear, and answer the others.",
            "zh": "你是风险辩论中的激进方。在计划与账户能承受的范围内主张尽可能大的订单，并回应其他人。",
        },
    ),
    "safe": (
        "safe debater",
        {
            "en": "You are Safe in the risk debate of an equities desk. Argue for as small an order as the plan allows, or for none, and answer the others.",
            "zh": "你是风险辩论中的保守方。主张尽可能小的订单或不下单，并回应其他人。",
        },
    ),
    "neutral": (
        "neutral debater",
        {
            "en": "You are Neutral in the risk debate of an equities desk. Weigh Risky against Safe and argue for the size that the figures bear out.",
            "zh": "你是风险辩论中的中立方。权衡激进方与保守方，主张数据所支持的仓位。",
        },
    ),
    "risk_judge": (
        "risk judge",
        {
            "en": (
                "You are the risk judge of an equities desk. Decide: buy, sell or hold, how many shares, at what limit, stop and target. The account is "
                "long only and pays in cash: never sell more than is held, never spend more than largest_allowed_order. When in doubt, HOLD."
            ),
            "zh": (
                "你是股票交易台的风险裁判。作出决定：买入、卖出或持有，多少股，限价、止损与目标。账户只做多、以现金支付：卖出不得超过持有，"
                "支出不得超过 largest_allowed_order。存疑时选择 HOLD。"
            ),
        },
    ),
    "trader": (
        "trader",
        {
            "en": "You are the trader of an equities desk. Turn the final decision into one order. You may make it smaller or leave it, never larger.",
            "zh": "你是股票交易台的交易员。把最终决策变成一张订单。可以缩小或放弃，绝不能放大。",
        },
    ),
    "memory_summarizer": (
        "memory summarizer",
        {
            "en": (
                "You keep the long-term memory of an analyst. From the former summary and the reports since, write the new summary: what has lasted, what "
                "has changed and when, which views were right or wrong. Name dates. At most 200 words; nothing that is not in what you are given."
            ),
            "zh": (
                "你维护一位分析师的长期记忆。根据先前的摘要和其后的报告写出新的摘要：什么持续存在、什么在何时改变、哪些观点对或错。注明日期。"
                "不超过三百字；不写所给内容之外的东西。"
            ),
        },
    ),
}
"""Node -> the role's name in the first line of its prompt, and its task."""

_LENGTHS: Mapping[str, Text] = {
    "report": {"en": "80 to 140 words", "zh": "一百二十到二百字"},
    "speech": {"en": "80 to 130 words", "zh": "一百二十到二百字"},
    "ruling": {"en": "50 to 90 words", "zh": "八十到一百四十字"},
}

NO_MEMORY: Text = {"en": "(no memory yet)", "zh": "（尚无记忆）"}
_MEMORY: Mapping[str, Text] = {
    "today": {"en": "report of {key}", "zh": "{key} 的报告"},
    "pre_open": {"en": "memory of {key} before the open", "zh": "{key} 的开盘前记忆"},
    "post_close": {"en": "memory of {key} as of the last close", "zh": "{key} 截至上次收盘的记忆"},
}
MISSING_REPORT: Text = {"en": "The report of {key} is missing.", "zh": "缺少 {key} 的报告。"}


def analyst_system(role: str, task: str, limit: int, language: Language, *, with_tools: bool) -> str:
    """Return the system message of an analyst."""
    tools = [render(_TOOLS[language], limit=str(limit))] if with_tools else []
    return "\n\n".join([f"Role: {role}", task, EVIDENCE[language], *tools, _ending("report", VIEW, language)])


def debater_system(node: str, language: Language) -> str:
    """Return the system message of a debater, a judge, the trader or the memory summarizer."""
    role, task = ROLES[node]
    endings = {"research_manager": ("ruling", PLAN), "risk_judge": ("ruling", TRADE), "trader": ("ruling", TRADE)}
    if node == "memory_summarizer":
        return "\n\n".join([f"Role: {role}", task[language], EVIDENCE[language]])
    length, block = endings.get(node, ("speech", ""))
    heading = TRADE_HEADING[language] if node == "trader" else ""
    return "\n\n".join([f"Role: {role}", task[language], EVIDENCE[language], _ending(length, block, language, heading)])


def _ending(length: str, block: str, language: Language, heading: str = "") -> str:
    if not block:
        return render(_FREE[language], length=_LENGTHS[length][language])
    return render(_ENDS[language], length=_LENGTHS[length][language], heading=heading or _HEADINGS[block][language], block=block)


def memory_text(key: str, memory: AnalystMemorySummary, language: Language) -> str:
    """Return an analyst's memory as another role reads it: what says the same twice is given once."""
    parts, seen = [], set[str]()
    for name, field in (("today", "today_report"), ("pre_open", "memory_summary_pre_open"), ("post_close", "memory_summary_post_close")):
        text: str = memory[field]  # type: ignore[literal-required]
        if text and text not in seen:
            seen.add(text)
            parts.append(quoted(render(_MEMORY[name][language], key=key), text))
    return "\n".join(parts) if parts else render(MISSING_REPORT[language], key=key)


def said(messages: list[dict[str, Any]], language: Language) -> str:
    """Return a debate so far as the next speaker reads it: with every false statement corrected."""
    return "\n".join(quoted(f"{each['speaker']}, {each['turn']}", prose(each["corrected"])) for each in messages)
