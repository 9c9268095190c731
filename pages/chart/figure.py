"""The chart: candles, volume, averages, RSI, levels, the plan and what was said falsely, drawn by Plotly in the page.

`chart_data` is pure: it makes everything the script draws, words included, in two parts. `bars` changes with the market only, `marks` with
the run; each is sent by a component of its own, so that only what changed travels. `draw_chart` puts both into the page.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import streamlit as st
from markupsafe import Markup
from pydantic import JsonValue

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.facts import Pattern
from engine.domain.market.candles import Candle, Candles
from pages.chart.annotations import chart_lines, is_price, of_type, readable
from pages.chart.browser_files import chart_component, chart_files
from pages.frame import json_fields, numbers
from pages.frame.cards import cell, table
from pages.frame.escape import joined, markup, plain, visible
from pages.frame.palette import UpDown, chart_colours
from pages.frame.show import Show
from pages.words.fact_names import fact_name, fact_timeframe, pattern_name

MOST_BARS = 500
MOST_PATTERNS = 6
HEIGHT = 460
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class ChartData:
    """What the script draws, as plain JSON. bars: candles, series and colours. marks: levels, the plan, patterns, false statements, words.

    sentence: what the chart says to anyone who cannot see it.
    """

    bars: dict[str, JsonValue]
    marks: dict[str, JsonValue]
    sentence: str


def chart_data(  # noqa: PLR0913 - a chart is made of this many things
    candles: Candles,
    annotations: Sequence[json_fields.Fields],
    show: Show,
    *,
    symbol: str,
    revision: str,
    series: Mapping[str, Sequence[float | None]],
    forming: Candle | None = None,
    patterns: Sequence[Pattern] = (),
    up_down: UpDown = "green-up",
    later: Candles | None = None,
    bars: dict[str, JsonValue] | None = None,
    drag_step: float | None = None,
    events: Sequence[JsonValue] = (),
) -> ChartData:
    """Return everything to be drawn of these candles.

    candles: closed, oldest first; the last 500 are drawn. annotations: see `chart_marks`. series: key of a fact -> one value a candle, None
    where it is not known. forming: the open candle. patterns: of the fact sheet, drawn when the annotations hold
    none. revision: zoom is kept while it, the symbol and the timeframe are the same. later: candles after the decision,
    drawn inside its plan. bars: what this gave before for the same candles, series, language and colours. drag_step: of prices, where
    stop and target can be dragged; None = they stand still. events: of the company, in a lane under the candles, each `{"t", "kind",
    "mark", "name"}`, kind `split`, `report` or `news`.
    """
    shown, known = candles.tail(MOST_BARS), readable(annotations, show)
    identity = f"{revision}|{symbol}|{candles.timeframe}"
    drawn = shown.followed_by(later) if later is not None else shown
    sentence, again = _sentence(drawn, forming, known, symbol, show), of_type(known, "again")
    marks: dict[str, JsonValue] = {
        "id": identity,
        "forming": _forming(forming),
        "levels": [_level(mark, show) for kind in ("support", "resistance", "break_even", "liquidation") for mark in of_type(known, kind)],
        "plan": [_level(mark, show) for kind in ("entry", "stop", "target") for mark in of_type(known, kind)[-1:]],
        "again": [{name: json_fields.number(mark, name) for name in ("price", "n", "of")} for mark in again],
        "patterns": _patterns(of_type(known, "pattern"), patterns, str(candles.timeframe), show),
        "false": [made for mark in _said_once(of_type(known, "false_level")) if (made := _false(mark, show)) is not None],
        "words": _words(drawn, forming, sentence, json_fields.count(again[0], "of") if again else 0, show),
        "drag_step": drag_step,
        "events": list(events),
    }
    return ChartData(_bars(shown, later, series, show, up_down, identity) if bars is None else bars, marks, sentence)


def _bars(
    candles: Candles, later: Candles | None, series: Mapping[str, Sequence[float | None]], show: Show, up_down: UpDown, identity: str
) -> dict[str, JsonValue]:
    columns = candles.to_columns()
    for name, values in (later.to_columns() if later is not None else {}).items():
        columns[name] = columns[name] + values
    last = columns["close"][-1] if columns["close"] else 0.0
    return {
        "id": identity,
        "known": len(candles),
        "t": [int(time) for time in columns["timestamp"]],
        "step_ms": candles.timeframe.ms,
        "decimals": numbers.decimals(last, show.step),
        "colours": _plain(chart_colours(up_down)),
        **{name[0]: _plain(columns[name]) for name in ("open", "high", "low", "close", "volume")},
        "lines": chart_lines(series, len(candles), show.language),
    }


def draw_chart(data: ChartData, key: str, *, height: int = HEIGHT, on_drag: Callable[[str, float], None] | None = None) -> None:
    """Put the chart into the page. key: one per place; the same key updates the chart that is there. on_drag: is called with `stop` or
    `target` and its new price when the reader has let go of the line."""
    mount, placement = chart_component(), {**chart_files(), "chart": key, "height": height}

    def dragged() -> None:
        moved = getattr(st.session_state.get(f"{key}-marks"), "level", None)
        if on_drag is None or not isinstance(moved, Mapping):
            return
        kind, price = json_fields.words(moved, "kind"), json_fields.number(moved, "price")
        if kind in ("stop", "target") and price is not None:
            on_drag(kind, price)

    mount(key=f"{key}-bars", data={**placement, "part": "bars", "content": _bars_text(data.bars, key)}, height=1)
    mount(key=f"{key}-marks", data={**placement, "part": "marks", "content": _as_text(data.marks)}, height=height, on_level_change=dragged)


def chart_table(candles: Candles, annotations: Sequence[json_fields.Fields], show: Show, *, most: int = 60) -> Markup:
    """Return the same data as HTML tables: the marks, and the last candles, newest first."""
    say, step = show.say, show.step
    heads = ((say("chart_time"), False), *((say(name), True) for name in ("open", "high", "low", "close", "volume")))
    rows = []
    for index in range(len(candles) - 1, max(-1, len(candles) - 1 - most), -1):
        candle = candles[index]
        prices = [numbers.price(value, step) for value in (candle.open, candle.high, candle.low, candle.close)]
        volume = numbers.large(candle.volume, show.language, 0 if candle.volume >= 100 else 2)
        cells = [cell(numbers.bar_time(candle.opened_at).removesuffix(" UTC"))]
        rows.append(cells + [cell(text, "r") for text in (*prices, volume)])
    texts = _mark_texts(readable(annotations, show), show)
    marks = joined(markup("<li>{}</li>", markup("✕ <del>{}</del>", words) if is_false else plain(words)) for words, is_false in texts)
    listed = markup("<ul>{}</ul>", marks) if marks else ""
    return markup('<div class="tb">{}{}</div>', listed, table(heads, rows))


def _bars_text(bars: dict[str, JsonValue], key: str) -> str:
    """Return the bars as text; at most polls they are those of before, and their text is what a poll costs most."""
    kept: tuple[dict[str, JsonValue], str] | None = st.session_state.get(f"{key}-text")
    if kept is None or kept[0] is not bars:
        kept = st.session_state[f"{key}-text"] = bars, _as_text(bars)
    return kept[1]


def _as_text(content: dict[str, JsonValue]) -> str:
    """As text, because Streamlit looks for tables in anything else, and loads pandas for it: half a second before a run's first chart."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> JsonValue:
    return value  # type: ignore[no-any-return]


def _forming(candle: Candle | None) -> JsonValue:
    if candle is None:
        return None
    return {"t": candle.opened_at, "o": candle.open, "h": candle.high, "l": candle.low, "c": candle.close, "v": candle.volume}


def _level(mark: json_fields.Fields, show: Show) -> JsonValue:
    price, kind = json_fields.number(mark, "price"), json_fields.words(mark, "type") or ""
    return {
        "kind": kind,
        "price": price,
        "name": show.say(kind),
        "text": numbers.price(price, show.step),
        "direction": json_fields.value(mark, "direction"),
    }


def _patterns(marked: Sequence[json_fields.Fields], measured: Sequence[Pattern], timeframe: str, show: Show) -> JsonValue:
    """Return the newest patterns, one a bar. direction: 1 up, -1 down, 0 neither."""
    found: dict[int, JsonValue] = {}
    for mark in marked:
        at = json_fields.instant(mark, "timestamp")
        name = json_fields.words(mark, "label") or ""
        word = json_fields.words(mark, "direction") or ""
        sign = {"LONG": 1, "SHORT": -1, "bullish": 1, "bearish": -1}.get(word) or int(json_fields.number(mark, "direction") or 0)
        if at is not None and name:
            ms = int(at.timestamp() * 1000)
            found.setdefault(ms, {"t": ms, "name": visible(pattern_name(name, show.language)), "direction": sign})
    for pattern in () if marked else measured:
        if pattern.timeframe == timeframe:
            name = pattern_name(pattern.name, show.language)
            found.setdefault(pattern.bar_time, {"t": pattern.bar_time, "name": name, "direction": pattern.direction})
    return [found[time] for time in sorted(found)[-MOST_PATTERNS:]]


def _said_once(marks: Sequence[json_fields.Fields]) -> list[json_fields.Fields]:
    """Return a mark for each false value of a fact, however many stated it; `others` are those who stated it after the first."""
    found: dict[tuple[str | None, float | None], dict[str, JsonValue]] = {}
    for mark in marks:
        claimed = json_fields.number(mark, "claimed")
        value = json_fields.words(mark, "label"), json_fields.number(mark, "price") if claimed is None else claimed
        first = found.setdefault(value, {**mark, "others": []})
        who, others = json_fields.words(mark, "source"), first["others"]
        if who and isinstance(others, list) and who not in (first.get("source"), *others):
            others.append(who)
    return [*found.values()]


def typed_mark(claim: Claim, words: str, show: Show) -> JsonValue:
    """Return a false statement as the chart draws it, a bound (`more than 80,000`) too: what was said about it is beside it. words: what
    was stated. None for a state and for a range."""
    if not isinstance(claim.claimed, float):
        return None
    made = _false({"label": claim.key, "source": claim.source, "claimed": claim.claimed, "actual": claim.actual}, show, words)
    return {**made, "source": "human"} if isinstance(made, dict) else None  # in the colour of people


def _false(mark: json_fields.Fields, show: Show, words: str = "") -> JsonValue:
    """Return a false price as a ghost line over the candles, another false value as a hollow dot in the pane of its indicator. words: what
    was stated, "" for the value."""
    key = json_fields.words(mark, "label") or ""
    claimed = json_fields.number(mark, "claimed")
    claimed = json_fields.number(mark, "price") if claimed is None else claimed
    actual = json_fields.number(mark, "actual")
    source = role_of(json_fields.words(mark, "source") or "")
    if claimed is None or fact_timeframe(key):
        return None
    others = mark.get("others")
    who = show.say("list_comma").join(show.name(role_of(str(each))) for each in (source, *(others if isinstance(others, list) else ())))
    mark_fields: dict[str, JsonValue] = {"key": key, "claimed": claimed, "actual": actual, "source": source}
    if not is_price(key):
        value = words or numbers.said(claimed, fact.unit if (fact := show.facts.get(key)) is not None else "index")
        sentence = show.say("false_level", who=who, what=fact_name(key, show.language), price=value)
        return {**mark_fields, "pane": "below", "sentence": sentence, "text": f"✕ {show.say('false_value', who=who, value=value)}"}
    what = fact_name(key, show.language) if key else ""
    what = what.lower() if what in ("Support", "Resistance", "Price") else what
    text = show.say("false_level", who=who, what=what, price=words or numbers.said(claimed, "price")).replace("  ", " ")
    gap = ""
    if actual is not None and actual != 0:
        gap = f"✕ {numbers.signed_price(claimed - actual, show.step)} · {numbers.signed_percent((claimed - actual) / abs(actual) * 100)}"
    return {**mark_fields, "pane": "price", "sentence": visible(text), "text": visible(text), "gap": gap}


def _words(candles: Candles, forming: Candle | None, sentence: str, again: int, show: Show) -> JsonValue:
    """again: how many plans of a decision that was asked again are drawn."""
    say = show.say
    daily = candles.timeframe.ms >= _DAY_MS
    closed = _hour(int(candles.opened_at[-1]), daily=daily) if len(candles) else numbers.DASH
    status = [say("chart_closed", at=closed)] + ([say("chart_forming", at=_hour(forming.opened_at, daily=daily))] if forming else [])
    status += [say("chart_again" if again > 1 else "chart_again_one", n=again)] if again else []
    return {
        "sentence": sentence,
        "style": say("chart_style"),
        "status": " · ".join(status),
        "reset": say("chart_reset"),
        "zoom_in": say("chart_zoom_in"),
        "zoom_out": say("chart_zoom_out"),
        "earlier": say("chart_earlier"),
        "later": say("chart_later_bars"),
        "full": say("chart_full"),
        "frame": say("chart_frame", frame="{frame}"),
        "own": str(candles.timeframe),
        "wheel": say("chart_wheel"),
        "empty": say("chart_empty"),
        "letters": [say(name) for name in ("open", "high", "low", "close", "volume")],
    }


def _hour(ms: int, *, daily: bool) -> str:
    """Return when a candle began: the time, of a daily candle the date."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%m-%d" if daily else "%H:%M")


def _sentence(candles: Candles, forming: Candle | None, marks: Sequence[json_fields.Fields], symbol: str, show: Show) -> str:
    if not len(candles):
        return show.say("chart_empty")
    last = forming.close if forming else float(candles.close[-1])
    low, high = (numbers.price(float(value), show.step) for value in (candles.low.min(), candles.high.max()))
    ends = numbers.bar_time(int(candles.opened_at[-1]))
    values = {"symbol": symbol, "timeframe": candles.timeframe, "n": len(candles), "last": ends}
    first = show.say("chart_says", **values, price=numbers.price(last, show.step), low=low, high=high)
    return " ".join([first, *(f"{words}{' ✕' if is_false else ''}." for words, is_false in _mark_texts(marks, show))])


def _mark_texts(marks: Sequence[json_fields.Fields], show: Show) -> list[tuple[str, bool]]:
    """Return what each mark says, and whether it is what someone stated falsely."""
    texts = []
    for mark in (*(each for each in marks if each.get("type") != "false_level"), *_said_once(of_type(marks, "false_level"))):
        kind = json_fields.words(mark, "type") or ""
        if kind == "false_level":
            made = _false(mark, show)
            texts += [(str(made["sentence"]), True)] if isinstance(made, dict) else []
        elif kind not in ("pattern", "again"):
            texts.append((f"{show.say(kind)} {numbers.price(json_fields.number(mark, 'price'), show.step)}", False))
    return texts
