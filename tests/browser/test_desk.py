"""The desk as a person meets it: reloads, a second viewer, one run for a hasty hand, the keyboard, what cannot be asked."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]

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


@pytest.fixture(scope="module")
def quick_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the quick desk keeps its runs."""
    return tmp_path_factory.mktemp("quick") / "home"


@pytest.fixture(scope="module")
def quick(serve: Serve, quick_home: Path) -> str:
    """A desk whose runs last for some seconds: a page that is slow to come still sees one go on."""
    return serve(TRIBUNAL_PACE="4", TRIBUNAL_HOME=str(quick_home))


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


def test_a_hasty_hand_starts_one_run_and_the_tab_says_how_it_stands(quick: str, quick_home: Path, visit: Come) -> None:
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


def test_a_market_that_does_not_exist_is_said_in_one_line(quick: str, visit: Come) -> None:
    visitor, typed = visit().open(quick), "![](http://127.0.0.1:9/x.png)"
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
