"""A model of which everything is known: which of its numbers are false, and that one number decides its verdict."""

import re
from collections.abc import Mapping
from typing import Final

from engine.domain.facts import read_fact_lines
from engine.domain.text.language import Language
from tests.servers.llm import Body, system_of, user_of

_INDEXES: Final = ("rsi_14", "adx_14", "mfi_14")
_STATED: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "rsi_14": "RSI(14) stands at {}.",
        "ema_20": "The EMA 20 is at {}.",
        "ema_50": "The EMA 50 is at {}.",
        "ema_200": "The EMA 200 is at {}.",
    },
    "zh": {"rsi_14": "RSI(14)为{}。", "ema_20": "EMA20位于{}。", "ema_50": "EMA50位于{}。", "ema_200": "EMA200位于{}。"},
}
_NOTE: Final = re.compile(r'<said by="colleague">\n[^\n]*?(?:at |为)([\d.]+)[.。]', re.MULTILINE)
_CORRECTION: Final = re.compile(r"^- \w+ = ([\d.]+)[;；]", re.MULTILINE)


def lies_about(facts: Mapping[str, object]) -> bool:
    """Whether it states the EMA 200 falsely: where the last digit before the point of the EMA 20 is even."""
    return int(float(str(facts["ema_20"]))) % 2 == 0


def answer(body: Body) -> str:
    """What it says."""
    user, facts = user_of(body), read_fact_lines(user_of(body))
    assert len(re.findall(r"^Role: commentator$", system_of(body), re.MULTILINE)) == 1
    language: Language = "zh" if re.search(r"[\u4e00-\u9fff]", system_of(body)) else "en"
    stated = {key: facts[key] for key in _STATED[language] if key in facts}
    if lies_about(facts):
        stated["ema_200"] = round(float(stated["ema_200"]) * 1.2, 2)
    text = " ".join(_STATED[language][key].format(value) for key, value in stated.items())
    long = int(_believed(user, facts) // 25) % 2 == 0
    words = ("BULLISH", "BEARISH") if "BULLISH" in system_of(body) else ("LONG", "SHORT")
    return f"{text}\n\n[View]\ndirection: {words[not long]}\nconfidence: 60\n"


def _believed(user: str, facts: Mapping[str, object]) -> float:
    """The sum of three indicators, the last one heard as it was said last. A lie of 25 moves it by one step of 25."""
    listed = sum(float(str(facts[key])) for key in _INDEXES if key in facts)
    heard = _CORRECTION.search(user) or _NOTE.search(user)
    return round(listed + (float(heard[1]) if heard else 0.0), 1)
