"""What is done with runs that have ended, in a real browser: one is played again, a correction is disputed."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]

MOMENT = "Number(/after event (\\d+) of/.exec(document.querySelector('.tb-past')?.innerText ?? '')?.[1] ?? 0)"
MARKS = """(() => [...document.querySelectorAll('.tb-chart .plot .annotation')].map((each) => each.textContent.trim()).join('|'))()"""
GROUND = "getComputedStyle(document.querySelector('[data-testid=stMain]')).backgroundColor"
AWAITED = "!!document.querySelector('.st-key-signs') && !document.querySelector('.tb-past')"
CALM = "!document.querySelector('[data-stale=true]')"


@pytest.fixture(scope="module")
def desk(serve: Serve) -> str:
    """A desk whose runs take some seconds, so that one can be stopped on its way."""
    return serve(TRIBUNAL_PACE="1")


@pytest.fixture(scope="module")
def demo(desk: str, browser: object) -> str:
    """The run of the guided demo, which ends in a proposal and has false numbers."""
    visitor = Visit(browser, width=1440).open(desk)
    visitor.page.locator(".st-key-demo-button button").first.click()
    visitor.page.locator(".st-key-signs").wait_for(timeout=90_000)
    run = parse_qs(urlparse(visitor.page.url).query)["run"][0]
    visitor.close()
    return run


@pytest.mark.timeout(300)  # a run is played as long as it took
def test_a_run_is_played_again_and_nothing_is_seen_before_its_time(desk: str, demo: str, visit: Come) -> None:
    visitor = visit(width=1440).open(f"{desk}/?run={demo}")
    page = visitor.page
    page.wait_for_function(f"/Target/.test({MARKS}) && / said /.test({MARKS})")
    decided, ground = visitor.text(".tb-verdict .word"), page.evaluate(GROUND)
    slider = page.get_by_role("slider").first
    last = int(slider.input_value())

    slider.focus()
    visitor.act_until(lambda: slider.press("Home"), f"{MOMENT} === 1 && {CALM} && !/Target|Stop| said /.test({MARKS})")
    page.wait_for_function(f"(ground) => {GROUND} !== ground", arg=ground)  # the page is washed as past
    expect(page.locator(".tb-an .txt p")).to_have_count(0)
    expect(page.locator(".tb-verdict .word")).not_to_have_text(decided)
    expect(page.locator(".st-key-signs")).to_have_count(0)  # nothing can be signed in the past

    page.get_by_role("button", name="Play", exact=False).click()
    page.wait_for_function(f"{MOMENT} > 3")
    pause = page.locator(".st-key-scrub").get_by_role("button", name="Pause")  # the demo has one too
    visitor.act_until(lambda: pause.click() if pause.is_visible() else None, f"new URL(location).searchParams.get('at') > 1 && {CALM}")
    page.wait_for_function(f"new URL(location).searchParams.get('at') === String({MOMENT})")
    paused = page.evaluate(MOMENT)
    assert 3 < paused < last
    expect(page.locator("[aria-label=Executor]").first).to_contain_text("waiting")  # it had not spoken yet
    page.wait_for_function(f"!/Target|Stop/.test({MARKS})")
    said = [len(text) for text in visitor.texts(".tb-an .txt")]

    page.reload()
    page.wait_for_function(f"{MOMENT} === {paused} && {CALM}")  # the address keeps the moment
    page.wait_for_selector(".tb-an .txt")
    assert [len(text) for text in visitor.texts(".tb-an .txt")] == said
    page.locator(".st-key-past").get_by_text("4×").click()
    page.get_by_role("button", name="Play", exact=False).click()
    page.wait_for_function(f"{MOMENT} > {paused}")
    page.wait_for_function(AWAITED, timeout=60_000)  # it is played to its end, which is the run as it is
    page.wait_for_function(f"/Target/.test({MARKS}) && / said /.test({MARKS})")
    expect(page.locator(".tb-verdict .word")).to_have_text(decided)
    page.wait_for_function(f"(ground) => {GROUND} === ground", arg=ground)

    visitor.act_until(lambda: slider.press("Home"), f"{MOMENT} === 1")
    page.get_by_role("button", name="To the end", exact=False).click()
    page.wait_for_function(AWAITED)
    page.wait_for_function("!new URL(location).searchParams.has('at')")
    expect(page.locator(".tb-verdict .word")).to_have_text(decided)


def test_a_correction_is_disputed_with_one_press_and_that_is_undone(desk: str, demo: str, visit: Come) -> None:
    visitor = visit(width=1440).open(f"{desk}/?run={demo}")
    page = visitor.page
    said = "() => document.activeElement.dataset.undo"
    dotted, undo = page.locator(".tb-say .tb-claim.un[role=group]"), page.locator("td.why [data-undo='1']")
    page.locator("td.why [data-dispute]").first.wait_for()
    claim = page.locator(".tb-say .tb-claim.no").first
    name = str(claim.locator("[data-dispute]").get_attribute("data-dispute"))
    assert not claim.locator(".tb-tip").is_visible()
    button = page.locator(f"td.why [data-dispute='{name}']")
    button.focus()
    page.keyboard.press("Enter")
    undo.wait_for()
    page.wait_for_function(f"({said})() === '1'")  # the focus is where it was
    expect(dotted).to_have_count(1)
    expect(page.locator(".tb-notes").first).to_contain_text("Disputed by")  # who signs sees it
    reason = page.locator("[data-dispute-why]")
    reason.fill("a plan, no fact")
    reason.press("Enter")
    page.locator("td.why", has_text="a plan, no fact").wait_for()

    somebody = visit(width=390).open(f"{desk}/?run={demo}")
    somebody.page.locator("td.why [data-undo='1']").wait_for()
    there = somebody.page.locator(".tb-say .tb-claim.un[role=group]")
    there.scroll_into_view_if_needed()
    there.focus()  # as a tap does
    assert "a plan, no fact" in there.locator(".tb-tip").inner_text()
    there.locator("[data-dispute]").click()
    somebody.page.locator("td.why [data-undo='1']").wait_for(state="detached")
    assert not somebody.scrolls_sideways()
    dotted.wait_for(state="detached")  # the first page hears of it: a signature is awaited there
    expect(undo).to_have_count(0)
