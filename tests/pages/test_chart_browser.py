"""The chart in a real browser: mounted once, the reader's zoom kept, light and dark followed, nothing fetched from elsewhere."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ROOT = Path(__file__).parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

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
def address() -> Iterator[str]:
    """The chart's page, served on loopback."""
    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{CHROMIUM} is missing: apt-get install chromium")
        pytest.skip(f"{CHROMIUM} is missing: apt-get install chromium")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [
        "--server.port",
        str(port),
        "--server.headless",
        "true",
        "--browser.gatherUsageStats",
        "false",
        "--server.fileWatcherType",
        "none",
    ]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "tests" / "pages" / "chart_page.py"), *options]
    server = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(150):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).read()
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Any]:
    """One Chromium for all tests here."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page once the chart is drawn; `page.abroad` are requests that left the machine, `page.sizes` of what the server sent."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.abroad, page.sizes, page.wrong = [], [], []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("request", lambda request: page.abroad.append(request.url) if _is_abroad(request.url) else None)
    page.on("websocket", lambda link: link.on("framereceived", lambda frame: page.sizes.append(len(frame))))
    page.goto(address)
    page.wait_for_function("document.querySelector('.plot .main-svg') !== null && document.querySelector('.plot').layout", timeout=30_000)
    page.evaluate("document.querySelector('.plot').mine = true")
    yield page
    context.close()


def _is_abroad(url: str) -> bool:
    parts = urlparse(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1"


def _later(page: Any, before: dict[str, Any], updates: int = 3) -> dict[str, Any]:
    page.wait_for_function(f"Number(document.querySelector('.plot').dataset.draws) >= {before['draws'] + updates}", timeout=15_000)
    return dict(page.evaluate(STATE))


def test_the_readers_zoom_survives_every_update(page: Any) -> None:
    first = page.evaluate(STATE)
    box = page.locator(".plot").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 80)
    page.mouse.down()
    page.mouse.move(box["x"] + 480, box["y"] + 80, steps=6)
    page.mouse.up()
    page.wait_for_timeout(300)
    moved = page.evaluate(STATE)
    assert moved["range"] != first["range"]
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
    closer = _later(page, first, 1)
    assert closer["range"][0] > first["range"][0]
    page.locator("[data-claim]").focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    start, end = page.evaluate(STATE)["range"]
    assert start < "2026-05-14 23:06" < end


def test_light_and_dark_are_followed(page: Any) -> None:
    assert page.evaluate(STATE)["up"] == "#177552"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "document.querySelector('.plot').data.find((trace) => trace.name === 'candles').increasing.line.color === '#45BE90'"
    )


def test_names_are_words_and_nothing_leaves_the_machine(page: Any) -> None:
    _later(page, page.evaluate(STATE), 2)
    assert page.evaluate("window.hurt") is None
    assert page.locator(".plot img").count() == 0
    assert "Candles of BTC/USDT:USDT" in page.evaluate(STATE)["label"]
    assert page.abroad == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(600)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")
