"""`past_decisions`: what earlier runs decided about a market or a company, out of the journal."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, NoData, PlanTool, ToolResult, ToolScope
from engine.desks.plan.tools.quality import coverage, freshness, judged
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

_USUAL_S = 7 * 86_400.0
_NO_ACTION = ("", "None")


class PastArguments(FrozenModel):
    """limit: how many at most."""

    symbol: str = Field(min_length=1, max_length=40, description="market or ticker")
    limit: int = Field(default=10, ge=1, le=50, description="how many at most, newest first")


async def _run(scope: ToolScope, asked: PastArguments) -> ToolResult:
    found = list(await scope.sources.decisions(asked.symbol, scope.at, asked.limit))
    if not found:
        raise NoData(Reason("journal_holds_no_decision_about", symbol=asked.symbol, at=f"{scope.at:%Y-%m-%d %H:%M}"))
    actions = Counter(str(each["action"]) for each in found)
    output: Json = {"symbol": asked.symbol, "count": len(found), "actions": dict(actions), "decisions": list(found)}
    newest = datetime.fromisoformat(str(found[0]["at"]))
    named = sum(str(each.get("action")) not in _NO_ACTION for each in found)
    sound = sum(bool(each.get("is_valid")) for each in found)
    checks = (
        freshness(newest, scope.at, _USUAL_S),
        coverage(named, len(found), "decisions say what was done"),
        judged("shape", sound / len(found), Reason("sound_decisions", sound=sound, found=len(found))),
    )
    return ToolResult(output, checks, newest, "journal")


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    counted = ", ".join(f"{action} {count}" for action, count in output["actions"].items())
    if language == "zh":
        return f"日志中关于 {output['symbol']} 的 {output['count']} 次决策：{counted}。"
    return f"{output['count']} past decisions about {output['symbol']}: {counted}."


TOOL = PlanTool("past_decisions", "Earlier decisions of the journal about a market or company.", PastArguments, _run, _sentence)
