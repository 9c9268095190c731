"""Draws the chart as a still picture, with mplfinance: candles, averages, the RSI, levels, the plan, false prices and a company's events.

A colour is drawn as a number and written as its name in the style sheet, so that the picture has the colours of the page it is in; words
have the page's type. Imported late: see `still.py`.
"""

import io
import re
import warnings
from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import matplotlib as mpl
import mplfinance as mpf
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from engine.api.pictures import DRAWING, draw_candles
from pages.chart.curves import time_ticks
from pages.chart.figure import ChartData
from pages.frame import json_fields, numbers
from pages.frame.escape import markup
from pages.frame.palette import chart_colours

MOST: Final = 110
_PLOT: Final = 1090  # where the price axis begins
_TOP, _FOOT = 10, 310  # of the candles
_PANE: Final = (335, 415)  # of the RSI
_VOLUME: Final = 60  # how high the highest is
_LANE, _HALF = 317, 7  # the middle of what happened to a company, and half the height of its marks
_DAY_MS: Final = 86_400_000
_LINE: Final = 13  # of words
_COLUMNS: Final = (20, 375, 730)  # where words about false prices begin
_MOST_PRICES, _MOST_TIMES = 6, 8  # figures on the axes
_TAG: Final = 16  # the height of a tag on the axis
_ROOM: Final = 8  # bars of room to the right, for the plan
_AVERAGES: Final = (("ema_200", 2.0, "-"), ("ema_50", 1.2, (0, (5, 3))), ("ema_20", 1.2, "-"))
_PLAN: Final = {"entry": "executor", "stop": "down", "target": "up"}
_EVENTS: Final = {"split": "text", "report": "fundamentals", "news": "news"}  # a split goes before results, results before news
_TYPE: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "still",
    "font.size": 11,
    "lines.scale_dashes": False,
    "lines.solid_capstyle": "butt",
}
_NAMES: Final = tuple(chart_colours("green-up")["light"])
_INK: Final = {name: f"#0000{place:02x}" for place, name in enumerate(_NAMES)} | {_NAMES[0]: "#0000ff"}  # black is not written
_PAIR: Final = {"up": _INK["up"], "down": _INK["down"]}
_STYLE: Final = mpf.make_mpf_style(
    marketcolors=mpf.make_marketcolors(up=_INK["surface"], down=_INK["down"], edge=_PAIR, wick=_PAIR, alpha=1.0)
)
_Priced = tuple[float, json_fields.Fields]


def drawn(data: ChartData, width: int, height: int) -> Markup:
    """Return what is in the SVG of a chart that has candles."""
    out = io.StringIO()
    with DRAWING, warnings.catch_warnings(), mpl.rc_context(_TYPE):
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the browser has it
        figure = Figure(figsize=(width / 72, height / 72), dpi=72)
        figure.patch.set_visible(False)
        named = _Picture(figure, data).draw()
        figure.savefig(out, format="svg")
    return _of_the_page(out.getvalue(), named)


def _of_the_page(svg: str, named: Sequence[str]) -> Markup:
    """Return what is in an SVG of matplotlib with the page's type and colours. named: events, by the number of their groups."""
    body = svg[svg.index("<g id=") : svg.rindex("</svg>")]
    body = re.sub(r"font-(?:size|family): [^;]*; ", "", body).replace("font-weight: 700", "font-weight: 600")
    names = {colour: name for name, colour in _INK.items()}
    body = re.sub(r'(?<=: )#0000[0-9a-f]{2}(?=[";])', lambda found: f"var(--{names[found[0]]})", body)
    body = re.sub(r' transform="rotate\(-0 [^"]*"', "", body)
    body = re.sub(r' (?:d|x|y)="[^"]*"', lambda found: re.sub(r"(\.\d)\d+", r"\1", found[0]), body)
    body = re.sub(r'<g id="event (\d+)">', lambda found: markup('<g class="event"><title>{}</title>', named[int(found[1])]), body)
    return Markup(re.sub(r'<g id="[^"]*"', "<g", body).replace("xlink:href", "href"))  # noqa: S704 - matplotlib escapes the words


def spread(wanted: Sequence[float], gap: float, first: float, last: float) -> list[float]:
    """Return places for tags on an axis: as near to where they belong as they can be (least squares), `gap` apart, and never in another
    order. wanted: rising. first, last: they stay between, where there is room for them. `spread` of assets/chart/labels.js is the same."""
    blocks: list[tuple[float, int]] = []  # tags that touch one another move as one: (sum of what they want without the gaps, how many)
    for index, at in enumerate(wanted):
        total, count = at - index * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before = blocks.pop()
            total, count = before[0] + total, before[1] + count
        blocks.append((total, count))
    most = max(first, last - (len(wanted) - 1) * gap)
    places = [min(max(total / count, first), most) for total, count in blocks for _ in range(count)]
    return [at + index * gap for index, at in enumerate(places)]


class _Picture:
    """Draws into a figure in whose axes a bar is 1 wide and a point is a pixel."""

    def __init__(self, figure: Figure, data: ChartData) -> None:
        self.data, self.marks = data, data.marks
        self.times = _column(data.bars, "t")
        self.columns = {name: _column(data.bars, name[0]) for name in ("open", "high", "low", "close", "volume")}
        self.levels, self.plan = self._priced("levels"), self._priced("plan")
        self.count, self.decimals = len(self.times), json_fields.count(data.bars, "decimals")
        self.end, self.a_pixel = self.count + _ROOM - 0.5, (self.count + _ROOM) / _PLOT
        self.low, self.high = self._scale()
        self.figure = figure
        self.prices = self._axes(_TOP, _FOOT)
        self.volume, self.pane = self._axes(_FOOT - _VOLUME, _FOOT), self._axes(*_PANE)

    def draw(self) -> Sequence[str]:
        """Draw everything. Return the names of what happened to a company, by the number of their groups."""
        tags = self._tags()
        self._candles()
        self._pane()
        self._grid([at for _, _, at in tags])
        self._levels()
        self._ghosts()
        named = self._events()
        self._plan(tags)
        for axes in self.figure.axes:
            axes.set_xlim(-0.5, self.end)
            for artist in (*axes.lines, *axes.collections):
                artist.set_clip_on(False)
        return named

    def _axes(self, top: float, foot: float) -> Axes:
        height = self.figure.get_figheight() * 72
        axes = self.figure.add_axes((0, 1 - foot / height, _PLOT / (self.figure.get_figwidth() * 72), (foot - top) / height))
        axes.set_axis_off()
        return axes

    def _priced(self, name: str, value: str = "price") -> list[_Priced]:
        rows = json_fields.rows(self.marks, name)
        return [(price, mark) for mark in rows if (price := json_fields.number(mark, value)) is not None]

    def _scale(self) -> tuple[float, float]:
        low, high = min(self.columns["low"]), max(self.columns["high"])
        span = max(high - low, abs(high) * 1e-6, 1e-12)
        near = [price for price, _ in self.levels if low - span * 0.5 <= price <= high + span * 0.5]
        wanted = [low, high, *near, *(price for price, _ in self.plan if low - 2 * span <= price <= high + 2 * span)]
        room = max(max(wanted) - min(wanted), span) * 0.06
        return min(wanted) - room, max(wanted) + room

    def _y(self, price: float) -> float:
        """Return how far below the top of the candles a price is, in pixels."""
        return (self.high - price) / (self.high - self.low) * (_FOOT - _TOP)

    def _price(self, y: float) -> float:
        return self.high - y / (_FOOT - _TOP) * (self.high - self.low)

    def _holds(self, price: float) -> bool:
        return self.low <= price <= self.high

    def _write(
        self, bar: float, at: float, words: str, colour: str = "muted", anchor: str = "left", to: tuple[int, int] = (0, -4), **more: Any
    ) -> None:
        """at: a price, or a value of the axes `on`. to: from there, in pixels, right and up."""
        where = {"xytext": to, "textcoords": "offset points", "annotation_clip": False, "ha": anchor, "parse_math": False}
        more.pop("on", self.prices).annotate(words, (bar, at), color=_INK[colour], **where, **more)

    def _across(self, price: float, colour: str, width: float = 1, *bars: float, **more: Any) -> None:
        """bars: from which to which, all of them without any."""
        self.prices.plot(bars or (-0.5, self.end), (price, price), color=_INK[colour], linewidth=width, **more)

    def _line(self, axes: Axes, key: str, colour: str, width: float, dash: Any) -> float | None:
        """Draw a series, where it is inside the axes. Return its last value."""
        found, (low, high) = json_fields.inner(json_fields.inner(self.data.bars, "lines"), key).get("v"), axes.get_ylim()
        values = [value if isinstance(value, int | float) else None for value in found][-MOST:] if isinstance(found, list) else []
        shown = [value if value is not None and low <= value <= high else float("nan") for value in values]
        axes.plot(range(len(shown)), shown, color=_INK[colour], linewidth=width, linestyle=dash)
        return next((value for value in reversed(values) if value is not None), None)

    def _candles(self) -> None:
        rises = [close >= opened for opened, close in zip(self.columns["open"], self.columns["close"], strict=True)]
        colours = [_PAIR["up" if rise else "down"] for rise in rises]
        self.volume.vlines(range(self.count), 0, self.columns["volume"], colors=colours, linewidth=0.68 / self.a_pixel, alpha=0.25)
        self.volume.set_ylim(0, max(self.columns["volume"]) or 1)
        self.prices.set_ylim(self.low, self.high)
        for average in _AVERAGES:
            self._line(self.prices, average[0], "muted", *average[1:])
        widths = {"candle_width": 0.64, "candle_linewidth": 1.0}
        draw_candles(self.prices, self.times, self.columns, _STYLE, ylim=(self.low, self.high), update_width_config=widths)

    def _grid(self, taken: Sequence[float]) -> None:
        """taken: where tags are on the axis; a figure that one of them would cover is left out."""
        for price in MaxNLocator(_MOST_PRICES, steps=[1, 2, 2.5, 5, 10]).tick_values(self.low, self.high):
            if self._holds(price):
                self._across(price, "line", zorder=0)
                if all(abs(self._y(price) - at) > _TAG for at in taken):
                    self._write(self.end, price, numbers.number(float(price), self.decimals), to=(6, -4))
        shape = "%m-%d" if self.count > 1 and self.times[1] - self.times[0] >= _DAY_MS else "%m-%d %H:%M"
        for time, _ in time_ticks(int(self.times[0]), int(self.times[-1]), _MOST_TIMES):
            if (bar := bisect_left(self.times, time)) > 3:  # the words of one further left would be cut
                for axes in (self.prices, self.pane):
                    axes.axvline(bar, color=_INK["line"], linewidth=1, zorder=0)
                words = datetime.fromtimestamp(self.times[bar] / 1000, UTC).strftime(shape)
                self._write(bar, 10, words, anchor="center", to=(0, -17), on=self.pane)

    def _levels(self) -> None:
        for price, mark in self.levels:
            if self._holds(price):
                self._across(price, "line-strong")
                words = f"{json_fields.words(mark, 'name') or ''} {json_fields.words(mark, 'text') or ''}"
                self._write(0 if mark.get("kind") == "support" else self.end * 0.45, price, words, "text", to=(0, 4))

    def _ghosts(self) -> None:
        """Draw every false price where it was said to be, or at the edge behind which it lies; no words lie on those of another."""
        taken, last = set[tuple[float, int]](), (_FOOT - _TOP) // _LINE
        for claimed, mark in self._priced("false", "claimed"):
            if mark.get("pane") != "price":
                continue
            source = json_fields.words(mark, "source") or ""
            colour = source if source in ("bull", "bear", "judge") else "faint"
            words = f"{json_fields.words(mark, 'text') or ''}  {json_fields.words(mark, 'gap') or ''}"
            if self._holds(claimed):
                self._across(claimed, colour, 1.4, linestyle=(0, (2, 4)))
            else:
                words = f"{'↑' if claimed > self.high else '↓'} {words}"
            wanted = round(self._y(min(max(claimed, self.low), self.high)) / _LINE)
            rows = sorted(range(1, last + 1), key=lambda row: abs(row - wanted))
            free = ((left, row) for row in rows for left in _COLUMNS if (left, row) not in taken)
            place = next(free, (_COLUMNS[0], last))
            taken.add(place)
            self._write(-0.5, self.high, words, colour, to=(place[0], 4 - place[1] * _LINE), weight="bold")

    def _events(self) -> Sequence[str]:
        """Draw what happened at the bars shown, one mark a place. Return the names of the marks, by the number of their groups."""
        bars, taken, named = {int(at): bar for bar, at in enumerate(self.times)}, list[tuple[float, float]](), list[str]()
        rows, spot = json_fields.rows(self.marks, "events"), self._price(_LANE - _TOP)
        for kind, event in ((kind, event) for kind in _EVENTS for event in rows if event.get("kind") == kind):
            bar, letters = bars.get(json_fields.count(event, "t")), json_fields.words(event, "mark") or ""
            half = max(_HALF, 3.3 * len(letters) + 4) * self.a_pixel  # about as wide as it is
            if bar is None or any(abs(bar - other) < half + wide for other, wide in taken):
                continue
            taken.append((bar, half + self.a_pixel))
            name, group = json_fields.words(event, "name") or "", f"event {len(named)}"
            named.append(name)
            ends, cap = ((bar, bar), "round") if kind == "news" else ((bar - half, bar + half), "butt")
            self._across(spot, _EVENTS[kind], 2 * _HALF, *ends, solid_capstyle=cap, gid=group)
            if kind == "split":
                self._across(spot, "surface", 2 * _HALF - 2, ends[0] + self.a_pixel, ends[1] - self.a_pixel, gid=group)
                self.prices.vlines(
                    bar, self._price(_LANE - _TOP - _HALF), self.high, colors=_INK["text"], linewidths=1, linestyles=(0, (4, 3))
                )
                anchor, right = ("right", -4) if bar > self.end / 2 else ("left", 4)  # there is more room on the other side
                self._write(bar, self.high, name, "text", anchor, to=(right, -10), weight="bold")
            self._write(bar, spot, letters, "text" if kind == "split" else "on-colour", "center", weight="bold", gid=group)
        return named

    def _pane(self) -> None:
        self.pane.set_ylim(10, 90)
        last, before = self._line(self.pane, "rsi_14", "indicator", 1.4, "-"), float(90 + _LINE)
        self._write(-0.5, 90, f"RSI 14 {numbers.number(last, 1)}", to=(2, 4), on=self.pane)
        for level in (30, 70):
            self.pane.plot((-0.5, self.end), (level, level), color=_INK["line"], linewidth=1, linestyle=(0, (2, 3)))
            self._write(self.end, level, f"{level}", to=(6, -4), on=self.pane)
        said = (row for row in self._priced("false", "claimed") if row[1].get("key") == "rsi_14")
        for claimed, mark in sorted(said, key=lambda row: -row[0]):
            at = min(max(claimed, 10.0), 90.0)
            before = min(at, before - _LINE)  # words keep a distance
            self.pane.plot(self.count - 1, at, "o", markersize=8, markerfacecolor="none", color=_INK["grounding"], markeredgewidth=1.5)
            words = json_fields.words(mark, "text") or ""
            self._write(self.count - 1, before, words, "grounding", "right", to=(-8, -4), on=self.pane)

    def _tags(self) -> list[tuple[float, json_fields.Fields, float]]:
        """Return price, mark and place on the axis of every tag, pushed apart where they would cover one another."""
        last, rows = self.columns["close"][-1], [*self.plan]
        if all(abs(self._y(price) - self._y(last)) > 3 for price, _ in rows):
            rows.append((last, {}))
        shown = sorted((row for row in rows if self._holds(row[0])), key=lambda row: -row[0])
        places = spread([self._y(price) for price, _ in shown], _TAG + 1, 0, _FOOT - _TOP)
        return [(price, mark, at) for (price, mark), at in zip(shown, places, strict=True)]

    def _plan(self, tags: Sequence[tuple[float, json_fields.Fields, float]]) -> None:
        """Draw the room of risk and of reward to the right of the last bar, prices on the axis, and the levels of a decision that was
        asked again: a short line each, a column a plan."""
        prices, start = {json_fields.words(mark, "kind"): price for price, mark in self.plan}, self.count - 0.4
        for kind in ("stop", "target") if "entry" in prices else ():
            if kind in prices:
                zone = (start, self.end), prices["entry"], prices[kind]
                self.prices.fill_between(*zone, color=_INK[_PLAN[kind]], alpha=0.14, linewidth=0)
        for price, mark, at in tags:
            colour, spot = _PLAN.get(json_fields.words(mark, "kind") or "", "judge"), self._price(at)
            self._across(price, colour, 1.5, start, self.end)
            self._write(self.end, price, json_fields.words(mark, "name") or "", "text", "right", to=(-4, 4), weight="bold")
            sides = (self.end + pixels * self.a_pixel for pixels in (2, 86))
            self._across(spot, colour, _TAG, *sides)
            words = numbers.number(price, self.decimals)
            self._write(self.end, spot, words, "on-colour", "center", to=(44, -4), weight="bold")
        for price, tick in self._priced("again"):
            if (of := json_fields.count(tick, "of")) and self._holds(price):
                column = (self.end - start) / of
                middle, half = start + column * (json_fields.count(tick, "n") + 0.5), min(5 * self.a_pixel, column * 0.4)
                self._across(price, "text", 2, middle - half, middle + half)


def _column(fields: json_fields.Fields, name: str) -> list[float]:
    column = fields.get(name)
    return [float(value) for value in column if isinstance(value, int | float)][-MOST:] if isinstance(column, list) else []
