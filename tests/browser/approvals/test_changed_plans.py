"""A plan that is changed before it is signed: a dragged line, a typed number, and what the bar says of it."""

from typing import Any

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.domain.proposal import Proposal
from tests.browser.approvals.reading import Come, File, again, look, told

pytestmark = pytest.mark.browser
PLOT = "document.querySelector('.tb-chart .plot')"
LINES = f"""() => {{
  const plot = {PLOT}, box = plot.getBoundingClientRect(), axis = plot._fullLayout.yaxis;
  const isPlan = ({{ type, xref, yref, line }}) => type === 'line' && xref === 'x' && yref === 'y' && line.width === 1.5;
  const lines = plot.layout.shapes.filter(isPlan);
  return {{ x: box.x + plot._fullLayout.margin.l + plot._fullLayout.xaxis._length - 20,
    at: lines.map((line) => [line.y0, box.y + axis._offset + axis.d2p(line.y0)]) }};
}}"""
SHOWN = f"() => ({{ mounts: {PLOT}.dataset.mounts, range: {PLOT}.layout.xaxis.range, mine: {PLOT}.mine === true }})"


def drag_stop(page: Any, proposal: Proposal) -> float:
    """Drag the stop a little nearer to the entry; gives where it was."""
    stop = float(proposal.plan.stop or 0)
    lines = page.evaluate(LINES)
    y = next(y for price, y in lines["at"] if price == stop)
    nearer = -4 if y > next(at for price, at in lines["at"] if price == float(proposal.figures.price)) else 4
    page.mouse.move(lines["x"], y)
    page.mouse.down()
    page.mouse.move(lines["x"], y + nearer / 2, steps=3)
    page.mouse.move(lines["x"], y + nearer, steps=3)
    page.mouse.up()
    page.wait_for_function("(old) => Number(document.querySelector('.st-key-plan-inputs input')?.value ?? old) !== old", arg=stop)
    return stop


def stop_field(page: Any) -> Any:
    """Find the input of the stop, once the one that it replaces is gone."""
    field = page.get_by_label("Stop", exact=True)
    expect(field).to_have_count(1)
    return field


def test_a_dragged_line_is_the_number_that_is_signed(address: str, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    visitor = visit(height=1200)
    page = look(visitor, address, proposal)
    page.wait_for_function(f"{PLOT} && {PLOT}.layout && {PLOT}._fullLayout")
    page.get_by_label("zoom in").click()
    page.wait_for_timeout(1500)
    page.evaluate(f"{PLOT}.mine = true")
    before = page.evaluate(SHOWN)
    stop = drag_stop(page, proposal)
    field = stop_field(page)
    dragged = float(field.input_value())
    page.get_by_role("button", name="Approve with your changes").wait_for()
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=dragged)
    assert page.evaluate(SHOWN) == before, "the same chart, the same zoom"
    page.get_by_role("button", name="Back to the machine's plan").click()
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=stop)
    stop_field(page).fill(str(dragged))
    field.press("Enter")  # typed and dragged are the same number
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=dragged)
    page.get_by_role("button", name="Approve with your changes").click()
    assert "Approved and filled" in told(page)
    after = engine.trading.proposal(proposal.id)
    assert (after.state, after.is_edited, float(after.plan.stop or 0)) == ("filled", True, dragged)
    assert after.signatures[-1].hash == after.hash != proposal.hash
    again(visitor)
    expect(page.get_by_label("Answered today")).to_contain_text(f"→ {dragged:,.1f}")  # what was changed of the plan


def test_on_the_desk_a_dragged_line_opens_the_form_and_typing_moves_the_line(address: str, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    visitor = visit(height=1200).open(f"{address}/?run={proposal.basis.run_id}")
    page = visitor.page
    page.wait_for_function(f"{PLOT} && {PLOT}.layout && {PLOT}._fullLayout")
    page.wait_for_timeout(1500)
    stop = drag_stop(page, proposal)
    field = stop_field(page)
    field.fill(str(stop))
    field.press("Enter")
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=stop)
    page.wait_for_timeout(1500)
    page.wait_for_function("!document.querySelector('[data-stale=true]')")  # the page has come to rest
    page.locator(".st-key-signs").get_by_role("button", name="Reject").click()
    page.locator(".st-key-reject-" + proposal.id).get_by_text("other…").click()
    page.get_by_label("Your reason, in one line").fill("not on a Sunday")
    page.get_by_label("Your reason, in one line").press("Enter")
    page.get_by_role("button", name="Reject with this reason").click()
    page.locator(".tb-chip", has_text="rejected").wait_for()
    page.reload()
    page.locator(".tb-chip", has_text="rejected").wait_for()
    assert engine.trading.proposal(proposal.id).why == "not on a Sunday"


def test_the_bar_shows_what_the_button_signs_and_then_what_was_filled(address: str, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    visitor = visit().open(f"{address}/?run={proposal.basis.run_id}")
    page, step = visitor.page, float(proposal.basis.terms.price_step)
    page.locator(".st-key-signs").get_by_role("button", name="Edit").click()
    field = stop_field(page)
    field.fill(str(float(proposal.plan.stop or 0) + (step * 20 if proposal.plan.side == "buy" else -step * 20)))
    field.press("Enter")
    page.get_by_role("button", name="Approve with your changes").wait_for()
    page.get_by_text("decided:").first.wait_for()  # the market has been looked at
    page.get_by_text("The machine's plan and yours, side by side").click()
    told = """() => {
      const row = [...document.querySelectorAll('.tb-change tr')].find((each) => each.innerText.startsWith('Loss at stop'));
      const bar = [...document.querySelectorAll('.tb-verdict .tb-lev > div')].find((each) => each.innerText.startsWith('Loss / gain'));
      return row && bar ? [row.cells[2].innerText.split(' ')[0], bar.querySelector('.v').innerText.split(' ')[0]] : ['', null];
    }"""
    page.wait_for_function(f"() => {{ const [form, bar] = ({told})(); return form === bar; }}")
    page.get_by_role("button", name="Approve with your changes").click()
    page.locator(".tb-verdict", has_text="Filled at").wait_for()
    filled = engine.trading.filled(proposal.id)
    assert filled is not None
    shown = visitor.text(".tb-verdict")
    assert f"{filled.report.price:,.{max(0, -int(proposal.basis.terms.price_step.normalize().as_tuple().exponent))}f}" in shown
    assert "Entry" not in shown
