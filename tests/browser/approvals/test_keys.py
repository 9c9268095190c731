"""Keys alone: past the navigation, through the queue, through the numbers of a text, to a change, a refusal and a signature."""

from typing import Any

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from tests.browser.approvals.reading import Come, File, can_be_signed, look

pytestmark = pytest.mark.browser

STOPS = """() => [...document.querySelectorAll('.tb-say')].map((text) => [...text.querySelectorAll('.tb-claim[tabindex]')])
  .filter((claims) => claims.length > 1).map((claims) => claims.filter((each) => each.tabIndex === 0).length)"""
LISTENS = "html.tb-settled"
"""The script that listens to keys has come."""
HERE = "() => { const at = document.activeElement; return [at.id, at.dataset.testid ?? '', at.innerText ?? '']; }"


def test_keys_are_enough(address: str, engine: Engine, file: File, visit: Come) -> None:
    first, second = file(), file()
    visitor = visit()
    page = look(visitor, address, first)
    page.wait_for_selector(LISTENS, state="attached")
    skips_the_navigation(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").locator("dt")).to_have_text(["r", "e", "a", "x", "j", "k", "space", "esc", "?"])
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    shown = page.url
    walked = "k" if page.locator("[class*=st-key-card-]").last.locator("[aria-current]").count() else "j"
    page.keyboard.press(walked)
    page.wait_for_url(lambda url: url != shown)
    page.goto(f"{address}/?run={first.basis.run_id}")
    page.wait_for_selector(LISTENS, state="attached")
    can_be_signed(page)
    reads_the_numbers(page)
    page.keyboard.press("e")
    page.locator(".st-key-plan-inputs").wait_for()
    page.keyboard.press("x")
    page.locator(f".st-key-reject-{first.id}").wait_for()
    can_be_signed(page)
    page.keyboard.press("a")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Approve")
    page.keyboard.press("Enter")  # the way back is what has the focus
    expect(dialog).to_have_count(0)
    assert engine.trading.proposal(first.id).is_waiting
    page.keyboard.press("a")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.locator(".tb-chip", has_text="filled").wait_for()
    assert engine.trading.proposal(first.id).state == "filled"
    assert engine.trading.proposal(second.id).is_waiting
    page.keyboard.press("r")
    page.wait_for_url(lambda url: "run=" in url and first.basis.run_id not in url)
    visitor.ended()


def skips_the_navigation(page: Any) -> None:
    """The first stop leads past everything that stands above the page."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    assert page.evaluate(HERE)[1] == "stSkipToContent"
    page.keyboard.press("Enter")
    assert page.evaluate(HERE)[0] == "stMain"


def reads_the_numbers(page: Any) -> None:
    """A text is one stop; arrows go from one number to the next."""
    page.wait_for_function(f"(() => {{ const stops = ({STOPS})(); return stops.length > 1 && stops.every((n) => n === 1); }})()")
    claim = page.locator(".tb-say .tb-claim[tabindex='0']").first
    claim.focus()
    before = page.evaluate(HERE)[2]
    page.keyboard.press("ArrowRight")
    assert page.evaluate(HERE)[2] != before
    assert page.locator(".tb-claim:focus .tb-tip").is_visible()
    page.keyboard.press("Tab")
    assert page.locator(".tb-say:has(.tb-claim:focus)").count() == 0 or page.evaluate(STOPS).count(1) == len(page.evaluate(STOPS))
    page.evaluate("document.activeElement.blur()")
