"""`correlation`: how two series move together, with the bounds of what chance alone allows."""

import statistics
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import atanh, log, sqrt, tanh
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, NoData, ToolResult, ToolScope, plan_tool
from engine.desks.plan.tools.quality import coverage, freshness, judged
from engine.desks.plan.tools.series import HISTORIES, PLAIN, MarketSeries, read_series
from engine.desks.plan.words import say
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

_FEWEST = 10
_RELATIVE = ("close", "volume", "open_interest")
"""Series whose changes mean something in relation to their size; of others the values themselves are compared."""
_Z95 = 1.959964


def _bounds(found: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a correlation of `count` > 3 independent pairs, by Fisher's z."""
    centre, reach = atanh(max(-0.999999, min(0.999999, found))), _Z95 / sqrt(count - 3)
    return tanh(centre - reach), tanh(centre + reach)


def _paired(one: MarketSeries, other: MarketSeries) -> list[tuple[float, float]]:
    """Return pairs of values known at the same time: at every point of the series with the longer steps, the last value of the other that
    was known then and is no older than its own step."""
    long, short = (one, other) if one.step_ms >= other.step_ms else (other, one)
    stamps = [known for known, _ in short.points]
    pairs = []
    for known, value in long.points:
        index = bisect_right(stamps, known) - 1
        if index >= 0 and known - stamps[index] <= short.step_ms:
            pairs.append((value, short.points[index][1]) if long is one else (short.points[index][1], value))
    return pairs


def _changes(pairs: Sequence[tuple[float, float]], names: tuple[str, str]) -> list[tuple[float, float]]:
    def change(before: float, after: float, name: str) -> float | None:
        if name not in _RELATIVE:
            return after - before
        return log(after / before) if before > 0 and after > 0 else None

    moved = (tuple(change(before[side], after[side], names[side]) for side in (0, 1)) for before, after in pairwise(pairs))
    return [(a, b) for a, b in moved if a is not None and b is not None]


def _named(given: str, language: Language) -> str:
    """Return a series of a result (`funding_rate of BTC/USDT:USDT`) as people say it."""
    series, _, symbol = given.partition(" of ")
    if series in PLAIN or series in HISTORIES:
        series = say(f"series.{series}", language)
    elif language == "en":
        series = series.replace("_", " ")
    return say("series_of", language, series=series, symbol=symbol)


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    one, other = (_named(output[name], language) for name in ("a", "b"))
    one = f"{one[0].upper()}{one[1:]}" if language == "en" else one
    chance = say("correlation.significant" if output["significant"] else "correlation.chance", language)
    return say("correlation", language, **{**output, "a": one, "b": other, "chance": chance})


@plan_tool("Correlation of two series of markets, with its 95 % interval.", _sentence)
async def correlation(
    scope: ToolScope,
    symbol_a: Annotated[str, Field(min_length=1, max_length=40, description="market of the first series")],
    series_a: Annotated[str, Field(max_length=40, description="close, volume, funding_rate, open_interest, or an indicator")] = "close",
    *,
    symbol_b: Annotated[str, Field(min_length=1, max_length=40, description="market of the second series")],
    series_b: Annotated[str, Field(max_length=40, description="as series_a")] = "close",
    timeframe: Annotated[str, Field(max_length=6, description="length of a candle")] = "1h",
    bars: Annotated[int, Field(ge=_FEWEST, le=1000, description="how many values of each")] = 336,
    compare: Annotated[Literal["changes", "levels"], Field(description="what is compared")] = "changes",
) -> ToolResult:
    """compare: `changes` = from point to point, of prices, volumes and open interest as logarithms; `levels` = the values themselves."""
    one = await read_series(scope, symbol_a, series_a, timeframe, bars)
    other = await read_series(scope, symbol_b, series_b, timeframe, bars)
    pairs = _paired(one, other)
    compared = _changes(pairs, (series_a, series_b)) if compare == "changes" else pairs
    if len(compared) < _FEWEST:
        raise NoData(Reason("only_values_of_both_series_are_known", compared=len(compared), fewest=_FEWEST))
    try:
        found = statistics.correlation(*zip(*compared, strict=True))
    except statistics.StatisticsError:  # one of them is constant
        raise NoData(Reason("one_of_two_series_does_not_move")) from None
    low, high = _bounds(found, len(compared))
    output: Json = {
        "a": f"{series_a} of {symbol_a}",
        "b": f"{series_b} of {symbol_b}",
        "compare": compare,
        "correlation": round(found, 6),
        "low": round(low, 6),
        "high": round(high, 6),
        "n": len(compared),
        "significant": low > 0 or high < 0,
    }
    newest, slower_ms = min(one.newest, other.newest), max(one.step_ms, other.step_ms)
    expected = max(1, min(one.asked * one.step_ms, other.asked * other.step_ms) // slower_ms)
    width = high - low
    checks = (
        freshness(newest, scope.at, slower_ms / 1000),
        coverage(len(pairs), expected, "points of the slower series have a partner"),
        judged("shape", 1 - max(0.0, width - 0.5) / 1.5, Reason("interval_wide", width=f"{width:.2f}")),
    )
    return ToolResult(output, checks, newest, "+".join(dict.fromkeys((one.source, other.source))))
