"""Proposals as people answer them: two tabs, a hasty hand, a dragged line, a clock that runs out, a price that runs away, the kill switch.

The page and this test share a journal: the test files proposals through an engine of its own, as a run elsewhere would, and reads what
became of them.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.api import Change, Engine
from engine.domain.errors import NotAllowed
from engine.domain.proposal import Proposal
from engine.domain.risk import RiskConfig
from engine.settings import Settings
from tests.browser.conftest import Visit, serving
from tests.conftest import ROOT

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]
File = Callable[..., Proposal]

PLOT = "document.querySelector('.tb-chart .plot')"
LINES = f"""() => {{
  const plot = {PLOT}, box = plot.getBoundingClientRect(), axis = plot._fullLayout.yaxis;
  const isPlan = ({{ type, xref, yref, line }}) => type === 'line' && xref === 'x' && yref === 'y' && line.width === 1.5;
  const lines = plot.layout.shapes.filter(isPlan);
  return {{ x: box.x + plot._fullLayout.margin.l + plot._fullLayout.xaxis._length - 20,
    at: lines.map((line) => [line.y0, box.y + axis._offset + axis.d2p(line.y0)]) }};
}}"""
SHOWN = f"() => ({{ mounts: {PLOT}.dataset.mounts, range: {PLOT}.layout.xaxis.range, mine: {PLOT}.mine === true }})"
AT = "2026-11-01T08:00:00Z"  # a market that stands still: nothing drifts but where a test wants it


@pytest.fixture
def visit(visit: Come) -> Iterator[Come]:
    """Visitors of pages below the root: Streamlit's own script looks for its server below the page's address first, and is told 404."""
    made: list[Visit] = []

    def come(**how: Any) -> Visit:
        made.append(visit(**how))
        return made[-1]

    yield come
    for visitor in made:
        visitor.forgive("404")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where page and test keep their journal."""
    return tmp_path_factory.mktemp("approvals") / "home"


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[Engine]:
    """The engine of somebody else."""
    opened = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2"))  # type: ignore[call-arg]
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], engine: Engine, home: Path) -> str:
    """The page's server; made once for the module."""
    return serve(TRIBUNAL_HOME=str(home), TRIBUNAL_PACE="0", TRIBUNAL_OPERATOR="op-1", TRIBUNAL_API_KEY="canary-key")


@pytest.fixture(scope="module")
def seeds() -> Iterator[int]:
    """Every proposal has a simulated market, and so a paper account, of its own."""
    return iter(range(200, 400))


@pytest.fixture
def file(engine: Engine, seeds: Iterator[int]) -> File:
    """Files a proposal that waits; looks for a market in which there is something to decide."""

    def filed(by: Engine = engine, **asked: Any) -> Proposal:
        for seed in seeds:
            request = by.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, lies=0.2, **{"at": AT, **asked})
            proposal = by.trading.proposal_of(by.wait(by.start(request), 60).run_id)
            if proposal is not None and proposal.is_waiting:
                return proposal
        pytest.fail("no market with something to decide")

    return filed


def orders_of(home: Path, proposal: Proposal) -> int:
    with closing(sqlite3.connect(home / "tribunal.db")) as journal:
        return int(journal.execute("SELECT count(*) FROM orders WHERE subject = ?", (proposal.id,)).fetchone()[0])


def look(visitor: Visit, address: str, proposal: Proposal) -> Any:
    """Open the page on that proposal and wait until the market has been looked at."""
    page = visitor.page
    page.goto(f"{address}/approvals?proposal={proposal.id}")
    page.wait_for_selector(f".st-key-card-{proposal.id}-chosen")
    page.wait_for_selector(".tb-approvals:has-text('equity')")
    return page


def again(visitor: Visit) -> None:
    """Reload, as people do when they are not sure."""
    visitor.page.reload()
    visitor.page.wait_for_selector(".tb-approvals")


def approve_button(page: Any) -> Any:
    return page.locator("[class*='st-key-approve-'] button")


def told(page: Any) -> str:
    page.wait_for_selector(".st-key-told .tb-msg")
    return str(page.locator(".st-key-told").inner_text())


def test_a_hasty_hand_orders_once_and_the_position_can_be_closed_by_hand(
    address: str, home: Path, engine: Engine, file: File, visit: Come
) -> None:
    proposal = file()
    visitor = visit().open(address)
    assert "Approvals 1" in " ".join(visitor.text("[data-testid=stHeader]").split())
    page = look(visitor, address, proposal)
    approve_button(page).dblclick()
    assert "Approved and filled" in told(page)
    again(visitor)
    assert engine.trading.proposal(proposal.id).state == "filled"
    assert orders_of(home, proposal) == 1
    assert approve_button(page).count() == 0
    assert "approved" in visitor.text("[aria-label='Answered today']")
    page.goto(f"{address}/positions")
    card = page.locator(".tb-pos")
    card.wait_for()
    assert "broken if" in card.inner_text()
    size = float(engine.trading.positions()[0].position.size)
    page.get_by_role("button", name="Reduce 50").click()
    page.get_by_role("button", name="Yes, reduce it").dblclick()
    page.wait_for_selector(".tb-msg.done")
    assert float(engine.trading.positions()[0].position.size) == pytest.approx(size / 2, rel=0.02)
    page.reload()
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Yes, close it").click()
    page.get_by_text("No open position.").wait_for()
    assert engine.trading.positions() == []
    page.goto(f"{address}/settings")
    page.get_by_text("Exchange key").wait_for()
    assert "canary" not in page.content()


def test_of_two_tabs_one_answers_and_the_other_is_told(address: str, home: Path, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    one, other = visit().open(address), visit(theme="dark").open(address)
    first, second = look(one, address, proposal), look(other, address, proposal)
    press, tap = approve_button(first), second.locator(f".st-key-reject-{proposal.id} >> text=too late")
    press.wait_for(), tap.wait_for()
    press.evaluate("(button) => button.click()")
    tap.evaluate("(button) => button.click()")
    answers = told(first), told(second)
    after = engine.trading.proposal(proposal.id)
    assert after.state in {"filled", "rejected"}
    assert orders_of(home, proposal) == (after.state == "filled")
    won, lost = answers if after.state == "filled" else answers[::-1]
    assert ("Approved and filled" if after.state == "filled" else "Rejected") in won
    assert "Answered already" in lost
    assert "op-1" in lost
    again(one), again(other)
    assert approve_button(first).count() == approve_button(second).count() == 0


def test_what_was_changed_elsewhere_is_not_signed(address: str, home: Path, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    page = look(visit().open(address), address, proposal)
    changed = engine.trading.edit(proposal.id, "op-2", Change(size=float(proposal.plan.amount) / 2))
    with pytest.raises(NotAllowed, match="not what you looked at"):
        engine.trading.approve(proposal.id, "op-1", proposal.hash)
    page.wait_for_selector(f".st-key-approve-{changed.hash[:12]}")  # the page has seen it: another button, with another hash
    assert "edited" in page.locator(f".st-key-card-{proposal.id}-chosen").inner_text()
    assert orders_of(home, proposal) == 0
    page.locator(f".st-key-reject-{proposal.id} >> text=too large").click()
    assert "Rejected" in told(page)
    assert engine.trading.proposal(proposal.id).why == "too large"
    page.reload()
    page.wait_for_selector("[aria-label='Answered today'] >> text=too large")


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


def test_a_dragged_line_is_the_number_that_is_signed(address: str, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    visitor = visit().open(address)
    visitor.page.set_viewport_size({"width": 1280, "height": 1200})
    page = look(visitor, address, proposal)
    page.wait_for_function(f"{PLOT} && {PLOT}.layout && {PLOT}._fullLayout")
    page.get_by_label("zoom in").click()
    page.wait_for_timeout(1500)
    page.evaluate(f"{PLOT}.mine = true")
    before = page.evaluate(SHOWN)
    stop = drag_stop(page, proposal)
    field = page.get_by_label("Stop", exact=True)
    expect(field).to_have_count(1)  # the old input goes when the new one has come
    dragged = float(field.input_value())
    page.get_by_role("button", name="Approve with your changes").wait_for()
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=dragged)
    assert page.evaluate(SHOWN) == before, "the same chart, the same zoom"
    page.get_by_role("button", name="Back to machine's").click()
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=stop)
    field.fill(str(dragged))
    field.press("Enter")  # typed and dragged are the same number
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=dragged)
    page.get_by_role("button", name="Approve with your changes").click()
    assert "Approved and filled" in told(page)
    after = engine.trading.proposal(proposal.id)
    assert (after.state, after.is_edited, float(after.plan.stop or 0)) == ("filled", True, dragged)
    assert after.signatures[-1].hash == after.hash != proposal.hash
    again(visitor)
    assert "edited" in visitor.text("[aria-label='Answered today']")


def test_on_the_desk_a_dragged_line_opens_the_form_and_typing_moves_the_line(address: str, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    visitor = visit().open(f"{address}/?run={proposal.basis.run_id}")
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 1200})
    page.wait_for_function(f"{PLOT} && {PLOT}.layout && {PLOT}._fullLayout")
    page.wait_for_timeout(1500)
    stop = drag_stop(page, proposal)
    field = page.get_by_label("Stop", exact=True)
    field.fill(str(stop))
    field.press("Enter")
    page.wait_for_function(f"(price) => ({LINES})().at.some(([at]) => at === price)", arg=stop)
    page.wait_for_timeout(1500)
    assert page.locator("[data-stale=true]").count() == 0, "the page has come to rest"
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
    field = page.get_by_label("Stop", exact=True)
    field.fill(str(float(proposal.plan.stop or 0) + (step * 20 if proposal.plan.side == "buy" else -step * 20)))
    field.press("Enter")
    page.get_by_role("button", name="Approve with your changes").wait_for()
    page.get_by_text("decided:").first.wait_for()  # the market has been looked at
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


def test_what_nobody_answers_expires_and_what_runs_away_is_locked(address: str, home: Path, file: File, visit: Come) -> None:
    hasty = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2", proposal_minutes=0.2))  # type: ignore[call-arg]
    try:
        gone = file(hasty)
        moving = file(hasty, at=None, risk=RiskConfig(max_drift_atr=1e-9))
    finally:
        hasty.close()
    visitor = visit().open(address)
    page = visitor.page
    page.goto(f"{address}/approvals?proposal={moving.id}")
    card = page.locator(f".st-key-card-{moving.id}-chosen")
    card.get_by_text("locked: price moved").wait_for()
    assert approve_button(page).is_disabled()
    page.get_by_text("nobody answered in time").first.wait_for()  # the clock ran out while we looked
    again(visitor)
    assert "expired" in visitor.text("[aria-label='Answered today']")
    assert orders_of(home, gone) == orders_of(home, moving) == 0


def test_the_desk_knows_when_the_time_is_over_and_offers_no_signature_after_it(address: str, home: Path, file: File, visit: Come) -> None:
    hasty = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2", proposal_minutes=0.4))  # type: ignore[call-arg]
    try:
        gone = file(hasty)
    finally:
        hasty.close()
    page = visit().open(f"{address}/?run={gone.basis.run_id}").page
    approve_button(page).wait_for()
    left = (gone.expires_at - datetime.now(UTC)).total_seconds()
    page.locator(".st-key-signature .tb-chip", has_text="expired").wait_for(timeout=(left + 8) * 1000)
    assert datetime.now(UTC) >= gone.expires_at
    assert approve_button(page).count() == 0
    assert "expired" in page.locator(".tb-step").last.inner_text()
    assert orders_of(home, gone) == 0


def test_a_past_moment_of_the_desk_has_no_signature_and_its_end_has_it_again(address: str, file: File, visit: Come) -> None:
    proposal = file()
    page = visit().open(f"{address}/?run={proposal.basis.run_id}").page
    approve_button(page).wait_for()
    slider = page.get_by_role("slider", name="Look back")
    slider.focus()
    slider.press("Home")
    page.get_by_text("A signature is awaited until").wait_for()
    expect(approve_button(page)).to_have_count(0)
    assert "your call" not in page.locator(".tb-steps").inner_text()
    expect(page.locator(".tb-steps")).to_have_count(1)
    page.get_by_role("button", name="To the end of the run").click()
    approve_button(page).wait_for()
    expect(page.get_by_text("A signature is awaited until")).to_have_count(0)
    expect(page.locator(".tb-steps")).to_have_count(1)
    assert "your call" in page.locator(".tb-steps").inner_text()


def test_a_locked_one_is_decided_again_on_the_desk(address: str, engine: Engine, file: File, visit: Come) -> None:
    moving = file(at=None, risk=RiskConfig(max_drift_atr=1e-9))
    visitor = visit().open(address)
    page = visitor.page
    page.goto(f"{address}/approvals?proposal={moving.id}")
    page.locator(f".st-key-refresh-{moving.id} button").click()
    page.wait_for_url("**run=*")
    visitor.ended()
    fresh = engine.record(page.url.partition("run=")[2].partition("&")[0])
    assert fresh.request.origin is not None
    assert (fresh.request.origin.run_id, fresh.request.origin.fresh) == (moving.basis.run_id, True)


def test_the_kill_switch_stands_on_every_page_and_refuses_approvals(address: str, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    visitor = visit().open(f"{address}/?run={proposal.basis.run_id}")
    page = visitor.page
    approve_button(page).wait_for()
    assert page.locator("[class*='st-key-approve-'] button:not([disabled])").count() == 1
    page.get_by_role("button", name="Halt trading").click()
    page.get_by_text("Trading is halted: op-1").wait_for()
    page.get_by_placeholder("Why, in one line").fill("news at noon")
    page.get_by_placeholder("Why, in one line").press("Enter")
    page.get_by_text("news at noon").wait_for()
    for path in ("approvals", "positions", "runs", "settings", f"?run={proposal.basis.run_id}"):
        page.goto(f"{address}/{path}")
        page.get_by_text("news at noon").wait_for()
        page.get_by_role("button", name="Allow trading again").wait_for()
    approve_button(page).wait_for()
    assert approve_button(page).is_disabled()
    halted = engine.trading.halted()
    assert halted is not None
    assert (halted.who, halted.why) == ("op-1", "news at noon")
    page.get_by_role("button", name="Allow trading again").click()
    page.locator("[class*='st-key-approve-'] button:not([disabled])").click()
    page.locator(".tb-steps >> text=filled").wait_for()
    page.reload()
    page.locator(".tb-steps >> text=filled").wait_for()
    assert engine.trading.proposal(proposal.id).state == "filled"


def test_where_a_login_is_configured_nothing_is_shown_without_one(
    chromium: str, tmp_path: Path, engine: Engine, home: Path, file: File, visit: Come
) -> None:
    proposal = file()
    (tmp_path / ".streamlit").mkdir()
    secret = '[auth]\nredirect_uri = "http://127.0.0.1/oauth2callback"\ncookie_secret = "not-a-secret"\nclient_id = "x"\n'
    address = 'client_secret = "y"\nserver_metadata_url = "http://127.0.0.1:9/.well-known/openid-configuration"\n'
    (tmp_path / ".streamlit" / "secrets.toml").write_text(secret + address, encoding="utf-8")
    with serving(ROOT / "app.py", tmp_path / "home", TRIBUNAL_HOME=str(home), TRIBUNAL_PACE="0") as address:
        visitor = visit()
        for path in ("", "approvals", "positions", "runs", "settings"):
            visitor.page.goto(f"{address}/{path}?run={proposal.basis.run_id}&proposal={proposal.id}")
            visitor.page.get_by_role("button", name="Log in").wait_for()
            shown = visitor.page.locator("body").inner_text()
            for word in ("BTC", "Halt", "Approve", "Enter", proposal.id):
                assert word not in shown, (path, word)
        visitor.forgive("404", "does not seem to exist")
        visitor.close()
