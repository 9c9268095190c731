"""An order for shares in a person's hands: signed on its page and found among the positions, rejected with a reason, decided again."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.domain.proposal import Proposal
from engine.settings import Settings
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]
DAY = date(2024, 3, 5)
INSIDE = """() => [...document.querySelectorAll('.tb, [data-testid=stButtonGroup]')]
  .every((each) => each.getBoundingClientRect().right <= innerWidth + 1)"""
FILLED = "/filled/.test(document.querySelector('.st-key-verdict')?.innerText ?? '')"
ROWS = """() => [...document.querySelectorAll('[data-testid=stSidebar] [data-testid=stButtonGroup] [role=radiogroup]')]
  .map((each) => each.getBoundingClientRect().height)"""
MARKS = """() => [...document.querySelectorAll('.tb-scale .m .tb-role')].map((each) => {
  const box = each.getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom];
})"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where page and test keep their journal."""
    return tmp_path_factory.mktemp("shares") / "home"


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[Engine]:
    """The engine of somebody else on that journal."""
    opened = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2"))  # type: ignore[call-arg]
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], engine: Engine, home: Path) -> str:
    """The page's server."""
    return serve(TRIBUNAL_HOME=str(home), TRIBUNAL_PACE="0", TRIBUNAL_OPERATOR="op-1")


def filed(engine: Engine, symbol: str) -> Proposal:
    """A proposal for shares that waits, out of a debate of two rounds with false statements."""
    asked = engine.equities.request(symbol, trade_date=DAY, session="post_close", propose=True, depth=2, lies=0.1, seed=7)
    proposal = engine.trading.proposal_of(engine.wait(engine.start(asked), 60).run_id)
    assert proposal is not None
    assert proposal.is_waiting
    return proposal


def test_an_order_is_signed_on_the_page_and_becomes_the_position(address: str, engine: Engine, visit: Come) -> None:
    proposal = filed(engine, "AAPL")
    visitor = visit().open(f"{address}/?run={proposal.basis.run_id}")
    page = visitor.page
    page.wait_for_selector("[class*=st-key-approve-] button:not([disabled])")
    page.get_by_role("button", name="Approve buy").dblclick()
    page.wait_for_function(FILLED)
    page.get_by_role("button", name="Approve buy").wait_for(state="detached")
    after = engine.trading.proposal(proposal.id)
    assert (after.state, [each.who for each in after.signatures]) == ("filled", ["op-1"])
    page.goto(f"{address}/positions")
    page.wait_for_selector(".tb-pos .tb-thesis")
    card, held = visitor.text(".tb-pos"), engine.trading.positions()[0].position.size
    for words in ("AAPL", f"{held:f} shares", "USD", "largest allowed order"):
        assert words in card, words
    for foreign in ("\u00d7", "Liquidation", "[Final decision]", "~~"):
        assert foreign not in card, foreign
    visitor.many(".tb-pos .tb-claim", 1)  # the ruling's numbers are marked as they were checked
    page.goto(f"{address}/?run={proposal.basis.run_id}")
    page.wait_for_function(FILLED)


@pytest.mark.parametrize(
    ("language", "reject", "why", "told"), [("en", "Reject", "too late", "rejected"), ("zh", "拒绝", "太晚了", "已拒绝")]
)
def test_an_order_is_rejected_on_a_phone_with_a_reason(
    address: str, engine: Engine, visit: Come, language: str, reject: str, why: str, told: str
) -> None:
    proposal = filed(engine, "MSFT")
    visitor = visit(width=390, theme="dark").open(f"{address}/?run={proposal.basis.run_id}&lang={language}")
    page = visitor.page
    expect(page.locator(".tb-scale .m .tb-role")).to_have_count(4)  # each of the debate, and the judge
    marks = page.evaluate(MARKS)
    assert not [1 for n, one in enumerate(marks) for other in marks[n + 1 :] if covers(one, other)], marks
    page.wait_for_selector("[class*=st-key-approve-] button:not([disabled])")
    visitor.act_until(
        page.get_by_role("button", name=reject, exact=True).click,
        f"document.querySelector('[data-testid=stMain]').innerText.includes('{why}')",
    )
    page.get_by_role("button", name=why).or_(page.locator(f"text={why}")).first.click()
    page.wait_for_function(f"document.querySelector('.st-key-verdict')?.innerText.includes('{told}')")
    assert engine.trading.proposal(proposal.id).state == "rejected"
    assert not visitor.scrolls_sideways()
    assert page.evaluate(INSIDE)


def covers(one: list[float], other: list[float]) -> bool:
    """Whether two boxes (left, top, right, bottom) share more than an edge."""
    return one[0] + 1 < other[2] and other[0] + 1 < one[2] and one[1] + 1 < other[3] and other[1] + 1 < one[3]


@pytest.mark.parametrize(
    ("language", "again", "change", "go"), [("en", "Decide again", "Change the words", "Run it"), ("zh", "重新决策", "改写该步骤", "运行")]
)
def test_it_is_decided_again_from_a_step_and_the_form_fits_a_phone(
    address: str, engine: Engine, visit: Come, language: str, again: str, change: str, go: str
) -> None:
    run_id = engine.start(engine.equities.request("NVDA", trade_date=DAY, session="post_close"))
    engine.wait(run_id, 60)
    visitor = visit(width=390).open(f"{address}/?run={run_id}&lang={language}")
    page = visitor.page
    page.locator(f"summary:has-text('{again}')").click()
    page.locator(f"label:has-text('{change}')").click()
    said = page.locator("[data-testid=stTextArea] textarea")
    said.wait_for()
    said.fill("Not today.\n\n[Trade]\naction: HOLD\nquantity: 0\nconfidence: 50\n")
    said.press("Control+Enter")
    assert not visitor.scrolls_sideways()
    page.get_by_role("button", name=go, exact=True).click()
    page.wait_for_function(f"location.search.includes('run=') && !location.search.includes('{run_id}')")
    made = page.url.partition("run=")[2].partition("&")[0]
    page.get_by_text("Not today.").first.wait_for()
    visitor.ended()
    while (record := engine.record(made)).result is None:  # written behind the event that the page has seen; the test's own bound ends it
        page.wait_for_timeout(50)
    assert (record.result["trader_action"], record.result["order"]) == ("hold", None)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_selector("[data-testid=stSidebar] [role=radio]")
    visitor.many("[data-testid=stSidebar] [data-testid=stButtonGroup] [role=radiogroup]", 5)
    rows = page.evaluate(ROWS)
    assert len(rows) == 5
    assert max(rows) < 48, "each choice stands in one line"
