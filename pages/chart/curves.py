"""Measured series over time: small charts one above another, each with its own scale of values, on one axis of time where they are of one
time. Given values that someone recorded, gives HTML with SVG in it, for the page and for a saved file; it reads no market.

`st.html` takes SVG out, so the page mounts it by a component (assets/chart/curves.js), which adds only what follows the pointer. Lines are
drawn in a box that stretches, words are beside it: nothing in a chart grows or shrinks with the page but its curve.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.cards import cell, table
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.server.static_files import mount

PANE_HEIGHT: Final = 134
"""Pixels of one chart with its head and its axis."""
_MINUTE, _DAY = 60_000, 86_400_000
_STEPS: Final = (
    *(_MINUTE * each for each in (5, 15, 30, 60, 120, 180, 360, 720)),
    *(_DAY * each for each in (1, 2, 7, 14, 30, 91, 182, 365, 730, 1825)),
)
_TICKS, _VALUES = 6, 3
_ROOM = 0.08  # of the scale, above and below
_TOGETHER = 3.0  # series whose spans differ by less share their axis of time
_WIDE, _TALL = 1000.0, 100.0
_AT_END = 94.0  # percent of the width, behind which a time reaches the word UTC
_LAST: Final = Markup(' class="last"')


@dataclass(frozen=True)
class Curve:
    """One series. name: what it is, in the page's words. unit: behind every value, "" for none. points: (UTC milliseconds, value), oldest
    first, at least one, all finite. bars: drawn as bars from zero, not as a line. falls: as a line with the ground up to zero filled, which
    no value is above. second: (name, points) of another line on the same scale, such as the same points smoothed; of a level, one point.
    third: one more. note: where the values are from. marks: what happened on it, each a link."""

    name: str
    unit: str
    points: tuple[tuple[int, float], ...]
    bars: bool = False
    falls: bool = False
    second: tuple[str, tuple[tuple[int, float], ...]] | None = None
    third: tuple[str, tuple[tuple[int, float], ...]] | None = None
    note: str = ""
    marks: tuple["CurveMark", ...] = ()

    def written(self, value: float) -> str:
        """Return a value as this chart writes it."""
        text = numbers.number(value, self._digits if value else 0)
        return f"{text}{numbers.THIN}{self.unit}" if self.unit else text

    @cached_property
    def _digits(self) -> int:
        size = max(abs(each) for _, each in (*self.points, *(self.second[1] if self.second is not None else ()))) or 1.0
        return max(0, min(6, 2 - math.floor(math.log10(size))))


@dataclass(frozen=True)
class CurveMark:
    """Something on a curve. glyph: one character. css_class: how it looks. words: what it is, for the title and for those who do not see
    it. href: where it leads."""

    ms: int
    value: float
    glyph: str
    css_class: str
    words: str
    href: str


def curves_figure(curves: Sequence[Curve], show: Show) -> Markup:
    """Return the charts, one above another; nothing without one."""
    spans = [(curve.points[0][0], curve.points[-1][0]) for curve in curves]
    lengths = [end - start for start, end in spans]
    longest = max(lengths, default=0)
    near = [span for span, length in zip(spans, lengths, strict=True) if length * _TOGETHER > longest]
    shared = min((start for start, _ in near), default=0), max((end for _, end in near), default=0)
    return joined(_pane(curve, shared if span in near else span, show) for curve, span in zip(curves, spans, strict=True))


def curves_table(curves: Sequence[Curve], show: Show, most: int = 60) -> Markup:
    """Return the same values as tables, newest first, at most `most` of each."""
    parts = []
    for curve in curves:
        heads = ((show.say("chart_time"), False), (curve.name, True))
        rows = [[cell(_stamp(ms)), cell(curve.written(value), "r")] for ms, value in reversed(curve.points[-most:])]
        parts.append(table(heads, rows))
    return markup('<div class="tb">{}</div>', joined(parts))


def draw_curves(html: Markup, curves: Sequence[Curve], key: str, height: int) -> None:
    """Put charts into the page. html: a card with `curves_figure` in it. key: one per place. height: in pixels, which the place has from
    the first."""
    rows = [[[ms, f"{_stamp(ms)} UTC", curve.written(value)] for ms, value in curve.points] for curve in curves]
    mount("chart/curves.js", key, {"html": str(html), "points": json.dumps(rows, separators=(",", ":"))}, height)


def _stamp(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


@dataclass(frozen=True)
class _CurveScale:
    """Where times and values stand, in percent of the plot."""

    start: int
    end: int
    low: float
    high: float

    def x(self, ms: int) -> float:
        return 100 * (ms - self.start) / (self.end - self.start)

    def y(self, value: float) -> float:
        return 100 * (self.high - value) / (self.high - self.low)


def _scale(curve: Curve, span: tuple[int, int]) -> _CurveScale:
    points = [*curve.points, *(point for each in (curve.second, curve.third) if each is not None for point in each[1])]
    values = [value for _, value in points] + ([0.0] if curve.bars or curve.falls else [])
    low, high = min(values), max(values)
    room = (high - low or abs(high) or 1.0) * _ROOM
    edge = max(1, (span[1] - span[0]) // 100)
    return _CurveScale(span[0] - edge, span[1] + edge, low - room, high + room)


def _pane(curve: Curve, span: tuple[int, int], show: Show) -> Markup:
    scale, last = _scale(curve, span), curve.points[-1]
    drawn = _bars(curve, scale) if curve.bars else _line(curve.points, scale, "v fall" if curve.falls else "v")
    if curve.falls:
        drawn = _ground(curve.points, scale) + drawn
    ticks = round_values(scale.low, scale.high, _VALUES)
    grid = joined(_rule(scale.y(value), "zero" if value == 0 else "grid") for value in ticks)
    second = _second(curve, scale) + (_line(curve.third[1], scale, "other") if curve.third is not None else "")
    marks = [markup('<span class="y" style="top:{}%">{}</span>', f"{scale.y(value):.1f}", curve.written(value)) for value in ticks]
    times = [(scale.x(ms), words) for ms, words in time_ticks(scale.start, scale.end)]
    dates = [markup('<span{} style="left:{}%">{}</span>', _LAST if x > _AT_END else "", f"{x:.1f}", words) for x, words in times]
    dot = markup('<i class="end" style="left:{}%;top:{}%"></i>', f"{scale.x(last[0]):.2f}", f"{scale.y(last[1]):.2f}")
    picture = markup(
        '<svg viewBox="0 0 {:.0f} {:.0f}" preserveAspectRatio="none" aria-hidden="true">{}</svg>', _WIDE, _TALL, grid + second + drawn
    )
    ends = markup('data-start="{}" data-end="{}"', scale.start, scale.end)
    plot = markup('<div class="plot" role="img" aria-label="{}" {}>{}{}{}</div>', _sentence(curve, show), ends, picture, dot, joined(marks))
    links = joined(_link(mark, scale) for mark in curve.marks)
    over = markup('<div class="over">{}</div>', links) if links else ""
    look = "tb-curve tall" if curve.third is not None or curve.marks else "tb-curve"
    return markup(
        '<figure class="{}">{}<div class="on">{}{}</div><div class="x">{}<b>UTC</b></div></figure>',
        look,
        _head(curve),
        plot,
        over,
        joined(dates),
    )


def _link(mark: CurveMark, scale: _CurveScale) -> Markup:
    return markup(
        '<a class="{}" style="left:{}%;top:{}%" href="{}" target="_self" title="{}" aria-label="{}">{}</a>',
        mark.css_class,
        f"{scale.x(mark.ms):.2f}",
        f"{scale.y(mark.value):.2f}",
        mark.href,
        mark.words,
        mark.words,
        mark.glyph,
    )


def _head(curve: Curve) -> Markup:
    look = "m" if curve.bars else "m dim"
    second = markup('<span class="{}"><i></i>{}</span>', look, curve.second[0]) if curve.second is not None else ""
    second += markup('<span class="m other"><i></i>{}</span>', curve.third[0]) if curve.third is not None else ""
    last = markup('<span class="now">{} <b>{}</b></span>', f"{_stamp(curve.points[-1][0])} UTC", curve.written(curve.points[-1][1]))
    return markup('<figcaption><b>{}</b> <span class="tb-lab">{}</span>{}{}</figcaption>', curve.name, curve.note, second, last)


def _sentence(curve: Curve, show: Show) -> str:
    values = [value for _, value in curve.points]
    said = {"name": curve.name, "n": len(values), "start": _stamp(curve.points[0][0]), "end": _stamp(curve.points[-1][0])}
    low, high, last = (curve.written(value) for value in (min(values), max(values), values[-1]))
    return show.say("curve_says", **said, low=low, high=high, last=last)


def _path(points: Sequence[tuple[int, float]], scale: _CurveScale) -> str:
    return "M" + "L".join(f"{scale.x(ms) * _WIDE / 100:.1f} {scale.y(value) * _TALL / 100:.2f}" for ms, value in points)


def _line(points: Sequence[tuple[int, float]], scale: _CurveScale, css_class: str) -> Markup:
    return markup('<path class="{}" d="{}"/>', css_class, _path(points, scale))


def _rule(y: float, css_class: str) -> Markup:
    at = f"{y * _TALL / 100:.2f}"
    return markup('<path class="{}" d="M0 {}H{:.0f}"/>', css_class, at, _WIDE)


def _bars(curve: Curve, scale: _CurveScale) -> Markup:
    zero = scale.y(0.0) * _TALL / 100
    path = "".join(f"M{scale.x(ms) * _WIDE / 100:.1f} {zero:.2f}V{scale.y(value) * _TALL / 100:.2f}" for ms, value in curve.points)
    return markup('<path class="b{}" d="{}"/>', "" if len(curve.points) > 60 else " few", path)


def _second(curve: Curve, scale: _CurveScale) -> Markup:
    if curve.second is None:
        return Markup()
    points, look = curve.second[1], "m" if curve.bars else "m dim"
    return _rule(scale.y(points[0][1]), look) if len(points) == 1 else _line(points, scale, look)


def _ground(points: Sequence[tuple[int, float]], scale: _CurveScale) -> Markup:
    ends = ((points[0][0], 0.0), *points, (points[-1][0], 0.0))
    return markup('<path class="ground" d="{}Z"/>', _path(ends, scale))


def round_values(low: float, high: float, count: int) -> list[float]:
    """Return round values within a scale, about `count` of them: 1, 2, 2.5 or 5 times a power of ten apart. low < high."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [float(f"{at * step:.12g}") for at in range(first, math.floor(high / step + 1e-9) + 1)]


def time_ticks(start: int, end: int, most: int = _TICKS) -> list[tuple[int, str]]:
    """Return times of UTC at whole steps between two, with their words: `06:00`, at midnight `05-17`, of long spans `2026-05`."""
    step = next((each for each in _STEPS if (end - start) / each <= most), _STEPS[-1])
    first = math.ceil(start / step) * step
    shape = "%Y" if step > 365 * _DAY else "%Y-%m" if step >= 30 * _DAY else ""
    found = []
    for ms in range(first, end + 1, step):
        at = datetime.fromtimestamp(ms / 1000, UTC)
        found.append((ms, at.strftime(shape or ("%m-%d" if ms % _DAY == 0 else "%H:%M"))))
    return found
