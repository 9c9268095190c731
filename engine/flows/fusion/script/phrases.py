"""What the scripted roles say around measured values, in both languages: several wordings of each, none of which two roles share.

A wording that names a topic is one of an analyst, and no two analysts have one topic. All others belong to one role each.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.domain.roles import Role
from engine.domain.text.language import Language

Wordings = Mapping[Language, Sequence[str]]

TOPICS: Final[Mapping[Role, Mapping[Language, str]]] = {
    "market": {"en": "price and volume", "zh": "量价"},
    "news": {"en": "the news", "zh": "新闻面"},
    "sentiment": {"en": "the tone of the press", "zh": "舆论情绪"},
    "fundamentals": {"en": "what the company reported", "zh": "公司财报"},
    "technical": {"en": "the chart", "zh": "图表"},
    "macro": {"en": "the economy", "zh": "宏观经济"},
    "policy": {"en": "policy", "zh": "政策面"},
    "sector": {"en": "the sectors", "zh": "行业面"},
    "international": {"en": "markets abroad", "zh": "海外市场"},
    "strategy": {"en": "all of the reports", "zh": "全部报告"},
}
"""Analyst -> what it looks at."""
REPORTS: Final[Mapping[str, Wordings]] = {
    "look": {
        "en": ("For {topic} I look up {tool}.", "I ask {tool} about {topic}.", "{tool} should tell me about {topic}."),
        "zh": ("为了解{topic}，先查询 {tool}。", "关于{topic}，我查询 {tool}。", "{topic}要看 {tool}。"),
    },
    "look_on": {
        "en": ("Next for {topic}: {tool}.", "To complete {topic} I also look up {tool}.", "On {topic}, {tool} is still missing."),
        "zh": ("{topic}接下来查询 {tool}。", "为补全{topic}，再查询 {tool}。", "关于{topic}，还缺 {tool}。"),
    },
    "open": {
        "en": (
            "I read {topic} by plain rules, from what the tools gave",
            "on {topic}, the tools gave what follows",
            "my subject is {topic}, as it was measured",
            "let me begin with {topic} and keep to the record",
        ),
        "zh": (
            "以下按简单规则解读{topic}，依据工具给出的内容",
            "关于{topic}，工具给出如下内容",
            "我负责{topic}，只看实测数据",
            "先看{topic}，并以记录为准",
        ),
    },
    "nothing": {
        "en": (
            "there is no data on {topic} for that day",
            "of {topic} nothing is on record for that day",
            "that day left no data on {topic}",
        ),
        "zh": ("当日没有{topic}的数据", "{topic}当日没有记录", "当日未留下{topic}的数据"),
    },
    "no_news": {
        "en": (
            "not one headline was published that bears on {topic}",
            "not one headline is on record for {topic}",
            "for {topic} the wires had not one headline",
        ),
        "zh": ("没有发布与{topic}有关的任何新闻", "就{topic}而言没有一条新闻", "媒体没有关于{topic}的新闻"),
    },
    "news": {
        "en": (
            "headlines were published and I read them for {topic}",
            "the headlines were read with {topic} in mind",
            "there were headlines, and {topic} is judged with them",
        ),
        "zh": ("已有新闻发布，并从{topic}的角度阅读", "阅读新闻时着眼于{topic}", "有新闻，{topic}据此一并判断"),
    },
    "up": {
        "en": (
            "taken together, {topic} speaks for the share",
            "on balance {topic} favours owning it",
            "I read {topic} as a reason to own it",
        ),
        "zh": ("综合来看，{topic}对该股有利", "总体而言{topic}支持持有", "我认为{topic}是持有的理由"),
    },
    "down": {
        "en": (
            "taken together, {topic} speaks against the share",
            "on balance {topic} argues for staying out",
            "I read {topic} as a reason for caution",
        ),
        "zh": ("综合来看，{topic}对该股不利", "总体而言{topic}不支持持有", "我认为{topic}提示谨慎"),
    },
    "even": {
        "en": ("taken together, {topic} speaks neither way", "on balance {topic} settles nothing", "I read {topic} as undecided"),
        "zh": ("综合来看，{topic}方向不明", "总体而言{topic}没有定论", "我认为{topic}难分高下"),
    },
}
"""Wordings of analysts; `{topic}` is what the analyst looks at."""
MEMORIES: Final[Wordings] = {
    "en": (
        "I add nothing to what the reports of {topic} say.",
        "Of {topic}, what the reports say stands.",
        "On {topic} the reports speak for themselves.",
    ),
    "zh": ("关于{topic}，不在报告之外添加内容。", "{topic}以报告所言为准。", "{topic}的报告已说明一切。"),
}
FRAMES: Final[Wordings] = {
    "en": (
        "{c}",
        "as measured, {c}",
        "on the record, {c}",
        "to be exact, {c}",
        "note that {c}",
        "besides, {c}",
        "also, {c}",
        "in addition, {c}",
        "for one thing, {c}",
        "then, {c}",
        "it is measured that {c}",
        "the record says that {c}",
        "mind that {c}",
        "to add to that, {c}",
        "remember that {c}",
        "as a fact, {c}",
        "look at this: {c}",
        "for the record, {c}",
    ),
    "zh": (
        "{c}",
        "据实测，{c}",
        "记录显示，{c}",
        "确切地说，{c}",
        "请注意，{c}",
        "另外，{c}",
        "再看，{c}",
        "此外，{c}",
        "其一，{c}",
        "接着，{c}",
        "实测表明，{c}",
        "记录写明，{c}",
        "须留意，{c}",
        "补充一点，{c}",
        "不要忘记，{c}",
        "事实上，{c}",
        "看这一项：{c}",
        "记录在案，{c}",
    ),
}
"""How the statement of a value begins; grounding reads it back from every one."""
VERBS: Final[Mapping[Language, Sequence[tuple[str, str]]]] = {
    "en": ((" is at {v}", " stands at {v}"), (" was {v}", " came to {v}"), (" is {v}", " stands at {v}")),
    "zh": (("位于{v}", "在{v}"), ("在{v}", "位于{v}"), ("为", "是")),
}
"""What a clause says, and other words for it; the first pair that fits is taken."""
