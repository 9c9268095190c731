"""Candles drawn by mplfinance: the chart as an image, for roles whose model can look at one, and those of any other still picture.

Given a snapshot, `chart_png` gives a PNG of its last 100 closed candles with EMA 20, EMA 50 and volume, on white. Nothing in it is text
from outside: only numbers, times and the names of the two averages. Never touches pyplot's state (a figure of its own, drawn by Agg), so it
may be called from any thread; a lock serialises the drawing, because matplotlib's font and text caches are shared. Equal snapshots give
equal bytes.
"""

import io
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import mplfinance as mpf
import numpy as np
import pandas as pd
import talib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from engine.domain.errors import BadMarketData
from engine.domain.market.candles import COLUMNS, Candles
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import MINUTE_MS
from engine.domain.text.reason import Reason

DAY_MS: Final = 1440 * MINUTE_MS
CANDLES: Final = 100
SIZE_PX: Final = (1000, 640)
_DPI = 100
_UP, _DOWN, _INK, _GRID = "#0f8a5f", "#c8323c", "#3c4350", "#e3e6ea"
_AVERAGES = ((20, "#2962c9"), (50, "#d98a00"))
_STYLE = mpf.make_mpf_style(
    marketcolors=mpf.make_marketcolors(up=_UP, down=_DOWN, edge="inherit", wick="inherit", volume="inherit"),
    facecolor="white",
    figcolor="white",
    gridcolor=_GRID,
)
DRAWING: Final = threading.Lock()
"""Held while a picture is drawn: one at a time."""


def chart_png(snapshot: Snapshot) -> bytes:
    """Draw the main timeframe, 1000 x 640 pixels. Raises BadMarketData when there are fewer than two candles or a number is not finite."""
    candles = snapshot.candles
    shown = candles.tail(CANDLES)
    if len(shown) < 2:
        raise BadMarketData(Reason("chart_needs_at_least_2_closed_candles", timeframe=candles.timeframe, shown=len(shown)))
    for name in COLUMNS:
        if not np.isfinite(getattr(candles, name)).all():
            raise BadMarketData(Reason("candles_cannot_be_drawn", timeframe=candles.timeframe, name=name))
    with DRAWING:
        figure = _draw(candles, shown)
        out = io.BytesIO()
        figure.canvas.print_png(out, metadata={"Software": None})  # type: ignore[attr-defined]  # the canvas is Agg's
        return out.getvalue()


def _draw(candles: Candles, shown: Candles) -> Figure:
    figure = Figure(figsize=(SIZE_PX[0] / _DPI, SIZE_PX[1] / _DPI), dpi=_DPI, facecolor="white")
    FigureCanvasAgg(figure)
    price_axes = figure.add_axes((0.02, 0.3, 0.88, 0.64), facecolor="white")
    volume_axes = figure.add_axes((0.02, 0.07, 0.88, 0.21), facecolor="white", sharex=price_axes)
    averages = list(_averages(candles, len(shown)))
    draw_candles(
        price_axes,
        shown.opened_at,
        {name: getattr(shown, name) for name in COLUMNS},
        _STYLE,
        volume=volume_axes,
        volume_ylim=(0.0, 1.1 * float(shown.volume.max()) or 1.0),
        ylim=_limits(shown, [line for _, _, line in averages]),
        datetime_format="%m-%d %H:%M" if candles.timeframe.ms < DAY_MS else "%Y-%m-%d",
    )
    for name, colour, line in averages:
        price_axes.plot(np.arange(len(shown)), line, color=colour, linewidth=1.3, label=name)
    price_axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, fontsize=9, frameon=False, labelcolor=_INK)
    for axes in (price_axes, volume_axes):
        _quiet(axes)
    price_axes.tick_params(axis="x", labelbottom=False)
    price_axes.ticklabel_format(axis="y", style="plain")
    return figure


def draw_candles(
    axes: Axes, opened_at: Sequence[float] | NDArray[np.int64], columns: Mapping[str, ArrayLike], style: Any, **more: Any
) -> None:
    """Draw candles at the places 0, 1, 2, whatever time lies between them. opened_at: UTC milliseconds. style: of mplfinance. more: what
    else `mplfinance.plot` is told."""
    index = pd.DatetimeIndex(pd.to_datetime(opened_at, unit="ms"))
    frame = pd.DataFrame({name.capitalize(): column for name, column in columns.items()}, index=index)
    mpf.plot(frame, type="candle", style=style, ax=axes, axtitle="", ylabel="", ylabel_lower="", xrotation=0, **more)


def _averages(candles: Candles, count: int) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Yield the lines over the shown candles, warmed up on all there are; NaN where they are not known yet."""
    close = np.ascontiguousarray(candles.close)
    for period, colour in _AVERAGES:
        yield f"EMA {period}", colour, talib.EMA(close, period)[-count:]


def _limits(shown: Candles, lines: list[NDArray[np.float64]]) -> tuple[float, float]:
    """Bottom and top of the price axis: everything visible, with a little air; never an empty range."""
    known = [line[np.isfinite(line)] for line in lines]
    low = min(float(column.min()) for column in (shown.low, *known) if len(column))
    high = max(float(column.max()) for column in (shown.high, *known) if len(column))
    air = 0.04 * (high - low) or 0.01 * abs(high) or 1.0
    return low - air, high + air


def _quiet(axes: Axes) -> None:
    axes.yaxis.tick_right()
    axes.grid(visible=True, color=_GRID, linewidth=0.6)
    axes.tick_params(colors=_INK, labelsize=9, length=0)
    axes.ticklabel_format(axis="y", useOffset=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
