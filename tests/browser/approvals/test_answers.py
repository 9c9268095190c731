"""Proposals as people answer them: a hasty hand, two tabs, a change from elsewhere, a kill switch, a login."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.api import Change, Engine
from engine.domain.errors import NotAllowed
from tests.browser.approvals.reading import (
    APPROVE,
    Come,
    File,
    again,
    approve_button,
    can_be_signed,
    is_on_its_way,
    look,
    nobody_writes,
    orders_of,
    told,
)
from tests.browser.conftest import serving
from tests.conftest import ROOT

pytestmark = pytest.mark.browser

COUNT_MOST = """(selector) => {
  const count = () => { globalThis.mostAtOnce = Math.max(globalThis.mostAtOnce ?? 0, document.querySelectorAll(selector).length); };
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true, attributes: true });
  count();
}"""
"""From now on the page counts how many of these there ever are at once."""


def test_a_hasty_hand_orders_once_and_the_position_can_be_closed_by_hand(
    address: str, home: Path, engine: Engine, file: File, visit: Come
) -> None:
    proposal = file()
    visitor = visit().open(address)
    expect(visitor.page.get_by_test_id("stHeader")).to_contain_text("Approvals 1")
    page = look(visitor, address, proposal)
    approve_button(page).dblclick()
    assert "Approved and filled" in told(page)
    again(visitor)
    assert engine.trading.proposal(proposal.id).state == "filled"
    assert orders_of(home, proposal) == 1
    expect(page.get_by_label("Answered today")).to_contain_text("approved")
    expect(approve_button(page)).to_have_count(0)
    page.goto(f"{address}/positions")
    card = page.locator(".tb-pos")
    expect(card).to_contain_text("broken if")
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


def test_of_two_tabs_one_answers_and_the_other_is_told(address: str, home: Path, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    one, other = visit(), visit(theme="dark")
    first, second = look(one, address, proposal), look(other, address, proposal)
    with nobody_writes(home):  # so that each of the two is pressed before the other is written
        approve_button(first).click()
        second.locator(f".st-key-reject-{proposal.id} >> text=too late").click()
        is_on_its_way(first)  # after both: the lock is waited for no longer than ten seconds
        is_on_its_way(second)
    answers = told(first), told(second)
    after = engine.trading.proposal(proposal.id)
    assert after.state in {"filled", "rejected"}
    assert orders_of(home, proposal) == (after.state == "filled")
    won, lost = answers if after.state == "filled" else answers[::-1]
    assert ("Approved and filled" if after.state == "filled" else "Rejected") in won
    assert "Answered already" in lost
    assert "op-1" in lost
    again(one), again(other)
    for page in (first, second):
        expect(approve_button(page)).to_have_count(0)


def test_what_was_changed_elsewhere_is_not_signed(address: str, home: Path, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    page = look(visit(), address, proposal)
    changed = engine.trading.edit(proposal.id, "op-2", Change(size=float(proposal.plan.amount) / 2))
    with pytest.raises(NotAllowed, match="was changed by op-2 since you read it"):
        engine.trading.approve(proposal.id, "op-1", proposal.hash)
    page.wait_for_selector(f".st-key-approve-{changed.hash[:12]}")  # the page has seen it: another button, with another hash
    expect(page.locator(f".st-key-card-{proposal.id}-chosen")).to_contain_text("edited")
    assert orders_of(home, proposal) == 0
    page.locator(f".st-key-reject-{proposal.id} >> text=too large").click()
    assert "Rejected" in told(page)
    assert engine.trading.proposal(proposal.id).why == "too large"
    page.reload()
    page.wait_for_selector("[aria-label='Answered today'] >> text=too large")


def test_the_kill_switch_stands_on_every_page_and_refuses_approvals(address: str, engine: Engine, file: File, visit: Come) -> None:
    proposal = file()
    visitor = visit().open(f"{address}/?run={proposal.basis.run_id}")
    page = visitor.page
    can_be_signed(page)
    page.get_by_role("button", name="Halt trading").click()
    page.get_by_text("Trading is halted: op-1").wait_for()
    page.get_by_placeholder("Why, in one line").fill("news at noon")
    page.get_by_placeholder("Why, in one line").press("Enter")
    page.get_by_text("news at noon").wait_for()
    for path in ("approvals", "positions", "runs", "settings", f"?run={proposal.basis.run_id}"):
        page.goto(f"{address}/{path}")
        page.get_by_text("news at noon").wait_for()
        page.get_by_role("button", name="Allow trading again").wait_for()
    expect(approve_button(page)).to_be_disabled()
    halted = engine.trading.halted()
    assert halted is not None
    assert (halted.who, halted.why) == ("op-1", "news at noon")
    page.evaluate(COUNT_MOST, APPROVE)
    page.get_by_role("button", name="Allow trading again").click()
    can_be_signed(page)
    assert page.evaluate("globalThis.mostAtOnce") == 1  # the shut one of before was never beside it
    approve_button(page).click()
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
