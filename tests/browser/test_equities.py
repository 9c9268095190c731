"""The equities desk as a person meets it: nothing moves in a run; reload, a phone, Chinese."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.layout.boxes import SHIFTS, moves_nothing

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]

SAID = """() => [...document.querySelectorAll('.tb-room .tb-say')].map((each) => {
  const words = each.cloneNode(true);
  words.querySelectorAll('.tb-tip, .tb-h, .tb-caret').forEach((other) => other.remove());
  return words.textContent.trim();
})"""
SAYS = f"(said) => JSON.stringify(({SAID})()) === JSON.stringify(said)"


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    """A desk whose scripted model can be watched."""
    return serve(TRIBUNAL_PACE="0.5")


DRAWN = """() => [...document.querySelectorAll('.tb-chart .plot')].some((plot) => plot.querySelector('svg.main-svg'))"""


def equities(visitor: Visit, address: str) -> Visit:
    """Go to the page, without a run."""
    visitor.page.add_init_script(SHIFTS)
    visitor.page.goto(f"{address}/equities?new=1")
    visitor.page.wait_for_selector(".tb-verdict")
    return visitor


def test_a_reload_a_phone_and_chinese_show_the_same_run_whole(address: str, visit: Come) -> None:
    first = equities(visit(width=1440), address)
    runs_without_a_shift(first)
    first.page.wait_for_function("!document.querySelector('.tb-caret')")  # the panels follow the bar
    expect(first.page.locator(".tb-verdict .word")).to_have_text(re.compile("Buy|Sell|Hold"))
    expect(first.page.locator(".tb-step")).to_have_count(7)
    first.many(".tb-room .tb-claim", 9)
    first.page.wait_for_selector(".tb-chart .plot .main-svg")
    expect(first.page.locator(".tb-events")).to_have_count(1)
    assert not first.scrolls_sideways()
    said = first.page.evaluate(SAID)
    assert len(said) >= 7
    run = first.page.url.partition("run=")[2].partition("&")[0]
    first.page.reload()
    first.page.wait_for_function(SAYS, arg=said)
    phone = visit(width=390, theme="dark").open(f"{address}/?run={run}&lang=zh")
    phone.page.wait_for_function(SAYS, arg=said)
    for words in ("研究辩论", "风控辩论", "账户与最大委托", "谁能看到什么"):
        expect(phone.page.get_by_test_id("stMain")).to_contain_text(words)
    assert not phone.scrolls_sideways()
    assert phone.page.evaluate(
        "[...document.querySelectorAll('.tb')].every((each) => each.getBoundingClientRect().right <= innerWidth + 1)"
    )


def test_on_a_phone_nothing_moves_in_a_run(address: str, visit: Come) -> None:
    runs_without_a_shift(equities(visit(width=390), address))


def runs_without_a_shift(visitor: Visit) -> None:
    """The chosen company is drawn before a run, and nothing moves in one."""
    page = visitor.page
    page.wait_for_function(DRAWN)
    expect(page.locator(".tb-market")).to_contain_text("AAPL")
    expect(page.locator(".tb-market .px")).not_to_be_empty()  # its price stands there before anything is asked
    moves_nothing(page, visitor.run, visitor.ended)
