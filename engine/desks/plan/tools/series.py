"""One series of a market up to an instant, and the tools that give one: an indicator, funding rates, open interest."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Annotated, Final

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, Length, Market, NoData, ToolResult, ToolScope, plan_tool
from engine.desks.plan.tools.quality import coverage, freshness, series_shape
from engine.desks.plan.words import say
from engine.domain.errors import BadInput
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.facts.series import LINES
from engine.facts.series import indicator_series as lines_of
from engine.market.protocol import HistoryReader, SeriesName

PLAIN: Final = ("close", "volume")
HISTORIES: Final[dict[str, SeriesName]] = {"funding_rate": "funding_rate", "open_interest": "open_interest"}
_NAMES: Final = (*PLAIN, *HISTORIES, *LINES)
_Perpetual = Annotated[str, Field(min_length=1, max_length=40, description="perpetual market as ccxt names it, BTC/USDT:USDT")]
_WARM_UP = 260  # candles before the first value, as long as the longest line needs
_MOST_LISTED = 200
_YEAR_MS = 365 * 86_400_000


@dataclass(frozen=True)
class MarketSeries:
    """points: (UTC milliseconds from which it was known, value), oldest first, none after the instant. asked: how many. step_ms:
    usual distance of two. source: who gave them."""

    name: str
    points: tuple[tuple[int, float], ...]
    asked: int
    step_ms: int
    source: str

    @property
    def values(self) -> tuple[float, ...]:
        """The values alone."""
        return tuple(value for _, value in self.points)

    @property
    def newest(self) -> datetime:
        """When the last value was known."""
        return datetime.fromtimestamp(self.points[-1][0] / 1000, UTC)


async def read_series(scope: ToolScope, symbol: str, name: str, timeframe: str, count: int) -> MarketSeries:
    """Return up to `count` values of a series. timeframe: of the candles; funding and open interest have steps of their own.

    Raises BadInput for an unknown name, NoData where nothing is known, and the errors of the feed.
    """
    if name not in _NAMES:
        raise BadInput(Reason("series_is_not_known", name=f"{name[:40]!r}", names=", ".join(_NAMES)))
    feed = scope.sources.feed()
    market = await feed.market(symbol)
    if name in HISTORIES:
        if not isinstance(feed, HistoryReader):
            raise NoData(Reason("feed_keeps_no_past", name=feed.name, value=name.replace("_", " ")))
        reading = await feed.history(market, HISTORIES[name], scope.at, count)
        found, step, source = tuple(point for point in reading.points if point[0] <= scope.at_ms), reading.step_ms, reading.source
    else:
        length = Timeframe.parse(timeframe)
        candles = (await feed.candles(market, length, scope.at, count + (_WARM_UP if name in LINES else 0))).closed
        column = lines_of(candles)[name] if name in LINES else getattr(candles, name).tolist()
        stamped = [
            (int(opened) + length.ms, float(value)) for opened, value in zip(candles.opened_at, column, strict=True) if value is not None
        ]
        found = tuple(point for point in stamped if point[0] <= scope.at_ms and isfinite(point[1]))[-count:]
        step, source = length.ms, feed.venue
    if not found:
        raise NoData(Reason("has_no_up_to_utc", symbol=symbol, name=name, at=f"{scope.at:%Y-%m-%d %H:%M}"))
    return MarketSeries(name, found, count, step, source)


def percentile_of(value: float, values: Sequence[float]) -> float:
    """Return which share of values is below one, equal ones counted half, in percent."""
    below, equal = sum(each < value for each in values), sum(each == value for each in values)
    return 100 * (below + equal / 2) / len(values)


def _summary(series: MarketSeries) -> Json:
    """Return a series in figures: newest values, latest, mean, least, most, change, and the share of values below the last."""
    values = series.values
    return {
        "values": [[_stamp(known), value] for known, value in series.points[-_MOST_LISTED:]],
        "points": len(values),
        "from": _stamp(series.points[0][0]),
        "latest": values[-1],
        "mean": sum(values) / len(values),
        "min": min(values),
        "max": max(values),
        "change_pct": (values[-1] / values[0] - 1) * 100 if values[0] > 0 else None,
        "percentile": round(percentile_of(values[-1], values), 2),
    }


def _stamp(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat()


def _result(scope: ToolScope, series: MarketSeries, output: Json, counted: str = "values", shaped: str = "values") -> ToolResult:
    checks = (
        freshness(series.newest, scope.at, series.step_ms / 1000),
        coverage(len(series.points), series.asked, counted),
        series_shape(series.values, series.name, shaped),
    )
    return ToolResult(output, checks, series.newest, series.source)


@plan_tool("One line of a market over time (closes, volume, an indicator), with its statistics.")
async def indicator_series(
    scope: ToolScope,
    symbol: Market,
    indicator: Annotated[
        str, Field(min_length=1, max_length=40, description="close, volume, rsi_14, ema_50, atr_pct, macd_hist, adx_14, ...")
    ],
    timeframe: Length = "1h",
    bars: Annotated[int, Field(ge=2, le=1000, description="how many values")] = 168,
) -> ToolResult:
    """indicator: `close`, `volume` or the key of a line."""
    series = await read_series(scope, symbol, indicator, timeframe, bars)
    return _result(scope, series, {"symbol": symbol, "indicator": indicator, "timeframe": timeframe, **_summary(series)})


@plan_tool(
    "Funding rates of a perpetual market over past settlements.",
    lambda output, language: say("funding_history", language, paid=output["positive_share"] * 100, **output),
)
async def funding_history(
    scope: ToolScope,
    symbol: _Perpetual,
    settlements: Annotated[int, Field(ge=1, le=300, description="how many settlements back; 21 are a week at most venues")] = 21,
) -> ToolResult:
    """settlements: how many; three a day at most venues."""
    series = await read_series(scope, symbol, "funding_rate", "8h", settlements)
    values = series.values
    mean = sum(values) / len(values)
    output: Json = {
        "symbol": symbol,
        **_summary(series),
        "change_pct": None,
        "latest_pct": values[-1] * 100,
        "mean_pct": mean * 100,
        "sum_pct": sum(values) * 100,
        "annualised_pct": mean * 100 * _YEAR_MS / series.step_ms,
        "positive_share": sum(value > 0 for value in values) / len(values),
    }
    return _result(scope, series, output, "settlements", "rates")


@plan_tool(
    "Open interest of a perpetual market over time.",
    lambda output, language: say("open_interest_history", language, change=output["change_pct"] or 0.0, **output),
)
async def open_interest_history(
    scope: ToolScope,
    symbol: _Perpetual,
    points: Annotated[int, Field(ge=2, le=500, description="how many values back; 168 hours are a week")] = 168,
) -> ToolResult:
    """points: how many values; a venue has one an hour, a recording as it was made."""
    series = await read_series(scope, symbol, "open_interest", "1h", points)
    return _result(scope, series, {"symbol": symbol, **_summary(series)})
