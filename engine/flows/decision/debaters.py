"""The debaters' prompts: bull, bear and judge of both paths, in both languages."""

from collections.abc import Mapping

from engine.domain.text.language import Language
from engine.flows.decision.paths import Path
from engine.prompts.paragraphs import CLOSING, EVIDENCE
from engine.prompts.render import Text, render

_TASKS: Mapping[str, Text] = {
    "bull": {
        "en": (
            "You are Bull in a trading debate. Argue for going long now as strongly as the facts allow: what supports it, where it is proven "
            "wrong, what the other side will say and why it weighs less. Concede what cannot be denied."
        ),
        "zh": "你是交易辩论中的多方。在事实允许的范围内最有力地论证现在做多：依据是什么、在哪里会被证伪、对方会怎么说以及为何分量更轻。无法否认的要承认。",
    },
    "bear": {
        "en": (
            "You are Bear in a trading debate. Argue for going short now as strongly as the facts allow, and answer Bull: what weighs against "
            "rising prices, where your view is proven wrong, which of Bull's points does not hold. Concede what cannot be denied."
        ),
        "zh": "你是交易辩论中的空方。在事实允许的范围内最有力地论证现在做空，并回应多方：什么在压制上涨、你的观点在哪里会被证伪、多方的哪一点站不住。无法否认的要承认。",
    },
    "judge": {
        "en": (
            "You are the judge of a trading debate. Rule for the side whose case rests on measured facts; a number that differs from the facts "
            "counts against its speaker. When neither case is sound enough to risk money on, rule NEUTRAL."
        ),
        "zh": "你是交易辩论的裁判。支持论据建立在实测事实之上的一方；与事实不符的数字对其发言者不利。双方都不足以承担真金白银的风险时，裁定 NEUTRAL。",
    },
    "position_bull": {
        "en": (
            "You are Bull in a debate about an open position. Argue for keeping it or adding to it as strongly as the facts allow: profit, best "
            "and worst excursion, drawdown from the peak, bars held, structure. Concede what cannot be denied."
        ),
        "zh": "你是持仓辩论中的多方。在事实允许的范围内最有力地论证继续持有或加仓：盈亏、最大有利与不利波动、距峰值回撤、持有K线数、结构。无法否认的要承认。",
    },
    "position_bear": {
        "en": (
            "You are Bear in a debate about an open position. Argue for reducing or closing it as strongly as the facts allow, and answer Bull: "
            "what has been given back, what threatens the rest, which reason for holding no longer holds. Concede what cannot be denied."
        ),
        "zh": "你是持仓辩论中的空方。在事实允许的范围内最有力地论证减仓或平仓，并回应多方：已经回吐了多少、什么威胁着剩余部分、哪条持有理由已不成立。无法否认的要承认。",
    },
    "position_judge": {
        "en": (
            "You are the judge of a debate about an open position. Choose HOLD, EXIT, SCALE_IN (add 20 to 50 percent) or PARTIAL_EXIT (close 30 "
            "to 70 percent, written as -30 to -70). A number that differs from the facts counts against its speaker. When in doubt, HOLD."
        ),
        "zh": (
            "你是持仓辩论的裁判。在 HOLD、EXIT、SCALE_IN（加仓20%到50%）、PARTIAL_EXIT（平仓30%到70%，写作 -30 到 -70）中选择。"
            "与事实不符的数字对其发言者不利。存疑时选 HOLD。"
        ),
    },
}

_VOTES: Mapping[str, str] = {
    "bull": "confidence: 0-100",
    "bear": "confidence: 0-100",
    "judge": "verdict: BULL|BEAR|NEUTRAL\ndirection: LONG|SHORT|NEUTRAL\nconfidence: 0-100",
    "position_judge": (
        "verdict: HOLD|EXIT|SCALE_IN|PARTIAL_EXIT\ndirection: LONG|SHORT|NEUTRAL\nconfidence: 0-100\n"
        "adjustment_pct: percent, only for SCALE_IN and PARTIAL_EXIT"
    ),
}

_LENGTHS: Mapping[str, Text] = {
    "bull": {"en": "90 to 130 words", "zh": "一百二十到二百字"},
    "bear": {"en": "90 to 130 words", "zh": "一百二十到二百字"},
    "judge": {"en": "50 to 80 words", "zh": "八十到一百二十字"},
}


_OPENS: Text = {
    "en": (
        "Both sides open at the same time: the other one has said nothing yet. Answer nobody and make your own case; you hear each other "
        "afterwards."
    ),
    "zh": "双方同时开场：对方尚未发言。不要回应任何人，只陈述自己的论据；之后才会听到彼此的发言。",
}


def opening_system(path: Path, side: str, language: Language) -> str:
    """Return the system message of a side that opens while the other does."""
    return f"{debater_system(path, side, language)}\n\n{_OPENS[language]}"


def debater_system(path: Path, side: str, language: Language) -> str:
    """Return the system message of `bull`, `bear` or `judge` on a path."""
    role = path.node(side)
    closing = render(CLOSING[language], length=_LENGTHS[side][language], block=_VOTES.get(role, _VOTES[side]))
    return "\n\n".join((_TASKS[role][language], EVIDENCE[language], closing))
