"""Twenty-five proposals that wait: their order and prices, a ticket that stays in sight, and answers that move nothing and sign nothing
else."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.domain.proposal import Proposal
from engine.settings import Settings
from tests.browser.approvals.reading import AT, Come, approve_button, told

pytestmark = pytest.mark.browser

COUNT = 25
MARKETS = ("BTC/USDT:USDT", "ETH/USDT:USDT", "SOL/USDT:USDT")
FIRST_PRICE_S = 30.0
"""From the rows to a price of now that can be signed: some 2 s on a machine with nothing else to do."""
ROWS = "[...document.querySelectorAll('[class*=st-key-card-]')].map((each) => Math.round(each.getBoundingClientRect().top))"
UNDER = """(at) => { const found = document.elementsFromPoint(at.x, at.y);
    return found.some((each) => each.closest('[class*=st-key-approve-] button:not([disabled])')); }"""
SHIFTS = """() => { window.shifted = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((each) => { if (!each.hadRecentInput) window.shifted += each.value; }))
        .observe({type: "layout-shift", buffered: false}); }"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("queue") / "home"


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[Engine]:
    """They wait for an hour: none is over before the test is."""
    opened = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2", proposal_minutes=60))  # type: ignore[call-arg]
    yield opened
    opened.close()


def filed_queue(engine: Engine) -> list[Proposal]:
    waiting = engine.trading.waiting()
    for seed in range(200, 500):
        if len(waiting) >= COUNT:
            break
        asked = engine.decisions.request(MARKETS[seed % 3], seed=seed, propose=True, lies=0.2, at=AT)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(asked), 60).run_id)
        waiting += [proposal] if proposal is not None and proposal.is_waiting else []
    assert len(waiting) >= COUNT
    return waiting


def ids_of(page: Any) -> list[str]:
    keys = page.evaluate(
        "[...document.querySelectorAll('[class*=st-key-choose-]')].map((each) => each.className.match(/st-key-choose-(\\S+)/)[1])"
    )
    return [str(each) for each in keys]


def middle(locator: Any) -> dict[str, float]:
    box = locator.bounding_box()
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


@pytest.mark.timeout(400)
def test_twenty_five_wait_in_order_and_answers_move_nothing(address: str, engine: Engine, visit: Come) -> None:
    queue = {each.id: each for each in filed_queue(engine)}
    page = visit().page
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{address}/approvals")
    page.locator("[class*=st-key-card-]").nth(len(queue) - 1).wait_for(timeout=60_000)
    began = monotonic()
    expect(approve_button(page)).to_be_enabled(timeout=60_000)
    assert monotonic() - began < FIRST_PRICE_S
    rows = ids_of(page)
    assert sorted(rows) == sorted(queue)
    markets = [queue[each].basis.symbol for each in rows]
    assert len([1 for before, after in pairwise(markets) if before != after]) == len(set(markets)) - 1, "together"
    for symbol in set(markets):
        over = [queue[each].expires_at for each in rows if queue[each].basis.symbol == symbol]
        assert over == sorted(over)
    heights = page.evaluate("[...document.querySelectorAll('[class*=st-key-card-]')].map((each) => each.offsetHeight)")
    assert set(heights) == {44}
    page.wait_for_function("document.querySelectorAll('.tb-row .then').length === 0", timeout=60_000)  # all at the price of now
    assert "—" not in page.locator(".tb-row .risk").all_inner_texts()

    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 700)")
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 300")
    box = approve_button(page).bounding_box()
    assert 0 < box["y"] < 900 - box["height"], "the ticket stays beside the rows"
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")

    for place in range(2):
        signs = middle(approve_button(page))
        before = page.evaluate(ROWS)
        page.evaluate(SHIFTS)
        approve_button(page).click()
        assert "Approved and filled" in told(page)
        assert page.evaluate(ROWS) == before
        assert not page.evaluate(UNDER, signs), "nothing that signs has come under the hand"
        page.mouse.click(**signs)
        page.mouse.click(**signs)
        assert sum(engine.trading.proposal(each).state == "filled" for each in rows) == place + 1
        assert page.evaluate("window.shifted") < 0.1
        following = page.locator(".st-key-next-proposal button")
        at = middle(following)
        following.dblclick()
        expect(approve_button(page)).to_be_enabled(timeout=30_000)
        assert not page.evaluate(UNDER, at)
        assert ids_of(page) == rows
    assert sum(engine.trading.proposal(each).state == "filled" for each in rows) == 2


def test_on_a_phone_the_ticket_opens_in_its_place_with_a_foot_that_stays(address: str, engine: Engine, visit: Come) -> None:
    queue = filed_queue(engine)
    page = visit().page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/approvals")
    page.locator("[class*=st-key-card-]").nth(len(queue) - 1).wait_for()
    third = ids_of(page)[2]
    page.locator(f".st-key-choose-{third} button").scroll_into_view_if_needed()
    page.locator(f".st-key-choose-{third} button").click()
    chosen = page.locator(f".st-key-card-{third}-chosen")
    chosen.wait_for()
    expect(approve_button(page)).to_be_enabled(timeout=30_000)
    row, ticket = chosen.bounding_box(), page.locator(".st-key-ticket").bounding_box()
    assert 0 <= ticket["y"] - row["y"] - row["height"] < 40, "below its row"
    for scrolled in (0, 900):
        page.evaluate(f"document.querySelector('[data-testid=stMain]').scrollTo(0, {scrolled})")
        page.wait_for_timeout(100)
        for name in ("Approve", "Reject"):
            box = page.locator(".st-key-answers-row button", has_text=name).first.bounding_box()
            assert box["y"] > 700
            assert box["y"] + box["height"] <= 844
            assert box["height"] >= 44
    assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1")
    page.locator(".st-key-answers-row button", has_text="Reject").click()
    page.locator(".st-key-reasons-open").get_by_text("too late").click()
    assert "Rejected. Nothing was ordered." in told(page)
    assert engine.trading.proposal(third).state == "rejected"
    expect(approve_button(page)).to_have_count(0)
