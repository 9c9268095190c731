"""The debaters' prompts: bull, bear and judge of both paths, in both languages.

What every one of them reads alike is first (`debater_system`, and the facts in `briefing.py`), the role and its closing block last: endpoints
keep a beginning that they have seen, and a small model keeps to what it read last.
"""

from collections.abc import Mapping

from engine.desks.decision.paths import Path
from engine.domain.text.language import Language
from engine.prompts.paragraphs import CLOSING, EVIDENCE, FORMS, REJECTION, turn_task
from engine.prompts.render import Text, render

_WHO: Mapping[str, Text] = {
    "entry": {"en": "Bull", "zh": "多方"},
    "position": {"en": "The other side", "zh": "对方"},
}

_TASKS: Mapping[str, Text] = {
    "bull": {
        "en": (
            "You are Bull in a trading debate. Argue for going long now as strongly as the facts allow, in three points: what supports it, with two "
            "or three numbers; the level at which you are proven wrong; the strongest point against you and why it weighs less. Concede what "
            "cannot be denied."
        ),
        "zh": "你是交易辩论中的多方，在事实允许的范围内最有力地论证现在做多。按三点写：①依据（2-3 个数字）②失效价位 ③对己方最不利的一点及为何不足。无法反驳的直接承认。",
    },
    "bear": {
        "en": (
            "You are Bear in a trading debate. Argue for going short now as strongly as the facts allow, in three points: what supports it, with "
            "two or three numbers; the level at which you are proven wrong; the strongest point against you and why it weighs less. Concede "
            "what cannot be denied."
        ),
        "zh": "你是交易辩论中的空方，在事实允许的范围内最有力地论证现在做空。按三点写：①依据（2-3 个数字）②失效价位 ③对己方最不利的一点及为何不足。无法反驳的直接承认。",
    },
    "bear_on_spot": {
        "en": (
            "You are Bear in a trading debate about a spot market, which cannot be sold short. Argue for staying out now as strongly as the facts "
            "allow, in three points: what supports it, with two or three numbers; the level at which you are proven wrong; the strongest point "
            "against you and why it weighs less. Concede what cannot be denied."
        ),
        "zh": "你是现货市场交易辩论中的空方，该市场不能做空。在事实允许的范围内最有力地论证现在不应买入。按三点写：①依据（2-3 个数字）②失效价位 ③对己方最不利的一点及为何不足。无法反驳的直接承认。",
    },
    "judge": {
        "en": (
            "You are the judge of a trading debate. Rule by these questions, in this order: 1. Which points of each side stand on facts, and which "
            "fell. 2. Which timeframe carries, and why. 3. Room to the next level against the way to the stop. 4. What would prove your ruling "
            "wrong. Weigh reasons, not order, length or stated confidence; a number that differs from the facts counts against its speaker. "
            "BULL is LONG, BEAR is SHORT. NEUTRAL is for reasons that weigh the same, not for the mere fact that two sides disagree."
        ),
        "zh": (
            "你是交易辩论的裁判。依次回答：1. 双方哪些论点有事实依据，哪些已不成立。2. 哪个周期起主导作用，为什么。3. 距下一关键价位的空间与到止损的距离之比。"
            "4. 什么情况会证明你的裁定有误。只权衡理由，不看先后、长短与所报的置信度；引用错误数字的一方每次减分。"
            "BULL 即 LONG，BEAR 即 SHORT。双方理由分量相当时才选 NEUTRAL，双方意见相左本身不是理由。"
        ),
    },
    "position_bull": {
        "en": (
            "You speak for KEEPING the open position in a debate about it. {held} Argue for keeping it or adding to it as strongly as the facts "
            "allow, in three points: what still works for it (profit, best and worst excursion, structure); the level at which it must be "
            "closed; the strongest reason to reduce it and why it weighs less. Concede what cannot be denied."
        ),
        "zh": (
            "你在持仓辩论中主张**继续持有**。{held}在事实允许的范围内最有力地论证持有或加仓，按三点写：①仍对仓位有利的依据（盈亏、最大浮盈/最大浮亏、结构）"
            "②必须平仓的价位 ③最有力的减仓理由及为何不足。无法反驳的直接承认。"
        ),
    },
    "position_bear": {
        "en": (
            "You speak for REDUCING the open position in a debate about it. {held} Argue for reducing or closing it as strongly as the facts "
            "allow, in three points: what works against it (what was given back, what threatens the rest, structure); the level at which "
            "keeping it would prove right; the strongest reason to keep it and why it weighs less. Concede what cannot be denied."
        ),
        "zh": (
            "你在持仓辩论中主张**减仓**。{held}在事实允许的范围内最有力地论证减仓或平仓，按三点写：①对仓位不利的依据（已回吐多少、什么威胁剩余部分、结构）"
            "②证明应当持有的价位 ③最有力的持有理由及为何不足。无法反驳的直接承认。"
        ),
    },
    "position_judge": {
        "en": (
            "You are the judge of a debate about an open position: one side spoke for keeping it, the other for reducing it. {held} Choose HOLD, "
            "EXIT, SCALE_IN (add 20 to 50 percent) or PARTIAL_EXIT (close 30 to 70 percent, written as -30 to -70). Rule by these questions, in "
            "this order: 1. Which points of each side stand on facts, and which fell. 2. Which timeframe carries, and why. 3. What the position "
            "can still earn against what it can give back. 4. What would prove your ruling wrong. Weigh reasons, not order, length or stated "
            "confidence; a number that differs from the facts counts against its speaker. HOLD needs a reason as the others do."
        ),
        "zh": (
            "你是持仓辩论的裁判：一方主张持有，一方主张减仓。{held}在 HOLD、EXIT、SCALE_IN（加仓 20% 到 50%）、PARTIAL_EXIT（平仓 30% 到 70%，写作 -30 到 -70）中选择。"
            "依次回答：1. 双方哪些论点有事实依据，哪些已不成立。2. 哪个周期起主导作用，为什么。3. 仓位还能赚多少与可能回吐多少之比。4. 什么情况会证明你的裁定有误。"
            "只权衡理由，不看先后、长短与所报的置信度；引用错误数字的一方每次减分。HOLD 与其他选择一样需要理由。"
        ),
    },
}

_VOTES: Mapping[str, str] = {
    "bull": "confidence: 0-100",
    "bear": "confidence: 0-100",
    "judge": "verdict: BULL|BEAR|NEUTRAL\ndirection: LONG|SHORT|NEUTRAL\nconfidence: 0-100",
    "position_judge": (
        "verdict: HOLD|EXIT|SCALE_IN|PARTIAL_EXIT\nconfidence: 0-100\nadjustment_pct: percent, only for SCALE_IN and PARTIAL_EXIT"
    ),
}

_LENGTHS: Mapping[str, Text] = {
    "bull": {"en": "90 to 130 words", "zh": "一百二十到二百字"},
    "bear": {"en": "90 to 130 words", "zh": "一百二十到二百字"},
    "judge": {"en": "80 to 120 words", "zh": "一百二十到一百八十字"},
}


def debater_system(path: Path, language: Language) -> str:
    """Return the system message of all of them."""
    rejection = render(REJECTION[language], who=_WHO[path.name][language])
    return f"{EVIDENCE[language]}\n\n{FORMS[language]} {rejection}"


def debater_task(path: Path, side: str, language: Language, *, held: str = "", round_number: int = 1, opens: bool = False) -> str:
    """Return what `bull`, `bear` or `judge` is asked on a path, its closing block last. held: which side the open position has. opens:
    no one it could answer has spoken."""
    role = path.node(side)
    task = (_TASKS.get(f"{role}_on_spot", _TASKS[role]) if path.paid_in_full else _TASKS[role])[language]
    turn = "" if side == "judge" else turn_task(round_number, language, opens=opens)
    closing = render(CLOSING[language], length=_LENGTHS[side][language], block=_VOTES.get(role, _VOTES[side]))
    asked = render(task, held=held) if "{held}" in task else task
    return "\n\n".join(filter(None, (f"Role: {side}\n{asked}", turn, closing)))
