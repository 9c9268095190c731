"""The chart as a still picture: SVG that needs no script, for a page that is kept as a file. Given what the live chart is given."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Generic

from markupsafe import Markup

from engine.domain.events import Event
from pages.chart.figure import ChartData
from pages.frame import json_fields, numbers
from pages.frame.cards import card
from pages.frame.escape import joined, markup
from pages.run.reducer import V

WIDTH, HEIGHT = 1180, 440
MOST = 110
_PLOT = 1090.0  # where the price axis begins
_TOP, _FOOT = 10.0, 310.0  # of the candles
_PANE = (335.0, 415.0)  # of the RSI
_LANE = 317.0  # the middle of what happened to a company
_DAY_MS = 86_400_000
_LINE = 13.0  # of words
_COLUMNS = (20.0, 375.0, 730.0)  # where words about false prices begin
_MOST_PRICES, _MOST_TIMES = 6, 8  # figures on the axes
_TAG = 16.0  # the height of a tag on the axis
_LEFT = 40.0  # a time further left would be cut
_ROOM = 8  # bars of room to the right, for the plan
_AVERAGES = (("ema_200", "2", ""), ("ema_50", "1.2", "5 3"), ("ema_20", "1.2", ""))
_PLAN = {"entry": "executor", "stop": "down", "target": "up"}
_ORDER = ("split", "report", "news")
_COLOURS = {"report": "fundamentals", "news": "news"}
_HALF, _A_LETTER, _MIDDLE = 7.0, 6.6, 545.0
"""Half the height of a mark, about how wide a letter of it is, and where the middle of the picture is."""


_HOUR_MS: Final = 3_600_000
_SPANS_MS: Final = tuple(round(hours * _HOUR_MS) for hours in (0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 24, 48, 168, 336, 672, 1344, 2688, 5376))
_MONDAY_MS: Final = 4 * 24 * _HOUR_MS  # 5 January 1970


def round_prices(low: float, high: float, most: int) -> list[float]:
    """Return prices between two others, `most` of them at most, at equal distances of 1, 2, 2.5 or 5 times a power of ten; [] where there
    is no room between them. most: at least 2."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1, 2, 2.5, 5, 10, 20):
        step = factor * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [round(index * step, 12) for index in range(first, last + 1)]
    return []


def round_times(times: Sequence[float], most: int) -> list[int]:
    """Return the places of those times that lie on full quarters, hours, days or weeks of UTC, the shortest span of which `most` or fewer
    are in them; where none of them does, places at equal distances. times: UTC milliseconds, rising."""
    for span in _SPANS_MS:
        found = [place for place, at in enumerate(times) if (at - (_MONDAY_MS if span >= 7 * 24 * _HOUR_MS else 0)) % span == 0]
        if 0 < len(found) <= most:
            return found
    return list(range(0, len(times), max(1, -(-len(times) // most))))


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


def event_lane(
    events: Sequence[json_fields.Fields], times: Sequence[float], x_of: Callable[[float], float], top: float, lane: float
) -> Markup:
    """Return the marks of the bars shown, one a place: where two would cover each other, a split goes before results, results before news.

    times: milliseconds of the bars shown, in order. x_of: index of a bar -> its middle. top: where lines of splits begin. lane: the middle
    of the marks' row."""
    index, taken, parts = {int(at): place for place, at in enumerate(times)}, list[tuple[float, float]](), list[Markup]()
    for kind in _ORDER:
        for event in events:
            place = index.get(json_fields.count(event, "t"))
            if event.get("kind") != kind or place is None:
                continue
            letters = json_fields.words(event, "mark") or ""
            x, half = x_of(place), max(_HALF, _A_LETTER * len(letters) / 2 + 4)
            if any(abs(x - other) < half + wide + 1 for other, wide in taken):
                continue
            taken.append((x, half))
            parts.append(_mark(kind, letters, json_fields.words(event, "name") or "", (x, lane, half), top))
    return joined(parts)


def _mark(kind: str, letters: str, name: str, at: tuple[float, float, float], top: float) -> Markup:
    """at: middle of the mark, x and y, and half its width."""
    x, y, half = at
    colour = _COLOURS.get(kind)
    line = Markup()
    if colour is None:
        left = x > _MIDDLE  # of the picture: there is more room on the other side
        line = markup(
            '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="var(--text)" stroke-width="1" stroke-dasharray="4 3"/>'
            '<text x="{:.1f}" y="{:.1f}" fill="var(--text)" text-anchor="{}" font-weight="600">{}</text>',
            *(x, top, x, y - _HALF, x + (-4 if left else 4), top + 10, "end" if left else "start", name),
        )
    place = markup('x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"', x - half, y - _HALF, 2 * half, 2 * _HALF)
    fill, round_by = (colour or "surface"), 7 if kind == "news" else 2
    box = markup('<rect {} rx="{}" fill="var(--{})" stroke="var(--{})"/>', place, round_by, fill, colour or "text")
    text = markup(
        '<text x="{:.1f}" y="{:.1f}" fill="var(--{})" text-anchor="middle" font-weight="600">{}</text>',
        *(x, y + 4, "on-colour" if colour else "text", letters),
    )
    return markup('<g class="event"><title>{}</title>{}{}{}</g>', name, line, box, text)


@dataclass(frozen=True)
class _Scale:
    """Where bars and prices are in the picture."""

    count: int
    low: float
    high: float

    @property
    def step(self) -> float:
        return _PLOT / (self.count + _ROOM)

    def x(self, index: float) -> float:
        return (index + 0.5) * self.step

    def y(self, price: float) -> float:
        return _FOOT - (price - self.low) / (self.high - self.low) * (_FOOT - _TOP)

    def holds(self, price: float | None) -> bool:
        return price is not None and self.low <= price <= self.high


def chart_svg(data: ChartData) -> Markup:
    """Return the last bars with everything that is drawn on them; nothing without candles. Colours are the style sheet's."""
    inside = chart_inside(data)
    if not inside:
        return Markup()
    head = markup('<svg class="tb-svg" viewBox="0 0 {} {}" role="img" aria-label="{}">', WIDTH, HEIGHT, data.sentence)
    return Markup('<div class="tb-svgbox" tabindex="0">') + head + inside + Markup("</svg></div>")


def chart_inside(data: ChartData) -> Markup:
    """Return what is in that picture, for one of another size."""
    times = _numbers(data.bars, "t")[-MOST:]
    if not times:
        return Markup()
    marks = data.marks
    columns = {name: _numbers(data.bars, name)[-MOST:] for name in "ohlcv"}
    levels, plan = json_fields.rows(marks, "levels"), json_fields.rows(marks, "plan")
    ghosts = [mark for mark in json_fields.rows(marks, "false") if mark.get("pane") == "price"]
    scale = _scale(columns, [json_fields.number(mark, "price") for mark in plan], [json_fields.number(mark, "price") for mark in levels])
    decimals = json_fields.count(data.bars, "decimals")
    tags = _tag_places(scale, plan, columns["c"][-1])
    body = [
        _grid(scale, times, decimals, [at for _, _, at in tags]),
        _zones(scale, plan),
        _volume(scale, columns),
        joined(_average(scale, data, *each) for each in _AVERAGES),
        _candles(scale, columns),
        joined(_level(scale, mark) for mark in levels),
        _ghosts(scale, ghosts),
        event_lane(json_fields.rows(marks, "events"), times, scale.x, _TOP, _LANE),
        _pane(scale, data),
        _tags(scale, plan, tags, decimals),
        _again(scale, json_fields.rows(marks, "again")),
    ]
    return joined(body)


@dataclass(frozen=True)
class RunLog(Generic[V]):
    """A run to be played in pictures. events: of all of it. chart_at: its chart as it was in a view, None before it has one."""

    events: Sequence[Event]
    chart_at: Callable[[V], ChartData | None]


class KeptPictures:
    """Cards with the picture of a chart: the same chart is drawn once."""

    def __init__(self) -> None:
        self._last: tuple[ChartData, Markup] | None = None

    def of(self, data: ChartData | None, below: Markup | None = None) -> Markup:
        """Return the card, nothing without a chart. below: what is under the picture."""
        if data is None:
            return Markup()
        if self._last is None or self._last[0] != data:
            self._last = data, card(chart_svg(data), below or Markup(), label=data.sentence)
        return self._last[1]


def _numbers(fields: json_fields.Fields, name: str) -> list[float]:
    column = fields.get(name)
    return [float(value) for value in column if isinstance(value, int | float)] if isinstance(column, list) else []


def _line_values(data: ChartData, key: str) -> list[float | None]:
    """Return one value a bar shown; None where it is not known."""
    found = json_fields.inner(json_fields.inner(data.bars, "lines"), key).get("v")
    values = [value if isinstance(value, int | float) else None for value in found] if isinstance(found, list) else []
    return values[-MOST:]


def _scale(columns: dict[str, list[float]], plan: Sequence[float | None], levels: Sequence[float | None]) -> _Scale:
    low, high = min(columns["l"]), max(columns["h"])
    span = max(high - low, abs(high) * 1e-6, 1e-12)
    near = [price for price in levels if price is not None and low - span * 0.5 <= price <= high + span * 0.5]
    wanted = [low, high, *near, *(price for price in plan if price is not None and low - 2 * span <= price <= high + 2 * span)]
    room = max(max(wanted) - min(wanted), span) * 0.06
    return _Scale(len(columns["c"]), min(wanted) - room, max(wanted) + room)


def _text(x: float, y: float, words: str, colour: str = "muted", anchor: str = "start", *, bold: bool = False) -> Markup:
    weight = Markup(' font-weight="600"') if bold else ""
    return markup('<text x="{:.1f}" y="{:.1f}" fill="var(--{})" text-anchor="{}"{}>{}</text>', x, y, colour, anchor, weight, words)


def _rule(x1: float, y1: float, x2: float, y2: float, colour: str, width: str = "1", dash: str = "") -> Markup:
    dashes = markup(' stroke-dasharray="{}"', dash) if dash else ""
    return markup(
        '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="var(--{})" stroke-width="{}"{}/>',
        x1,
        y1,
        x2,
        y2,
        colour,
        width,
        dashes,
    )


def _grid(scale: _Scale, times: Sequence[float], decimals: int, taken: Sequence[float]) -> Markup:
    """taken: where tags are on the axis; a figure that one of them would cover is left out."""
    parts = []
    for price in round_prices(scale.low, scale.high, _MOST_PRICES):
        parts.append(_rule(0, scale.y(price), _PLOT, scale.y(price), "line"))
        if all(abs(scale.y(price) - at) > _TAG for at in taken):
            parts.append(_text(_PLOT + 6, scale.y(price) + 4, numbers.number(price, decimals)))
    shape = "%m-%d" if len(times) > 1 and times[1] - times[0] >= _DAY_MS else "%m-%d %H:%M"
    for index in (place for place in round_times(times, _MOST_TIMES) if scale.x(place) > _LEFT):
        label = datetime.fromtimestamp(times[index] / 1000, UTC).strftime(shape)
        parts += [_rule(scale.x(index), _TOP, scale.x(index), _PANE[1], "line"), _text(scale.x(index), HEIGHT - 8, label, anchor="middle")]
    return joined(parts)


def _volume(scale: _Scale, columns: dict[str, list[float]]) -> Markup:
    most, parts = max(columns["v"]) or 1.0, []
    for index, volume in enumerate(columns["v"]):
        tall = volume / most * 60
        colour = "up" if columns["c"][index] >= columns["o"][index] else "down"
        box = markup(
            'x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"',
            scale.x(index) - scale.step * 0.34,
            _FOOT - tall,
            scale.step * 0.68,
            tall,
        )
        parts.append(markup('<rect {} fill="var(--{})" opacity="0.25"/>', box, colour))
    return joined(parts)


def _candles(scale: _Scale, columns: dict[str, list[float]]) -> Markup:
    parts = []
    for index, (opened, high, low, close) in enumerate(zip(*(columns[name] for name in "ohlc"), strict=True)):
        rise, x = close >= opened, scale.x(index)
        colour, top, foot = "up" if rise else "down", scale.y(max(opened, close)), scale.y(min(opened, close))
        box = markup(
            'x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"', x - scale.step * 0.32, top, scale.step * 0.64, max(foot - top, 1)
        )
        fill = "var(--surface)" if rise else "var(--down)"
        parts.append(_rule(x, scale.y(high), x, scale.y(low), colour))
        parts.append(markup('<rect {} fill="{}" stroke="var(--{})"/>', box, fill, colour))
    return joined(parts)


def _average(scale: _Scale, data: ChartData, key: str, width: str, dash: str) -> Markup:
    points = " ".join(
        f"{scale.x(index):.1f},{scale.y(value):.1f}"
        for index, value in enumerate(_line_values(data, key))
        if value is not None and scale.holds(value)
    )
    dashes = markup(' stroke-dasharray="{}"', dash) if dash else ""
    return (
        markup('<polyline points="{}" fill="none" stroke="var(--muted)" stroke-width="{}"{}/>', points, width, dashes)
        if points
        else Markup()
    )


def _zones(scale: _Scale, plan: Sequence[json_fields.Fields]) -> Markup:
    """Return the room of risk and of reward, to the right of the last bar."""
    prices = {json_fields.words(mark, "kind"): json_fields.number(mark, "price") for mark in plan}
    entry, left = prices.get("entry"), scale.x(scale.count - 0.4)
    parts = []
    for kind in ("stop", "target"):
        other = prices.get(kind)
        if entry is not None and other is not None:
            top, foot = sorted((scale.y(entry), scale.y(other)))
            box = markup('x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"', left, top, _PLOT - left, foot - top)
            parts.append(markup('<rect {} fill="var(--{})" opacity="0.14"/>', box, _PLAN[kind]))
    return joined(parts)


def _again(scale: _Scale, ticks: Sequence[json_fields.Fields]) -> Markup:
    """Return the levels of the plans that the decision came to when it was asked again: a short line each, a column a plan."""
    left, parts = scale.x(scale.count - 0.4), []
    for tick in ticks:
        price, of = json_fields.number(tick, "price"), json_fields.count(tick, "of")
        if price is None or not of or not scale.holds(price):
            continue
        column = (_PLOT - left) / of
        middle, half = left + column * (json_fields.count(tick, "n") + 0.5), min(5.0, column * 0.4)
        parts.append(_rule(middle - half, scale.y(price), middle + half, scale.y(price), "text", "2"))
    return joined(parts)


def _level(scale: _Scale, mark: json_fields.Fields) -> Markup:
    price = json_fields.number(mark, "price")
    if price is None or not scale.holds(price):
        return Markup()
    words = f"{json_fields.words(mark, 'name') or ''} {json_fields.words(mark, 'text') or ''}"
    left = 4 if mark.get("kind") == "support" else _PLOT * 0.45
    return _rule(0, scale.y(price), _PLOT, scale.y(price), "line-strong") + _text(left, scale.y(price) - 4, words, "text")


def _ghosts(scale: _Scale, marks: Sequence[json_fields.Fields]) -> Markup:
    """Draw every false price where it was said to be, or at the edge behind which it lies; no words lie on those of another."""
    parts: list[Markup] = []
    taken: set[tuple[float, int]] = set()
    for mark in marks:
        claimed = json_fields.number(mark, "claimed")
        if claimed is None:
            continue
        source = json_fields.words(mark, "source") or ""
        colour = source if source in ("bull", "bear", "judge") else "faint"
        words = f"{json_fields.words(mark, 'text') or ''}  {json_fields.words(mark, 'gap') or ''}"
        y = scale.y(min(max(claimed, scale.low), scale.high))
        if scale.holds(claimed):
            parts.append(_rule(0, y, _PLOT, y, colour, "1.4", "2 4"))
        else:
            words = f"{'↑' if claimed > scale.high else '↓'} {words}"
        left, row = _free_place(taken, round((y - _TOP) / _LINE))
        parts.append(_text(left, _TOP + row * _LINE - 4, words, colour, bold=True))
    return joined(parts)


def _free_place(taken: set[tuple[float, int]], wanted: int) -> tuple[float, int]:
    """Take the place in the rows of words that is nearest to a row: (where it begins, its row, 1 is the topmost)."""
    last = int((_FOOT - _TOP) / _LINE)
    rows = sorted(range(1, last + 1), key=lambda row: abs(row - wanted))
    found = next(((left, row) for row in rows for left in _COLUMNS if (left, row) not in taken), (_COLUMNS[0], last))
    taken.add(found)
    return found


def _pane(scale: _Scale, data: ChartData) -> Markup:
    top, foot = _PANE

    def y(value: float) -> float:
        return foot - (min(max(value, 10.0), 90.0) - 10) / 80 * (foot - top)

    values = _line_values(data, "rsi_14")
    points = " ".join(f"{scale.x(index):.1f},{y(value):.1f}" for index, value in enumerate(values) if value is not None)
    last = next((value for value in reversed(values) if value is not None), None)
    parts = [_rule(0, y(at), _PLOT, y(at), "line", dash="2 3") + _text(_PLOT + 6, y(at) + 4, f"{at:g}") for at in (30.0, 70.0)]
    parts.append(markup('<polyline points="{}" fill="none" stroke="var(--indicator)" stroke-width="1.4"/>', points))
    parts.append(_text(2, top - 4, f"RSI 14 {numbers.number(last, 1)}"))
    said = [mark for mark in json_fields.rows(data.marks, "false") if mark.get("key") == "rsi_14"]
    before = top - _LINE
    for claimed, mark in sorted(((json_fields.number(mark, "claimed") or 0.0, mark) for mark in said), key=lambda pair: -pair[0]):
        at = markup('cx="{:.1f}" cy="{:.1f}"', scale.x(scale.count - 1), y(claimed))
        parts.append(markup('<circle {} r="4" fill="none" stroke="var(--grounding)" stroke-width="1.5"/>', at))
        before = max(y(claimed), before + _LINE)  # words keep a distance
        parts.append(_text(scale.x(scale.count - 1) - 8, before + 4, json_fields.words(mark, "text") or "", "grounding", "end"))
    return joined(parts)


def _tag_places(scale: _Scale, plan: Sequence[json_fields.Fields], last: float) -> list[tuple[float, str, float]]:
    """Return price, kind and place on the axis of every tag, pushed apart where they would cover one another."""
    rows = [(price, json_fields.words(mark, "kind") or "") for mark in plan if (price := json_fields.number(mark, "price")) is not None]
    if all(abs(scale.y(price) - scale.y(last)) > 3 for price, _ in rows):
        rows.append((last, ""))
    shown = sorted((row for row in rows if scale.holds(row[0])), key=lambda row: -row[0])
    places = spread([scale.y(price) for price, _ in shown], _TAG + 1, _TOP, _FOOT)
    return [(price, kind, at) for (price, kind), at in zip(shown, places, strict=True)]


def _tags(scale: _Scale, plan: Sequence[json_fields.Fields], places: Sequence[tuple[float, str, float]], decimals: int) -> Markup:
    """Return prices on the axis."""
    named = {json_fields.words(mark, "kind"): json_fields.words(mark, "name") or "" for mark in plan}
    parts = []
    for price, kind, at in places:
        colour = _PLAN.get(kind, "judge")
        parts.append(_rule(scale.x(scale.count - 0.4), scale.y(price), _PLOT, scale.y(price), colour, "1.5"))
        parts.append(markup('<rect x="{:.0f}" y="{:.1f}" width="84" height="16" rx="2" fill="var(--{})"/>', _PLOT + 2, at - 8, colour))
        parts.append(_text(_PLOT + 44, at + 4, numbers.number(price, decimals), "on-colour", "middle", bold=True))
        parts.append(_text(_PLOT - 4, scale.y(price) - 4, named.get(kind, ""), "text", "end", bold=True))
    return joined(parts)
