"""The guided demos in a real browser: each to its end, the decision's twice in one home; a pause, a reload, a second viewer; nothing that
can be pressed lies below the bar."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]  # a minute of its own, on a busy machine several

Serve = Callable[..., str]
Come = Callable[..., Visit]

BEAT = "(document.querySelector('.tb-guide')?.dataset.beat ?? '')"
SAID = ".tb-guide p"
PENDING, STRUCK = "#panel-debate .tb-claim.pend", "#panel-debate .tb-claim del"
IS_UNCHECKED = f"({BEAT} === 'unchecked' && document.querySelectorAll('{PENDING}').length > 10 && !document.querySelector('{STRUCK}'))"
KEEP_UNCHECKED = f"""document.addEventListener('DOMContentLoaded', () => new MutationObserver(() => {{
  window.unchecked ||= {IS_UNCHECKED};
}}).observe(document.documentElement, {{ childList: true, subtree: true, attributes: true }}))"""
"""Note in every page that is loaded whether words stood there unchecked: it lasts little more than a second."""
START = ".st-key-demo-button button"
COVERED = """() => {
  const bar = document.querySelector('.st-key-guide').getBoundingClientRect(), wrong = [];
  const below = (each) => {
    const at = each.getBoundingClientRect(), x = at.left + at.width / 2, y = at.top + at.height / 2;
    return at.width && at.height && x >= 0 && y >= 0 && x < innerWidth && y < innerHeight
      && document.elementFromPoint(x, y)?.closest('.st-key-guide');
  };
  for (const each of document.querySelectorAll('button, a, input, [role=slider], [role=button]')) {
    if (each.closest('.st-key-guide') || !below(each)) continue;
    each.scrollIntoView({ block: 'nearest', behavior: 'instant' });  // what is further down its page can be scrolled to
    if (below(each)) wrong.push(each.outerHTML.slice(0, 90));
  }
  return bar.height > 40 ? wrong : ['no bar'];
}"""


def come_to(visitor: Visit, beat: str) -> None:
    """Wait until the bar says that beat."""
    visitor.page.wait_for_function(f"{BEAT} === {beat!r}", timeout=120_000)


def test_the_decision_is_watched_to_its_end_twice_in_one_home(serve: Serve, visit: Come) -> None:
    address = serve(TRIBUNAL_PACE="3")
    visitor = visit(width=1440)
    page = visitor.page
    page.add_init_script(KEEP_UNCHECKED)
    visitor.open(address)
    with page.expect_request(re.compile(r"/runs/[^/]+/events$"), timeout=60_000):  # its words come as those of every run
        page.locator(START).first.click()
    endings, signed = [], []
    for number in range(2):
        page.wait_for_function("window.unchecked", timeout=120_000)
        come_to(visitor, "checked")
        page.wait_for_function("document.querySelectorAll('.tb-claim del').length > 0")
        come_to(visitor, "difference")
        assert re.search(r"Enter short \d+.*Enter long \d+", visitor.text(SAID))
        come_to(visitor, "sign")
        assert page.evaluate(COVERED) == []
        if number == 0:
            other = visit(width=390).open(page.url)
            come_to(other, "sign")
            assert other.page.evaluate(COVERED) == []
            other.close()
            page.reload()
            come_to(visitor, "sign")
        page.wait_for_function("/\\d BTC/.test(document.querySelector('.tb-lev')?.innerText ?? '')")
        signed.append(visitor.text(".tb-lev"))
        page.locator('[class*="st-key-approve-"] button').first.click()
        come_to(visitor, "result")
        money = re.search(r"([+−][\d,.]+) USDT, ([+−][\d.]+) R", visitor.text(SAID))
        assert money is not None
        endings.append(visitor.text(SAID))
        expect(page.locator(".tb-verdict")).to_contain_text(money[1])
        page.wait_for_function("!document.querySelector('[data-stale=true]')")
        if number == 0:
            page.evaluate("window.unchecked = false")
            page.get_by_role("button", name="Again", exact=True).click()
            come_to(visitor, "analysts")
    assert endings[0] == endings[1]
    assert signed[0] == signed[1]
    page.get_by_role("link", name="Positions").first.click()
    expect(page.get_by_test_id("stMain")).to_contain_text("Demo")
    page.get_by_text(money[1]).first.wait_for()


def test_space_holds_it_for_everybody_and_escape_ends_it(serve: Serve, visit: Come) -> None:
    visitor = visit(width=1440).open(serve(TRIBUNAL_PACE="1"))
    page = visitor.page
    page.locator(START).first.click()
    come_to(visitor, "analysts")
    page.wait_for_function("document.querySelectorAll('.tb-an .txt').length > 0")
    held = "[...document.querySelectorAll('.st-key-guide button')].some((each) => /Go on/.test(each.innerText))"
    visitor.act_until(lambda: page.keyboard.press("Space"), held)
    other = visit(width=1440).open(page.url)
    other.page.get_by_role("button", name="Go on").wait_for()
    words = visitor.texts("#panel-analysts .txt")
    page.wait_for_timeout(2500)  # the run goes on, and none of it is shown
    assert visitor.texts("#panel-analysts .txt") == words
    other.page.keyboard.press("Space")
    said = "[...document.querySelectorAll('#panel-analysts .txt')].map((each) => each.innerText)"
    page.wait_for_function(f"(words) => JSON.stringify({said}) !== JSON.stringify(words)", arg=words)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-guide")).to_have_count(0)
    expect(page.locator(".tb-veil")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "beats"),
    [
        ("/equities", ("raw", "bounds", "cut", "sight", "sign")),
        ("/research", ("failed", "retried", "refused", "replanned", "answer", "false", "attach")),
    ],
)
def test_the_other_desks_are_watched_to_their_end(serve: Serve, visit: Come, path: str, beats: tuple[str, ...]) -> None:
    visitor = visit(width=1440)
    visitor.page.goto(f"{serve(TRIBUNAL_PACE='4')}{path}?new=1")
    visitor.page.locator(START).first.click(timeout=90_000)
    for beat in beats:
        come_to(visitor, beat)
        assert len(visitor.text(SAID)) > 20
    if path == "/equities":
        visitor.page.locator('[class*="st-key-approve-"] button').first.click()
        come_to(visitor, "result")
    assert visitor.page.evaluate(COVERED) == []
    visitor.page.get_by_role("button", name="Again", exact=True).wait_for()
