"""Proposals in time: a clock that runs out, a price that runs away, a moment that is past."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.risk import RiskConfig
from engine.settings import Settings
from tests.browser.approvals.reading import Come, File, again, approve_button, orders_of
from tests.browser.conftest import PATIENCE_MS

pytestmark = pytest.mark.browser


def test_what_nobody_answers_expires_and_what_runs_away_is_locked(address: str, home: Path, file: File, visit: Come) -> None:
    moving = file(at=None, risk=RiskConfig(max_drift_atr=1e-9))
    hasty = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2", proposal_minutes=0.3))  # type: ignore[call-arg]
    try:
        gone = file(hasty)
    finally:
        hasty.close()
    visitor = visit()
    page = visitor.page
    page.goto(f"{address}/approvals?proposal={moving.id}")
    card = page.locator(f".st-key-card-{moving.id}-chosen")
    card.get_by_text("locked: price moved").wait_for()
    expect(approve_button(page)).to_be_disabled()
    page.get_by_text("it expired before anyone answered").first.wait_for()  # the clock ran out while we looked
    again(visitor)
    expect(page.get_by_label("Answered today")).to_contain_text("expired")
    assert orders_of(home, gone) == orders_of(home, moving) == 0


def test_the_desk_knows_when_the_time_is_over_and_offers_no_signature_after_it(address: str, home: Path, file: File, visit: Come) -> None:
    hasty = Engine(Settings(_env_file=None, home=home, pace=0, operator="op-2", proposal_minutes=0.75))  # type: ignore[call-arg]
    try:
        gone = file(hasty)
    finally:
        hasty.close()
    page = visit().open(f"{address}/?run={gone.basis.run_id}").page
    approve_button(page).wait_for()
    left = max(0.0, (gone.expires_at - utc_now()).total_seconds())
    page.locator(".st-key-signature .tb-chip", has_text="expired").wait_for(timeout=left * 1000 + PATIENCE_MS)
    assert utc_now() >= gone.expires_at
    expect(approve_button(page)).to_have_count(0)
    expect(page.locator(".tb-step").last).to_contain_text("expired")
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
    expect(page.locator(".tb-steps")).to_have_count(1)
    expect(page.locator(".tb-steps")).not_to_contain_text("to sign")
    page.get_by_role("button", name="To the end").click()
    approve_button(page).wait_for()
    expect(page.get_by_text("A signature is awaited until")).to_have_count(0)
    expect(page.locator(".tb-steps")).to_have_count(1)
    expect(page.locator(".tb-steps")).to_contain_text("to sign")


def test_a_locked_one_is_decided_again_on_the_desk(address: str, engine: Engine, file: File, visit: Come) -> None:
    moving = file(at=None, risk=RiskConfig(max_drift_atr=1e-9))
    visitor = visit()
    page = visitor.page
    page.goto(f"{address}/approvals?proposal={moving.id}")
    page.locator(f".st-key-refresh-{moving.id} button").click()
    page.wait_for_url("**run=*")
    visitor.ended()
    fresh = engine.record(page.url.partition("run=")[2].partition("&")[0])
    assert fresh.request.origin is not None
    assert (fresh.request.origin.run_id, fresh.request.origin.fresh) == (moving.basis.run_id, True)
