"""The chart in a real browser: mounted once, the reader's zoom kept, light and dark followed, nothing fetched from elsewhere."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pages.chart.browser_files import chart_files
from pages.chart.drawing import spread
from pages.chart.figure import chart_data
from pages.frame.show import Show
from tests.browser.chart_page import made_candles
from tests.browser.conftest import is_abroad, serving

pytestmark = pytest.mark.browser

STATE = """() => {
  const plot = document.querySelector(".tb-chart .plot"), candles = plot.data.find((trace) => trace.name === "candles");
  return {
    mounts: plot.dataset.mounts, draws: Number(plot.dataset.draws), range: plot.layout.xaxis.range,
    charts: document.querySelectorAll(".plot").length,
    mine: plot.mine === true, up: candles.increasing.line.color, label: plot.getAttribute("aria-label"),
    forming: plot.layout.shapes.filter((shape) => shape.line && shape.line.dash === "2px,2px").map((shape) => shape.y1),
  };
}"""


@pytest.fixture(scope="module")
def address(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The chart's page, served on loopback."""
    with serving(Path(__file__).with_name("chart_app.py"), tmp_path_factory.mktemp("chart") / "home") as address:
        yield address


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page once the chart is drawn; `page.abroad` are requests that left the machine, `page.sizes` of what the server sent."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.abroad, page.sizes, page.wrong = [], [], []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("request", lambda request: page.abroad.append(request.url) if is_abroad(request.url) else None)
    page.on("websocket", lambda link: link.on("framereceived", lambda frame: page.sizes.append(len(frame))))
    page.goto(address)
    page.wait_for_function("document.querySelector('.plot .main-svg') !== null && document.querySelector('.plot').layout", timeout=30_000)
    page.evaluate("document.querySelector('.plot').mine = true")
    yield page
    context.close()


def _later(page: Any, before: dict[str, Any], updates: int = 3) -> dict[str, Any]:
    page.wait_for_function(f"Number(document.querySelector('.plot').dataset.draws) >= {before['draws'] + updates}", timeout=15_000)
    return dict(page.evaluate(STATE))


def _moved_from(page: Any, before: dict[str, Any]) -> dict[str, Any]:
    """The chart once its range has changed; a busy machine takes its time."""
    for _ in range(100):
        now = dict(page.evaluate(STATE))
        if now["range"] != before["range"]:
            return now
        page.wait_for_timeout(100)
    pytest.fail("the range did not change within 10 s")


def _dragged_from(page: Any, before: dict[str, Any]) -> dict[str, Any]:
    """Drag the chart; a busy machine may lose a gesture to an update in its middle, a reader would then drag again."""
    for _ in range(5):
        box = page.locator(".plot").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 80)
        page.mouse.down()
        page.mouse.move(box["x"] + 480, box["y"] + 80, steps=6)
        page.mouse.up()
        page.wait_for_timeout(700)
        now = dict(page.evaluate(STATE))
        if now["range"] != before["range"]:
            return now
    pytest.fail("the range did not change in five drags")


def test_the_readers_zoom_survives_every_update(page: Any) -> None:
    first = page.evaluate(STATE)
    moved = _dragged_from(page, first)
    sent = len(page.sizes)
    later = _later(page, moved)
    assert later["range"] == moved["range"]
    assert (later["mounts"], later["charts"], later["mine"]) == ("1", 1, True), "the same chart, mounted once"
    assert later["forming"] != moved["forming"] or _later(page, later, 1)["forming"] != moved["forming"], "and yet the market moved"
    assert max(page.sizes[sent:]) < 12_000 < max(page.sizes), "candles travel once, updates are small"
    page.get_by_label("Show the whole chart").click()
    assert _later(page, later, 1)["range"] == first["range"]
    assert page.wrong == []


def test_keys_are_enough_to_zoom_and_to_find_the_bar_of_a_claim(page: Any) -> None:
    first = page.evaluate(STATE)
    page.get_by_label("zoom in").focus()
    page.keyboard.press("Enter")
    closer = _moved_from(page, first)
    assert closer["range"][0] > first["range"][0]
    page.locator("[data-claim=adx_14]").focus()
    page.keyboard.press("Enter")
    start, end = _moved_from(page, closer)["range"]
    assert start < "2026-05-14 23:06" < end


SHOWN = """() => {
  const plot = document.querySelector(".tb-chart .plot"), words = plot.layout.annotations.map((note) => note.text.replace(/<[^>]*>/g, ""));
  const pane = plot.data.filter((trace) => trace.yaxis === "y3"), lines = pane.filter((trace) => trace.mode === "lines");
  return {
    below: lines.map((trace) => trace.name), values: lines.at(-1).y, shape: lines.at(-1).line.shape, words,
    over: plot.data.filter((trace) => trace.yaxis === "y" && trace.name !== "candles").map((trace) => trace.name),
    said: pane.filter((trace) => trace.name === "said").map((trace) => trace.y[0]), frame: plot.layout.yaxis3.range,
    focus: plot.layout.shapes.some((shape) => shape.line && shape.line.dash === "3px,3px"),
  };
}"""


def test_a_click_on_a_claim_shows_what_it_is_about(page: Any) -> None:
    def click(key: str, shown: str = "") -> Any:
        before = page.evaluate(STATE)
        page.locator(f"[data-claim='{key}']").click()
        _later(page, before, 2)  # the market moves too: one of them is the click's
        page.wait_for_function(f"(() => {{ const now = ({SHOWN})(); return now.over.concat(now.below).includes('{shown or key}'); }})()")
        return page.evaluate(SHOWN)

    first = page.evaluate(SHOWN)
    assert (first["below"], first["said"], first["focus"]) == (["rsi_14"], [28.4], False)
    adx = click("adx_14")
    assert adx["below"] == ["plus_di", "minus_di", "adx_14"]
    assert adx["said"] == [31], "what the bear said of it"
    assert any(words.startswith("ADX(14) ") for words in adx["words"])
    low, high = adx["frame"]
    assert all(low < value < high for value in adx["values"] if value is not None)
    assert adx["focus"]
    average = click("sma_50")
    assert (average["over"], average["below"]) == (["sma_50"], ["rsi_14"])
    assert any(words.startswith("SMA 50 ") for words in average["words"])
    hourly = click("1h.mfi_14")
    assert (hourly["below"], hourly["shape"], hourly["over"]) == (["1h.mfi_14"], "hv", [])
    assert any(words.startswith("1h MFI(14) ") for words in hourly["words"])
    assert click("funding_rate_pct", "1h.mfi_14")["below"] == ["1h.mfi_14"], "what has no line leaves the chart as it is"
    page.get_by_label("Show the whole chart").click()
    page.wait_for_function(f"({SHOWN})().below[0] === 'rsi_14'")
    assert not page.evaluate(SHOWN)["focus"]
    assert page.wrong == []


def test_light_and_dark_are_followed_names_are_words_and_nothing_leaves_the_machine(page: Any) -> None:
    assert page.evaluate(STATE)["up"] == "#177552"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "document.querySelector('.plot').data.find((trace) => trace.name === 'candles').increasing.line.color === '#45BE90'"
    )
    _later(page, page.evaluate(STATE), 2)
    assert page.evaluate("window.hurt") is None
    assert page.locator(".plot img").count() == 0
    assert "Candles of BTC/USDT:USDT" in page.evaluate(STATE)["label"]
    assert page.abroad == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(600)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")


LOADED = "(name) => performance.getEntriesByType('resource').map((each) => each.name).find((each) => each.includes(`/${name}`))"


def test_browser_and_still_picture_place_tags_alike(page: Any) -> None:
    dice = random.Random(11)
    cases = [sorted(dice.uniform(0, 300) for _ in range(dice.randint(0, 7))) for _ in range(300)]
    script = page.evaluate(LOADED, "labels.js")
    placed = page.evaluate(
        "async ([from, cases]) => { const { spread } = await import(from); return cases.map((each) => spread(each, 17, 0, 300)); }",
        [script, cases],
    )
    for case, found in zip(cases, placed, strict=True):
        assert found == pytest.approx(spread(case, 17, 0, 300))


MARKS_COME_AGAIN = """async ([from, bars, marks]) => {
  const { show } = await import(from), place = () => document.body.appendChild(document.createElement("div")), setTriggerValue = () => null;
  const first = place(), second = place();
  const draw = (data, parentElement) => show({ data, parentElement, setTriggerValue });
  const drop = draw(marks, first);
  draw(bars, place());
  drop();
  draw(marks, second);
  second.id = "second";
}"""


def test_a_chart_whose_marks_go_and_come_again_is_drawn(page: Any) -> None:
    """Streamlit may replace one of its two parts before the other."""
    data = chart_data(made_candles(), [], Show(step=0.1), symbol="ETH/USDT:USDT", revision="run-2", series={})
    placement = {**chart_files(), "chart": "other", "height": 400}
    library = page.evaluate(LOADED, "plotly")
    parts = [{**placement, "library": library, "part": part, "content": json.dumps(getattr(data, part))} for part in ("bars", "marks")]
    page.evaluate(MARKS_COME_AGAIN, [page.evaluate(LOADED, "chart/chart.js"), *parts])
    page.wait_for_selector("#second .plot svg.main-svg")
    assert page.wrong == []
