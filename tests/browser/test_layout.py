"""Every page at every width: nothing lies on anything or sticks out, the chart has its card's width, nothing moves while a run goes on, and
axe has nothing serious to say. One server and one browser for all of it."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from engine.api import Engine
from engine.settings import Settings
from pages.decision.guided_demo import demo_request, is_demo
from tests.browser.conftest import Visit, serving
from tests.conftest import ROOT

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]
WIDTHS = (390, 768, 1024, 1280, 1440, 1920)
AXE = files("axe_playwright_python") / "axe.min.js"
SHIFTS = """(() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
  }).observe({ type: "layout-shift", buffered: true });
})()"""
FAULTS = """() => {
  const found = [], wide = document.documentElement.clientWidth;
  const shown = (all) => [...document.querySelectorAll(all)].filter((each) => each.offsetParent && each.getBoundingClientRect().width > 1);
  const words = (each) => (each.innerText || each.className).trim().slice(0, 30);
  if (document.documentElement.scrollWidth > wide + 1) found.push(`the page scrolls sideways: ${document.documentElement.scrollWidth}`);
  for (const each of shown(".tb *, [data-testid=stMain] button")) {
    if (each.closest(".tb-scroll, .plot, .tb-sr, .tb-cross")) continue;
    if (each.getBoundingClientRect().right > wide + 1) found.push(`sticks out: ${words(each)}`);
  }
  const texts = ".tb-verdict :is(.v, .s, .tb-lab, .word), .tb-step .t, .tb-market > *, .tb-tag, .tb-clock > *, .tb-role, .tb-dir, .tb-chip";
  const within = "[class*=st-key-choose-], .tb-scroll";
  const read = shown(`${texts}, [data-testid=stMain] button`).filter((each) => each.innerText && !each.closest(within));
  const boxes = read.map((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return [each, range.getBoundingClientRect()];
  });
  boxes.forEach(([one, a], at) => boxes.slice(at + 1).forEach(([other, b]) => {
    if (one.contains(other) || other.contains(one)) return;
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1.5 && down > 3) found.push(`${words(one)} lies on ${words(other)}`);
  }));
  for (const plot of shown(".tb-chart .plot")) {
    const drawn = plot.querySelector("svg.main-svg")?.getBoundingClientRect().width ?? 0;
    if (Math.abs(drawn - plot.clientWidth) > 1) found.push(`the chart is ${drawn} px wide, its room ${plot.clientWidth}`);
  }
  return [...new Set(found)].slice(0, 8);
}"""
AT_REST = """() => [...document.querySelectorAll('.tb-chart .plot')].every(
  (plot) => Math.abs((plot.querySelector('svg.main-svg')?.getBoundingClientRect().width ?? 0) - plot.clientWidth) <= 1)"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the desk of these tests keeps everything."""
    return tmp_path_factory.mktemp("layout") / "home"


@pytest.fixture(scope="module")
def run_id(home: Path) -> str:
    """The guided demo, decided: its proposal waits."""
    engine = Engine(Settings(_env_file=None, home=home, pace=0, proposal_minutes=60))  # type: ignore[call-arg]
    try:
        run_id = engine.start(demo_request(engine, "en"))
        engine.wait(run_id, 60)
        assert is_demo(engine.record(run_id).request)
    finally:
        engine.close()
    return run_id


@pytest.fixture(scope="module")
def address(chromium: str, home: Path, run_id: str) -> Iterator[str]:
    """One desk for all of them."""
    with serving(ROOT / "app.py", home, TRIBUNAL_HOME=str(home), TRIBUNAL_PACE="6") as address:
        yield address


def pages(run_id: str) -> dict[str, tuple[str, str]]:
    """Name of a page and state -> its path, and what is there when it stands."""
    return {
        "desk": ("?", ".tb-verdict"),
        "decided": (f"?run={run_id}", ".st-key-signs"),
        "equities": ("equities?", ".tb-verdict"),
        "approvals": ("approvals?", "[class*=st-key-card-]"),
        "positions": ("positions?", "[data-testid=stMain] .tb"),
        "runs": ("runs?", ".tb-tab"),
        "settings": ("settings?", ".tb-card"),
    }


def stand(page: Any, address: str, path: str, there: str, language: str = "en") -> None:
    """Go to a page and wait until it stands."""
    page.goto(f"{address}/{path}&lang={language}")
    page.wait_for_selector(there)
    page.wait_for_function(AT_REST)


def lasting_faults(page: Any) -> list[str]:
    """What is wrong with the page's boxes, once it has had its time to follow a new size."""
    page.wait_for_timeout(60)
    for _ in range(30):
        if not (faults := page.evaluate(FAULTS)):
            return []
        page.wait_for_timeout(100)
    return list(faults)


def test_every_page_holds_together_at_every_width(address: str, run_id: str, visit: Come) -> None:
    visitor = visit(width=1920)
    page, found = visitor.page, {}
    for name, (path, there) in pages(run_id).items():
        stand(page, address, path, there)
        for width in (*WIDTHS[::-1], *((1440,) if name == "decided" else ())):  # and back: the chart grows again
            page.set_viewport_size({"width": width, "height": 900})
            if faults := lasting_faults(page):
                found[name, width] = faults
    visitor.forgive("404")
    assert found == {}


def test_nothing_moves_while_a_run_goes_on(address: str, visit: Come) -> None:
    visitor = visit(width=1440)
    page = visitor.page
    page.add_init_script(SHIFTS)
    moved = {}
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        visitor.open(f"{address}/?new=1")
        page.wait_for_function(AT_REST)
        page.wait_for_timeout(1500)  # the frame has come to rest
        page.evaluate("window.shifts = []")
        visitor.run()
        visitor.ended()
        page.wait_for_timeout(1500)
        moved[width] = sum(page.evaluate("window.shifts"))
    assert max(moved.values()) < 0.02, moved


def test_axe_finds_nothing_serious(address: str, run_id: str, visit: Come) -> None:
    found: dict[tuple[str, str, str], list[str]] = {}
    for theme, language in (("light", "en"), ("dark", "zh")):
        visitor = visit(width=1280, theme=theme)
        visitor.page.add_init_script(AXE.read_text(encoding="utf-8"))
        for name, (path, there) in pages(run_id).items():
            stand(visitor.page, address, path, there, language)
            said = visitor.page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
            grave = [
                f"{rule['id']}: {node['html'][:160]}"
                for rule in said
                if rule["impact"] in ("serious", "critical")
                for node in rule["nodes"]
            ]
            if grave:
                found[name, theme, language] = grave[:6]
        visitor.forgive("404")
    assert found == {}
