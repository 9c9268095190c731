"""The page of replays in a real browser: one is asked for, watched to its end, and its decisions open their runs; also on a phone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

Serve = Callable[..., str]
Come = Callable[..., Visit]


def test_a_replay_is_asked_for_and_its_decisions_open_their_runs(serve: Serve, visit: Come) -> None:
    address = serve()
    visitor = visit(width=1440)
    page = visitor.page
    page.goto(f"{address}/replay")
    expect(page.get_by_text("Nothing has been replayed here yet")).to_be_visible()
    for name, value in (("From", "2025-05-01"), ("To", "2025-05-02"), ("Seed", "3")):
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Run a replay").click()
    expect(page.locator(".tb-verdict .word")).to_have_text("Too few to say", timeout=120_000)
    expect(page.locator(".tb-curve.tall")).to_have_count(2)
    expect(page.locator("section[aria-label='This replay'] .tb-dl")).to_contain_text("decisions7")  # every fourth hour of a day
    mark = page.locator(".tb-curve .over a").first
    expect(mark).to_have_attribute("href", re.compile(r"run=r[0-9a-f]{12}-\d{5}"))
    run = re.search(r"run=([\w-]+)", mark.get_attribute("href") or "")
    assert run is not None
    mark.click()
    page.wait_for_url(f"**run={run[1]}*")
    expect(page.locator(".tb-verdict .word")).not_to_have_text("")
    expect(page.locator(".tb-market .sym").first).to_contain_text("BTC/USDT")

    phone = visit(width=390).open(f"{address}/replay?lang=zh")
    expect(phone.page.locator(".tb-verdict .word")).to_be_visible()
    expect(phone.page.get_by_text("样本外")).to_be_visible()
    assert not phone.scrolls_sideways()
