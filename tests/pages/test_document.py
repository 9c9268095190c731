"""A run as one file: whole, quiet, and as safe as the page it was made from."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.domain.events import Event
from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from pages.chart.drawing import MOST
from pages.chart.figure import ChartData, chart_data
from pages.chart.still import RunLog, chart_svg
from pages.desks.decision.decision_view import DECISION, DecisionView
from pages.desks.decision.run_chart import live_annotations
from pages.frame.show import Show
from tests.pages.event_log import with_data
from tests.pages.events import RUNS
from tests.pages.saved import run_document
from tests.pages.test_panels import poisoned

VIEWS = {name: DECISION.reduce(make()) for name, make in RUNS.items()}


def candles(count: int = 300) -> Candles:
    """A walk around the price that the runs of these tests are about."""
    steps = np.random.default_rng(7).normal(0, 60, count)
    close = 77_900 + np.cumsum(steps) - np.cumsum(steps)[-1]
    opened = np.concatenate([[close[0]], close[:-1]])
    times = 1_778_000_000_000 + np.arange(count, dtype=np.int64) * 900_000
    return Candles(
        Timeframe.parse("15m"), times, opened, np.maximum(opened, close) + 20, np.minimum(opened, close) - 20, close, np.full(count, 5.0)
    )


def chart(view: DecisionView, language: str = "en") -> ChartData:
    bars = candles()
    series = {"ema_20": [*bars.close.tolist()], "ema_200": [None] * 200 + [77_800.0] * 100, "rsi_14": [50.0] * len(bars)}
    return chart_data(bars, live_annotations(view), Show(language), symbol="BTC/USDT:USDT", revision="r", series=series)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "language"), [("entry", "zh"), *((name, "en") for name in ("entry", "failed", "position", "starting"))])
def test_every_run_makes_a_file_that_asks_for_nothing(name: str, language: str) -> None:
    view = VIEWS[name]
    page = run_document(view, Show(language, step=0.1), chart(view, language), "green-up")  # type: ignore[arg-type]
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|img|iframe|object|embed|form)\b|\bon\w+=|https?://|@import|url\(", page, re.IGNORECASE)
    for node in view.nodes.values():
        if node.ended and node.text:
            words = max(re.findall(r"[A-Za-z ]{12,}", node.text), key=len)
            assert words.strip() in page


def test_hostile_words_stay_words_in_the_file() -> None:
    poison = "</style><script>alert(1)</script><img src=x onerror=alert(2)>\u202e"
    events = [with_data(event, poisoned(event.data.to_json(), poison)) for event in RUNS["entry"]() if event.kind != "run.started"]
    view = DECISION.reduce([RUNS["entry"]()[0], *events])
    page = run_document(view, Show(step=0.1), chart(view), "green-up")
    assert "<script" not in page
    assert "<img" not in page
    assert "\u202e" not in page


def played(poison: str = "") -> tuple[list[Event], str]:
    """The log of a run, and the file that plays it."""
    events = RUNS["entry"]()
    if poison:
        events = [events[0], *(with_data(event, poisoned(event.data.to_json(), poison)) for event in events[1:])]
    view, show = DECISION.reduce(events), Show(step=0.1)
    log = RunLog(events, chart)
    return events, run_document(view, show, chart(view), "green-up", log=log)


@pytest.mark.full
def test_a_file_plays_every_moment_as_the_page_had_it() -> None:
    """What the script puts together out of what changed is what was drawn, moment by moment, in the order of the log."""
    events, page = played()
    begin = replace(DECISION.empty, whole=DECISION.reduce(events))  # the strip knows where each speaker begins
    content = json.loads(re.search(r'<script type="application/json" id="played">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert content["at"] == sorted(content["at"])
    assert content["seq"] == sorted(set(content["seq"]))
    told = [event.seq for event in events if event.kind != "node.tokens"]
    assert set(told) <= set(content["seq"])
    for index in range(0, len(content["seq"]) - 1, 7):
        seq = content["seq"][index]
        then = DECISION.reduce(events[:seq], begin)
        document = run_document(then, Show(step=0.1), chart(then), "green-up")
        assert all(str(part) in document for part in _parts_at(content, index) if part)
        assert sum(map(len, _parts_at(content, index))) > 1_000


def _parts_at(content: dict[str, Any], moment: int) -> list[str]:
    """What a browser makes of the file at a moment: texts as UTF-16, as it counts."""
    parts = []
    for changes in content["parts"]:
        text = b""
        for at, begin, end, between in changes:
            if at > moment:
                break
            text = text[: 2 * begin] + between.encode("utf-16-le") + text[len(text) - 2 * end :]
        parts.append(text.decode("utf-16-le"))
    return parts


@pytest.mark.full
def test_a_file_runs_its_own_script_and_no_words() -> None:
    poison = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\u2028"
    _, page = played(poison)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == page.count("<script") == 2
    assert not set("<>\u202e\u2028") & set(scripts[0])
    (digest,) = re.findall(r"script-src '(sha256-[^']+)'", page)
    assert digest == f"sha256-{base64.b64encode(hashlib.sha256(scripts[1].encode()).digest()).decode()}"
    assert "onerror=alert" not in re.sub(r"&lt;.*?&gt;", "", page.replace(scripts[0], ""))
    assert not re.search(r"<(link|img|iframe|object|embed|form)\b|https?://|@import|url\(", page.replace(scripts[0], ""), re.IGNORECASE)


def test_the_picture_stands_where_the_numbers_say() -> None:
    """Worked out from the picture alone: two prices on the axis give the scale, and every mark must stand on it."""
    view = VIEWS["entry"]
    drawn = ElementTree.fromstring(chart_svg(chart(view)))
    texts = [(node.text or "", float(node.get("x", 0)), float(node.get("y", 0))) for node in drawn.iter("text")]
    axis = [(float(text.replace(",", "")), y - 4) for text, x, y in texts if x == 1096.0 and re.fullmatch(r"[\d,.]{6,}", text)]
    (high, top), (low, foot) = max(axis), min(axis)

    def price_at(y: float) -> float:
        return low + (foot - y) / (foot - top) * (high - low)

    looks = [(node.get("style", ""), node.get("d", "")) for node in drawn.iter("path")]
    bodies = [(look, line) for look, line in looks if "stroke" in look and re.match(r"fill: var\(--(surface|down)\)", look)]
    assert len(bodies) == MOST
    bars = candles().tail(MOST)
    for (look, line), opened, close in zip(bodies, bars.open, bars.close, strict=True):
        edge = min(float(y) for y in re.findall(r"[ML] [\d.]+ ([\d.]+)", line))
        assert price_at(edge) == pytest.approx(max(opened, close), abs=6)
        assert look.startswith("fill: var(--surface)") == (close >= opened)
    names = {text: y for text, _, y in texts}
    for name, price in (("Stop", 78_200.0), ("Target", 77_690.0)):
        assert price_at(names[name] + 4) == pytest.approx(price, abs=6)
