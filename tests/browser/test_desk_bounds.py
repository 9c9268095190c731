"""The desk in all of its states: how high its bar is, where its chart begins, and whose words are in view while a run goes on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.api import Engine
from engine.settings import Settings
from tests.browser.conftest import Visit, serving
from tests.browser.layout.boxes import AT_REST, lasting_faults
from tests.browser.layout.states import ALLOW, AT, HALT
from tests.conftest import ROOT
from tests.servers.llm import LLMServer, status

pytestmark = pytest.mark.browser

SIZES = ((1440, 900), (1280, 900), (390, 844))
WIDE = 1280
MEASURED = """() => {
  const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
  const bar = box(".st-key-verdict"), chart = box(".tb-chart"), word = box(".tb-act"), beside = box(".tb-lev, .tb-now, .tb-why, .tb-queue");
  return {
    bar: Math.round(bar.height), top: Math.round(chart.top), high: Math.round(chart.height),
    gap: beside && beside.top < word.bottom && beside.left > word.left ? Math.round(beside.left - word.right) : 0,
    steps: document.querySelectorAll(".tb-step").length, empty: document.querySelectorAll(".tb-skel").length,
  };
}"""
SAID = """() => [...document.querySelectorAll('.tb-now .txt')].map((each) => {
  const { top, bottom } = each.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight && each.innerText.trim().length;
})"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the desk keeps its runs."""
    return tmp_path_factory.mktemp("bounds") / "home"


@pytest.fixture(scope="module")
def desk(chromium: str, home: Path) -> Iterator[str]:
    """A desk whose own runs are quick."""
    with serving(ROOT / "app.py", home, TRIBUNAL_OPERATOR="op-1") as address:
        yield address


@pytest.fixture(scope="module")
def runs(desk: str, home: Path) -> Iterator[dict[str, str]]:
    """A run in each state, by name; `running` goes on as long as the tests do."""
    usual = {"_env_file": None, "home": home, "operator": "op-1", "proposal_minutes": 60}
    with LLMServer(status(400, "no such thing")) as refuses:
        yield from _made(usual, refuses.base_url)


def _made(usual: dict[str, Any], endpoint: str) -> Iterator[dict[str, str]]:
    quick = Engine(Settings(**usual, pace=0, model="scripted", openai_base_url=endpoint, openai_api_key="nobody"))
    slow = Engine(Settings(**usual, pace=0.01, call_deadline_s=3_600, run_deadline_s=3_600))
    try:
        asked = {"waiting": {"seed": 201, "propose": True, "lies": 0.2}, "ended": {"seed": 7}, "failed": {"model": "nobody"}}
        found = {name: quick.start(quick.decisions.request("ETH/USDT:USDT", at=AT, **more)) for name, more in asked.items()}
        found |= {name: slow.start(slow.decisions.request("BTC/USDT:USDT", seed=7, at=AT)) for name in ("running", "stopped")}
        for name in asked:
            quick.wait(found[name], 60)
        slow.stop(found["stopped"])
        waiting = quick.trading.proposal_of(found["waiting"])
        assert waiting is not None
        assert waiting.is_waiting
        yield found
        slow.stop(found["running"])
    finally:
        quick.close()
        slow.close()


@pytest.mark.timeout(400)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_chart_comes_first_and_the_bar_stays_low_in_every_state(
    desk: str, runs: dict[str, str], language: str, visit: Callable[..., Visit]
) -> None:
    visitor = visit(width=1440)
    page = visitor.page
    for name in ("idle", *runs):
        query = f"run={runs[name]}" if name in runs else "new=1"
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(f"{desk}/?{query}&lang={language}")
        page.wait_for_selector(".tb-chart .plot .cartesianlayer")
        if name == "running":
            page.wait_for_selector(".tb-now .txt")
        holds(page, name)
    page.goto(f"{desk}/?run={runs['waiting']}&lang={language}")
    page.wait_for_selector(".tb-chart .plot .cartesianlayer")
    page.locator(HALT).first.click()
    page.wait_for_selector(ALLOW)
    try:
        holds(page, "halted")
    finally:
        page.locator(ALLOW).first.click()
        page.wait_for_selector(HALT)


def holds(page: Any, name: str) -> None:
    """Assert the bounds at every width."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("document.querySelector('.tb-chart .plot') && document.querySelector('.tb-act')")
        page.wait_for_function(AT_REST)
        assert lasting_faults(page) == [], (name, width)
        seen = page.evaluate(MEASURED)
        where = name, width, seen
        assert seen["high"] == 460, where
        assert seen["gap"] <= 30, where
        assert (seen["steps"], seen["empty"]) == (0, 0) if name == "idle" else seen["steps"] == 5, where
        if width >= WIDE:
            assert 76 <= seen["bar"] <= 88, where
            assert seen["top"] < (280 if name == "halted" else 240), where  # that trading is halted stands above everything
        else:
            assert seen["bar"] <= 140, where
        if name == "running":
            assert all(page.evaluate(SAID)), where
