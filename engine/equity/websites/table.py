"""Tables of foreign libraries, read defensively: what they give is a pandas frame whose columns may be gone tomorrow.

Nothing of pandas is imported: a frame is what has `columns`, `index` and `loc`-free access by column name.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.share_events import Dividend, Split
from engine.domain.errors import BadMarketData, MarketUnreachable
from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_ms

DAY = Timeframe.parse("1d")


@dataclass(frozen=True, eq=False)
class LiveHistory:
    """Raw daily candles, each in shares of its own day, and what happened to the shares, up to today."""

    candles: Candles
    splits: tuple[Split, ...] = ()
    dividends: tuple[Dividend, ...] = ()
    dropped: tuple[date, ...] = ()
    """Days that were left out because a number was missing."""


class LiveLibrary(Protocol):
    """One library behind one face. All calls block, and raise whatever the library raises."""

    name: str

    def history(self, listing: Listing, first: date, last: date) -> LiveHistory:
        """Return daily prices from `first` to `last`, and share events. Raises MarketUnreachable for an answer without a row."""
        ...

    def filings(self, listing: Listing) -> Sequence[Filing]:
        """Return what was reported, newest or oldest first."""
        ...

    def news(self, listing: Listing) -> Sequence[NewsItem]:
        """Return the newest news."""
        ...

    def sector(self, listing: Listing) -> str | None:
        """Return the sector, None where it is not said."""
        ...


def column(frame: Any, name: str, who: str) -> list[Any]:
    """Return a column as a plain list. Raises BadMarketData when the answer has none of that name."""
    if name not in list(frame.columns):
        raise BadMarketData(Reason("answered_without_column", who=who, name=name, str=", ".join(map(str, frame.columns))[:120]))
    return list(frame[name].tolist())


def is_empty(frame: Any) -> bool:
    """Return whether a library gave nothing: None, or a frame without rows, which is also what it gives when it was cut off."""
    return frame is None or len(frame) == 0


def candles_of(
    days: Sequence[date], columns: Mapping[str, Sequence[Any]], who: str, timeframe: Timeframe = DAY
) -> tuple[Candles, tuple[date, ...]]:
    """Return candles of the rows whose numbers are all there, by date, and the days that were left out. days: aware instants for bars
    within a session.

    Raises MarketUnreachable for no rows, BadMarketData for a price that is not above zero or a day that occurs twice.
    """
    names = ("open", "high", "low", "close", "volume")
    table = np.array([[_number(cell) for cell in columns[name]] for name in names], dtype=np.float64)
    stamps = np.array([_stamp(day) for day in days], dtype=np.int64)
    whole = np.logical_and.reduce(np.isfinite(table), axis=0)
    dropped = tuple(day for day, there in zip(days, whole.tolist(), strict=True) if not there)
    table, stamps = table[:, whole], stamps[whole]
    if len(stamps) == 0:
        raise MarketUnreachable(Reason("gave_no_prices", who=who))
    order = np.argsort(stamps, kind="stable")
    table, stamps = table[:, order], stamps[order]
    if (np.diff(stamps) == 0).any() or (table[:4] <= 0).any() or (table[4] < 0).any():
        raise BadMarketData(Reason("gave_day_twice", who=who))
    opened, high, low, close, volume = table
    high, low = np.maximum(high, np.maximum(opened, close)), np.minimum(low, np.minimum(opened, close))  # they come rounded apart
    return Candles(timeframe, stamps, opened, high, low, close, volume), dropped


def _stamp(day: date) -> int:
    return int(day.timestamp() * 1000) if isinstance(day, datetime) else day_ms(day)


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return math.nan


def as_date(value: Any) -> date | None:
    """Return the date of a timestamp, date or text; None for what is none."""
    if isinstance(value, datetime):
        return None if str(value) == "NaT" else value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        try:
            return datetime.strptime(str(value)[:8], "%Y%m%d").date()
        except ValueError:
            return None


def figures(frame: Any) -> Iterator[tuple[date, dict[str, float]]]:
    """Yield, of a statement with a figure a row and a period a column: period end, row name -> finite number."""
    if is_empty(frame):
        return
    names = [str(name) for name in frame.index.tolist()]
    for label in list(frame.columns):
        end = as_date(label)
        if end is None:
            continue
        values = {name: _number(cell) for name, cell in zip(names, frame[label].tolist(), strict=True)}
        yield end, {name: value for name, value in values.items() if math.isfinite(value)}


def later_factor(stamps: NDArray[np.int64], splits: Sequence[Split]) -> NDArray[np.float64]:
    """Return, for every day, the product of the splits after it: what prices in today's shares are multiplied by to be as traded."""
    factor = np.ones(len(stamps))
    for split in splits:
        factor[stamps < day_ms(split.date)] *= split.ratio
    return factor
