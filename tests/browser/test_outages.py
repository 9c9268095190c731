"""What may happen to a page and its server while a run goes on: the server is killed and started again, every tab is closed."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.domain.events import Event
from engine.journal.store import open_journal
from tests.browser.conftest import Server, Visit
from tests.servers.exchange import LoopbackExchange

pytestmark = pytest.mark.browser

Come = Callable[..., Visit]

WRITING = "[...document.querySelectorAll('.tb-an .txt')].every((row) => row.innerText.length > 40)"
LOST = ("WebSocket", "ERR_", "Failed to", "Network Error", "AxiosError", "health", "host-config", "disconnected from server")
"""What a browser says of a server that is not there."""


def events_of(server: Server, address: str) -> list[Event]:
    """The log of the run that a page's address names."""
    journal = open_journal(server.home, None)
    try:
        return journal.events(address.partition("run=")[2].partition("&")[0])
    finally:
        journal.close()


def test_a_killed_server_is_found_again_by_the_open_page(chromium: str, tmp_path: Path, visit: Come) -> None:
    with Server(tmp_path, TRIBUNAL_PACE="1.5") as server:
        visitor = visit().open(server.address)
        visitor.run()
        visitor.page.wait_for_function(WRITING)
        address = visitor.page.url
        server.kill()
        visitor.page.wait_for_timeout(1500)
        server.start()
        visitor.ended()  # without a reload, and without anybody's doing
        visitor.page.wait_for_selector(".tb-chart .main-svg")
        visitor.forgive(*LOST)
        assert visitor.page.url == address
        log = events_of(server, address)
        visitor.close()
    assert [event.seq for event in log] == list(range(1, len(log) + 1)), "no event is missing or there twice"
    assert [event.kind for event in log].count("run.resumed") == 1
    assert [event.kind for event in log].count("run.finished") == 1


def test_all_tabs_closed_and_opened_again(chromium: str, tmp_path: Path, visit: Come) -> None:
    with Server(tmp_path, TRIBUNAL_PACE="6") as server:
        first = visit().open(server.address)
        first.run()
        address = first.page.url
        first.close()
        deadline = time.monotonic() + 60
        while not (ended := any(event.kind == "run.finished" for event in events_of(server, address))) and time.monotonic() < deadline:
            time.sleep(0.5)
        assert ended, "a run goes on while nobody watches"
        later = visit().open(address)
        later.ended()
        later.many(".tb-claim", 11)
        expect(later.page.locator(".tb-an .tb-st.done")).to_have_count(4)
        later.close()


def test_a_run_on_a_slow_exchange_says_what_it_reads_and_can_be_stopped(chromium: str, tmp_path: Path, visit: Come) -> None:
    bar = "document.querySelector('.st-key-verdict')?.innerText ?? ''"
    with LoopbackExchange() as venue:
        venue.slow("exchangeInfo", 3.0)
        venue.slow("klines", 60.0)  # longer than anybody waits: it is read for as long as this test looks
        with Server(tmp_path, TRIBUNAL_FEED="live", TRIBUNAL_EXCHANGE_URL=venue.url, TRIBUNAL_PACE="0") as server:
            visitor = visit().open(server.address)
            page = visitor.page
            page.get_by_role("button", name="Run a decision").first.click()
            page.get_by_role("button", name="Stop", exact=True).wait_for()
            page.wait_for_function(f"/Reading BTC.USDT:USDT from binanceusdm\\s+[0-3] of 4 read/.test({bar})")
            seconds = f"Number(/elapsed\\s+([\\d.]+)/i.exec({bar})?.[1])"
            page.wait_for_function(f"{seconds} >= 0")
            begun = page.evaluate(seconds)
            page.wait_for_function(f"(begun) => {seconds} > begun", arg=begun)
            assert page.locator(".tb-msg.bad").count() == 0
            page.get_by_role("button", name="Stop", exact=True).click()
            page.wait_for_function(f"/Stopped/.test({bar})")
            visitor.close()
