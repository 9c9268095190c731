"""Who speaks where, in which order: analysts of either preset at once, then one after the other."""

from typing import Final

from engine.desks.equities.presets import PRESETS, EquityAnalyst, preset_of
from engine.domain.text.language import Language
from engine.flows.forking import Forking
from engine.flows.protocol import Seat, with_readers
from engine.prompts.render import Text

ANALYSTS: Final[tuple[EquityAnalyst, ...]] = tuple(analyst for name in PRESETS for analyst in preset_of(name).everybody)
_TITLES: Final[dict[str, tuple[str, Text]]] = {
    "bull_researcher": ("research", {"en": "Bull researcher", "zh": "多方研究员"}),
    "bear_researcher": ("research", {"en": "Bear researcher", "zh": "空方研究员"}),
    "research_manager": ("research", {"en": "Research manager", "zh": "研究主管"}),
    "risky": ("risk", {"en": "Risky", "zh": "激进方"}),
    "safe": ("risk", {"en": "Safe", "zh": "保守方"}),
    "neutral": ("risk", {"en": "Neutral", "zh": "中立方"}),
    "risk_judge": ("risk", {"en": "Risk judge", "zh": "风险裁判"}),
    "trader": ("trader", {"en": "Trader", "zh": "交易员"}),
}
_MEMORY: Text = {"en": "Memory", "zh": "记忆"}
_AGAIN: Text = {"en": "second try", "zh": "第二次尝试"}

STAGES: Final[tuple[tuple[str, ...], ...]] = (
    tuple(dict.fromkeys(analyst.key for analyst in ANALYSTS if not analyst.advises)),
    *((node,) for node in _TITLES),
    tuple(analyst.key for analyst in ANALYSTS if analyst.advises),
)
"""Nodes in speaking order; those of one stage speak at once."""


_ADVISORS: Final = tuple(analyst.key for analyst in ANALYSTS if analyst.advises)
_REPORTS: Final = tuple(f"{node}{again}" for node in STAGES[0] for again in ("", "_again"))
HEARD: Final[dict[str, tuple[str, ...]]] = {
    "research_manager": (*_REPORTS, "bull_researcher", "bear_researcher"),
    "risk_judge": ("risky", "safe", "neutral"),
    **{f"{key}{again}": (*_REPORTS, "bull_researcher", "bear_researcher") for key in _ADVISORS for again in ("", "_again")},
}
"""Judge -> the nodes of whose words a second reader is asked beside its speech."""
FORKING: Final = Forking(
    stages=STAGES,
    belongs={analyst.key: (f"{analyst.key}_again", f"{analyst.key}_memory") for analyst in ANALYSTS},
    aliases={"analysis": STAGES[0][0], "research": "bull_researcher", "fusion": "bull_researcher", "risk": "risky"},
    turns=(("bull_researcher", "bear_researcher"), ("risky", "safe", "neutral")),
    heard=HEARD,
)


def seats() -> tuple[Seat, ...]:
    """Return every role: analysts and what belongs to them, advisors, debaters, the trader last; the reader of claims around judges."""
    found = [seat for analyst in ANALYSTS for seat in _seats_of(analyst)]
    found += [Seat(node, node, stage, title) for node, (stage, title) in _TITLES.items()]
    return tuple(seat for each in found for seat in (with_readers(each) if each.node in HEARD else (each,)))


def _seats_of(analyst: EquityAnalyst) -> list[Seat]:
    key, title = analyst.key, analyst.title
    return [
        Seat(key, key, "analysis", title),
        Seat(key, f"{key}_again", "analysis", _with(title, _AGAIN)),
        Seat("memory_summarizer", f"{key}_memory", "memory", _with(title, _MEMORY)),
    ]


def _with(title: Text, more: Text) -> dict[Language, str]:
    return {language: f"{title[language]} · {more[language]}" for language in title}
