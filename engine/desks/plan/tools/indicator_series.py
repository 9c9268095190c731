"""`indicator_series`: one line of a market over time, and where its last value is in it."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, PlanTool, ToolResult, ToolScope, stamp
from engine.desks.plan.tools.quality import bounds_of, coverage, freshness, shape
from engine.desks.plan.tools.series import MarketSeries, percentile_of, read_series
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language

MOST_LISTED = 200


class SeriesArguments(FrozenModel):
    """indicator: `close`, `volume` or the key of a line."""

    symbol: str = Field(min_length=1, max_length=40, description="market as ccxt names it, BTC/USDT:USDT")
    indicator: str = Field(min_length=1, max_length=40, description="close, volume, rsi_14, ema_50, atr_pct, macd_hist, adx_14, ...")
    timeframe: str = Field(default="1h", max_length=6, description="length of a candle: 15m, 1h, 4h, 1d")
    bars: int = Field(default=168, ge=2, le=1000, description="how many values")


def summary(series: MarketSeries) -> Json:
    """Return a series in figures: newest values, latest, mean, least, most, change, and the share of values below the last."""
    values = series.values
    change = (values[-1] / values[0] - 1) * 100 if values[0] > 0 else None
    return {
        "values": [[stamp(known), value] for known, value in series.points[-MOST_LISTED:]],
        "points": len(values),
        "from": stamp(series.points[0][0]),
        "latest": values[-1],
        "mean": sum(values) / len(values),
        "min": min(values),
        "max": max(values),
        "change_pct": change,
        "percentile": round(percentile_of(values[-1], values), 2),
    }


async def _run(scope: ToolScope, asked: SeriesArguments) -> ToolResult:
    series = await read_series(scope, asked.symbol, asked.indicator, asked.timeframe, asked.bars)
    output: Json = {"symbol": asked.symbol, "indicator": asked.indicator, "timeframe": asked.timeframe, **summary(series)}
    checks = (
        freshness(series.newest, scope.at, series.step_ms / 1000),
        coverage(len(series.points), asked.bars, "values"),
        shape(series.values, *bounds_of(asked.indicator), "values"),
    )
    return ToolResult(output, checks, series.newest, series.source)


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    latest, mean, rank = output["latest"], output["mean"], output["percentile"]
    if language == "zh":
        return (
            f"{output['symbol']} 的 {output['indicator']}（{output['timeframe']}）为 {latest:.6g}，"
            f"近 {output['points']} 个值均值 {mean:.6g}，处于第 {rank:.0f} 百分位。"
        )
    return (
        f"{output['indicator']} of {output['symbol']} ({output['timeframe']}) is {latest:.6g}, "
        f"mean of {output['points']} values {mean:.6g}, percentile {rank:.0f}."
    )


TOOL = PlanTool(
    "indicator_series",
    "One line of a market over time (closes, volume, an indicator), with its statistics.",
    SeriesArguments,
    _run,
    _sentence,
)
