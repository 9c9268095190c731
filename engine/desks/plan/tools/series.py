"""One series of a market up to an instant: closes, volumes, an indicator line, funding, open interest. What tools about series share."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Final

from engine.desks.plan.tools.protocol import NoData, ToolScope
from engine.domain.errors import BadInput
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.facts.series import LINES, indicator_series
from engine.market.protocol import HistoryReader, SeriesName

HISTORIES: Final[dict[str, SeriesName]] = {"funding_rate": "funding_rate", "open_interest": "open_interest"}
PLAIN: Final = ("close", "volume")
NAMES: Final = (*PLAIN, *HISTORIES, *LINES)
_WARM_UP = 260  # candles before the first value, as long as the longest line needs


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

    Raises BadInput for a name that there is not, NoData where nothing is known, and the errors of the feed.
    """
    if name not in NAMES:
        raise BadInput(Reason("series_is_not_known", name=f"{name[:40]!r}", names=", ".join(NAMES)))
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
        column = indicator_series(candles)[name] if name in LINES else getattr(candles, name).tolist()
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


def paired(one: MarketSeries, other: MarketSeries) -> list[tuple[float, float]]:
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
