"""`funding_history`: what was paid for holding a perpetual contract, settlement by settlement."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from engine.desks.plan.tools.indicator_series import summary
from engine.desks.plan.tools.protocol import Json, PlanTool, ToolResult, ToolScope
from engine.desks.plan.tools.quality import bounds_of, coverage, freshness, shape
from engine.desks.plan.tools.series import read_series
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language

_YEAR_MS = 365 * 86_400_000


class FundingArguments(FrozenModel):
    """settlements: how many; three a day at most venues."""

    symbol: str = Field(min_length=1, max_length=40, description="perpetual market as ccxt names it, BTC/USDT:USDT")
    settlements: int = Field(default=21, ge=1, le=300, description="how many settlements back; 21 are a week at most venues")


async def _run(scope: ToolScope, asked: FundingArguments) -> ToolResult:
    series = await read_series(scope, asked.symbol, "funding_rate", "8h", asked.settlements)
    values = series.values
    mean = sum(values) / len(values)
    output: Json = {
        "symbol": asked.symbol,
        **summary(series),
        "change_pct": None,
        "latest_pct": values[-1] * 100,
        "mean_pct": mean * 100,
        "sum_pct": sum(values) * 100,
        "annualised_pct": mean * 100 * _YEAR_MS / series.step_ms,
        "positive_share": sum(value > 0 for value in values) / len(values),
    }
    checks = (
        freshness(series.newest, scope.at, series.step_ms / 1000),
        coverage(len(values), asked.settlements, "settlements"),
        shape(values, *bounds_of("funding_rate"), "rates"),
    )
    return ToolResult(output, checks, series.newest, series.source)


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    latest, mean, year = output["latest_pct"], output["mean_pct"], output["annualised_pct"]
    paid, n, rank = output["positive_share"] * 100, output["points"], output["percentile"]
    if language == "zh":
        return (
            f"{output['symbol']} 最近资金费率 {latest:+.4f} %，近 {n} 次平均 {mean:+.4f} %（年化 {year:+.1f} %），"
            f"{paid:.0f} % 的结算为多头付费，当前处于第 {rank:.0f} 百分位。"
        )
    return (
        f"The last funding rate of {output['symbol']} is {latest:+.4f} %, the mean of {n} settlements {mean:+.4f} % "
        f"({year:+.1f} % a year); longs paid in {paid:.0f} % of them, and the last is at percentile {rank:.0f}."
    )


TOOL = PlanTool("funding_history", "Funding rates of a perpetual market over past settlements.", FundingArguments, _run, _sentence)
