"""The equities desk as a person meets it: the first minute with simulated companies, a trail that grows, reload, a phone, Chinese."""

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]

COUNT_CALLS = """() => {
  window.counted = [0];
  const count = () => window.counted.push(document.querySelectorAll('.tb-trail .call').length);
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
}"""
SAID = """() => [...document.querySelectorAll('.tb-room .tb-say')].map((each) => {
  const words = each.cloneNode(true);
  words.querySelectorAll('.tb-tip, .tb-h, .tb-caret').forEach((other) => other.remove());
  return words.textContent.trim();
})"""


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    """A desk whose scripted model can be watched."""
    return serve(TRIBUNAL_PACE="0.5")


SHIFTS = """(() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
  }).observe({ type: "layout-shift", buffered: true });
})()"""
DRAWN = """() => [...document.querySelectorAll('.tb-chart .plot')].some((plot) => plot.querySelector('svg.main-svg'))"""


def equities(visitor: Visit, address: str) -> Visit:
    """Go to the page by its link."""
    visitor.open(address)
    visitor.page.get_by_role("link", name="Equities").or_(visitor.page.get_by_role("link", name="股票")).first.click()
    visitor.page.wait_for_url("**/equities*")
    visitor.page.wait_for_selector(".tb-par")
    return visitor


def test_the_first_minute_and_a_trail_that_grows(address: str, visit: Come) -> None:
    visitor = equities(visit(), address)
    page = visitor.page
    assert "No run yet" in visitor.text(".tb-verdict")
    for tag in ("Simulated companies", "Scripted model"):
        assert tag in visitor.text(".tb-market"), "said before anything is asked"
    assert page.locator(".tb-par > section").count() == 4
    page.get_by_role("button", name="Run a decision").click()
    page.evaluate(COUNT_CALLS)
    page.wait_for_selector(".tb-three", timeout=45_000)
    seen = page.evaluate("window.counted")
    assert len(set(seen)) >= 3, f"calls appear while the analysts work: {seen}"
    visitor.ended()
    assert re.match(r"Buy|Sell|Hold", visitor.text(".tb-verdict .word"))
    assert page.locator(".tb-step").count() == 7
    assert page.locator(".tb-room .tb-claim").count() > 8
    page.wait_for_selector(".tb-chart .plot .main-svg")
    assert page.locator(".tb-events").count() == 1
    assert not visitor.scrolls_sideways()


def test_a_reload_a_phone_and_chinese_show_the_same_run_whole(address: str, visit: Come) -> None:
    first = equities(visit(), address)
    first.run()
    first.ended()
    first.page.wait_for_function("!document.querySelector('.tb-caret')")  # the panels follow the bar
    said = first.page.evaluate(SAID)
    assert len(said) >= 7
    run = first.page.url.partition("run=")[2].partition("&")[0]
    first.page.reload()
    first.page.wait_for_selector(".tb-three")
    assert first.page.evaluate(SAID) == said
    phone = visit(width=390, theme="dark").open(f"{address}/?run={run}&lang=zh")
    phone.page.wait_for_selector(".tb-three")
    assert phone.page.evaluate(SAID) == said
    for words in ("研究辩论", "风控辩论", "账户与最大委托", "谁能看到什么"):
        assert words in phone.page.inner_text("[data-testid=stMain]")
    assert not phone.scrolls_sideways()
    assert phone.page.evaluate(
        "[...document.querySelectorAll('.tb')].every((each) => each.getBoundingClientRect().right <= innerWidth + 1)"
    )


@pytest.mark.parametrize("width", [1440, 390])
def test_the_chosen_company_is_drawn_before_a_run_and_nothing_moves_in_one(address: str, visit: Come, width: int) -> None:
    visitor = visit(width=width)
    page = visitor.page
    page.add_init_script(SHIFTS)
    page.goto(f"{address}/equities?new=1")
    page.wait_for_function(DRAWN)
    assert "AAPL" in visitor.text(".tb-market")
    assert visitor.text(".tb-market .px") != "", "its price stands there before anything is asked"
    page.wait_for_timeout(1500)  # the frame has come to rest
    page.evaluate("window.shifts = []")
    visitor.run()
    visitor.ended()
    page.wait_for_timeout(1500)
    assert sum(page.evaluate("window.shifts")) < 0.02
