"""What one file of candles gives for one instant: the closed candles up to it, on this side of the last gap.

Pure: given a checked file, a timeframe it can give and an instant. Nothing after the instant is looked at, gaps after it included. A longer
timeframe is built of complete candles only, those whose every part is present; nothing is filled in.
"""

from dataclasses import dataclass

import numpy as np

from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.files.recorded_files import CandleFile


@dataclass(frozen=True, eq=False)
class Window:
    """What one file gives for an instant. fault: why it gives nothing although it covers the instant, else None."""

    file: CandleFile
    closed: Candles
    notes: tuple[str, ...] = ()
    fault: str | None = None


def window_at(file: CandleFile, timeframe: Timeframe, at_ms: int, bars: int) -> Window | None:
    """Return up to `bars` candles of the file closed at `at_ms`; None when the file does not cover that instant.

    A file covers the time up to one of its candles beyond its end: the one that is open then is in no file yet.
    """
    source = file.candles
    first, last = span_of(file, timeframe)
    if not first <= at_ms < last + source.timeframe.ms:
        return None
    known = int((source.opened_at + source.timeframe.ms).searchsorted(at_ms, side="right"))
    gaps = file.gaps[: int(file.gaps.searchsorted(known))]
    start = int(gaps[-1]) if len(gaps) else 0
    reach = (bars + 1) * (timeframe.ms // source.timeframe.ms)
    closed = aggregate(source.slice(max(start, known - reach), known), timeframe).tail(bars)
    if len(closed) == 0 or int(closed.opened_at[-1]) != timeframe.last_closed_open(at_ms):
        where = file.gap(known) if known in file.gaps else file.gap(start)
        return Window(file, closed, fault=where)
    if start == 0:
        return Window(file, closed)
    if len(gaps) == 1:
        return Window(file, closed, (Reason("candles_after_gap", gap=file.gap(start)),))
    return Window(file, closed, (Reason("candles_after_last_gap", gap=file.gap(start), n=len(gaps) - 1),))


def span_of(file: CandleFile, timeframe: Timeframe) -> tuple[int, int]:
    """Return two UTC milliseconds: the close of the first candle of the timeframe that lies wholly in the file, and the file's end."""
    opened = int(file.candles.opened_at[0])
    first = -(-(opened - timeframe.floor(0)) // timeframe.ms) * timeframe.ms + timeframe.floor(0)
    return first + timeframe.ms, file.candles.closed_at


def aggregate(candles: Candles, timeframe: Timeframe) -> Candles:
    """Return the complete candles of `timeframe` inside evenly spaced `candles`; the ones cut off at either end are left out.

    The timeframe must be one that theirs `divides`.
    """
    parts = timeframe.ms // candles.timeframe.ms
    if parts == 1 or len(candles) == 0:
        return Candles(timeframe, candles.opened_at, candles.open, candles.high, candles.low, candles.close, candles.volume)
    anchor = timeframe.floor(0)
    opens = anchor + (candles.opened_at - anchor) // timeframe.ms * timeframe.ms
    starts = np.flatnonzero(np.r_[True, opens[1:] != opens[:-1]])
    sizes = np.diff(np.r_[starts, len(candles)])
    whole = sizes == parts
    starts_whole = starts[whole]
    return Candles(
        timeframe,
        opens[starts_whole],
        candles.open[starts_whole],
        np.maximum.reduceat(candles.high, starts)[whole],
        np.minimum.reduceat(candles.low, starts)[whole],
        candles.close[starts_whole + parts - 1],
        np.add.reduceat(candles.volume, starts)[whole],
    )
