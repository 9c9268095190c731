"""What the scripted roles find in a prompt: fact lines, the plan, the decision. They know nothing else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.domain.facts import SCALES
from engine.llm.protocol import ModelCall

_SAID = re.compile(r"<said by=[^>]*>.*?</said>", re.DOTALL)
_FACT = re.compile(r"^([a-z][a-z0-9_]*) = (\S+)(?: (bn\b|万亿|亿))?", re.MULTILINE)
_PLAN = re.compile(r"(?:The plan of research: |研究计划：)(BUY|SELL|HOLD)(?:, confidence |，置信度 )([\d.]+)")
_DECIDED = re.compile(
    r"(?:Decided: |决策：)(BUY|SELL|HOLD) ([\d.e+]+) (?:shares, limit |股，限价 )(\S+?)(?:, stop |，止损 )(\S+?)(?:, target |，目标 )(\S+?)"
    r"(?:, confidence |，置信度 )([\d.]+)"
)
_LOT = re.compile(r"(?:Lot: |每手 )(\d+)")
_SELLABLE = re.compile(r"(?:may be sold: |可卖 )([\d.]+)")
_VIEW = re.compile(r"^[a-z_]+: (BULLISH|BEARISH|NEUTRAL) \d", re.MULTILINE)


@dataclass(frozen=True)
class Read:
    """facts: key -> the value as written. lean: -1 (against the share) to 1, by plain rules. plan: the manager's action and confidence.
    decided: the judge's block as written."""

    facts: Mapping[str, str]
    lean: float
    plan: tuple[str, float] | None
    decided: tuple[str, ...] | None
    lot: int
    sellable: float


def read_prompt(call: ModelCall) -> Read:
    """Return what a call says: its question, and what its tools answered."""
    answered = [str(message.get("content") or "") for message in call.messages if message.get("role") == "tool"]
    text = _SAID.sub("", "\n".join([call.user, *answered]))
    views = _VIEW.findall(text)
    facts = {key: f"{float(value) * SCALES[scale]:.0f}" if scale else value for key, value, scale in _FACT.findall(text)}
    plan, decided, lot, sellable = _PLAN.search(text), _DECIDED.search(text), _LOT.search(text), _SELLABLE.search(text)
    return Read(
        facts=facts,
        lean=_lean(facts, views),
        plan=(plan[1], float(plan[2])) if plan else None,
        decided=decided.groups() if decided else None,
        lot=int(lot[1]) if lot else 1,
        sellable=float(sellable[1]) if sellable else 0.0,
    )


def _lean(facts: Mapping[str, str], views: list[str]) -> float:
    points: list[float] = [{"BULLISH": 0.6, "BEARISH": -0.6}.get(view, 0.0) for view in views]
    close = _float(facts, "close")
    for average in ("ema_50", "ema_200"):
        if close is not None and (value := _float(facts, average)):
            points.append(max(-1.0, min(1.0, (close / value - 1.0) * 12)))
    for key, scale in (
        ("macd_hist", None),
        ("average_tone", 1.0),
        ("revenue_growth_pct", 0.05),
        ("net_margin_pct", 0.02),
        ("change_1d_pct", 0.1),
    ):
        value = _float(facts, key)
        if value is not None:
            points.append(max(-1.0, min(1.0, value * scale)) if scale is not None else (0.4 if value > 0 else -0.4 if value < 0 else 0.0))
    return sum(points) / len(points) if points else 0.0


def _float(facts: Mapping[str, Any], key: str) -> float | None:
    try:
        return float(facts[key])
    except (KeyError, ValueError):
        return None
