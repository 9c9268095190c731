"""What the scripted debaters, judges and the trader say beside values, in both languages. No wording belongs to two roles."""

from collections.abc import Mapping
from typing import Final

from engine.domain.roles import Role
from engine.flows.fusion.script.phrases import Wordings

OPENINGS: Final[Mapping[Role, Wordings]] = {
    "bull_researcher": {
        "en": (
            "the case for owning it rests on what was measured",
            "I argue for the share, and only with figures",
            "buyers have the record on their side",
            "let me say once more why it is worth owning",
            "the reasons to own it have not gone away",
        ),
        "zh": (
            "持有的理由建立在实测数据之上",
            "我主张持有，并且只用数字说话",
            "记录站在买方一边",
            "再说一次它为何值得持有",
            "持有的理由依然存在",
        ),
    },
    "bear_researcher": {
        "en": (
            "the case against owning it rests on what was measured",
            "I argue against the share, with the same record",
            "caution is what these figures ask for",
            "let me say again what speaks against it",
            "the doubts have not been answered",
        ),
        "zh": (
            "不持有的理由建立在实测数据之上",
            "我反对持有，依据同一份记录",
            "这些数字要求谨慎",
            "再说一遍哪些因素对其不利",
            "疑问仍未得到回答",
        ),
    },
    "risky": {
        "en": (
            "the plan is worth most of what code allows",
            "a plan like this deserves size",
            "small orders win nothing here",
            "I come a step towards the others, and still want size",
            "I give way a little more, but not on the principle",
        ),
        "zh": (
            "该计划值得动用程序允许的大部分额度",
            "这样的计划值得较大仓位",
            "小单在此没有意义",
            "我向其他人让一步，但仍要仓位",
            "我再让一点，但原则不变",
        ),
    },
    "safe": {
        "en": (
            "a small part of what code allows is enough",
            "the account comes first",
            "a loss that is small can be borne",
            "I come a step towards the others, and no further than the account allows",
            "I give way a little more, and keep a reserve",
        ),
        "zh": (
            "程序允许额度的一小部分就够了",
            "账户安全第一",
            "小的亏损才承受得起",
            "我向其他人让一步，但不超出账户所能",
            "我再让一点，同时保留余地",
        ),
    },
    "neutral": {
        "en": (
            "about half of what code allows fits the plan",
            "I stand between the two",
            "the middle is where the figures put it",
            "neither side has moved me",
            "half still looks right to me",
        ),
        "zh": ("程序允许额度的一半左右与计划相称", "我站在两者之间", "数字指向中间位置", "双方都没有说服我改变", "我仍认为一半合适"),
    },
    "research_manager": {
        "en": (
            "both sides were heard; the measured figures decide",
            "the debate is over, and the record rules",
            "I weigh both cases by what was measured",
        ),
        "zh": ("双方均已陈述，由实测数据裁定", "辩论到此为止，由记录裁定", "我以实测数据衡量双方论据"),
    },
    "risk_judge": {
        "en": (
            "the account decides how much the plan may cost",
            "what may be lost sets the size",
            "the three views are weighed against the account",
        ),
        "zh": ("由账户决定该计划可以花多少", "可承受的亏损决定仓位", "以账户为准权衡三方意见"),
    },
    "trader": {
        "en": ("the order follows the decision", "I write the order as it was decided", "one order carries the decision out"),
        "zh": ("订单依照决策", "我按决策写下订单", "以一张订单执行该决策"),
    },
}
"""Role -> how its turns begin, one after the other."""
ANSWERS: Final[Mapping[Role, Wordings]] = {
    "bull_researcher": {
        "en": (
            "what Bear says does not change these figures",
            "Bear's doubts leave these figures where they are",
            "against that, Bear has only caution to offer",
            "Bear has not shown one of them to be wrong",
            "I have heard Bear out, and stay",
        ),
        "zh": (
            "空方所言不改变这些数字",
            "空方的疑问没有动摇这些数字",
            "对此空方只有谨慎可言",
            "空方没有证明其中任何一项有误",
            "我听完空方的话，立场不变",
        ),
    },
    "bear_researcher": {
        "en": (
            "what Bull says does not change these figures",
            "Bull's hopes leave these figures where they are",
            "against that, Bull has only confidence to offer",
            "Bull has not shown one of them to be wrong",
            "I have heard Bull out, and stay",
        ),
        "zh": (
            "多方所言不改变这些数字",
            "多方的期望没有动摇这些数字",
            "对此多方只有信心可言",
            "多方没有证明其中任何一项有误",
            "我听完多方的话，立场不变",
        ),
    },
    "risky": {
        "en": (
            "the others count the cost and not the chance",
            "caution has its price too",
            "to wait is a decision as well",
            "the account can bear it",
            "I have said what I have to say",
        ),
        "zh": ("其他人只算成本，不算机会", "谨慎也有代价", "等待同样是一种决定", "账户承受得起", "我该说的都说了"),
    },
    "safe": {
        "en": (
            "the others count the chance and not the cost",
            "a chance that is missed costs no cash",
            "a plan can be right and still lose",
            "there will be another day",
            "my warning stands",
        ),
        "zh": ("其他人只算机会，不算成本", "错过的机会不花现金", "计划正确也可能亏损", "以后还有机会", "我的提醒不变"),
    },
    "neutral": {
        "en": (
            "both of the others go too far",
            "each of the two is right in part",
            "what is left between them is small",
            "the two have come closer",
            "a middle size satisfies both",
        ),
        "zh": ("另外两方都走得太远", "两方各有部分道理", "两方之间的差距已经很小", "两方已经靠近", "居中的仓位可以兼顾两方"),
    },
}
"""Debater -> what it says to the others, turn after turn."""
WANTS: Final[Mapping[Role, Wordings]] = {
    "risky": {
        "en": (
            "I ask for {n} {shares}",
            "my size is {n} {shares}",
            "{n} {shares} is what I want",
            "make it {n} {shares}",
            "let it be {n} {shares}",
        ),
        "zh": ("主张委托 {n} 股", "我的数量是 {n} 股", "我要 {n} 股", "不如就 {n} 股", "那就 {n} 股"),
    },
    "safe": {
        "en": (
            "no more than {n} {shares} for me",
            "{n} {shares} is enough for me",
            "I would stop at {n} {shares}",
            "I go up to {n} {shares}, not further",
            "{n} {shares} is the most that I can agree to",
        ),
        "zh": ("我认为至多 {n} 股", "{n} 股对我足够", "我止步于 {n} 股", "我最多到 {n} 股", "{n} 股是我能同意的上限"),
    },
    "neutral": {
        "en": (
            "I settle on {n} {shares}",
            "{n} {shares} lies between the two",
            "from the middle, {n} {shares}",
            "my answer remains {n} {shares}",
            "{n} {shares} is fair to both",
        ),
        "zh": ("我取中为 {n} 股", "{n} 股介于两者之间", "居中来看是 {n} 股", "我的答案仍是 {n} 股", "{n} 股对两方都公平"),
    },
}
"""Debater of the risk -> how it names its size; a size that comes back is named in other words."""
