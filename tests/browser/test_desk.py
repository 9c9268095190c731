"""The desk as a person meets it: the first minute, a run watched while it is written, reloads, a second viewer, the keyboard, a phone."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]

PLOT = "document.querySelector('.tb-chart .plot')"
RANGE = f"{PLOT}.layout.xaxis.range"
COUNT_GROWTH = """() => {
  window.grown = [0, 0, 0, 0];
  let before = [0, 0, 0, 0];
  new MutationObserver(() => {
    const now = [...document.querySelectorAll('.tb-an .txt')].map((row) => row.querySelector('p') ? row.textContent.length : 0);
    if (now.length !== 4) return;
    now.forEach((length, at) => { window.grown[at] += length > before[at]; });
    before = now;
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
"""From now on the page counts how often the words of each analyst become more."""
KEEP_TITLES = """() => {
  window.titles = [];
  new MutationObserver(() => window.titles.push(document.title)).observe(document.head, { childList: true, subtree: true, characterData: true });
}"""  # noqa: E501 - a script's line
"""From now on the page keeps what its tab is called."""
FOCUS = "() => [document.activeElement.innerText, document.activeElement.className]"
SAID = """() => [...document.querySelectorAll('.tb-an .txt')].map((row) => {
  const words = row.cloneNode(true);
  words.querySelectorAll('ins, .tb-tip, .tb-caret').forEach((ink) => ink.remove());  // what was said, checked or not
  return words.textContent;
})"""
ANALYSTS_DONE = "document.querySelectorAll('.tb-an .tb-st.done').length === 4"
RUNNING = ".st-key-stop-button button"
ENGLISH = (
    "Analysts",
    "Debate",
    "Grounding",
    "Executor",
    "Judge",
    "waiting",
    "done",
    "Entry",
    "Stop",
    "Consensus",
    "Feed",
    "Market",
)


@pytest.fixture(scope="module")
def quick_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the quick desk keeps its runs."""
    return tmp_path_factory.mktemp("quick") / "home"


@pytest.fixture(scope="module")
def quick(serve: Serve, quick_home: Path) -> str:
    """A desk whose runs last for some seconds: a page that is slow to come still sees one go on."""
    return serve(TRIBUNAL_PACE="4", TRIBUNAL_HOME=str(quick_home))


def test_the_first_minute_without_any_settings(serve: Serve, visit: Come) -> None:
    visitor = visit().open(serve(fresh=True))
    page = visitor.page
    expect(page.locator(".tb-verdict")).to_contain_text("No run yet")
    expect(page.locator(".tb-notice")).to_contain_text("not advice")
    for tag in ("Simulated market", "Scripted model"):
        expect(page.locator(".tb-market")).to_contain_text(tag)  # said before anything is asked
    page.evaluate(COUNT_GROWTH)
    page.get_by_role("button", name="Run a decision").click()
    page.wait_for_function("Math.min(...window.grown) >= 3", timeout=60_000)  # words appear, and go on appearing while they are written
    for tag in ("Simulated market", "Scripted model"):
        expect(page.locator(".tb-market")).to_contain_text(tag)
    visitor.ended()
    expect(page.locator(".tb-verdict .word")).to_have_text(re.compile(r"Enter long|Enter short|Wait"))
    visitor.many(".tb-claim", 11)
    expect(page.locator(".tb-step")).to_have_count(5)
    assert not visitor.scrolls_sideways()


def test_a_reload_and_a_second_viewer_see_the_same_run_whole(serve: Serve, visit: Come) -> None:
    desk = serve(TRIBUNAL_PACE="0.6")  # it still goes on when two more pages have been loaded
    first, second = visit().open(desk), visit(theme="dark").open(desk)  # both have loaded what pages need before there is anything to see
    first.run()
    address = first.page.url
    first.page.wait_for_function(ANALYSTS_DONE)
    analysts = first.page.evaluate(SAID)
    first.page.reload()
    first.page.wait_for_function(ANALYSTS_DONE)
    first.page.wait_for_selector(RUNNING)  # the run goes on
    assert first.page.evaluate(SAID) == analysts
    assert all(len(words) > 100 for words in analysts)
    assert first.page.url == address
    second.open(address)
    second.page.wait_for_selector(RUNNING)  # the second viewer came while it ran
    first.ended()
    second.ended()
    for part in (".tb-verdict .word", ".tb-debate", ".tb-judge", "[aria-label=Grounding]", "[aria-label=Executor]"):
        expect(second.page.locator(part).first).to_have_text(first.page.locator(part).first.text_content() or "")
    expect(second.page.locator(".tb-an .txt")).to_have_text(first.page.locator(".tb-an .txt").all_text_contents())


def test_the_chart_is_mounted_once_and_keeps_its_zoom(serve: Serve, visit: Come) -> None:
    visitor = visit().open(serve(TRIBUNAL_PACE="1"))  # there is time to zoom while it is drawn
    visitor.run()
    page = visitor.page
    page.wait_for_function(f"{PLOT} && {PLOT}.layout && {RANGE}")
    page.wait_for_function("/RSI 14\\s*[0-9]/.test(document.querySelector('.tb-chart').textContent)")  # the run's own, not the idle page's
    page.evaluate(f"{PLOT}.mine = true")
    whole = page.evaluate(RANGE)
    page.get_by_label("zoom in").click()
    page.wait_for_function(f"(before) => {RANGE}[0] !== before", arg=whole[0])
    zoomed, draws = page.evaluate(RANGE), int(page.evaluate(f"{PLOT}.dataset.draws"))
    visitor.ended()
    page.wait_for_function(f"(before) => Number({PLOT}.dataset.draws) > before", arg=draws)  # what the run said was drawn meanwhile
    page.wait_for_timeout(500)
    assert page.evaluate(f"{PLOT}.mine") is True
    assert page.locator(".tb-chart .plot").count() == 1
    assert page.evaluate(RANGE) == zoomed


def comes_to_rest(visitor: Visit) -> bool:
    """Whether page and server stop talking: a page that polls never does, one that is still being drawn on a busy machine soon."""
    return any(visitor.talks(1.2) == 0 for _ in range(8))


def test_a_page_without_a_running_run_asks_for_nothing(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    visitor.page.get_by_role("button", name="Run a decision").wait_for()
    assert comes_to_rest(visitor), "before a run"
    visitor.run()
    assert visitor.talks(1.2) >= 2, "while it runs"
    visitor.ended()
    if visitor.page.locator(".st-key-signs").count():  # what waits for a signature is watched, until it has been given
        visitor.page.get_by_role("button", name="Reject").click()
        visitor.page.get_by_text("too late").click()
        visitor.page.locator(".tb-chip", has_text="rejected").wait_for()
    assert comes_to_rest(visitor), "after its end"
    visitor.page.reload()
    visitor.page.wait_for_selector(".tb-claim")
    assert comes_to_rest(visitor), "shown again"


def test_a_hasty_hand_starts_one_run_which_is_found_again_and_the_tab_says_how_it_stands(quick: str, quick_home: Path, visit: Come) -> None:
    def runs() -> int:
        with closing(sqlite3.connect(quick_home / "tribunal.db")) as journal:
            return int(journal.execute("SELECT count(*) FROM runs").fetchone()[0])

    visitor = visit().open(quick)
    visitor.page.wait_for_function("document.title === 'Desk - Tribunal'")
    before = runs()
    button = visitor.page.get_by_role("button", name="Run a decision")
    pressed = button.element_handle()  # this very button: the next of that name begins another run
    visitor.page.evaluate(KEEP_TITLES)
    button.dblclick()
    pressed.evaluate("(button) => [0, 20, 60, 150].forEach((wait) => setTimeout(() => button.click(), wait))")
    visitor.page.wait_for_url("**run=*")
    visitor.page.wait_for_function("window.titles.some((title) => /^… BTC [0-9]\\/9 - Tribunal$/.test(title))")
    visitor.ended()
    assert runs() == before + 1
    visitor.page.wait_for_function("/^[●◆⊠⊟] BTC .+ - Tribunal$/.test(document.title)")  # waits, WAIT, blocked or no order: never invalid
    run_id = parse_qs(urlparse(visitor.page.url).query)["run"][0]
    back = visit(width=390).open(f"{quick}/?lang=en")
    back.page.wait_for_url(f"**run={run_id}**")
    page = back.page
    page.goto(f"{quick}/runs?lang=en&q={run_id}")
    page.wait_for_function("document.querySelectorAll('.tb-runs tbody tr').length === 1")
    assert page.title() == "Runs - Tribunal"
    assert run_id in str(page.locator(".tb-runs a").first.get_attribute("href"))
    assert not back.scrolls_sideways()
    assert page.locator("[data-testid=stMain] .tb-scroll").count() == 0, "cards, no box that scrolls"


def test_in_chinese(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    visitor.page.get_by_text("中文", exact=True).click()
    visitor.page.get_by_role("button", name="开始决策").wait_for()
    visitor.run("开始决策")
    visitor.ended()
    assert "lang=zh" in visitor.page.url
    expect(visitor.page.locator(".tb-verdict .word")).to_have_text(re.compile("开多仓|开空仓|观望"))
    expect(visitor.page.locator(".tb-market")).to_contain_text("脚本模型")
    expect(visitor.page.locator(".tb-notice")).to_contain_text("不构成投资建议")
    shown = visitor.text(".stMain") + visitor.text("[data-testid=stSidebar]")
    assert [word for word in ENGLISH if re.search(rf"\b{word}\b", shown)] == []
    for said in (".tb-debate", ".tb-judge", "[aria-label=交易执行]"):
        text = visitor.text(said)
        letters = re.findall(r"[A-Za-z\u4e00-\u9fff]", text)
        assert sum(letter > "\u4e00" for letter in letters) > 0.6 * len(letters), text


def test_a_change_of_language_keeps_what_was_chosen(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    page = visitor.page

    def stands(label: str, value: str) -> None:
        expect(page.get_by_role("combobox", name=label, exact=True)).to_have_value(value)

    def opened(name: str) -> None:
        """Open what is folded away, where it is."""
        visitor.act_until(
            lambda: page.locator(".st-key-experiment summary", has_text=name).click(),
            "document.querySelector('.st-key-experiment details')?.open === true",
        )

    opened("Experiment")
    for label, option in (("Up and down", "Blue up"), ("Higher", "none"), ("Timeframe", "1h"), ("Higher", "none"), ("Feed", "Recorded")):
        visitor.act_until(page.get_by_role("combobox", name=label, exact=True).click, "document.querySelector('[role=option]') !== null")
        page.get_by_role("option", name=option, exact=True).click()
        page.get_by_role("listbox").wait_for(state="hidden")
        page.wait_for_timeout(300)
    page.get_by_label("Seed", exact=True).fill("7")
    page.get_by_label("Seed", exact=True).press("Enter")
    page.get_by_text("中文", exact=True).click()
    page.get_by_role("button", name="开始决策").wait_for()
    page.wait_for_timeout(300)
    if not page.get_by_label("随机种子", exact=True).is_visible():
        opened("实验")
    page.get_by_label("随机种子", exact=True).fill("8")  # the choice holds when the form is used again
    page.get_by_label("随机种子", exact=True).press("Enter")
    for label, value in (("行情", "录制"), ("周期", "1h"), ("大周期", "无"), ("涨跌颜色", "蓝涨橙跌")):
        stands(label, value)
    page.get_by_text("English", exact=True).click()
    page.get_by_role("button", name="Run a decision").wait_for()
    for label, value in (("Feed", "Recorded"), ("Higher", "none"), ("Up and down", "Blue up")):
        stands(label, value)
    expect(page.get_by_label("Seed", exact=True)).to_have_value("8")


def test_on_a_phone_dark_and_light(quick: str, visit: Come) -> None:
    visitor = visit(width=390, theme="dark").open(quick)
    page = visitor.page
    ground = "Number(getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/\\d+/)[0])"
    assert not visitor.scrolls_sideways()
    button = page.get_by_role("button", name="Run a decision")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    assert (box["x"] >= 0, box["x"] + box["width"] <= 390, box["height"] >= 32) == (True, True, True)
    visitor.run()
    assert not visitor.scrolls_sideways()
    visitor.ended()
    assert not visitor.scrolls_sideways()
    assert page.evaluate(ground) < 60
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"{ground} > 200")


def test_with_the_keyboard_alone(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    page = visitor.page
    page.get_by_role("button", name="Run a decision").wait_for()

    def tab_to(wanted: Callable[[str, str], bool], most: int) -> None:
        for _ in range(most):
            page.keyboard.press("Tab")
            text, look = page.evaluate(FOCUS)
            if wanted(text or "", str(look)):
                return
        pytest.fail(f"not reached with {most} tabs; the focus is on {page.evaluate(FOCUS)}")

    tab_to(lambda text, _: text.strip() == "Run a decision", 40)
    page.keyboard.press("Enter")
    page.wait_for_url("**run=*")
    visitor.ended()
    tab_to(lambda _, look: "tb-claim" in look, 60)
    claim = page.locator(".tb-claim:focus")
    expect(claim.locator(".tb-tip")).to_be_visible()
    expect(claim).to_have_attribute("aria-label", re.compile("."))


def test_an_address_of_no_run_is_said_to_be_unknown(quick: str, visit: Come) -> None:
    visitor = visit().open(f"{quick}/?new=1")
    idle = visitor.page.locator(".tb-verdict .word").inner_text()
    for wrong in ("../../x", "20200101-000000-abcdef", "%27%20OR%201=1", ""):
        visitor.open(f"{quick}/?run={wrong}")
        expect(visitor.page.get_by_test_id("stAlert")).to_contain_text("There is no run")
        expect(visitor.page.locator(".tb-verdict .word")).to_have_text(idle)  # no run's verdict
        expect(visitor.page.get_by_text(re.compile("Traceback|Error|Exception"))).to_have_count(0)


def test_a_wrong_folder_is_said_in_one_line(quick: str, visit: Come) -> None:
    visitor = visit().open(quick)
    page = visitor.page
    page.get_by_label("Feed").click()
    page.get_by_role("option", name="Recorded").click()
    page.get_by_label("Folder of recordings").fill("/no/such/folder")
    page.get_by_label("Folder of recordings").press("Enter")
    page.get_by_text("/no/such/folder cannot be opened").first.wait_for()
    page.get_by_role("button", name="Run a decision").click()
    expect(page.locator(".tb-msg.bad").first).to_contain_text("/no/such/folder cannot be opened")
    expect(page.get_by_role("button", name="Run a decision")).to_be_enabled()
    expect(page.get_by_text("Traceback")).to_have_count(0)


@pytest.mark.parametrize("typed", ["NOPE/USDT:USDT", "![](http://127.0.0.1:9/x.png)"])
def test_a_market_that_does_not_exist_is_said_in_one_line(quick: str, visit: Come, typed: str) -> None:
    visitor = visit().open(quick)
    page = visitor.page
    page.get_by_role("combobox", name="Market", exact=True).fill(typed)
    page.get_by_role("option", name=typed).click()
    page.get_by_text(typed, exact=True).first.wait_for()  # the market line says what is asked
    page.get_by_role("button", name="Run a decision").click()
    told = page.locator(".tb-msg.bad, .stMain [data-testid='stAlert']")
    expect(told).to_have_count(1)
    expect(told).to_contain_text(typed)
    assert "\n\n" not in told.inner_text()
    expect(page.locator(".stMain img")).to_have_count(0)
    expect(page.get_by_role("button", name="Run a decision")).to_be_enabled()


def test_the_sidebar_of_another_page_follows_a_run_to_its_end(serve: Serve, visit: Come) -> None:
    page = visit().open(serve(TRIBUNAL_PACE="1", fresh=True)).page  # it still runs when another page has been loaded
    page.get_by_role("button", name="Run a decision").click()
    page.wait_for_selector(RUNNING)
    page.get_by_role("link", name="Settings").first.click()
    page.wait_for_function("/running/.test(document.querySelector('.tb-hand')?.innerText ?? '')")
    page.wait_for_function("!/running/.test(document.querySelector('.tb-hand')?.innerText ?? 'running')", timeout=90_000)
    assert page.url.partition("?")[0].endswith("/settings"), "nobody has loaded anything"
