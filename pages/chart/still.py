"""The chart as a still picture: SVG that needs no script, for a page that is kept as a file. Given what the live chart is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup

from pages.chart.figure import ChartData
from pages.chart.still_events import event_lane
from pages.chart.ticks import round_prices, round_times, spread
from pages.frame import json_fields, numbers
from pages.frame.escape import joined, markup

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


@dataclass(frozen=True)
class _Scale:
    """Where bars and prices stand in the picture."""

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
    ]
    head = markup('<svg class="tb-svg" viewBox="0 0 {} {}" role="img" aria-label="{}">', WIDTH, HEIGHT, data.sentence)
    return Markup('<div class="tb-svgbox" tabindex="0">') + head + joined(body) + Markup("</svg></div>")


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
    """taken: where tags stand on the axis; a figure that one of them would cover is left out."""
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
        before = max(y(claimed), before + _LINE)  # words stand apart, whatever they say
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
