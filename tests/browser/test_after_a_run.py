"""After a run, in a real browser: the bell rings, the page is saved, opens without a network and plays."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]

TOLD = "() => window.told ?? []"
LISTEN = """
window.told = [];
window.Notification = class { constructor(title, more) { window.told.push([title, more.body, more.tag]); } close() {} };
window.Notification.permission = "granted";
window.sounds = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...at) { window.sounds += 1; return start.apply(this, at); };
"""

PAUSE_ON_THE_WAY = """() => {
  const button = document.querySelector('.tb-player button');
  new MutationObserver((_, observer) => {
    if (!document.querySelector('.tb-an .tb-st.done')) return;
    observer.disconnect();
    window.paused = button.textContent.trim();
    button.click();
  }).observe(document.querySelector('main'), { childList: true, subtree: true });
}"""
"""Press the player's button as soon as an analyst is done: the run is over a few seconds later."""


@pytest.fixture(scope="module")
def quick(serve: Serve) -> str:
    """A desk whose runs last for some seconds: a page that is slow to come still sees how one ends."""
    return serve(TRIBUNAL_PACE="4")


def test_the_bell_rings_once_for_whoever_asked_for_it(quick: str, visit: Come) -> None:
    visitor = visit()
    page = visitor.page
    page.add_init_script(LISTEN)
    visitor.open(quick)
    visitor.run()
    visitor.ended()
    page.wait_for_timeout(500)
    assert page.evaluate(TOLD) == [], "nobody asked"
    bell = page.locator(".tb-notify")
    expect(bell).to_have_attribute("aria-pressed", "false")
    bell.click()
    expect(bell).to_have_attribute("aria-pressed", "true")
    before = page.url
    page.get_by_role("button", name="Run a decision").click()
    page.wait_for_url(lambda url: "run=" in url and url != before)
    visitor.ended()
    page.wait_for_function("() => window.told.length > 0")
    page.wait_for_timeout(1500)
    told = page.evaluate(TOLD)
    assert len(told) == 1
    assert told[0][0].startswith("Tribunal · BTC/USDT:USDT: ")
    assert told[0][2] in page.url
    assert page.evaluate("() => window.sounds") == 2, "two tones"
    page.reload()
    visitor.ended()
    page.wait_for_timeout(500)
    assert page.evaluate(TOLD) == [], "an end that was there when the page came is no news"
    expect(page.locator(".tb-notify")).to_have_attribute("aria-pressed", "true")  # the choice stays in the browser


def test_a_saved_page_opens_without_a_network_and_plays(quick: str, visit: Come, tmp_path: Path) -> None:
    visitor = visit().open(quick)
    visitor.run()
    visitor.ended()
    with visitor.page.expect_download() as coming:
        visitor.page.get_by_role("button", name="Save as a page").click()
    saved = tmp_path / coming.value.suggested_filename
    coming.value.save_as(saved)
    assert saved.suffix == ".html"
    alone = visit(width=390, theme="dark")
    alone.page.context.set_offline(True)
    asked: list[str] = []
    alone.page.on("request", lambda request: asked.append(request.url))
    alone.page.goto(saved.as_uri())
    for part in (".tb-verdict .word", ".tb-debate", ".tb-judge", "[aria-label=Grounding]", "[aria-label=Executor]"):
        here, there = (each.page.locator(part).first.text_content() for each in (alone, visitor))  # a phone leaves a column out
        assert squeezed(here) == squeezed(there).replace("Dispute", "") != ""  # a saved page has nobody who could hear a dispute
    alone.many(".tb-svg path", 201)  # 110 candles, each a body and a wick
    assert not alone.scrolls_sideways()
    plays_by_itself(alone, asked)


def plays_by_itself(alone: Visit, asked: list[str]) -> None:
    """The file plays, stands still, is moved with the keys and lets nothing else run; it asks for nothing but itself."""
    page = alone.page
    end, slider = page.locator("main").inner_html(), page.get_by_role("slider")
    slider.press("Home")
    expect(page.locator(".tb-player .words")).to_contain_text("after event 1 of")
    expect(page.locator(".tb-an .tb-st.done")).to_have_count(0)
    page.evaluate(PAUSE_ON_THE_WAY)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("window.paused?.includes('Pause')")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    here = slider.input_value()
    assert 0 < int(here) < int(slider.get_attribute("max") or 0)
    slider.press("ArrowRight")
    assert int(slider.input_value()) == int(here) + 1
    slider.blur()
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('.tb-player input').value === document.querySelector('.tb-player input').max")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert page.locator("main").inner_html().replace(' style=""', "") == end
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<details open ontoggle=\"window.pwned = 1\"></details>')")
    while not any("Content Security Policy" in wrong for wrong in alone.wrong):  # what the browser says of it
        page.wait_for_timeout(50)
    assert page.evaluate("window.pwned") is None
    assert asked == [page.url]
    alone.forgive("Content Security Policy")


def squeezed(text: str) -> str:
    return "".join(text.split())
