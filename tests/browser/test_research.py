"""The research desk as a person meets it: ask, watch, read, attach it to a decision. The library alone answers."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]
NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing answers
SOURCES = ("WIKIPEDIA", "OPENALEX", "SEMANTIC_SCHOLAR", "TAVILY", "SEC_EDGAR")
DONE = "!document.querySelector('.st-key-run-button button[disabled]') && !!document.querySelector('.tb-ds')"


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    """A desk whose runs take a few seconds, with its example library and no other source."""
    nowhere = {f"TRIBUNAL_{name}_URL": NOWHERE for name in SOURCES}
    return serve(TRIBUNAL_PACE="20", **nowhere)


def ask(visitor: Visit, address: str) -> Visit:
    """Open the page by its address, ask what stands there, and wait for the answer."""
    visitor.open(f"{address}/research?new=1")  # not the run that was shown last
    visitor.page.get_by_role("button", name="Ask", exact=True).click()
    visitor.page.wait_for_url("**run=*")
    visitor.page.wait_for_selector(".tb-lane")
    visitor.page.wait_for_function(DONE, timeout=60_000)
    return visitor


def test_ask_watch_read_and_attach(address: str, visit: Come) -> None:
    visitor = ask(visit(), address)
    page = visitor.page
    visitor.many(".tb-lane", 2)
    visitor.many(".tb-task", 3)
    word = page.locator(".tb-verdict .word")
    expect(word).to_have_text(re.compile("^Long (not )?crowded$"))  # what was asked, answered in a few words
    expect(page.locator(".tb-say").first).to_contain_text(word.inner_text().replace("Long", "the long is"), ignore_case=True)
    visitor.many(".tb-ds tbody tr", 3)
    page.wait_for_selector(".tb-measured svg .b")
    last = page.locator(".tb-curve .now").first.inner_text()
    page.locator(".tb-curve .plot").first.hover(position={"x": 3, "y": 30})
    page.wait_for_function("(last) => document.querySelector('.tb-curve .now').innerText !== last", arg=last)
    page.locator(".tb-say .tb-src").first.click()
    assert page.evaluate("document.querySelector(':target').id") == "source-1"
    page.locator(".tb-dossiers a[aria-current]").wait_for(state="attached")
    asked = page.url.partition("#")[0]
    page.reload()
    page.wait_for_selector(".tb-ds")
    assert page.url.partition("#")[0] == asked
    page.locator(".tb-given b").get_by_text("/").wait_for()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the desk with it").click()
    desk = opened.value
    desk.wait_for_selector(".tb-verdict")
    desk.get_by_text("statements on").wait_for()
    desk.get_by_role("button", name="Run a decision").click()
    desk.wait_for_url("**run=*")
    expect(desk.locator(".tb-att")).to_contain_text("supported", timeout=60_000)
    assert not visitor.scrolls_sideways()
