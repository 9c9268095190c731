"""The price beside a signature: it moves by itself, drags go on under it, and without a server it is not called that of now."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.domain.risk import RiskConfig
from tests.browser.approvals.reading import Come, File
from tests.browser.approvals.test_changed_plans import LINES, PLOT
from tests.browser.conftest import Server

pytestmark = pytest.mark.browser
TAG = "document.querySelector('.tb-live.tag:not([hidden])')"
SAID = "document.querySelector('.tb-live.held:not([hidden])')?.innerText ?? ''"


def test_the_price_moves_under_a_drag_and_grows_old_without_a_server(
    chromium: str, home: Path, file: File, visit: Come, tmp_path: Path
) -> None:
    proposal = file(at=None, risk=RiskConfig(max_drift_atr=50))
    with Server(tmp_path, TRIBUNAL_HOME=str(home), TRIBUNAL_PACE="0", TRIBUNAL_OPERATOR="op-1") as server:
        visitor = visit(width=1440).open(f"{server.address}/?run={proposal.basis.run_id}")
        page = visitor.page
        page.wait_for_function(f"{TAG} && {PLOT}._fullLayout && {PLOT}.dataset.draws")
        page.wait_for_function(f"(old) => {TAG}.textContent !== old", arg=page.evaluate(f"{TAG}.textContent"))  # the chart is complete
        for _ in range(10):  # a new bar draws the chart anew, a new price does not
            draws, price = page.evaluate(f"[{PLOT}.dataset.draws, {TAG}.textContent]")
            page.wait_for_function(f"(old) => {TAG}.textContent !== old", arg=price)
            if page.evaluate(f"{PLOT}.dataset.draws") == draws:
                break
        else:
            pytest.fail("every price draws the chart anew")
        expect(page.locator(".tb-seen")).to_contain_text("live")
        side, stop = ("long", "below") if proposal.plan.side == "buy" else ("short", "above")
        lines = page.evaluate(LINES)
        at = next(y for level, y in lines["at"] if level == float(proposal.plan.stop or 0))
        away, price = (8 if stop == "below" else -8), page.evaluate(f"{TAG}.textContent")
        page.mouse.move(lines["x"], at)
        page.mouse.down()
        page.mouse.move(lines["x"], at + away, steps=3)
        page.wait_for_function(f"(old) => {TAG}.textContent !== old", arg=price)  # it has been told anew, and the hand still holds
        page.wait_for_function(f"/Loss at stop, costs in −/.test({SAID}) && /Reward : risk, after costs/.test({SAID})")
        page.mouse.move(lines["x"], at - away * 12, steps=6)
        page.wait_for_function(f"{SAID}.includes('For a {side} the stop must be {stop} the price')")
        page.mouse.move(lines["x"], at + away, steps=3)
        page.mouse.up()
        page.get_by_role("button", name="Approve with your changes").wait_for()
        page.wait_for_function(f"{PLOT}.getBoundingClientRect().top < innerHeight - 220")  # not dragged blind
        expect(page.get_by_role("button", name="Reject", exact=True)).to_have_count(1)
        server.kill()
        page.wait_for_selector(".tb-live.tag.old")
        page.wait_for_selector(".tb-seen.old .age:has-text('old')")
        visitor.close()
    visitor.wrong.clear()  # what a browser says of a server that went


OPEN = "(shape) => shape.line?.dash === '2px,2px'"
FORMING = f"JSON.stringify({PLOT}._fullLayout.shapes.filter({OPEN}).map((shape) => [shape.x0, shape.y0, shape.y1]))"


@pytest.mark.parametrize("path", ["?run={run}", "approvals?proposal={proposal}"])
def test_candles_go_on_while_a_signature_waits(address: str, file: File, visit: Come, path: str) -> None:
    proposal = file(at=None, risk=RiskConfig(max_drift_atr=50))
    page = visit(width=1440).page
    page.goto(f"{address}/{path.format(run=proposal.basis.run_id, proposal=proposal.id)}")
    page.wait_for_function(f"{PLOT}?._fullLayout && {FORMING} !== '[]'")
    seen = page.evaluate(FORMING)
    page.wait_for_function(f"(seen) => {FORMING} !== seen", arg=seen, timeout=30_000)
    assert page.evaluate(f"{PLOT}.dataset.mounts") == "1", "the same chart"
