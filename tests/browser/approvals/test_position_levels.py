"""The stop of an open position, dragged on its chart: a number first, then a proposal, then a signature, then the stop that stands."""

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from tests.browser.approvals.reading import Come, File, told
from tests.browser.approvals.test_changed_plans import LINES, PLOT

pytestmark = pytest.mark.browser


def test_a_dragged_stop_is_proposed_signed_and_stands(address: str, engine: Engine, file: File, visit: Come) -> None:
    for left in engine.trading.positions():  # by an earlier try
        engine.trading.close_position(left.position.symbol, "op-2", left.account)
    proposal = file()
    engine.trading.approve(proposal.id, "op-2", proposal.hash)
    (held,) = engine.trading.positions()
    stop, entry = float(held.position.stop or 0), float(held.position.entry_price)
    page = visit().page
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.goto(f"{address}/positions")
    page.wait_for_selector(".tb-pos")
    page.wait_for_function(f"(stop) => {PLOT}?._fullLayout && ({LINES})().at.some(([at]) => at === stop)", arg=stop)
    page.locator(".tb-acc .end").first.wait_for()
    page.locator(".tb-chart").scroll_into_view_if_needed()
    lines = page.evaluate(LINES)
    y = next(y for price, y in lines["at"] if price == stop)
    nearer = (next(y for price, y in lines["at"] if price == entry) - y) / 2
    page.mouse.move(lines["x"], y)
    page.mouse.down()
    page.mouse.move(lines["x"], y + nearer / 2, steps=3)
    page.mouse.move(lines["x"], y + nearer, steps=3)
    page.mouse.up()
    field = page.get_by_label("Stop", exact=True)
    expect(field).to_have_count(1)
    dragged = float(field.input_value())
    assert min(stop, entry) < dragged < max(stop, entry)
    page.locator(".tb-change", has_text="Loss at stop").wait_for()
    assert float(engine.trading.positions()[0].position.stop or 0) == stop, "a dragged line moves no stop"
    assert engine.trading.waiting() == []
    page.get_by_role("button", name="Propose these levels").click()
    approve = page.get_by_role("button", name="Approve these levels")
    approve.wait_for()
    (change,) = engine.trading.waiting()
    assert (change.changed_by, float(change.plan.stop or 0)) == ("op-1", dragged)
    assert float(engine.trading.positions()[0].position.stop or 0) == stop, "nor does a proposal"
    approve.click()
    assert "the new levels stand" in told(page)
    after = engine.trading.proposal(change.id)
    assert (after.state, [each.who for each in after.signatures]) == ("filled", ["op-1"])
    assert float(engine.trading.positions()[0].position.stop or 0) == dragged
    page.get_by_role("button", name="Change stop or target").wait_for()
    page.wait_for_function(f"(stop) => ({LINES})().at.some(([at]) => at === stop)", arg=dragged)
