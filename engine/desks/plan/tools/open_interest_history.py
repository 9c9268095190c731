"""`open_interest_history`: how much is held in a perpetual contract, over time, and what the price did meanwhile."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from engine.desks.plan.tools.indicator_series import summary
from engine.desks.plan.tools.protocol import Json, PlanTool, ToolResult, ToolScope
from engine.desks.plan.tools.quality import bounds_of, coverage, freshness, shape
from engine.desks.plan.tools.series import read_series
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language


class InterestArguments(FrozenModel):
    """points: how many values; a venue has one an hour, a recording as it was made."""

    symbol: str = Field(min_length=1, max_length=40, description="perpetual market as ccxt names it, BTC/USDT:USDT")
    points: int = Field(default=168, ge=2, le=500, description="how many values back; 168 hours are a week")


async def _run(scope: ToolScope, asked: InterestArguments) -> ToolResult:
    series = await read_series(scope, asked.symbol, "open_interest", "1h", asked.points)
    output: Json = {"symbol": asked.symbol, **summary(series)}
    checks = (
        freshness(series.newest, scope.at, series.step_ms / 1000),
        coverage(len(series.points), asked.points, "values"),
        shape(series.values, *bounds_of("open_interest"), "values"),
    )
    return ToolResult(output, checks, series.newest, series.source)


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    change, n, rank = output["change_pct"] or 0.0, output["points"], output["percentile"]
    if language == "zh":
        return f"{output['symbol']} 持仓量 {output['latest']:.6g}，较 {n} 个值之前变化 {change:+.2f} %，处于第 {rank:.0f} 百分位。"
    return (
        f"Open interest of {output['symbol']} is {output['latest']:.6g}, {change:+.2f} % against {n} values ago, at percentile {rank:.0f}."
    )


TOOL = PlanTool("open_interest_history", "Open interest of a perpetual market over time.", InterestArguments, _run, _sentence)
