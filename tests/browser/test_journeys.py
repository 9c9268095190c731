"""One journey of a person through each desk (ask, watch, read, sign, reload), and one on a phone. The browser tests of the gate.

One server and one journal for all. Nothing here depends on how fast a page is drawn: what has to be seen while a run goes on is noted in
the page itself, and what is signed was filed by an engine of somebody else, so that there is always something to sign.
"""

import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.domain.proposal import Proposal
from engine.settings import Settings
from tests.browser.approvals.reading import AT, approve_button, can_be_signed
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]
NOTHING_ANSWERS = "http://127.0.0.1:9"  # the discard port
SOURCES = ("WIKIPEDIA", "OPENALEX", "SEMANTIC_SCHOLAR", "TAVILY", "SEC_EDGAR")
COUNT_GROWTH = """() => {
  window.grown = 0;
  const lengths = {};
  new MutationObserver(() => {
    for (const seat of document.querySelectorAll('[data-live]')) {
      const now = seat.textContent.length, name = seat.dataset.live;
      window.grown += now > (lengths[name] ?? 0);
      lengths[name] = now;
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
"""From now on the page counts how often the words of a role grow while it writes them."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of the page and of somebody else's engine."""
    return tmp_path_factory.mktemp("journeys") / "home"


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[Engine]:
    """The engine of somebody else."""
    opened = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2"))  # type: ignore[call-arg]
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def address(serve: Serve, home: Path) -> str:
    """The desk; its example library is the only source of research."""
    elsewhere = {f"TRIBUNAL_{name}_URL": NOTHING_ANSWERS for name in SOURCES}
    return serve(TRIBUNAL_HOME=str(home), TRIBUNAL_PACE="1", TRIBUNAL_OPERATOR="op-1", **elsewhere)


def watched(visitor: Visit, address: str, path: str = "/") -> None:
    """Ask on a desk's page, and see the words come and the run end."""
    page = visitor.open(f"{address}{path}?new=1").page
    expect(page.locator(".tb-market")).to_contain_text("Scripted model")  # said before anything is asked
    page.evaluate(COUNT_GROWTH)
    visitor.run()
    visitor.ended()
    assert page.evaluate("window.grown") >= 2, "words appear while they are written"
    assert not visitor.scrolls_sideways()


def is_signed(visitor: Visit, address: str, proposal: Proposal, engine: Engine) -> None:
    """Sign what waits in the bar of its run; a reload offers no second signature."""
    page = visitor.page
    page.goto(f"{address}/?run={proposal.basis.run_id}")
    can_be_signed(page)
    approve_button(page).click()
    expect(approve_button(page)).to_have_count(0)
    assert [each.who for each in engine.trading.proposal(proposal.id).signatures] == ["op-1"]
    page.reload()
    page.wait_for_selector(".tb-verdict")
    expect(approve_button(page)).to_have_count(0)


def filed_decision(engine: Engine) -> Proposal:
    for seed in range(200, 240):
        request = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, lies=0.2, at=AT)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no market with something to decide")


def filed_shares(engine: Engine) -> Proposal:
    for symbol, seed in product(("AAPL", "MSFT", "JPM", "XOM", "AMZN"), range(3)):
        request = engine.equities.request(symbol, session="post_close", seed=seed, propose=True)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(request), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no company with something to decide")


def test_a_decision_is_asked_for_watched_and_signed(address: str, engine: Engine, visit: Come) -> None:
    visitor = visit(width=1440)
    watched(visitor, address)
    page = visitor.page
    expect(page.locator(".tb-verdict .word")).to_have_text(re.compile(r"Enter long|Enter short|Wait"))
    visitor.many(".tb-claim", 8)
    page.wait_for_selector(".tb-chart .plot svg.main-svg")
    is_signed(visitor, address, filed_decision(engine), engine)
    page.goto(f"{address}/settings")
    expect(page.get_by_test_id("stMain")).to_contain_text("Limits")
    expect(page.get_by_test_id("stMain")).not_to_contain_text("Between two looks")  # a docstring of the page's code is not a part of it


def test_an_order_for_shares_is_asked_for_watched_and_signed(address: str, engine: Engine, visit: Come) -> None:
    visitor = visit()
    watched(visitor, address, "/equities")
    expect(visitor.page.locator(".tb-verdict .word")).to_have_text(re.compile("Buy|Sell|Hold"))
    visitor.many(".tb-room .tb-claim", 5)
    visitor.page.wait_for_selector(".tb-chart .plot svg.main-svg")
    is_signed(visitor, address, filed_shares(engine), engine)


def test_a_question_is_asked_answered_and_given_to_a_desk(address: str, visit: Come) -> None:
    visitor = visit().open(f"{address}/research?new=1")
    page = visitor.page
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url("**run=*")
    page.wait_for_selector(".tb-ds", timeout=60_000)
    expect(page.locator(".tb-verdict .word")).to_have_text(re.compile("^Long (not )?crowded$"))  # the question, answered
    visitor.many(".tb-ds tbody tr", 3)
    asked = page.url.partition("#")[0]
    page.reload()
    page.wait_for_selector(".tb-ds")
    assert page.url.partition("#")[0] == asked
    expect(page.get_by_role("link", name="Open the desk with it")).to_be_visible()
    assert not visitor.scrolls_sideways()


def test_on_a_phone_in_chinese_a_decision_is_read_and_rejected(address: str, engine: Engine, visit: Come) -> None:
    proposal = filed_decision(engine)
    visitor = visit(width=390, theme="dark")
    page = visitor.open(f"{address}/?run={proposal.basis.run_id}&lang=zh").page
    can_be_signed(page)
    visitor.many(".tb-claim", 8)
    assert not visitor.scrolls_sideways()
    page.goto(f"{address}/approvals?proposal={proposal.id}&lang=zh")
    can_be_signed(page)
    assert not visitor.scrolls_sideways()
    assert engine.trading.proposal(proposal.id).is_waiting, "looking signs nothing"
