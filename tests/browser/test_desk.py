"""The desk as a person meets it: the first minute, a run watched while it is written, reloads, a second viewer, the keyboard, a phone."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]
PLOT = "document.querySelector('.tb-chart .plot')"


@pytest.fixture(scope="module")
def quick(serve: Serve) -> str:
    """A desk whose scripted model writes quickly."""
    return serve(TRIBUNAL_PACE="8")


@pytest.fixture(scope="module")
def slow(serve: Serve) -> str:
    """A desk whose scripted model can be watched."""
    return serve(TRIBUNAL_PACE="1.5")


def test_the_first_minute_without_any_settings(serve: Serve, visit: Come) -> None:
    visitor = visit().open(serve())
    page = visitor.page
    assert "No run yet" in visitor.text(".tb-verdict")
    assert "not advice" in visitor.text(".tb-notice")
    visitor.run()
    page.wait_for_function("document.querySelectorAll('.tb-an .txt p').length >= 2", timeout=5_000)
    assert "Simulated market" in visitor.text(".tb-market")
    assert "Scripted model" in visitor.text(".tb-market")
    visitor.ended()
    assert re.match(r"Enter long|Enter short|Wait", visitor.text(".tb-verdict .word"))
    assert page.locator(".tb-claim").count() > 10
    assert page.locator(".tb-step").count() == 5


def test_words_grow_while_they_are_written_and_panels_fill_in_parallel(slow: str, visit: Come) -> None:
    visitor = visit().open(slow)
    visitor.run()
    lengths: list[list[int]] = []
    for _ in range(6):
        lengths.append(visitor.page.evaluate("[...document.querySelectorAll('.tb-an .txt')].map((row) => row.innerText.length)"))
        visitor.page.wait_for_timeout(500)
    assert len(lengths[-1]) == 4
    growing = [sum(later[row] > earlier[row] for earlier, later in pairwise(lengths)) for row in range(4)]
    assert all(count >= 2 for count in growing), lengths


def test_a_reload_and_a_second_viewer_see_the_same_run_whole(slow: str, visit: Come) -> None:
    first = visit().open(slow)
    first.run()
    first.page.wait_for_function("document.querySelectorAll('.tb-an .tb-st.done').length === 4")
    analysts = first.text(".tb-an")
    first.page.reload()
    first.page.wait_for_selector(".tb-an .tb-st.done")
    assert first.text(".tb-an .txt") == analysts[: len(first.text(".tb-an .txt"))] or first.text(".tb-an .txt") in analysts
    second = visit(theme="dark").open(first.page.url)
    first.ended()
    second.ended()
    for part in (".tb-verdict .word", ".tb-debate", ".tb-an", ".tb-judge"):
        assert first.text(part) == second.text(part)


def test_the_chart_is_mounted_once_and_keeps_its_zoom(slow: str, visit: Come) -> None:
    visitor = visit().open(slow)
    visitor.run()
    page = visitor.page
    page.wait_for_function(f"{PLOT} && {PLOT}.layout && {PLOT}.layout.xaxis.range")
    page.evaluate(f"{PLOT}.mine = true")
    whole = page.evaluate(f"{PLOT}.layout.xaxis.range")
    page.get_by_label("zoom in").click()
    page.wait_for_function(f"(before) => {PLOT}.layout.xaxis.range[0] !== before", arg=whole[0])
    zoomed = page.evaluate(f"{PLOT}.layout.xaxis.range")
    visitor.ended()
    page.wait_for_timeout(500)
    assert page.evaluate(f"{PLOT}.mine") is True
    assert page.evaluate(f"{PLOT}.layout.xaxis.range") == zoomed


def test_an_idle_page_asks_for_nothing(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    visitor.run()
    visitor.ended()
    visitor.page.wait_for_timeout(1_000)
    frames: list[int] = []
    visitor.page.on("websocket", lambda link: link.on("framereceived", lambda frame: frames.append(len(frame))))
    visitor.page.reload()
    visitor.page.wait_for_selector(".tb-claim")
    visitor.page.wait_for_timeout(1_500)
    before = len(frames)
    visitor.page.wait_for_timeout(2_500)
    assert len(frames) == before


def test_in_chinese(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    visitor.page.get_by_text("中文", exact=True).click()
    visitor.page.get_by_role("button", name="开始决策").wait_for()
    visitor.run("开始决策")
    visitor.ended()
    assert re.search(r"开多仓|开空仓|观望", visitor.text(".tb-verdict .word"))
    assert "脚本模型" in visitor.text(".tb-market")
    assert re.search("[\u4e00-\u9fff]{20}", visitor.text(".tb-debate").replace("，", "").replace("。", "")) or "多方" in visitor.text(
        ".tb-debate"
    )
    assert "lang=zh" in visitor.page.url


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone(quick: str, visit: Come, theme: str) -> None:
    visitor = visit(width=390, theme=theme).open(quick)
    visitor.run()
    visitor.ended()
    page = visitor.page
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")
    red = page.evaluate("Number(getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/\\d+/)[0])")
    assert red > 200 if theme == "light" else red < 60


def test_with_the_keyboard_alone(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    page = visitor.page
    page.get_by_role("button", name="Run a decision").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**run=*")
    visitor.ended()
    claim = page.locator(".tb-debate .tb-claim[tabindex='0']").first
    claim.focus()
    assert claim.locator(".tb-tip").is_visible()
    assert claim.get_attribute("aria-label")


def test_an_address_of_no_run_is_said_to_be_unknown(quick: str, visit: Come) -> None:
    for wrong in ("../../etc/passwd", "20200101-000000-abcdef", "%27%20OR%201=1"):
        visitor = visit().open(f"{quick}/?run={wrong}")
        assert "There is no run" in visitor.text("[data-testid='stAlert']")
        assert visitor.page.get_by_text("Traceback").count() == 0


def test_a_wrong_folder_is_said_in_one_line(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    page = visitor.page
    page.get_by_label("Feed").click()
    page.get_by_role("option", name="Recorded").click()
    page.get_by_label("Folder of recordings").fill("/no/such/folder")
    page.get_by_label("Folder of recordings").press("Enter")
    page.get_by_text("/no/such/folder cannot be opened").first.wait_for()
    page.get_by_role("button", name="Run a decision").click()
    page.locator(".tb-msg.bad, [data-testid='stAlert']").first.wait_for()
    assert page.get_by_text("Traceback").count() == 0
